// The keyboard: arrows select blocks, Enter edits, Escape leaves, Alt and arrows move, and the editor's shortcuts.

import { sendToPage } from "../protocol";
import type { ActionName, ShortcutName } from "../protocol";
import type { Chrome } from "./chrome";
import { allWidgets, placeOf, widgetAround, widgetRef, widgetsIn, zones } from "./page";
import { session } from "./session";
import { editFirst } from "./starting";

export function listenToKeys(chrome: Chrome): void {
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.defaultPrevented) return; // the key that ends typing keeps the block selected
    const isHandled = shortcut(event) || (session.isActive && !chrome.owns(event) && session.editing === null && blockKey(event));
    if (!isHandled) return;
    event.preventDefault();
    event.stopPropagation();
  });
}

/** Undo and redo of what is being typed are the browser's, or the rich text's. */
function shortcut(event: KeyboardEvent): boolean {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return false;
  const key = event.key.toLowerCase();
  const isRedo = key === "y" || (key === "z" && event.shiftKey);
  const found: Partial<Record<string, ShortcutName>> = { k: "palette", p: event.shiftKey ? "preview" : "palette", s: "publish" };
  const name = isRedo ? "redo" : key === "z" ? "undo" : found[key];
  if (name === undefined || (key === "p" && !event.shiftKey) || event.defaultPrevented) return false;
  if ((name === "undo" || name === "redo") && session.editing !== null) return false;
  sendToPage({ type: "shortcut", name });
  return true;
}

function blockKey(event: KeyboardEvent): boolean {
  const widget = session.widget;
  const { key } = event;
  if (event.altKey) return widget !== null && moveKey(widget, key);
  if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === "d") return act(widget, "duplicate");
  if (event.ctrlKey || event.metaKey || isFormField(event.target)) return false;
  if (key === "ArrowDown") return selectBeside(widget, 1);
  if (key === "ArrowUp") return selectBeside(widget, -1);
  if (widget === null) return false;
  if (key === "Enter" || key === "F2") return editFirst(widget) || act(widget, "settings");
  if (key === "Delete" || key === "Backspace") return act(widget, "delete");
  if (key === "Escape") return leave(widget);
  return key === "+" && act(widget, "add", 1);
}

function act(widget: HTMLElement | null, name: ActionName, offset = 0): boolean {
  if (widget === null) return false;
  const { parentId, position } = placeOf(widget);
  sendToPage({ type: "action", name, widgetRef: widgetRef(widget), parentId, position: position + offset });
  return true;
}

function selectBeside(widget: HTMLElement | null, step: 1 | -1): boolean {
  const all = allWidgets();
  const at = widget === null ? (step === 1 ? -1 : all.length) : all.indexOf(widget);
  const next = all[at + step];
  if (next === undefined) return false;
  show(next);
  return true;
}

/** To the columns around the block, else no block is selected. */
function leave(widget: HTMLElement): boolean {
  const around = widgetAround(widget.parentElement);
  session.select(around === null ? null : widgetRef(around));
  return true;
}

/** Up and down among the blocks around it, left and right among columns and zones. */
function moveKey(widget: HTMLElement, key: string): boolean {
  if (key === "ArrowUp") return act(widget, "moveUp");
  if (key === "ArrowDown") return act(widget, "moveDown");
  if (key !== "ArrowLeft" && key !== "ArrowRight") return false;
  const parents = zones().filter((zone) => !widget.contains(zone)).map((zone) => zone.getAttribute("data-zone") ?? "");
  const at = parents.indexOf(placeOf(widget).parentId);
  const parentId = parents[at + (key === "ArrowRight" ? 1 : -1)];
  if (at < 0 || parentId === undefined) return false;
  const position = key === "ArrowRight" ? 0 : widgetsIn(parentId).length;
  sendToPage({ type: "moved", widgetRef: widgetRef(widget), parentId, position });
  return true;
}

export function show(widget: HTMLElement): void {
  session.select(widgetRef(widget));
  const rect = widget.getBoundingClientRect();
  if (rect.top < 60 || rect.bottom > innerHeight - 20) widget.scrollIntoView({ block: "center" });
  session.changed();
}

function isFormField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select");
}
