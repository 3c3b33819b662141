/** Marks the point of a picture that crops keep: by click, by touch, and by arrow keys. */
import { h } from "./dom";
import { ownUrl } from "./media";
import type { Media } from "./model";
import { text } from "./texts";

const STEP = 0.05;
const KEYS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP],
};

export function focalPoint(media: Media, onchange: (x: number, y: number) => void): HTMLElement {
  const dot = h("span", { class: "focal-dot" });
  const picture = h("img", { src: ownUrl(media), alt: "" });
  const area = h("button", { type: "button", class: "focal-area", "aria-label": text("focal_label") }, picture, dot);
  let [x, y] = [media.focalX, media.focalY];
  const show = (): void => {
    dot.style.left = `${x * 100}%`;
    dot.style.top = `${y * 100}%`;
    area.setAttribute("aria-description", text("focal_at", { x: Math.round(x * 100), y: Math.round(y * 100) }));
  };
  const set = (newX: number, newY: number): void => {
    [x, y] = [within(newX), within(newY)];
    show();
    onchange(x, y);
  };
  area.addEventListener("pointerdown", (event) => {
    const box = area.getBoundingClientRect();
    set((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  });
  area.addEventListener("keydown", (event) => {
    const by = KEYS[event.key];
    if (by === undefined) return;
    event.preventDefault();
    set(x + by[0], y + by[1]);
  });
  show();
  return h("div", { class: "field" }, h("span", { class: "field-name" }, text("focal")), h("p", { class: "field-hint" }, text("focal_hint")), area);
}

function within(value: number): number {
  return Math.round(Math.min(1, Math.max(0, value)) * 100) / 100;
}
