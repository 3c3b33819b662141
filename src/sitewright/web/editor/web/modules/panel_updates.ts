/** Panels show what was confirmed or loaded; a form in which the user types is left alone. */
import { showBlockForm } from "./block_form";
import type { Entry } from "./change_store";
import type { Editor } from "./context";
import { showDesign } from "./design_panel";
import { showPages } from "./pages_panel";
import { isDialogInUse } from "./dialog";
import { isTyping } from "./shortcuts";

/**
 * Whether the whole content stays as it is shown, because what is chosen or typed there names its etag when it is changed:
 * while a dialog is open, and in a field of the design, unless the item `dropped` of the design has to be shown again.
 */
export function isContentInUse(editor: Editor, dropped: string | null): boolean {
  const isDesignDropped = dropped !== null && /^(?:global|static)Value:/.test(dropped);
  const isInDesign = editor.panel.current === "design" && editor.panel.hasFocus && isTyping(document.activeElement);
  return isDialogInUse() || (isInDesign && !isDesignDropped);
}

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
  else if (panel.current === "design") showDesign(editor);
  else if (panel.blockRef !== null && !kept.includes(panel.blockRef)) showBlockForm(editor, panel.blockRef, false);
}
