/** The options and data of uPlot for a chart: the same shapes, scale and colors as the SVG. */
import uPlot from "uplot";
import type { Chart, Series } from "./figure";

const LINE_WIDTH = 2.5;
const SHARE_OF_PLACE = 0.75;
const NO_AXES: uPlot.Axis[] = [{ show: false }, { show: false }];

/** Parts are drawn from the highest to the lowest, each from 0 to the sum of those below it. */
export function dataOf(chart: Chart): uPlot.AlignedData {
  const places = chart.labels.map((_label, index) => index);
  if (chart.kind === "lines") return [places, ...chart.series.map((each) => [...each.values])];
  const sums: number[][] = [];
  for (const { values } of chart.series) {
    const below = sums.at(-1);
    sums.push(values.map((value, index) => (below?.[index] ?? 0) + Math.max(0, value)));
  }
  return [places, ...sums.reverse()];
}

export function optionsFor(chart: Chart, width: number, height: number): uPlot.Options {
  const last = chart.labels.length - 1;
  const margin = chart.kind === "bars" ? 0.5 : 0;
  return {
    width,
    height,
    pxAlign: false,
    padding: [0, 0, 0, 0],
    axes: NO_AXES,
    legend: { show: false },
    scales: { x: { time: false, range: [-margin, last + margin] }, y: { range: [0, chart.ticks[0] ?? 1] } },
    series: [{}, ...(chart.kind === "lines" ? chart.series.map(line) : [...chart.series].reverse().map(part(chart.kind)))],
    cursor: {
      y: false,
      drag: { x: false, y: false },
      move: (plot, left, top) => [left < 0 ? left : plot.valToPos(plot.posToIdx(left), "x"), top],
      points: chart.kind === "lines" ? { size: 9 } : { show: false },
    },
    hooks: { drawClear: [(plot) => drawGrid(plot, chart)] },
  };
}

function line(series: Series, index: number): uPlot.Series {
  const dash = styleOf(series.shape).strokeDasharray;
  const below = index === 0 ? series.shape.parentElement?.querySelector<SVGElement>(".area") : null;
  return {
    width: LINE_WIDTH,
    stroke: () => styleOf(series.shape).stroke,
    points: { show: false },
    ...(dash === "none" ? {} : { dash: dash.split(/[ ,]+/).map(parseFloat) }),
    ...(below ? { fill: () => styleOf(below).fill } : {}),
  };
}

function part(kind: "bars" | "areas"): (series: Series) => uPlot.Series {
  const bars = uPlot.paths.bars?.({ size: [SHARE_OF_PLACE, Infinity] });
  return (series) => ({
    width: 1,
    stroke: () => styleOf(series.shape).stroke,
    fill: () => styleOf(series.shape).fill,
    points: { show: false },
    ...(kind === "bars" && bars ? { paths: bars } : {}),
  });
}

function drawGrid(plot: uPlot, chart: Chart): void {
  const line = chart.drawing.querySelector<SVGElement>(".grid");
  if (line === null) return;
  plot.ctx.strokeStyle = styleOf(line).stroke;
  plot.ctx.lineWidth = devicePixelRatio;
  for (const tick of chart.ticks) {
    const y = Math.round(plot.valToPos(tick, "y", true));
    plot.ctx.beginPath();
    plot.ctx.moveTo(plot.bbox.left, y);
    plot.ctx.lineTo(plot.bbox.left + plot.bbox.width, y);
    plot.ctx.stroke();
  }
}

function styleOf(element: SVGElement): CSSStyleDeclaration {
  return getComputedStyle(element);
}
