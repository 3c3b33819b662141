/** The panel from which blocks and ready-made sections are added. */
import type { Editor } from "./context";
import { alert, h, picture, type Child } from "./dom";
import { MAIN_ZONE, bareType, type TypeValue, type Widget, type WidgetType } from "./model";
import { hoursOf, isHours } from "./same_hours";
import { hasText, text } from "./texts";

const GROUPS = ["text", "pictures", "business", "contact", "layout", "advanced"];

export function showBlockPicker(editor: Editor): void {
  editor.panel.show("add", text("add_title"), pickerContent(editor));
}

function pickerContent(editor: Editor): Child[] {
  if (editor.page === undefined) return [alert(text("no_page"), "neutral")];
  const groups = new Map<string, WidgetType[]>(GROUPS.map((group) => [group, []]));
  for (const type of editor.start.types) {
    const group = type.group ?? "advanced";
    groups.set(group, [...(groups.get(group) ?? []), type]);
  }
  return [
    ...(editor.start.sections.length > 0 ? [sections(editor)] : []),
    h("p", { class: "soft small" }, text("blocks_hint")),
    ...[...groups].filter(([, types]) => types.length > 0).map(([group, types]) => blockGroup(editor, group, types)),
  ];
}

function sections(editor: Editor): HTMLElement {
  const items = editor.start.sections.map((section) =>
    choice("section", section.name, section.title, section.description, () => addSection(editor, section.name)),
  );
  return group(text("sections"), items, text("sections_hint"));
}

function blockGroup(editor: Editor, name: string, types: readonly WidgetType[]): HTMLElement {
  const items = types.map((type) => {
    const isLocked = bareType(type.type) === "html" && !editor.allows("htmlEditing");
    const add = (): void => addBlock(editor, type);
    return choice("block", bareType(type.type), typeTitle(type), "", add, isLocked);
  });
  return group(hasText(`group_${name}`) ? text(`group_${name}`) : name, items);
}

function group(heading: string, items: readonly HTMLElement[], about?: string): HTMLElement {
  return h("section", { class: "stack-tight" }, h("h3", {}, heading), about ? h("p", { class: "soft small" }, about) : null, h("ul", { class: "choices" }, ...items));
}

function choice(
  kind: "block" | "section", name: string, title: string, about: string, onclick: () => void, isLocked = false,
): HTMLElement {
  return h("li", {}, h(
    "button",
    { type: "button", class: "choice", disabled: isLocked, title: about || null, onclick },
    picture(kind, name),
    h("span", {}, title),
    isLocked ? h("span", { class: "soft small" }, text("not_in_package")) : null,
  ));
}

export function typeTitle(type: WidgetType): string {
  return type.title ?? bareType(type.type);
}

function addBlock(editor: Editor, type: WidgetType): void {
  const page = editor.page;
  if (page === undefined) return;
  const values = startingValues(editor, type);
  editor.change({ kind: "addWidget", pageRef: page.ref, ...nextPlace(editor), type: type.type, values });
}

/** The text of a new block that the user replaces first: a title, or what there are words for. */
export function startingValue(type: WidgetType): TypeValue | undefined {
  const [first] = type.values;
  if (first === undefined || first.default !== "") return undefined;
  return first.name === "title" || hasText(`new_${bareType(type.type)}`) ? first : undefined;
}

/** A new block shows something at once: a few words, and the entries of the ready-made section that has such a block. */
function startingValues(editor: Editor, type: WidgetType): Record<string, string> {
  const first = startingValue(type);
  const lists = new Set(type.values.filter((value) => value.type === "list").map((value) => value.name));
  const ready = editor.start.sections.flatMap((section) => section.widgets).find((widget) => widget.type === type.type);
  const entries = Object.entries(ready?.values ?? {}).filter(([name]) => lists.has(name));
  const own = isHours(type.type) ? hoursOf(editor) : {};
  return { ...Object.fromEntries(entries), ...own, ...(first === undefined ? {} : { [first.name]: startingText(type, first) }) };
}

/** Blocks with a title of their own begin with what they are: "Opening hours". */
function startingText(type: WidgetType, value: TypeValue): string {
  const key = `new_${bareType(type.type)}`;
  const words = hasText(key) ? text(key) : typeTitle(type);
  return value.type === "richText" ? `<p>${words}</p>` : words;
}

function addSection(editor: Editor, name: string): void {
  const page = editor.page;
  if (page === undefined) return;
  const siblings = editor.content.siblings(page.ref, MAIN_ZONE);
  const place = nextPlace(editor);
  let position = place.parentId === MAIN_ZONE ? place.position : siblings.length;
  if (editor.place === null) while (position < siblings.length && !beginsSection(siblings[position])) position += 1;
  editor.change({ kind: "addSection", pageRef: page.ref, position, section: name });
}

/** A section goes before the next one, not into the middle of the one whose block is selected. */
function beginsSection(widget: Widget | undefined): boolean {
  const type = bareType(widget?.type ?? "");
  return type === "divider" || (type === "heading" && Number(widget?.values["level"] ?? 2) <= 2);
}

/** Where a "+" was pressed; else after the selected block; else at the end. */
function nextPlace(editor: Editor): { parentId: string; position: number } {
  if (editor.place !== null) return editor.place;
  const pageRef = editor.page?.ref ?? 0;
  const selected = editor.selected === null ? undefined : editor.content.widget(editor.selected);
  if (selected !== undefined && selected.pageRef === pageRef) {
    const siblings = editor.content.siblings(pageRef, selected.parentId);
    return { parentId: selected.parentId, position: siblings.indexOf(selected) + 1 };
  }
  return { parentId: MAIN_ZONE, position: editor.content.siblings(pageRef, MAIN_ZONE).length };
}
