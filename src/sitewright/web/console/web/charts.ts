/** Draws the page's charts again with uPlot, so that values can be read under the pointer. Without it the SVG stays. */
import { drawChart } from "./modules/charts/chart";
import { readChart } from "./modules/charts/figure";

for (const figure of document.querySelectorAll<HTMLElement>("figure[data-chart]")) {
  const chart = readChart(figure);
  if (chart !== null) drawChart(chart);
}
