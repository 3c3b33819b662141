// What the editor shows on the content: the outline of the selected block, its buttons, and "+" before and after it.
// Everything is in one shadow root beside the body, so that neither the template's styles nor new renderings touch it.

import { sendToPage } from "../protocol";
import type { ActionName } from "../protocol";
import { icon } from "./icons";
import { allWidgets, placeOf, widgetRef, widgetsIn, zones } from "./page";
import { session } from "./session";
import { CHROME_STYLE, PAGE_STYLE, sheetOf } from "./styles";

const BUTTONS: readonly ActionName[] = ["moveUp", "moveDown", "duplicate", "settings", "delete"];
/** Distance of the round "+" from the block: its circle is beside the block, and covers no text of it. */
const ADD_DISTANCE = 20;
/** Distance of the buttons of a narrow block, whose "+" is between them and the block. */
const BAR_GAP = 36;
const NEAR_GAP = 6;
const PHONE_WIDTH = 600;
/** Half of the room that the round "+" takes. */
const ADD_ROOM = 26;
/** What the bar of a block needs below it, and the bar of rich text above it. */
const BAR_ROOM = 60;

export class Chrome {
  readonly host = document.createElement("div");
  readonly root: ShadowRoot;
  readonly dragButton: HTMLButtonElement;
  private readonly outline = part("outline");
  private readonly hover = part("hover");
  private readonly marker = part("marker");
  private readonly bar = part("bar");
  private readonly before: HTMLButtonElement;
  private readonly after: HTMLButtonElement;
  private readonly live = part("unseen");
  private readonly buttons = new Map<ActionName, HTMLButtonElement>();
  private hovered: HTMLElement | null = null;
  private announced = "";
  /** What the next frame of the browser has to show: everything, or only where things are now. */
  private wanted: "everything" | "places" | null = null;

