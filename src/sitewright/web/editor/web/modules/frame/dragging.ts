// Moves blocks by dragging their handle, with mouse, pen or finger.

import { sendToPage } from "../protocol";
import type { Chrome } from "./chrome";
import { placeOf, widgetRef } from "./page";
import { placeAt } from "./places";
import { session } from "./session";

const START_PX = 6;
const SCROLL_EDGE = 60;
const SCROLL_PX = 12;

export function listenToDragging(chrome: Chrome): void {
  const handle = chrome.dragButton;
  handle.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    session.editing?.end();
    const widget = session.widget;
    if (widget === null) return;
    event.preventDefault();
    new Drag(chrome, handle, widget, event);
  });
}

class Drag {
  private readonly ghost = document.createElement("div");
  private readonly ref: number;
  private readonly events = new AbortController();
  private isMoving = false;
  private point: { x: number; y: number };

  constructor(private readonly chrome: Chrome, handle: HTMLElement, private readonly widget: HTMLElement, start: PointerEvent) {
    this.ref = widgetRef(widget);
    this.point = { x: start.clientX, y: start.clientY };
    const { x, y } = this.point;
    const listen = { signal: this.events.signal };
    handle.setPointerCapture(start.pointerId);
    handle.addEventListener("pointermove", (event) => {
      this.point = { x: event.clientX, y: event.clientY };
      if (!this.isMoving && Math.hypot(event.clientX - x, event.clientY - y) > START_PX) this.begin();
      if (this.isMoving) this.show();
    }, listen);
    handle.addEventListener("pointerup", () => this.end(true), listen);
    handle.addEventListener("pointercancel", () => this.end(false), listen);
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopImmediatePropagation();
      this.end(false);
    }, { ...listen, capture: true });
  }

  private begin(): void {
    this.isMoving = true;
    this.ghost.className = "ghost";
    this.ghost.textContent = session.typeTitle(this.widget.getAttribute("data-type") ?? "");
    this.chrome.root.append(this.ghost);
    this.widget.style.opacity = "0.4";
    this.scroll();
  }

  private show(): void {
    const { x, y } = this.point;
    this.ghost.style.left = `${x + scrollX}px`;
    this.ghost.style.top = `${y + scrollY}px`;
    this.chrome.showMarker(placeAt(x, y, this.ref)?.marker ?? null);
  }

  /** Near the edges of the window the page scrolls along. */
  private scroll(): void {
    if (this.events.signal.aborted) return;
    const { y } = this.point;
    const step = y < SCROLL_EDGE ? -SCROLL_PX : y > innerHeight - SCROLL_EDGE ? SCROLL_PX : 0;
    if (step !== 0) {
      scrollBy(0, step);
      this.show();
    }
    requestAnimationFrame(() => this.scroll());
  }

  private end(isDropped: boolean): void {
    this.events.abort();
    this.ghost.remove();
    this.widget.style.removeProperty("opacity");
    if (this.widget.getAttribute("style") === "") this.widget.removeAttribute("style");
    this.chrome.showMarker(null);
    if (!this.isMoving || !isDropped) return;
    const place = placeAt(this.point.x, this.point.y, this.ref);
    const now = placeOf(this.widget);
    if (place === null || (place.parentId === now.parentId && place.position === now.position)) return;
    sendToPage({ type: "moved", widgetRef: this.ref, parentId: place.parentId, position: place.position });
  }
}
