// Finds widgets, zones and editable elements in the page by the marks of the renderer (decision 0100).

import type { Place } from "../protocol";

export const WIDGET = "[data-widget]";
const EDITABLE = "[data-value][data-edit]";

export function widgetRef(element: Element): number {
  return Number(element.getAttribute("data-widget"));
}

export function findWidget(ref: number | null): HTMLElement | null {
  return ref === null ? null : document.querySelector<HTMLElement>(`[data-widget="${ref}"]`);
}

/** The innermost widget around a node. */
export function widgetAround(node: EventTarget | null): HTMLElement | null {
  const element = node instanceof Element ? node : node instanceof Node ? node.parentElement : null;
  return element?.closest<HTMLElement>(WIDGET) ?? null;
}

export function allWidgets(root: ParentNode = document): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>(WIDGET)];
}

export function placeOf(widget: Element): Place {
  return { parentId: widget.getAttribute("data-parent") ?? "", position: Number(widget.getAttribute("data-position")) };
}

/** The widgets of one parent in their order; they may stand in several sections of the page. */
export function widgetsIn(parentId: string): HTMLElement[] {
  return allWidgets().filter((each) => each.getAttribute("data-parent") === parentId);
}

export function zones(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("[data-zone]")];
}

/** The editable element around a node, where it belongs to the innermost widget. */
export function editableAround(node: EventTarget | null): HTMLElement | null {
  const element = node instanceof Element ? node : node instanceof Node ? node.parentElement : null;
  const found = element?.closest<HTMLElement>(EDITABLE) ?? null;
  return found !== null && widgetAround(found) === widgetAround(element) ? found : null;
}

/** The first editable element of a widget; widgets inside it have their own. */
export function firstEditable(widget: HTMLElement): HTMLElement | null {
  return editablesOf(widget)[0] ?? null;
}

export function editableNamed(widget: HTMLElement, name: string): HTMLElement | null {
  return editablesOf(widget).find((each) => each.getAttribute("data-value") === name) ?? null;
}

function editablesOf(widget: HTMLElement): HTMLElement[] {
  const own = widget.matches(EDITABLE) ? [widget] : [];
  return [...own, ...widget.querySelectorAll<HTMLElement>(EDITABLE)].filter((each) => widgetAround(each) === widget);
}

/** Shows HTML that would break the structure of the page, parsed by itself. Nothing of it may run or lead away. */
export function showContained(root: ParentNode): void {
  for (const element of root.querySelectorAll("[data-html]")) {
    const inert = new DOMParser().parseFromString(element.getAttribute("data-html") ?? "", "text/html");
    for (const each of inert.querySelectorAll("script, base, link, meta, iframe, frame, object, embed, title")) each.remove();
    element.replaceChildren(...inert.body.childNodes);
  }
}
