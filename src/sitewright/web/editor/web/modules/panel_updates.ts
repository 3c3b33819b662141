/** Panels show what was confirmed or loaded; a form in which the user types is left alone. */
import { showBlockForm } from "./block_form";
import type { Entry } from "./change_store";
import type { Editor } from "./context";
import { showDesign } from "./design_panel";
import { showPages } from "./pages_panel";
import { isTyping } from "./shortcuts";

export function showConfirmed(editor: Editor, entry: Entry): void {
  const { panel } = editor;
  if (panel.current === "pages") showPages(editor);
  else if (panel.current === "design" && !entry.typed && !isTyping(document.activeElement)) showDesign(editor);
  const ref = panel.blockRef;
  if (ref === null) return;
  if (editor.content.widget(ref) === undefined) panel.close();
  else if (entry.action !== "change" || !panel.isInUse) showBlockForm(editor, ref, false);
}

/** The forms of the blocks `kept` stay as they are. */
export function showLoaded(editor: Editor, kept: readonly number[]): void {
  const { panel } = editor;
  if (panel.current === "pages") showPages(editor);
  else if (panel.current === "design" && !isTyping(document.activeElement)) showDesign(editor);
  else if (panel.blockRef !== null && !kept.includes(panel.blockRef)) showBlockForm(editor, panel.blockRef, false);
}
