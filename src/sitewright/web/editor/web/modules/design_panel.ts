/** The panel of the design: template, colors, fonts, logo, announcement, parts of header and footer. */
import { CallFailed } from "./api";
import { linkInput } from "./block_form";
import type { Editor } from "./context";
import { notify } from "./dialog";
import { alert, checkbox, field, h, icon, input, type Child } from "./dom";
import { imageField } from "./image_field";
import type { Choice } from "./model";
import { packageLink } from "./page_tree";
import { hasText, text } from "./texts";

const PARTS = ["navigation", "logo", "hero", "featureimage", "contact", "map", "description", "social", "copyright"];
const COLORS = ["background", "surface", "text", "accent"];

export function showDesign(editor: Editor): void {
  editor.panel.show("design", text("design_title"), content(editor));
}

function content(editor: Editor): Child[] {
  if (!editor.allows("designTab")) {
    return [alert(text("rule_designTab"), "warn", packageLink())];
  }
  return [
    group(text("template"), editor.allows("templatesAllowed") ? templates(editor) : alert(text("why_templatesAllowed"), "warn", packageLink())),
    group(text("colors"), swatches(editor, "colorSwatchRef", editor.start.design.colors, editor.start.design.colorRef, colorDots)),
    group(text("fonts"), swatches(editor, "fontSwatchRef", editor.start.design.fonts, editor.start.design.fontRef, fontSample)),
    group(text("pictures"), picture(editor, "logo", text("logo")), picture(editor, "featureimage", text("feature_image")), favicon(editor)),
    group(text("announcement"), announcement(editor)),
    group(text("parts"), ...PARTS.map((part) => partSwitch(editor, part))),
  ];
}

/** Show the panel with the field of a part of the template that was clicked in the page. */
export function showPart(editor: Editor, id: string): void {
  showDesign(editor);
  const target = document.querySelector<HTMLElement>(`[data-part="${CSS.escape(id)}"]`);
  target?.scrollIntoView({ block: "center" });
  target?.querySelector<HTMLElement>("input, button")?.focus();
}

function group(title: string, ...children: Child[]): HTMLElement {
  return h("section", { class: "stack-tight design-group" }, h("h3", {}, title), ...children);
}

function templates(editor: Editor): HTMLElement {
  const choices = editor.start.templates.map((template) => {
    const isChosen = template.ref === editor.content.templateRef;
    const choose = (): void => {
      if (!isChosen) editor.change({ kind: "chooseTemplate", templateRef: template.ref });
    };
    return h("li", {}, h("button", { type: "button", class: "template-choice", "aria-pressed": String(isChosen), "data-focus": `template-${template.ref}`, onclick: choose },
      h("img", { src: template.thumbnail, alt: "", loading: "lazy" }), h("span", {}, template.name), isChosen ? icon("check") : null));
  });
  return h("ul", { class: "template-choices" }, ...choices);
}

function swatches(
  editor: Editor, name: string, choices: readonly Choice[], own: number | null, show: (choice: Choice) => HTMLElement,
): HTMLElement {
  const wanted = Number(editor.content.globalValue(name)) || own;
  const current = choices.find((each) => each.ref === wanted) ?? choices[0];
  return h("ul", { class: "swatches" }, ...choices.map((choice) =>
    h("li", {}, h("button", { type: "button", class: "swatch", "aria-pressed": String(choice === current), "data-focus": `${name}-${choice.ref}`, onclick: () => editor.change({ kind: "setGlobalValue", name, value: String(choice.ref) }) },
      show(choice), h("span", {}, choice.name)))));
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
  return sample;
}

function picture(editor: Editor, name: string, label: string): HTMLElement {
  return imageField(editor, label, editor.start.profile[name] ?? "", (value) => {
    editor.start.profile[name] = value;
    editor.api
      .post("/pictures", { [name]: value || null })
      .then(() => editor.renderAgain())
      .catch((error: unknown) => notify(error instanceof CallFailed && error.message ? error.message : text("not_saved")));
  });
}

/** The icon in browser tabs: a global value, so that it is part of undo and of published versions. */
function favicon(editor: Editor): HTMLElement {
  const chosen = imageField(editor, text("favicon"), editor.content.globalValue("favicon") ?? "", (value) => editor.change({ kind: "setGlobalValue", name: "favicon", value: value || null }));
  chosen.append(h("p", { class: "field-hint" }, text("favicon_hint")));
  return chosen;
}

function announcement(editor: Editor): HTMLElement {
  const set = (name: string) => (value: string): void => editor.change({ kind: "setStaticValue", id: "announcement", name, value });
  const words = input(editor.content.staticValue("announcement", "text") ?? "", set("text"), { maxlength: 300, "data-focus": "announcement-text" });
  const url = linkInput(editor, editor.content.staticValue("announcement", "url") ?? "", set("url"), { "data-focus": "announcement-url" });
  return h("div", { class: "stack-tight", "data-part": "announcement" }, field(text("announcement_text"), words, text("announcement_hint")), field(text("announcement_url"), url), partSwitch(editor, "announcement"));
}

function partSwitch(editor: Editor, part: string): HTMLElement {
  const label = hasText(`part_${part}`) ? text(`part_${part}`) : part;
  const isVisible = (editor.content.staticValue(part, "visible") ?? "1") !== "0";
  const control = checkbox(label, isVisible, (checked) => editor.change({ kind: "setStaticValue", id: part, name: "visible", value: checked ? "1" : "0" }));
  if (part !== "announcement") control.dataset["part"] = part;
  return control;
}
