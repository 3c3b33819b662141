/** The values under the cursor, beside it. The slider's text says the same to assistive technology. */
import type { Chart } from "./figure";

const DISTANCE = 12;

export class Tip {
  readonly #box = document.createElement("div");
  readonly #day = document.createElement("p");
  readonly #values: HTMLElement[] = [];

  constructor(
    readonly chart: Chart,
    readonly place: HTMLElement,
  ) {
    this.#box.className = "chart-tip";
    this.#box.ariaHidden = "true";
    this.#box.hidden = true;
    this.#box.append(this.#day);
    for (const { label, sign } of chart.series) {
      const name = document.createElement("span");
      name.textContent = label;
      const value = document.createElement("strong");
      this.#values.push(value);
      this.#box.append(sign?.cloneNode(true) ?? document.createElement("span"), name, value);
    }
    place.append(this.#box);
  }

  /** An index that is no value hides it. */
  show(index: number, left: number): void {
    const day = this.chart.labels[index];
    this.#box.hidden = day === undefined;
    if (day === undefined) return;
    this.#day.textContent = day;
    this.chart.series.forEach((each, number) => {
      const value = this.#values[number];
      if (value !== undefined) value.textContent = each.texts[index] ?? "";
    });
    this.#box.style.transform = `translateX(${Math.round(this.#position(left))}px)`;
  }

  /** On the side of the cursor that has more space, inside the plot. */
  #position(left: number): number {
    const { offsetWidth: width } = this.#box;
    const space = this.place.clientWidth;
    const wanted = left > space / 2 ? left - width - DISTANCE : left + DISTANCE;
    return Math.max(0, Math.min(space - width, wanted));
  }
}
