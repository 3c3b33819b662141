/** Reads a chart from its figure: texts and numbers from the table, the scale from its ticks, colors from the SVG. */

export interface Series {
  readonly label: string;
  readonly values: readonly number[];
  /** The values as the page writes them, in the reader's language. */
  readonly texts: readonly string[];
  /** Its line or part in the SVG. */
  readonly shape: SVGElement;
  /** Its sign in the legend. */
  readonly sign: SVGElement | null;
}

export interface Chart {
  readonly kind: "lines" | "bars" | "areas";
  readonly title: string;
  readonly plot: HTMLElement;
  readonly drawing: SVGElement;
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  /** From the top of the scale to 0. */
  readonly ticks: readonly number[];
}

const LEAST_VALUES = 2;

/** Null where there is nothing to move along: no data, or one value. */
export function readChart(figure: HTMLElement): Chart | null {
  const plot = figure.querySelector<HTMLElement>(".plot");
  const drawing = plot?.querySelector<SVGElement>(":scope > svg");
  const rows = [...figure.querySelectorAll<HTMLTableRowElement>("tbody tr")];
  if (!plot || !drawing || rows.length < LEAST_VALUES) return null;
  const shapes = [...drawing.querySelectorAll<SVGElement>(".curve, .part")];
  return {
    kind: kindOf(figure, drawing),
    title: figure.querySelector("figcaption")?.textContent ?? "",
    plot,
    drawing,
    labels: rows.map((row) => row.cells[0]?.textContent ?? ""),
    series: shapes.map((shape, index) => readSeries(figure, rows, shape, index)),
    ticks: [...plot.querySelectorAll<HTMLElement>(".plot-ticks > span")].map(valueOf),
  };
}

function kindOf(figure: HTMLElement, drawing: SVGElement): Chart["kind"] {
  if (figure.dataset["chart"] === "lines") return "lines";
  return drawing.querySelector("polygon.part") === null ? "bars" : "areas";
}

function readSeries(figure: HTMLElement, rows: HTMLTableRowElement[], shape: SVGElement, index: number): Series {
  const cells = rows.map((row) => row.cells[index + 1]);
  const headings = figure.querySelectorAll("thead th");
  return {
    label: headings[index]?.textContent ?? "",
    values: cells.map((cell) => (cell === undefined ? 0 : valueOf(cell))),
    texts: cells.map((cell) => cell?.textContent ?? ""),
    shape,
    sign: figure.querySelectorAll<SVGElement>(".legend svg")[index] ?? null,
  };
}

function valueOf(element: HTMLElement): number {
  return Number(element.dataset["value"]);
}
