// The messages between the editor's page and its frame, and a validator for each. Both sides use this module:
// whatever arrives from another window, or in another shape, is ignored.
//
// Positions count the widgets of one parent, as `data-position` does. In `moved`, the position is the one that the
// widget has afterwards: the widget itself is not counted.

export const TEXTS = [
  "moveUp", "moveDown", "duplicate", "delete", "settings", "add", "drag", "bold", "italic", "link", "unlink",
  "linkAddress", "apply", "paragraph", "heading", "subheading", "quotation", "bulletList", "numberedList",
  "alignStart", "alignCenter", "alignEnd", "undo", "redo", "picture", "typeHere", "empty", "emptyPage", "blockOf",
  "formatting", "block",
] as const;
export type TextName = (typeof TEXTS)[number];
/** `types` are the titles of widget types, without the prefix `widget.`. `blockOf`: "{type}, {number} of {count}". */
export type Texts = Partial<Record<TextName, string>> & { types?: Record<string, string> };

export type Rich = { headings: boolean; links: boolean; lists: boolean; pictures: boolean };
export const ALL_RICH: Rich = { headings: true, links: true, lists: true, pictures: true };

export type ToFrame =
  | { type: "start"; texts: Texts; canEdit: boolean; rich: Rich }
  | { type: "render"; html: string; keep: number | null }
  | { type: "select"; widgetRef: number | null }
  /** Begin typing; with `all`, what is typed replaces the text. */
  | { type: "focus"; widgetRef: number; name: string; all: boolean }
  /** End typing: what was typed is sent, then `left`. */
  | { type: "leave" }
  /** `src` is what the text names (`media:5`), `display` the address that shows it. */
  | { type: "insertImage"; widgetRef: number; src: string; alt: string; display: string }
  /** The answer to `pickLink`; an empty address removes the link, null leaves it alone. */
  | { type: "insertLink"; widgetRef: number; href: string | null }
  /** Show a set of colors or fonts: until the next rendering where it was `chosen`, else until null ends the preview. */
  | { type: "design"; colors: number | null; fonts: number | null; chosen: boolean }
  /** The panel covers the lower part of the frame, `covered` pixels high: show the block in the rest. */
  | { type: "uncover"; widgetRef: number | null; covered: number }
  | { type: "mode"; editing: boolean };

const ACTIONS = ["moveUp", "moveDown", "duplicate", "delete", "settings", "add"] as const;
export type ActionName = (typeof ACTIONS)[number];
const SHORTCUTS = ["undo", "redo", "preview", "publish", "palette"] as const;
export type ShortcutName = (typeof SHORTCUTS)[number];

export type Place = { parentId: string; position: number };

export type FromFrame =
  | { type: "hello" }
  | { type: "ready" }
  | { type: "selected"; widgetRef: number | null }
  | { type: "edited"; widgetRef: number; name: string; value: string; isFinal: boolean }
  /** The block whose text is open, also before anything is typed. */
  | { type: "typing"; widgetRef: number | null }
  | { type: "left" }
  | ({ type: "action"; name: ActionName; widgetRef: number | null } & Place)
  | ({ type: "moved"; widgetRef: number } & Place)
  | ({ type: "files"; files: File[]; widgetRef: number | null } & Place)
  | { type: "navigate"; path: string }
  | { type: "shortcut"; name: ShortcutName }
  | { type: "static"; id: string }
  | { type: "opened"; widgetRef: number }
  | { type: "pickImage"; widgetRef: number; name: string }
  | { type: "pickLink"; widgetRef: number; href: string };

type Fields = Record<string, unknown>;
type Check = (value: unknown) => boolean;
type Checks<Message extends { type: string }> = {
  [Type in Message["type"]]: Record<Exclude<keyof Extract<Message, { type: Type }>, "type">, Check>;
};

