/** The form of a block, generated from the description of its type. */
import type { Editor } from "./context";
import { alert, button, checkbox, field, h, iconButton, input, select, textarea, type Child } from "./dom";
import { daysField, daysText, timesField } from "./hours_fields";
import { imageField } from "./image_field";
import { pickImages } from "./image_picker";
import { isPlain, paragraphsOf, plainOf } from "./plain_text";
import { typeTitle } from "./block_picker";
import type { TypeItem, TypeValue, Widget } from "./model";
import { text } from "./texts";

type Save = (value: string) => void;

export function showBlockForm(editor: Editor, ref: number, takeFocus = true): void {
  const widget = editor.content.widget(ref);
  if (widget === undefined) return;
  const type = editor.typeOf(widget.type);
  if (type === undefined) {
    editor.panel.show(`block:${ref}`, text("block"), [alert(text("unknown_block"), "neutral"), blockActions(editor, widget)], takeFocus);
    return;
  }
  const fields = type.values.map((value) => valueField(editor, widget, value));
  const form = h("form", { class: "stack", onsubmit: (event) => event.preventDefault() }, ...fields);
  form.addEventListener("focusout", () => editor.endTyping());
  editor.panel.show(`block:${ref}`, typeTitle(type), [form, blockActions(editor, widget)], takeFocus);
}

function blockActions(editor: Editor, widget: Widget): HTMLElement {
  const copy = (): void => editor.change({ kind: "duplicateWidget", widgetRef: widget.ref });
  const remove = (): void => editor.change({ kind: "deleteWidget", widgetRef: widget.ref });
  return h("div", { class: "row" }, button(text("duplicate"), "quiet", copy, "copy"), button(text("delete"), "danger", remove, "trash"));
}

/** The first of a value's names that is present counts; what is written goes to its main name. */
export function currentValue(widget: Widget, value: TypeValue): string {
  const name = [value.name, ...value.also].find((each) => each in widget.values);
  return name === undefined ? value.default : (widget.values[name] ?? value.default);
}

function valueField(editor: Editor, widget: Widget, value: TypeValue): Child {
  const current = currentValue(widget, value);
  const save: Save = (changed) => {
    editor.change({ kind: "setValues", widgetRef: widget.ref, values: { [value.name]: changed } });
  };
  const label = titleOf(value);
  if (value.type === "richText") return h("p", { class: "soft small" }, text("edit_in_page", { label }));
  if (value.type === "list") return listField(editor, label, value, current, save);
  if (value.type === "html" && !editor.allows("htmlEditing")) return alert(text("rule_htmlEditing"), "warn");
  return simpleField(editor, value, label, current, save);
}

function simpleField(editor: Editor, value: TypeItem & Partial<TypeValue>, label: string, current: string, save: Save): HTMLElement {
  const about = { "data-focus": value.name };
  switch (value.type) {
    case "image":
      return imageField(editor, label, current, save);
    case "flag":
      return checkbox(label, current === "1", (checked) => save(checked ? "1" : "0"));
    case "choice":
      return field(label, select(current || (value.choices?.[0] ?? ""), (value.choices ?? []).map((each, index) => [each, value.choiceTitles?.[index] ?? each]), save));
    case "integer":
      return field(label, input(current, save, { ...about, type: "number", min: value.minimum, max: value.maximum, step: 1 }));
    case "html":
      return field(label, textarea(current, save, { ...about, spellcheck: "false", class: "input code-input" }), text("html_hint"));
    case "url":
      return field(label, linkInput(editor, current, save, about), text("link_hint"));
    case "date":
      return field(label, input(current, save, { ...about, type: "date" }));
    case "days":
      return daysField(label, current, save);
    case "times":
      return timesField(label, current, save);
    case "richText":
      return field(label, textarea(plainOf(current), (typed) => save(paragraphsOf(typed)), { ...about, rows: 4 }));
    default:
      return field(label, value.multiline || current.includes("\n") ? textarea(current, save, about) : input(current, save, about));
  }
}

/** An address, with the pages of the site as suggestions. */
export function linkInput(editor: Editor, current: string, save: Save, more = {}): HTMLInputElement {
  const control = input(current, save, { ...more, inputmode: "url", list: "site-pages", autocapitalize: "none" });
  let list = document.getElementById("site-pages");
  if (list === null) {
    list = h("datalist", { id: "site-pages" });
    document.body.append(list);
  }
  const options = editor.content.pages.map((each) => h("option", { value: `/${each.page.request}` }, each.page.title));
  list.replaceChildren(...options);
  return control;
}

export function titleOf(value: TypeItem): string {
  return value.title ?? value.name;
}

type Row = Record<string, string>;

/** A list of objects: each can be edited, moved and removed. */
function listField(editor: Editor, label: string, value: TypeValue, current: string, save: Save): HTMLElement {
  const rows = readRows(current);
  const list = h("ul", { class: "list-rows" });
  const store = (): void => save(JSON.stringify(rows));
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
  const several = picturesButton(editor, value, (added) => {
    rows.push(...added);
    store();
    redraw();
  });
  return h("fieldset", { class: "stack-tight plain-fieldset" }, h("legend", { class: "list-legend" }, label), list, h("div", { class: "row" }, several, add));
}

/** A list of pictures is filled with several at once. */
function picturesButton(editor: Editor, value: TypeValue, add: (rows: Row[]) => void): HTMLElement | null {
  const [first] = value.items;
  if (first?.type !== "image") return null;
  const empty: Row = Object.fromEntries(value.items.map((item) => [item.name, ""]));
  return button(text("list_add_pictures"), "primary", () => {
    void pickImages(editor, { several: true }).then((picked) => {
      if (picked.length > 0) add(picked.map((media) => ({ ...empty, [first.name]: `media:${media.ref}`, alt: media.alt })));
    });
  }, "image");
}

function listRow(
  editor: Editor, value: TypeValue, rows: Row[], row: Row, index: number, store: () => void, redraw: (focus?: number) => void,
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
  const name = h("span", {}, rowTitle(value, row, index));
  const fields = value.items.map((item) =>
    itemField(editor, item, row[item.name] ?? "", (changed) => {
      row[item.name] = changed;
      name.textContent = rowTitle(value, row, index);
      showTimes();
      store();
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
  return h("li", {}, h("details", {}, h("summary", {}, name), h("div", { class: "stack-tight list-row" }, ...fields, moves)));
}

/** Formatting that the form cannot show is shown as HTML, so that nothing of it is lost. */
function itemField(editor: Editor, item: TypeItem, current: string, save: Save): HTMLElement {
  const isSource = item.type === "richText" && !isPlain(current);
  return simpleField(editor, isSource ? { ...item, type: "html" } : item, titleOf(item), current, save);
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

function readRows(current: string): Row[] {
  try {
    const parsed: unknown = JSON.parse(current || "[]");
    return Array.isArray(parsed) ? parsed.filter((each): each is Row => typeof each === "object" && each !== null) : [];
  } catch {
    return [];
  }
}
