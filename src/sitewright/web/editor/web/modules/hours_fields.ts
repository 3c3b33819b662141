/** Fields for days of the week and times of day, which nobody has to write as codes. */
import { h, iconButton, button, input, newId } from "./dom";
import { text } from "./texts";

const DAYS = ["mo", "tu", "we", "th", "fr", "sa", "su"];
const MONDAY = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;
type Save = (value: string) => void;

/** A check box for each day, named in the user's language. */
export function daysField(label: string, current: string, save: Save): HTMLElement {
  const chosen = readDays(current);
  const boxes = DAYS.map((day, index) => {
    const box = h("input", { type: "checkbox" });
    box.checked = chosen.has(day);
    box.addEventListener("change", () => {
      if (box.checked) chosen.add(day);
      else chosen.delete(day);
      save(DAYS.filter((each) => chosen.has(each)).join(","));
    });
    const name = dayName(index, "long");
    return h("label", { class: "day", title: name }, box, h("span", { "aria-hidden": "true" }, dayName(index, "short")), h("span", { class: "visually-hidden" }, name));
  });
  return group(label, h("div", { class: "days" }, ...boxes));
}

/** The days of a stored text: single ones, lists and ranges, which may pass the end of the week. */
function readDays(value: string): Set<string> {
  const found = new Set<string>();
  for (const part of value.toLowerCase().split(",")) {
    const [first = "", last = first] = part.split("-").map((each) => each.trim());
    const [start, end] = [DAYS.indexOf(first), DAYS.indexOf(last)];
    if (start < 0 || end < 0) continue;
    for (let index = start; ; index = (index + 1) % DAYS.length) {
      found.add(DAYS[index] ?? "");
      if (index === end) break;
    }
  }
  return found;
}

export function daysText(value: string): string {
  const days = readDays(value);
  return DAYS.flatMap((day, index) => (days.has(day) ? [dayName(index, "short")] : [])).join(", ");
}

export function timesText(value: string): string {
  return readRanges(value).map((range) => range.join("–")).join(", ");
}

function dayName(index: number, weekday: "long" | "short"): string {
  const format = new Intl.DateTimeFormat(document.documentElement.lang || "en", { weekday, timeZone: "UTC" });
  return format.format(MONDAY + index * DAY_MS);
}

type Range = [string, string];

/** From and to, once or several times a day. A range that is not complete is not saved. */
export function timesField(label: string, current: string, save: Save): HTMLElement {
  const ranges = readRanges(current);
  if (ranges.length === 0) ranges.push(["", ""]);
  const list = h("div", { class: "stack-tight" });
  const store = (): void => save(ranges.filter(([from, to]) => from && to).map(([from, to]) => `${from}-${to === "00:00" ? "24:00" : to}`).join(","));
  const redraw = (): void => list.replaceChildren(...ranges.map((range, index) => rangeRow(range, store, ranges.length === 1 ? null : () => {
    ranges.splice(index, 1);
    store();
    redraw();
  })));
  redraw();
  const add = button(text("times_add"), "quiet", () => {
    ranges.push(["", ""]);
    redraw();
    list.querySelector<HTMLElement>(".times:last-child input")?.focus();
  }, "plus");
  return group(label, list, add);
}

function rangeRow(range: Range, store: () => void, remove: (() => void) | null): HTMLElement {
  const time = (place: 0 | 1, label: string): HTMLElement => input(range[place], (typed) => {
    range[place] = typed;
    store();
  }, { type: "time", "aria-label": label });
  return h("div", { class: "times" }, time(0, text("time_from")), h("span", { "aria-hidden": "true" }, "–"), time(1, text("time_to")),
    remove === null ? null : iconButton(text("remove"), "trash", remove));
}

function readRanges(value: string): Range[] {
  return [...value.matchAll(/(\d{1,2})[:.](\d\d)\s*[-–]\s*(\d{1,2})[:.](\d\d)/g)].map((found) => [
    clock(found[1], found[2]), clock(found[3], found[4]),
  ]);
}

/** As a time control takes it, which knows no 24:00. */
function clock(hours = "", minutes = ""): string {
  return `${(hours === "24" ? "00" : hours).padStart(2, "0")}:${minutes}`;
}

function group(label: string, ...children: HTMLElement[]): HTMLElement {
  const id = newId("label");
  return h("div", { class: "field", role: "group", "aria-labelledby": id }, h("span", { class: "field-name", id }, label), ...children);
}
