// Inline editing of a single line: a heading, a button, a caption.

import { session } from "./session";
import type { Editing } from "./session";
import { Typing } from "./typing";

const MAX_LENGTH = 5000;

export function editLine(element: HTMLElement, widgetRef: number, name: string, onEnd: () => void): Editing {
  const value = (): string => (element.textContent ?? "").replace(/\s+/g, " ").trim();
  const typing = new Typing({ element, widgetRef, name, value });
  const isPlain = setEditable(element);
  const events = new AbortController();
  const listen = { signal: events.signal };

  const editing: Editing = {
    element,
    widgetRef,
    name,
    value,
    end(): void {
      if (events.signal.aborted) return;
      events.abort();
      element.removeAttribute("contenteditable");
      element.removeAttribute("data-placeholder");
      if (element.childElementCount > 0 || !element.textContent?.trim()) element.textContent = value();
      typing.end();
      onEnd();
    },
  };
  element.setAttribute("data-placeholder", session.text("typeHere"));
  element.addEventListener("input", () => typing.changed(), listen);
  element.addEventListener("blur", () => editing.end(), listen);
  element.addEventListener("keydown", (event) => onKey(event, editing), listen);
  element.addEventListener("paste", (event) => onPaste(event), listen);
  if (!isPlain) element.addEventListener("drop", (event) => event.preventDefault(), listen);
  return editing;
}

/** Without formatting where the browser knows how; elsewhere formatting is removed at the end. */
function setEditable(element: HTMLElement): boolean {
  try {
    element.contentEditable = "plaintext-only";
    return true;
  } catch {
    element.contentEditable = "true";
    return false;
  }
}

function onKey(event: KeyboardEvent, editing: Editing): void {
  if (event.isComposing) return;
  if (event.key === "Enter" || event.key === "Escape") {
    event.preventDefault();
    event.stopPropagation();
    editing.end();
  } else if (!isPlainKey(event)) {
    event.preventDefault();
  }
}

/** Shortcuts that would format the text are ignored. */
function isPlainKey(event: KeyboardEvent): boolean {
  return !(event.ctrlKey || event.metaKey) || !["b", "i", "u"].includes(event.key.toLowerCase());
}

function onPaste(event: ClipboardEvent): void {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  event.preventDefault();
  event.stopPropagation();
  const line = text.replace(/\s+/g, " ").slice(0, MAX_LENGTH);
  // Deprecated, but the only way that keeps the browser's own undo.
  document.execCommand("insertText", false, line);
}
