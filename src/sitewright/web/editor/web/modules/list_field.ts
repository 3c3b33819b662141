/** The field of a list in the form of a block: its entries are edited, moved, added and removed. */
import type { Editor } from "./context";
import { button, h, icon, iconButton } from "./dom";
import { daysText, timesText } from "./hours_fields";
import { pickImages } from "./image_picker";
import { pictureUrl } from "./media";
import type { Media, TypeItem, TypeValue } from "./model";
import { isPlain } from "./plain_text";
import { text } from "./texts";
import { simpleField, titleOf, type Save } from "./value_fields";

type Store = (typed?: boolean) => void;
type Row = Record<string, string>;

/** A list of objects: each can be edited, moved and removed. */
export function listField(editor: Editor, value: TypeValue, current: string, save: Save): HTMLElement {
  const rows = readRows(current);
  const list = h("ul", { class: "list-rows" });
  const store: Store = (typed) => save(JSON.stringify(rows), typed);
  const redraw = (focus?: number): void => {
    list.replaceChildren(...rows.map((row, index) => listRow(editor, value, rows, row, index, store, redraw)));
    if (focus !== undefined) list.querySelectorAll<HTMLElement>("summary")[focus]?.focus();
  };
  redraw();
  const add = button(text("list_add"), "quiet", () => {
    rows.push(newRow(value, rows));
    if (Object.values(rows.at(-1) ?? {}).some(Boolean)) store();
    redraw();
    const last = list.querySelector<HTMLDetailsElement>("li:last-child details");
    if (last) last.open = true;
    last?.querySelector<HTMLElement>("input, textarea, button")?.focus();
  }, "plus");
  const legend = h("legend", { class: "list-legend" }, titleOf(value));
  return h("fieldset", { class: "stack-tight plain-fieldset" }, legend, list, h("div", { class: "row" }, picturesButton(editor, value, rows, store, redraw), add));
}

function listRow(
  editor: Editor, value: TypeValue, rows: Row[], row: Row, index: number, store: Store, redraw: (focus?: number) => void,
): HTMLElement {
  const move = (by: number): void => {
    rows.splice(index, 1);
    rows.splice(index + by, 0, row);
    store();
    redraw(index + by);
  };
  const remove = (): void => {
    rows.splice(index, 1);
    store();
    redraw(Math.min(index, rows.length - 1));
  };
  const [name, note] = [h("span", {}), h("span", { class: "soft small" })];
  const showWords = (): void => {
    name.textContent = rowTitle(value, row, index);
    note.textContent = rowNote(value, row);
  };
  showWords();
  const thumbnail = h("img", { class: "row-picture", alt: "", hidden: true });
  showThumbnail(editor, thumbnail, row[pictureOf(value)?.name ?? ""] ?? "");
  const fields = value.items.map((item) =>
    itemField(editor, item, row[item.name] ?? "", (changed, typed) => {
      row[item.name] = changed;
      showWords();
      if (item.type === "image") showThumbnail(editor, thumbnail, changed);
      showTimes();
      store(typed);
    }),
  );
  const times = fields[value.items.findIndex((item) => item.type === "times")];
  const showTimes = (): void => {
    if (times) times.hidden = row["closed"] === "1";
  };
  showTimes();
  const moves = h("div", { class: "row" },
    iconButton(text("move_up"), "arrow-up", () => move(-1), index === 0),
    iconButton(text("move_down"), "arrow-down", () => move(1), index === rows.length - 1),
    iconButton(text("remove"), "trash", remove));
  return h("li", {}, h("details", { "data-open-key": `${value.name}:${index}` }, h("summary", {}, thumbnail, h("span", { class: "row-words" }, name, note), icon("chevron-down")), h("div", { class: "stack-tight list-row" }, ...fields, moves)));
}

/** The picture of each entry, where entries have one. */
function pictureOf(value: TypeValue): TypeItem | undefined {
  return value.items.find((item) => item.type === "image");
}

/** One entry for each picture, with its alternative text. */
export function pictureRows(value: TypeValue, pictures: readonly Media[]): Row[] {
  const name = pictureOf(value)?.name ?? "";
  const hasAlt = value.items.some((item) => item.name === "alt");
  return pictures.map((media) => ({ ...newRow(value, []), [name]: `media:${media.ref}`, ...(hasAlt ? { alt: media.alt } : {}) }));
}

/** Whether the entries are pictures: galleries and the like, but not people with a portrait. */
export function isPictureList(value: TypeValue): boolean {
  return value.type === "list" && value.items[0]?.type === "image";
}

/** Several pictures become entries at once. */
function picturesButton(editor: Editor, value: TypeValue, rows: Row[], store: Store, redraw: () => void): HTMLElement | null {
  if (!isPictureList(value)) return null;
  const add = async (): Promise<void> => {
    const picked = await pickImages(editor, { several: true });
    if (picked.length === 0) return;
    rows.push(...pictureRows(value, picked));
    store();
    redraw();
  };
  return button(text("list_add_pictures"), "primary", () => void add(), "image");
}

function showThumbnail(editor: Editor, image: HTMLImageElement, value: string): void {
  void pictureUrl(editor.api, value).then((url) => {
    image.hidden = url === null;
    if (url !== null) image.src = url;
  });
}

/** Formatting that the form cannot show is shown as HTML, so that nothing of it is lost. */
function itemField(editor: Editor, item: TypeItem, current: string, save: Save): HTMLElement {
  const isSource = item.type === "richText" && !isPlain(current);
  return simpleField(editor, isSource ? { ...item, type: "html" } : item, current, save);
}

/** News begin with today. Opening hours begin with working days, then with the days that no row has yet. */
function newRow(value: TypeValue, rows: readonly Row[]): Row {
  const today = new Intl.DateTimeFormat("sv-SE").format(); // as a date control takes it
  const row: Row = Object.fromEntries(value.items.map((item) => [item.name, item.type === "date" ? today : ""]));
  const days = value.items.find((item) => item.type === "days");
  if (days === undefined) return row;
  const used = rows.map((each) => each[days.name] ?? "").join(",");
  const free = ["mo,tu,we,th,fr", "sa", "su"].find((each) => !used.includes(each.slice(0, 2)));
  return { ...row, [days.name]: free ?? "", times: free ? "09:00-17:00" : "" };
}

function rowTitle(value: TypeValue, row: Row, index: number): string {
  const days = value.items.find((item) => item.type === "days");
  if (days !== undefined && row[days.name]) return daysText(row[days.name] ?? "");
  const words = value.items.filter((item) => item.type === "text").map((item) => row[item.name]).find(Boolean);
  return words ? words.slice(0, 60) : text("list_item", { number: index + 1 });
}

/** What tells entries apart at a glance: the times of opening hours, else the second short text, such as the role of a person. */
function rowNote(value: TypeValue, row: Row): string {
  const find = (type: string): TypeItem | undefined => value.items.find((item) => item.type === type);
  const [times, closed] = [find("times"), find("flag")];
  if (times !== undefined) return closed && row[closed.name] === "1" ? titleOf(closed) : timesText(row[times.name] ?? "");
  const words = value.items.filter((item) => item.type === "text" && !item.multiline).map((item) => row[item.name]);
  return words.filter(Boolean)[1]?.slice(0, 60) ?? "";
}

export function readRows(current: string): Row[] {
  try {
    const parsed: unknown = JSON.parse(current || "[]");
    return Array.isArray(parsed) ? parsed.filter((each): each is Row => typeof each === "object" && each !== null) : [];
  } catch {
    return [];
  }
}
