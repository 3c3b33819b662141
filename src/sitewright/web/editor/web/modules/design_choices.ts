/** The template's sets of colors and fonts. The page shows a set while it is pointed at or focused, before it is chosen. */
import type { Editor } from "./context";
import { h } from "./dom";
import type { Choice, Face } from "./model";

const COLORS = ["background", "surface", "text", "accent"];
const NAMES = { colors: "colorSwatchRef", fonts: "fontSwatchRef" } as const;
const STEPS: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
type Kind = keyof typeof NAMES;
const NONE: Record<Kind, number | null> = { colors: null, fonts: null };

let previewed = NONE;
let isDrawing = false;
const loaded = new Set<string>();

/** Draw the panel again. That a set has the focus again is not the user's doing, and shows nothing. */
export function withoutPreview(editor: Editor, draw: () => void): void {
  endPreview(editor);
  isDrawing = true;
  draw();
  isDrawing = false;
}

export function endPreview(editor: Editor): void {
  preview(editor, NONE);
}

function preview(editor: Editor, choices: Record<Kind, number | null>): void {
  if (isDrawing || (choices.colors === previewed.colors && choices.fonts === previewed.fonts)) return;
  previewed = choices;
  editor.send({ type: "design", ...choices, chosen: false });
}

export function colorChoices(editor: Editor): HTMLElement {
  const { colors, colorRef } = editor.start.design;
  return choiceList(editor, "colors", colors, colorRef, colorDots);
}

export function fontChoices(editor: Editor): HTMLElement {
  const { fonts, fontRef, faces } = editor.start.design;
  loadFaces(faces);
  return choiceList(editor, "fonts", fonts, fontRef, fontSample);
}

function choiceList(editor: Editor, kind: Kind, choices: readonly Choice[], own: number | null, show: (choice: Choice) => HTMLElement): HTMLElement {
  const wanted = Number(editor.content.globalValue(NAMES[kind])) || own;
  const current = choices.find((each) => each.ref === wanted) ?? choices[0];
  const items = choices.map((choice) => {
    const attributes = { type: "button", class: "swatch", "aria-pressed": String(choice === current), "data-focus": `${kind}-${choice.ref}`, onclick: () => choose(editor, kind, choice.ref) };
    const control = h("button", attributes, show(choice), h("span", {}, choice.name));
    for (const type of ["pointerenter", "focus"]) control.addEventListener(type, () => preview(editor, { ...NONE, [kind]: choice.ref }));
    return h("li", {}, control);
  });
  const list = h("ul", { class: "swatches" }, ...items);
  list.addEventListener("pointerleave", () => endPreview(editor));
  list.addEventListener("focusout", () => endPreview(editor));
  list.addEventListener("keydown", (event) => moveFocus(event, list));
  return list;
}

function choose(editor: Editor, kind: Kind, ref: number): void {
  previewed = NONE;
  editor.send({ type: "design", ...NONE, [kind]: ref, chosen: true });
  editor.change({ kind: "setGlobalValue", name: NAMES[kind], value: String(ref) });
}

/** Arrow keys lead to the sets before and after. */
function moveFocus(event: KeyboardEvent, list: HTMLElement): void {
  const step = STEPS[event.key];
  const controls = [...list.querySelectorAll("button")];
  const index = controls.findIndex((each) => each === document.activeElement);
  if (step === undefined || index < 0) return;
  event.preventDefault();
  controls[(index + step + controls.length) % controls.length]?.focus();
}

function colorDots(choice: Choice): HTMLElement {
  const dots = COLORS.filter((name) => choice.values[name]).map((name) => {
    const dot = h("span", { class: "dot" });
    dot.style.backgroundColor = choice.values[name] ?? "";
    return dot;
  });
  return h("span", { class: "dots", "aria-hidden": "true" }, ...dots);
}

function fontSample(choice: Choice): HTMLElement {
  const sample = h("span", { class: "font-sample", "aria-hidden": "true" }, "Aa");
  const display = choice.values["display"] ?? "";
  sample.style.fontFamily = display.startsWith("var(") ? (choice.values["body"] ?? "") : display;
  sample.style.fontWeight = choice.values["weight"] ?? "";
  return sample;
}

/** The page knows the fonts by name; a file is loaded once a sample is shown. */
function loadFaces(faces: readonly Face[]): void {
  for (const face of faces) {
    if (loaded.has(face.url)) continue;
    loaded.add(face.url);
    document.fonts.add(new FontFace(face.family, `url(${face.url})`, { weight: face.weights, display: "swap" }));
  }
}
