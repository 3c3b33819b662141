/** Opening hours that a site shows in several places: a business has them once. */
import type { Editor } from "./context";
import { notify } from "./dialog";
import { alert, button } from "./dom";
import { bareType, type Widget } from "./model";
import { text } from "./texts";

const [TYPE, VALUE] = ["openingHours", "hours"];

/** The hours that the site shows already, for a new block. */
export function hoursOf(editor: Editor): Record<string, string> {
  const hours = blocks(editor).map((each) => each.values[VALUE]).find(Boolean);
  return hours === undefined ? {} : { [VALUE]: hours };
}

export function isHours(type: string): boolean {
  return bareType(type) === TYPE;
}

/** Where else the site shows opening hours, with a button that makes them the same. */
export function otherHours(editor: Editor, widget: Widget): HTMLElement | null {
  if (!isHours(widget.type)) return null;
  const others = blocks(editor).filter((each) => each.ref !== widget.ref);
  if (others.length === 0) return null;
  const pages = new Set(others.map((each) => editor.content.page(each.pageRef)?.page.title ?? ""));
  const copy = button(text("hours_use"), "quiet", () => void useEverywhere(editor, widget.ref), "copy");
  return alert(text("hours_elsewhere", { pages: [...pages].map((title) => `“${title}”`).join(", ") }), "neutral", copy);
}

async function useEverywhere(editor: Editor, ref: number): Promise<void> {
  if (!(await editor.flush())) return notify(text("not_saved"));
  const hours = editor.content.widget(ref)?.values[VALUE] ?? "[]";
  for (const each of blocks(editor)) {
    if (each.values[VALUE] !== hours) editor.change({ kind: "setValues", widgetRef: each.ref, values: { [VALUE]: hours } });
  }
  notify(text("hours_used"));
}

function blocks(editor: Editor): Widget[] {
  return editor.content.widgets.filter((each) => isHours(each.type));
}
