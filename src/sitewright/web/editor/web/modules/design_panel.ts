/** The panel of the design: template, colors, fonts, logo, announcement, parts of header and footer, CSS of the site's own. */
import { CallFailed } from "./api";
import { linkInput } from "./address_field";
import type { Editor } from "./context";
import { colorChoices, fontChoices, withoutPreview } from "./design_choices";
import { notify } from "./dialog";
import { alert, checkbox, field, h, icon, input, textarea, type Child } from "./dom";
import { imageField } from "./image_field";
import { packageLink } from "./page_tree";
import { hasText, text } from "./texts";

const PARTS = ["navigation", "logo", "hero", "featureimage", "contact", "map", "description", "social", "copyright"];
const OWN_CSS = "customCss";

export function showDesign(editor: Editor): void {
  withoutPreview(editor, () => editor.panel.show("design", text("design_title"), content(editor)));
}

function content(editor: Editor): Child[] {
  if (!editor.allows("designTab")) {
    return [alert(text("rule_designTab"), "warn", packageLink()), ownCss(editor)];
  }
  return [
    group(text("template"), editor.allows("templatesAllowed") ? templates(editor) : alert(text("why_templatesAllowed"), "warn", packageLink())),
    group(text("colors"), colorChoices(editor)),
    group(text("fonts"), fontChoices(editor)),
    group(text("pictures"), picture(editor, "logo", text("logo")), picture(editor, "featureimage", text("feature_image")), favicon(editor)),
    group(text("announcement"), announcement(editor)),
    group(text("parts"), ...PARTS.map((part) => partSwitch(editor, part))),
    ownCss(editor),
  ];
}

/** Show the panel with the field of a part of the template that was clicked in the page: its picture where it has one, else whether it is shown. */
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

function picture(editor: Editor, name: string, label: string): HTMLElement {
  const control = imageField(editor, label, editor.start.profile[name] ?? "", (value) => {
    editor.start.profile[name] = value;
    editor.api
      .post("/pictures", { [name]: value || null })
      .then(() => editor.renderAgain())
      .catch((error: unknown) => notify(error instanceof CallFailed && error.message ? error.message : text("not_saved")));
  });
  control.dataset["part"] = name;
  return control;
}

/** The icon in browser tabs: a global value, so that it is part of undo and of published versions. */
function favicon(editor: Editor): HTMLElement {
  const chosen = imageField(editor, text("favicon"), editor.content.globalValue("favicon") ?? "", (value) => editor.change({ kind: "setGlobalValue", name: "favicon", value: value || null }));
  chosen.append(h("p", { class: "field-hint" }, text("favicon_hint")));
  return chosen;
}

function announcement(editor: Editor): HTMLElement {
  const set = (name: string) => (value: string): void => editor.change({ kind: "setStaticValue", id: "announcement", name, value }, true);
  const words = input(editor.content.staticValue("announcement", "text") ?? "", set("text"), { maxlength: 300, "data-focus": "announcement-text" });
  const url = linkInput(editor, editor.content.staticValue("announcement", "url") ?? "", set("url"), { "data-focus": "announcement-url" });
  for (const each of [words, url]) each.addEventListener("change", () => editor.endTyping());
  return h("div", { class: "stack-tight", "data-part": "announcement" }, field(text("announcement_text"), words, text("announcement_hint")), field(text("announcement_url"), url), partSwitch(editor, "announcement"));
}

function partSwitch(editor: Editor, part: string): HTMLElement {
  const label = hasText(`part_${part}`) ? text(`part_${part}`) : part;
  const isVisible = (editor.content.staticValue(part, "visible") ?? "1") !== "0";
  const control = checkbox(label, isVisible, (checked) => editor.change({ kind: "setStaticValue", id: part, name: "visible", value: checked ? "1" : "0" }));
  if (part !== "announcement") control.dataset["part"] = part;
  return control;
}

/** Offered where the package includes it. */
function ownCss(editor: Editor): Child {
  if (!editor.allows("cssEditing")) return null;
  const save = (typed: string): void => editor.change({ kind: "setGlobalValue", name: OWN_CSS, value: typed.trim() === "" ? null : typed }, true);
  const code = textarea(editor.content.globalValue(OWN_CSS) ?? "", save, { class: "input code-input", spellcheck: "false", autocapitalize: "none", autocomplete: "off", "data-focus": "own-css" });
  code.addEventListener("change", () => editor.endTyping());
  return group(text("own_css"), field(text("own_css_rules"), code, text("own_css_hint")));
}
