/**
 * The rules of addresses, as the service has them (`widget_types/parsing.py`, `kit/contact_fields.py`, `pages/urls.py`).
 * Imports nothing: a test runs it.
 */
export type AddressKind = "url" | "email" | "phone";
export type PageAddressProblem = "characters" | "reserved" | "taken";

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;
const CONTROLS = /[\x00-\x1f\x7f]/;
const PHONE = /^\+?[0-9 ()/.-]{3,40}(?:(?:x|ext\.?) ?[0-9]{1,8})?$/i;
const MIN_DIGITS = 3;
const MAX_EMAIL = 254;
const MAX_LOCAL = 64;
const MAX_LABEL = 63;
/** Part of an address: the usual characters, or letters, marks and digits of other alphabets. */
const ATOM = /^(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]|(?![\x00-\x7f])[\p{L}\p{Mn}\p{Mc}\p{Nd}])+$/u;
const LABEL = /^(?:[A-Za-z0-9-]|(?![\x00-\x7f])[\p{L}\p{Mn}\p{Mc}\p{Nd}])+$/u;
const DIGITS = /^[0-9]+$/;
const INTERNATIONAL_NUMBER = /^\+[0-9][0-9 ()/.-]{4,39}$/;
const HOST = /^(?:[a-z0-9-]+\.)+([a-z]{2,24})(?:[/?#].*)?$/i;
const FILES = new Set(["asp", "doc", "docx", "gif", "htm", "html", "jpeg", "jpg", "odt", "pdf", "php", "png", "svg", "txt", "webp", "xml", "zip"]);

const MAX_PAGE_ADDRESS = 255;
const PAGE_SEGMENT = /^(?!\.{1,2}$)[A-Za-z0-9._~-]+$/;
const RESERVED_FOLDERS = new Set([".well-known", "_site"]);
const RESERVED_PAGES = new Set(["robots.txt", "sitemap.xml"]);

/** What prevents a page from having the address, where the other pages have these. */
export function pageAddressProblem(text: string, others: readonly string[]): PageAddressProblem | null {
  const address = text.trim().replace(/^\//, "").toLowerCase();
  const segments = address.split("/");
  if (address.length > MAX_PAGE_ADDRESS || !segments.every((each) => PAGE_SEGMENT.test(each))) return "characters";
  if (RESERVED_FOLDERS.has(segments[0] ?? "") || RESERVED_PAGES.has(address)) return "reserved";
  return others.some((each) => each.toLowerCase() === address) ? "taken" : null;
}

/** Whether the service takes the text; empty is always allowed. */
export function isValidAddress(kind: AddressKind, text: string): boolean {
  const address = text.trim();
  if (address === "") return true;
  if (kind === "email") return isEmail(address);
  return kind === "phone" ? isPhone(address) : isLink(address);
}

/** A link as people write it, with the scheme that it lacks: an e-mail address, an international number, a website. */
export function completedLink(text: string): string {
  const address = text.trim();
  if (SCHEME.test(address)) return address;
  if (isEmail(address)) return `mailto:${address}`;
  if (INTERNATIONAL_NUMBER.test(address)) return `tel:${address.replace(/[^0-9+]/g, "")}`;
  const ending = HOST.exec(address)?.[1]?.toLowerCase();
  return ending === undefined || FILES.has(ending) ? address : `https://${address}`;
}

function isLink(address: string): boolean {
  if (CONTROLS.test(address)) return false;
  const scheme = SCHEME.exec(address)?.[0].toLowerCase();
  const rest = address.slice(scheme?.length ?? 0);
  switch (scheme) {
    case undefined:
      return true;
    case "http:":
    case "https:":
      return URL.canParse(address.replaceAll(" ", "%20"));
    case "mailto:":
      return isEmail(rest.split("?")[0] ?? "");
    case "tel:":
      return isPhone(rest);
    default:
      return false;
  }
}

function isPhone(text: string): boolean {
  return PHONE.test(text) && text.replace(/[^0-9]/g, "").length >= MIN_DIGITS;
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const [local, labels] = [text.slice(0, Math.max(0, at)), text.slice(at + 1).split(".")];
  return at > 0 && text.length <= MAX_EMAIL && local.length <= MAX_LOCAL
    && local.split(".").every((atom) => ATOM.test(atom))
    && labels.length > 1 && labels.every(isLabel) && !DIGITS.test(labels.at(-1) ?? "");
}

function isLabel(label: string): boolean {
  return LABEL.test(label) && label.length <= MAX_LABEL && !label.startsWith("-") && !label.endsWith("-");
}
