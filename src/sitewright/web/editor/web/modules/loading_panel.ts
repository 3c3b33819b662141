/** Panels whose content is requested when they are opened. */
import { CallFailed } from "./api";
import type { Editor } from "./context";
import { notify } from "./dialog";
import { alert, button, h, type Child } from "./dom";
import { text } from "./texts";

/** Show what `load` returns; what the panel showed before stays until then. Another panel opened meanwhile wins. */
export async function showLoaded(editor: Editor, name: string, title: string, load: () => Promise<Child[]>): Promise<void> {
  if (editor.panel.current !== name) {
    editor.panel.show(name, title, [h("p", { class: "soft", role: "status" }, text("loading"))]);
  }
  const again = button(text("try_again"), "quiet", () => void showLoaded(editor, name, title, load));
  const content = await load().catch((error: unknown) => [alert(failureOf(error), "bad"), again]);
  if (editor.panel.current === name) editor.panel.show(name, title, content);
}

/** Run a call of a button, which is disabled meanwhile; a failure is shown. Returns whether it succeeded. */
export async function runCall(control: HTMLButtonElement | null, call: () => Promise<unknown>): Promise<boolean> {
  if (control) control.disabled = true;
  try {
    await call();
    return true;
  } catch (error) {
    notify(failureOf(error));
    return false;
  } finally {
    if (control) control.disabled = false;
  }
}

export function failureOf(error: unknown): string {
  return error instanceof CallFailed && error.message ? error.message : text("unreachable");
}
