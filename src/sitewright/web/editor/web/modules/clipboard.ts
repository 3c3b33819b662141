/** Copies a text. Only https pages may write to the clipboard; elsewhere the text is shown for copying by hand. */
import { independent, notify, openDialog } from "./dialog";
import { h, textarea } from "./dom";
import { text } from "./texts";

export async function copyText(words: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(words);
    notify(done);
  } catch {
    const control = readonlyText(words);
    independent(openDialog(text("copy_text"), [h("p", {}, text("copy_by_hand")), control]));
    control.select();
  }
}

export function readonlyText(words: string): HTMLTextAreaElement {
  return textarea(words, () => undefined, { readonly: true, "aria-label": text("conflict_typed") });
}
