/** What a visitor would miss: no obstacle to publishing, but worth a look before everybody sees it. */
import { showBusiness } from "./business_panel";
import type { Editor } from "./context";
import { text } from "./texts";

export interface Hint {
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
    hints.push({ text: text("hint_empty_page", { title: page.page.title }), label: text("remedy_open"), open: () => editor.openPage(page.ref) });
  }
  return hints;
}