  constructor() {
    this.host.setAttribute("data-editor-only", "");
    this.root = this.host.attachShadow({ mode: "open" });
    this.root.adoptedStyleSheets = [sheetOf(CHROME_STYLE)];
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheetOf(PAGE_STYLE)];
    this.dragButton = iconButton("drag", () => undefined);
    this.dragButton.classList.add("drag");
    this.before = iconButton("add", () => this.add(0));
    this.after = iconButton("add", () => this.add(1));
    for (const button of [this.before, this.after]) button.classList.add("add");
    this.bar.setAttribute("role", "toolbar");
    this.bar.append(this.dragButton, ...BUTTONS.map((name) => this.actionButton(name)));
    this.live.setAttribute("role", "status");
    this.root.append(this.hover, this.outline, this.marker, this.before, this.after, this.bar, this.live);
    document.documentElement.append(this.host);
    session.onChange((what) => this.updateSoon(what));
    new ResizeObserver(() => this.updateSoon("places")).observe(document.body);
    addEventListener("resize", () => this.updateSoon("places"));
    document.addEventListener("pointerover", (event) => this.onHover(event));
    document.addEventListener("load", () => this.updateSoon("places"), true);
  }

  /** The block, or the part of the template, under the mouse; only shown where it is not the selected block. */
  private onHover(event: PointerEvent): void {
    if (event.pointerType !== "mouse" || this.owns(event)) return;
    const target = event.target instanceof Element ? event.target : null;
    this.hovered = target?.closest<HTMLElement>("[data-widget], [data-static]:not([data-static=navigation])") ?? null;
    this.updateSoon("places");
  }

  owns(event: Event): boolean {
    return event.composedPath().includes(this.host);
  }

  /** Once for each frame that the browser shows, however much happens in between. */
  private updateSoon(what: "everything" | "places"): void {
    if (this.wanted === null) requestAnimationFrame(() => this.update());
    if (this.wanted !== "everything") this.wanted = what;
  }

  private update(): void {
    const isEverything = this.wanted === "everything";
    this.wanted = null;
    const isShown = session.isActive;
    const widget = isShown ? session.widget : null;
    if (isEverything) {
      this.label();
      this.fillEmptyPlaces();
      this.announce(widget);
    }
    const isHovered = isShown && this.hovered !== null && this.hovered.isConnected && this.hovered !== session.widget;
    const hasBar = widget !== null && hasButtons(widget);
    put(this.outline, widget);
    put(this.hover, isHovered ? this.hovered : null);
    this.bar.hidden = !hasBar;
    this.before.hidden = this.after.hidden = widget === null || session.editing !== null;
    if (hasBar) this.place(widget, isEverything);
  }

  showMarker(rect: { left: number; top: number; width: number } | null): void {
    this.marker.hidden = rect === null;
    if (rect === null) return;
    const style = this.marker.style;
    style.left = `${rect.left + scrollX}px`;
    style.top = `${rect.top + scrollY - 2}px`;
    style.width = `${rect.width}px`;
  }

  private place(widget: HTMLElement, isEverything: boolean): void {
    const rect = widget.getBoundingClientRect();
    const middle = Math.min(Math.max(rect.left + rect.width / 2, 24), innerWidth - 24) + scrollX;
    const left = this.placeBar(rect);
    const x = Math.min(middle, left - ADD_ROOM);
    move(this.before, x, rect.top + scrollY - ADD_DISTANCE);
    move(this.after, x, Math.max(rect.bottom, rect.top + 24) + scrollY + ADD_DISTANCE);
    if (!isEverything) return;
    const siblings = widgetsIn(placeOf(widget).parentId);
    const isFirst = siblings[0] === widget;
    const isLast = siblings.at(-1) === widget;
    this.button("moveUp").disabled = isFirst;
    this.button("moveDown").disabled = isLast;
  }

  /** At the end of a wide block, close to it, where it covers least of what is above. Returns how far the "+" may go. */
  private placeBar(rect: DOMRect): number {
    const width = this.bar.offsetWidth;
    const isWide = rect.width >= width + 2 * ADD_ROOM;
    placeBar(this.bar, isWide ? rect.right - width : rect.left, rect, isWide ? NEAR_GAP : BAR_GAP);
    return isWide ? Math.min(rect.right, innerWidth - 4) - width + scrollX : Infinity;
  }

  private label(): void {
    this.bar.setAttribute("aria-label", session.text("block"));
    name(this.dragButton, session.text("drag"));
    for (const [action, button] of this.buttons) name(button, session.text(action));
    for (const button of [this.before, this.after]) name(button, session.text("add"));
  }

  /** Elements that only the editor has: of widgets with nothing to show, of empty columns and at the end of the page. */
  private fillEmptyPlaces(): void {
    for (const element of document.querySelectorAll<HTMLElement>("[data-editor-only][data-widget]:not([data-value])")) {
      if (element.querySelector("[data-widget], [data-value], [data-zone]") !== null) continue;
      element.setAttribute("data-editor-empty", "");
      const text = `${session.typeTitle(element.getAttribute("data-type") ?? "")}: ${session.text("empty")}`;
      if (element.textContent !== text) element.textContent = text;
    }
    for (const element of document.querySelectorAll("[data-editor-only][data-value]:empty, [data-editor-only] [data-value]:empty")) {
      element.setAttribute("data-placeholder", session.text("typeHere"));
    }
    for (const zone of zones()) {
      zone.toggleAttribute("data-zone-empty", session.isActive && zone.matches(".column") && !zone.querySelector("[data-widget]"));
    }
    for (const end of document.querySelectorAll<HTMLElement>("[data-zone-end]")) fillEnd(end);
  }

  private actionButton(action: ActionName): HTMLButtonElement {
    const button = iconButton(action, () => {
      session.editing?.end();
      const widget = session.widget;
      if (widget !== null) sendToPage({ type: "action", name: action, widgetRef: widgetRef(widget), ...placeOf(widget) });
    });
    this.buttons.set(action, button);
    return button;
  }

  private button(action: ActionName): HTMLButtonElement {
    return this.buttons.get(action) as HTMLButtonElement;
  }

  private add(offset: 0 | 1): void {
    const widget = session.widget;
    if (widget === null) return;
    const { parentId, position } = placeOf(widget);
    sendToPage({ type: "action", name: "add", widgetRef: widgetRef(widget), parentId, position: position + offset });
  }

  /** Tells screen readers which block is selected. */
  private announce(widget: HTMLElement | null): void {
    const all = allWidgets();
    const values: Record<string, string> = {
      type: session.typeTitle(widget?.getAttribute("data-type") ?? ""),
      number: String(widget === null ? 0 : all.indexOf(widget) + 1),
      count: String(all.length),
    };
    const text = widget === null ? "" : session.text("blockOf").replace(/\{(\w+)\}/g, (_, key: string) => values[key] ?? "");
    if (text !== this.announced) this.live.textContent = this.announced = text;
  }
}

