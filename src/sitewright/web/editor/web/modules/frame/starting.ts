// Begins and ends typing into an element of the page.

import type { Chrome } from "./chrome";
import { editLine } from "./lines";
import { renderPending } from "./morphing";
import { editableNamed, firstEditable, widgetAround, widgetRef } from "./page";
import { RichEditing } from "./rich/editor";
import { sendToPage } from "../protocol";
import { session } from "./session";
import type { Editing } from "./session";

export type Point = { x: number; y: number };

let chrome: Chrome | null = null;

/** Toolbars of rich text are in the shadow root of `on`. */
export function showToolbarsOn(on: Chrome): void {
  chrome = on;
}

/** Begins to edit; the caret goes to `point`, else to the end. */
export function edit(element: HTMLElement, point: Point | null = null): void {
  const widget = widgetAround(element);
  if (widget === null || !session.isActive || session.editing?.element === element) return;
  session.editing?.end();
  session.select(widgetRef(widget));
  const name = element.getAttribute("data-value") ?? "";
  const editing = begin(element, widgetRef(widget), name, () => ended(editing));
  session.editing = editing;
  session.hasTyped = false;
  sendToPage({ type: "typing", widgetRef: editing.widgetRef });
  if (editing instanceof RichEditing) editing.placeCaret(point);
  else placeCaret(element, point);
  session.changed();
}

export function editFirst(widget: HTMLElement): boolean {
  const element = firstEditable(widget);
  if (element !== null) edit(element);
  return element !== null;
}

export function editNamed(widget: HTMLElement, name: string, all: boolean): void {
  const element = editableNamed(widget, name);
  if (element === null) return;
  edit(element);
  if (!all) return;
  if (session.editing instanceof RichEditing) session.editing.selectAll();
  else getSelection()?.selectAllChildren(element);
}

function begin(element: HTMLElement, ref: number, name: string, onEnd: () => void): Editing {
  const isRich = element.getAttribute("data-edit") === "rich" && chrome !== null;
  return isRich ? new RichEditing(element, ref, name, (chrome as Chrome).root, onEnd) : editLine(element, ref, name, onEnd);
}

function ended(editing: Editing): void {
  if (session.editing !== editing) return;
  session.editing = null;
  sendToPage({ type: "typing", widgetRef: null });
  renderPending({ widgetRef: editing.widgetRef, name: editing.name, value: editing.value() });
  session.changed();
}

function placeCaret(element: HTMLElement, point: Point | null): void {
  element.focus({ preventScroll: point !== null });
  const range = point === null ? null : document.caretRangeFromPoint?.(point.x, point.y);
  const selection = getSelection();
  if (range && element.contains(range.startContainer)) {
    selection?.removeAllRanges();
    selection?.addRange(range);
  } else {
    selection?.selectAllChildren(element);
    selection?.collapseToEnd();
  }
}
