/** What a visitor would miss: no obstacle to publishing, but worth a look before everybody sees it. */
import { showBusiness } from "./business_panel";
import type { Editor } from "./context";
import type { Page } from "./model";
import { text } from "./texts";

interface Hint {
  text: string;
  label: string;
  open(): void;
}

export function publishHints(editor: Editor): Hint[] {
  const hints: Hint[] = [];
  if (!editor.start.profile["business"]) {
    hints.push({ text: text("hint_no_name"), label: text("remedy_name"), open: () => void showBusiness(editor, "business") });
  }
  const empty = editor.content.pages.filter((page) => page.page.status === "active" && !editor.content.hasWidgets(page.ref));
  for (const page of empty) {
    hints.push({ text: text("hint_empty_page", { title: page.page.title }), label: text("remedy_open"), open: () => showPage(editor, page) });
  }
  for (const page of editor.content.pages.filter((each) => each.page.status === "active")) {
    const blocks = readyMadeBlocks(editor, page.ref);
    if (blocks.length === 0) continue;
    const hint = text("hint_ready_made", { title: page.page.title, blocks: blocks.join(", ") });
    hints.push({ text: hint, label: text("remedy_open"), open: () => showPage(editor, page) });
  }
  return hints;
}

function showPage(editor: Editor, page: Page): void {
  if (editor.page?.ref !== page.ref) editor.openPage(page.ref);
}

/** The names of the blocks of a page whose entries (prices, hours, people …) are still those of a ready-made section. */
function readyMadeBlocks(editor: Editor, pageRef: number): string[] {
  const ready = new Set(editor.start.sections.flatMap((section) => section.widgets).flatMap((widget) => listsOf(editor, widget)));
  const own = editor.content.widgets.filter((each) => each.pageRef === pageRef);
  const found = own.filter((each) => listsOf(editor, each).some((list) => ready.has(list)));
  return [...new Set(found.map((each) => editor.typeOf(each.type)?.title ?? ""))];
}

function listsOf(editor: Editor, widget: { type: string; values: Record<string, string> }): string[] {
  const lists = editor.typeOf(widget.type)?.values.filter((value) => value.type === "list") ?? [];
  return lists.map((value) => widget.values[value.name] ?? "").filter((value) => value !== "" && value !== "[]");
}