export function isPhone(): boolean {
  return innerWidth < PHONE_WIDTH;
}

/** A wide screen has the form of a text beside it. On a phone, where a tap on a text begins typing, its buttons stay until something is typed. */
function hasButtons(widget: HTMLElement): boolean {
  if (session.editing === null) return true;
  if (!isPhone() || session.hasTyped) return false;
  const rect = widget.getBoundingClientRect();
  return rect.top >= BAR_ROOM && rect.bottom + BAR_ROOM <= innerHeight;
}

export function iconButton(name: string, onClick: () => void): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.append(icon(name));
  button.addEventListener("click", onClick);
  return button;
}

/** Above a block where there is room, else below it, else at the top of the window. On a phone first below: its bar is as wide as the words above. */
function placeBar(bar: HTMLElement, start: number, rect: DOMRect, gap: number): void {
  const { offsetHeight: height } = bar;
  const above = rect.top - height - gap;
  const below = rect.bottom + gap;
  const [hasAbove, hasBelow] = [above >= 0, below + height <= innerHeight];
  const isBelow = hasBelow && (!hasAbove || isPhone());
  const top = isBelow ? below : hasAbove ? above : Math.max(4, Math.min(rect.top + gap, innerHeight - height - 4));
  moveBar(bar, start, top);
}

/** To a place in the window, within its edges. */
export function moveBar(bar: HTMLElement, start: number, top: number): void {
  move(bar, Math.max(4, Math.min(start, innerWidth - bar.offsetWidth - 4)) + scrollX, top + scrollY);
}

export function name(button: HTMLElement, text: string): void {
  if (button.getAttribute("aria-label") === text) return;
  button.setAttribute("aria-label", text);
  button.title = text;
}

function fillEnd(end: HTMLElement): void {
  const parentId = end.getAttribute("data-zone-end") ?? "";
  const position = widgetsIn(parentId).length;
  end.hidden = !session.isActive;
  let button = end.querySelector("button");
  if (button === null) {
    button = document.createElement("button");
    button.type = "button";
    end.append(button);
  }
  const text = session.text(position === 0 ? "emptyPage" : "add");
  if (button.textContent !== text) button.textContent = text;
}

function part(name: string): HTMLDivElement {
  const element = document.createElement("div");
  element.className = name;
  element.hidden = name !== "unseen";
  return element;
}

function move(element: HTMLElement, x: number, y: number): void {
  element.style.left = `${x}px`;
  element.style.top = `${y}px`;
}

function put(box: HTMLElement, around: HTMLElement | null): void {
  box.hidden = around === null;
  if (around === null) return;
  const rect = around.getBoundingClientRect();
  Object.assign(box.style, {
    left: `${rect.left + scrollX}px`,
    top: `${rect.top + scrollY}px`,
    width: `${rect.width}px`,
    height: `${rect.height}px`,
  });
}
