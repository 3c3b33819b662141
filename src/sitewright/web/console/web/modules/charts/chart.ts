/** Replaces a chart's SVG by uPlot in the same place. The table, the scale and the labels around it stay. */
import uPlot from "uplot";
import type { Chart } from "./figure";
import { followKeys } from "./keyboard";
import { dataOf, optionsFor } from "./options";
import { Tip } from "./tip";

const OUTSIDE = { left: -10, top: -10 };
const NO_VALUE = -1;

export function drawChart(chart: Chart): void {
  const place = document.createElement("div");
  place.className = "chart-live";
  chart.drawing.after(place);
  chart.drawing.setAttribute("hidden", "");
  try {
    draw(chart, place);
  } catch (error) {
    place.remove();
    chart.drawing.removeAttribute("hidden");
    throw error;
  }
}

function draw(chart: Chart, place: HTMLElement): void {
  const tip = new Tip(chart, place);
  const options = optionsFor(chart, place.clientWidth, place.clientHeight);
  const showValues = (plot: uPlot): void => tip.show(plot.cursor.idx ?? NO_VALUE, plot.cursor.left ?? 0);
  const plot = new uPlot({ ...options, hooks: { ...options.hooks, setCursor: [showValues] } }, dataOf(chart), place);
  followKeys(chart, place, (index) => moveTo(plot, index));
  followFinger(plot, place);
  new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: place.clientHeight })).observe(place);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => plot.redraw());
}

function moveTo(plot: uPlot, index: number | null): void {
  plot.setCursor(index === null ? OUTSIDE : { left: plot.valToPos(index, "x"), top: 0 });
}

/** uPlot follows the mouse only. The page still scrolls up and down by touch. */
function followFinger(plot: uPlot, place: HTMLElement): void {
  const follow = (event: PointerEvent): void => {
    if (event.pointerType === "mouse") return;
    plot.setCursor({ left: event.clientX - place.getBoundingClientRect().left, top: 0 });
  };
  place.addEventListener("pointerdown", follow);
  place.addEventListener("pointermove", follow);
}
