// Puts the server's new rendering of the page into the frame, changing only what differs.

import { Idiomorph } from "idiomorph";
import { showPreview } from "./design";
import { allWidgets, showContained, WIDGET, widgetRef } from "./page";
import { session } from "./session";

let pending: string | null = null;
let isPressed = false;
let waiting: { html: string; keep: number | null } | null = null;
/** A finger's click follows its release so long after at the latest. */
const CLICK_MS = 350;
const TEMPORARY = "editor-widget-";

/** Whether a click has begun that is not complete yet. */
export function isClicking(): boolean {
  return isPressed;
}

/** A rendering between the press and the release of a button could replace what is being clicked: it waits for the click. */
export function waitForClicks(): void {
  let timer = 0;
  const releaseAfter = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      isPressed = false;
      showWaiting();
    }, ms);
  };
  for (const type of ["pointerdown", "mousedown"]) {
    addEventListener(type, () => {
      clearTimeout(timer);
      isPressed = true;
    }, true);
  }
  for (const type of ["pointerup", "pointercancel", "mouseup"]) addEventListener(type, () => releaseAfter(CLICK_MS), true);
  addEventListener("click", () => releaseAfter(0), true);
}

function showWaiting(): void {
  const render = waiting;
  waiting = null;
  if (render !== null && session.editing === null) show(render.html, render.keep);
  else pending = render?.html ?? pending;
}

/** While somebody types, the page already shows what was typed: a new rendering waits until that ends. */
export function render(html: string, keep: number | null): void {
  if (session.editing !== null) {
    pending = html;
    return;
  }
  show(html, keep);
}

/** After typing ended: shows the latest rendering, except for the widget itself where it is older than what was typed. */
export function renderPending(edited: { widgetRef: number; name: string; value: string }): void {
  const html = pending;
  pending = null;
  if (html === null) return;
  const widget = parse(html).querySelector(`[data-widget="${edited.widgetRef}"]`);
  const named = `[data-value="${CSS.escape(edited.name)}"]`;
  const element = widget?.matches(named) ? widget : (widget?.querySelector(named) ?? null);
  const isText = element?.getAttribute("data-edit") === "line";
  const current = isText ? (element?.textContent ?? "").replace(/\s+/g, " ").trim() : null;
  show(html, current === edited.value ? null : edited.widgetRef);
}

function show(html: string, keep: number | null): void {
  if (isPressed) {
    waiting = { html, keep };
    return;
  }
  const next = parse(html);
  showContained(next);
  copyAttributes(next.documentElement, document.documentElement);
  showPreview();
  document.title = next.title;
  replaceStyle(next);
  if (places(document) === places(next)) morphParts(document.body, next.body, keep);
  else morph(document.body, next.body, keep);
  for (const element of document.querySelectorAll(`[id^="${TEMPORARY}"]`)) element.removeAttribute("id");
  session.changed();
}

/** Which blocks the page has, and in which order and places. */
function places(root: Document): string {
  return allWidgets(root).map((each) => `${widgetRef(each)} ${each.getAttribute("data-parent")}`).join();
}

/** The library takes long for a whole page: where no block moved, it gets only the smallest parts that differ. */
function morphParts(old: Element, next: Element, keep: number | null): void {
  if (isKept(old, keep) || old.isEqualNode(next)) return;
  if (!haveSameParts(old, next)) return morph(old, next, keep);
  const parts = [...next.children];
  [...old.children].forEach((each, index) => morphParts(each, parts[index] as Element, keep));
}

/** Whether two elements differ only inside their child elements. */
function haveSameParts(old: Element, next: Element): boolean {
  const [ours, theirs] = [[...old.childNodes], [...next.childNodes]];
  return old.cloneNode().isEqualNode(next.cloneNode()) && ours.length === theirs.length
    && ours.every((each, index) => each.nodeName === theirs[index]?.nodeName && each.nodeValue === theirs[index]?.nodeValue);
}

function morph(old: Element, next: Element, keep: number | null): void {
  nameWidgets(old);
  nameWidgets(next);
  Idiomorph.morph(old, next, {
    morphStyle: "outerHTML",
    ignoreActiveValue: true,
    callbacks: { beforeNodeMorphed: (node: Node) => !isKept(node, keep) },
  });
}

function parse(html: string): Document {
  return new DOMParser().parseFromString(html, "text/html");
}

function isKept(node: Node, keep: number | null): boolean {
  return keep !== null && node instanceof Element && node.getAttribute("data-widget") === String(keep);
}

/** Widgets are matched by their refs, also when they moved: the library matches by id. */
function nameWidgets(root: Element): void {
  const unnamed = [root, ...root.querySelectorAll(WIDGET)].filter((each) => each.matches(`${WIDGET}:not([id])`));
  for (const element of unnamed) element.id = TEMPORARY + (element.getAttribute("data-widget") ?? "");
}

function copyAttributes(from: Element, to: Element): void {
  for (const { name } of [...to.attributes]) if (!from.hasAttribute(name)) to.removeAttribute(name);
  for (const { name, value } of [...from.attributes]) if (to.getAttribute(name) !== value) to.setAttribute(name, value);
}

/** The style differs after another template was chosen. */
function replaceStyle(next: Document): void {
  const [old, style] = [document.head.querySelector("style"), next.head.querySelector("style")];
  if (old !== null && style !== null && old.textContent !== style.textContent) old.textContent = style.textContent;
}
