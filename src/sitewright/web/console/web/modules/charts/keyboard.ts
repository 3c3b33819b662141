/** Moves the cursor of a chart by keyboard: to assistive technology it is a slider whose text is the values of a day. */
import type { Chart } from "./figure";

const WEEK = 7;

export function followKeys(chart: Chart, place: HTMLElement, show: (index: number | null) => void): void {
  const last = chart.labels.length - 1;
  let index = last;
  const choose = (wanted: number): void => {
    index = Math.max(0, Math.min(last, wanted));
    place.ariaValueNow = String(index);
    place.ariaValueText = textAt(chart, index);
  };
  describe(chart, place, last);
  choose(last);
  place.addEventListener("focus", () => {
    if (place.matches(":focus-visible")) show(index);
  });
  place.addEventListener("blur", () => show(null));
  place.addEventListener("keydown", (event) => {
    const wanted = targetOf(event.key, index, last);
    if (wanted === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    choose(wanted ?? index);
    show(wanted === null ? null : index);
  });
}

function describe(chart: Chart, place: HTMLElement, last: number): void {
  place.tabIndex = 0;
  place.role = "slider";
  place.ariaLabel = chart.title;
  place.ariaValueMin = "0";
  place.ariaValueMax = String(last);
  const description = chart.drawing.querySelector("desc");
  if (description !== null) place.setAttribute("aria-describedby", description.id);
}

/** Undefined for other keys, null to hide the values. */
function targetOf(key: string, index: number, last: number): number | null | undefined {
  const targets: Record<string, number | null> = {
    ArrowLeft: index - 1, ArrowDown: index - 1, ArrowRight: index + 1, ArrowUp: index + 1,
    PageDown: index - WEEK, PageUp: index + WEEK, Home: 0, End: last, Escape: null,
  };
  return targets[key];
}

function textAt(chart: Chart, index: number): string {
  const values = chart.series.map((each) => `${each.label} ${each.texts[index]}`);
  return `${chart.labels[index]}: ${values.join(", ")}`;
}