const MAX_TEXT = 2_000_000;
const MAX_HTML = 20_000_000;
const isRef: Check = (value) => Number.isSafeInteger(value) && (value as number) > 0;
const isFlag: Check = (value) => typeof value === "boolean";
const isText: Check = (value) => typeof value === "string" && value.length <= MAX_TEXT;
const isHtml: Check = (value) => typeof value === "string" && value.length <= MAX_HTML;
const isName: Check = (value) => typeof value === "string" && value.length <= 1000;
const isPosition: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isFiles: Check = (value) => Array.isArray(value) && value.length <= 100 && value.every((each) => each instanceof File);
const orNull = (check: Check): Check => (value) => value === null || check(value);
const oneOf = (names: readonly string[]): Check => (value) => typeof value === "string" && names.includes(value);
const isTexts: Check = (value) =>
  isObject(value) && Object.entries(value).every(([name, text]) => (name === "types" ? isTexts(text) : isText(text)));
const isRich: Check = (value) =>
  isObject(value) && ["headings", "links", "lists", "pictures"].every((name) => isFlag(value[name]));

const TO_FRAME: Checks<ToFrame> = {
  start: { texts: isTexts, canEdit: isFlag, rich: isRich },
  render: { html: isHtml, keep: orNull(isRef) },
  select: { widgetRef: orNull(isRef) },
  focus: { widgetRef: isRef, name: isName, all: isFlag },
  leave: {},
  insertImage: { widgetRef: isRef, src: isText, alt: isText, display: isText },
  insertLink: { widgetRef: isRef, href: orNull(isText) },
  design: { colors: orNull(isRef), fonts: orNull(isRef), chosen: isFlag },
  uncover: { widgetRef: orNull(isRef), covered: isPosition },
  mode: { editing: isFlag },
};

const PLACE = { parentId: isName, position: isPosition };
const FROM_FRAME: Checks<FromFrame> = {
  hello: {},
  ready: {},
  selected: { widgetRef: orNull(isRef) },
  edited: { widgetRef: isRef, name: isName, value: isText, isFinal: isFlag },
  typing: { widgetRef: orNull(isRef) },
  left: {},
  action: { name: oneOf(ACTIONS), widgetRef: orNull(isRef), ...PLACE },
  moved: { widgetRef: isRef, ...PLACE },
  files: { files: isFiles, widgetRef: orNull(isRef), ...PLACE },
  navigate: { path: isName },
  shortcut: { name: oneOf(SHORTCUTS) },
  static: { id: isName },
  opened: { widgetRef: isRef },
  pickImage: { widgetRef: isRef, name: isName },
  pickLink: { widgetRef: isRef, href: isText },
};

/** The message of an event from the page; null where it comes from elsewhere or is not valid. */
export function messageToFrame(event: MessageEvent): ToFrame | null {
  return event.source === window.parent ? (checked(event.data, TO_FRAME) as ToFrame | null) : null;
}

/** The message of an event from this frame; null where it comes from elsewhere or is not valid. */
export function messageFromFrame(event: MessageEvent, frame: HTMLIFrameElement): FromFrame | null {
  const isOurs = frame.contentWindow !== null && event.source === frame.contentWindow;
  return isOurs ? (checked(event.data, FROM_FRAME) as FromFrame | null) : null;
}

/** The frame has an opaque origin, which no target origin but `*` matches. Messages hold nothing secret. */
export function sendToFrame(frame: HTMLIFrameElement, message: ToFrame): void {
  frame.contentWindow?.postMessage(message, "*");
}

export function sendToPage(message: FromFrame): void {
  window.parent.postMessage(message, "*");
}

function checked(data: unknown, checks: Record<string, Record<string, Check>>): Fields | null {
  if (!isObject(data) || typeof data.type !== "string" || !Object.hasOwn(checks, data.type)) return null;
  const fields = checks[data.type] ?? {};
  const isValid = Object.entries(fields).every(([name, check]) => check(data[name]));
  return isValid && Object.keys(data).length === Object.keys(fields).length + 1 ? data : null;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
