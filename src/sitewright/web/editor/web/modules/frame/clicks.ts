// Clicks select blocks and begin typing. Nothing that is clicked leads away, sends a form or runs anything.

import { sendToPage } from "../protocol";
import { isPhone, type Chrome } from "./chrome";
import { isClicking } from "./morphing";
import { editableAround, widgetAround, widgetRef, widgetsIn } from "./page";
import { session } from "./session";
import { edit } from "./starting";

/** Whether something was being typed into when the click began, which may have ended that. */
let beganInText = false;

export function listenToClicks(chrome: Chrome): void {
  const block = (event: Event): void => {
    if (!chrome.owns(event)) event.preventDefault();
  };
  document.addEventListener("pointerdown", () => {
    beganInText = session.editing !== null;
  }, true);
  document.addEventListener("click", (event) => onClick(event, chrome), true);
  for (const type of ["auxclick", "submit"]) document.addEventListener(type, block, true);
  document.addEventListener("dragstart", (event) => {
    if (!session.editing?.element.contains(event.target as Node)) block(event);
  }, true);
  document.addEventListener("focusin", (event) => onFocus(event, chrome));
}

function onClick(event: MouseEvent, chrome: Chrome): void {
  if (chrome.owns(event)) return;
  if (session.editing?.element.contains(event.target as Node)) {
    if ((event.target as Element).closest?.("a[href]")) event.preventDefault();
    return;
  }
  event.preventDefault();
  event.stopImmediatePropagation();
  const target = event.target instanceof Element ? event.target : null;
  const widget = widgetAround(target);
  const isFollowed = !session.isActive || event.ctrlKey || event.metaKey || target?.closest("[data-static=navigation]");
  if (isFollowed && follow(target)) return;
  if (!session.isActive) return;
  const end = target?.closest<HTMLElement>("[data-zone-end]") ?? null;
  if (end !== null) return addAtEnd(end);
  const editable = editableAround(target);
  if (editable !== null) return edit(editable, event.detail === 0 ? null : { x: event.clientX, y: event.clientY });
  if (widget !== null) {
    const isSelected = session.selected === widgetRef(widget);
    if (isSelected && addInto(target)) return;
    session.select(widgetRef(widget));
    if (isSelected || widget.hasAttribute("data-editor-empty")) sendToPage({ type: "opened", widgetRef: widgetRef(widget) });
    return;
  }
  const part = target?.closest("[data-static]")?.getAttribute("data-static");
  if (!part && beganInText && isPhone()) return leaveText();
  session.select(null);
  if (part) sendToPage({ type: "static", id: part });
}

/** The text stays selected, so that its buttons appear; another tap beside it selects nothing. */
function leaveText(): void {
  session.editing?.end();
  session.changed();
}

/** Tells the page about a link of the site itself; others lead nowhere in the editor. */
function follow(target: Element | null): boolean {
  const href = target?.closest("a[href]")?.getAttribute("href") ?? "";
  if (!href.startsWith("/") || href.startsWith("//")) return false;
  sendToPage({ type: "navigate", path: href.slice(0, 1000) });
  return true;
}

function addAtEnd(end: HTMLElement): void {
  const parentId = end.getAttribute("data-zone-end") ?? "";
  sendToPage({ type: "action", name: "add", widgetRef: null, parentId, position: widgetsIn(parentId).length });
}

/** A second click into an empty column adds a block there; the first one selected the columns. */
function addInto(target: Element | null): boolean {
  const parentId = target?.matches("[data-zone-empty]") ? target.getAttribute("data-zone") : null;
  if (!parentId) return false;
  sendToPage({ type: "action", name: "add", widgetRef: null, parentId, position: 0 });
  return true;
}

/** The Tab key selects the block that it comes to. A click selects when it is complete: the form that opens moves the page. */
function onFocus(event: FocusEvent, chrome: Chrome): void {
  if (chrome.owns(event) || isClicking() || !session.isActive || session.editing !== null) return;
  const widget = widgetAround(event.target);
  if (widget !== null && widgetRef(widget) !== session.selected) session.select(widgetRef(widget));
}
