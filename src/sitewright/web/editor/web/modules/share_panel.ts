/** Preview links: show the site as it is now to somebody without an account, for some days. */
import { copyText } from "./clipboard";
import type { Editor } from "./context";
import { confirmLoss } from "./dialog";
import { button, field, h, input, select, type Child } from "./dom";
import { runCall, showLoaded } from "./loading_panel";
import { text } from "./texts";
import { showDate, showTime } from "./times";

const DAYS = [1, 7, 30, 90];

interface PreviewLink {
  ref: number;
  created: string;
  expires: string;
  url: string | null;
}

/** Addresses of the links of this visit: the service stores only digests, and shows an address once. */
const addresses = new Map<number, string>();

export function showShare(editor: Editor): void {
  void showLoaded(editor, "share", text("share_title"), async () => {
    const { links } = await editor.api.get<{ links: PreviewLink[] }>("/preview-links");
    return [h("p", {}, text("share_hint")), creation(editor), ...list(editor, links)];
  });
}

function creation(editor: Editor): HTMLElement {
  let days = "7";
  const duration = select(days, DAYS.map((each) => [String(each), each === 1 ? text("share_day") : text("share_days", { count: each })] as const), (chosen) => {
    days = chosen;
  });
  const create = button(text("share_create"), "primary", () => void run(), "plus");
  const run = async (): Promise<void> => {
    const made = await runCall(create, async () => {
      const { link } = await editor.api.post<{ link: PreviewLink }>("/preview-links", { days: Number(days) });
      if (link.url !== null) addresses.set(link.ref, link.url);
    });
    if (made) showShare(editor);
  };
  return h("div", { class: "stack-tight" }, field(text("share_duration"), duration), create);
}

function list(editor: Editor, links: readonly PreviewLink[]): Child[] {
  if (links.length === 0) return [];
  return [
    h("h3", {}, text("share_list")),
    h("ul", { class: "row-cards" }, ...[...links].reverse().map((link) => row(editor, link))),
  ];
}

function row(editor: Editor, link: PreviewLink): HTMLElement {
  const created = showTime(link.created);
  const url = addresses.get(link.ref);
  const revoke = button(text("share_revoke"), "plain danger-text", () => void run(), "trash");
  revoke.setAttribute("aria-label", text("share_revoke_of", { when: created }));
  const run = async (): Promise<void> => {
    if (!(await confirmLoss(text("share_revoke_title"), text("share_revoke_text"), text("share_revoke")))) return;
    if (await runCall(revoke, () => editor.api.post(`/preview-links/${link.ref}/delete`))) showShare(editor);
  };
  return h("li", { class: "row-card" },
    h("p", { class: "small" }, h("strong", {}, text("share_until", { date: showDate(link.expires) })), " ", h("span", { class: "soft" }, text("share_created", { when: created }))),
    url === undefined ? h("p", { class: "soft small" }, text("share_once")) : address(url),
    h("div", { class: "row" }, url === undefined ? null : button(text("share_copy"), "quiet", () => void copyText(url, text("share_copied")), "copy"), revoke));
}

function address(url: string): HTMLElement {
  const shown = input(url, () => undefined, { readonly: true, "aria-label": text("share_address"), onfocus: () => shown.select() });
  return shown;
}
