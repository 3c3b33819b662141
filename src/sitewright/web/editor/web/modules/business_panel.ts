/** The panel of the business details, which the template shows: name, headline, contact, links elsewhere. */
import { CallFailed } from "./api";
import type { Editor } from "./context";
import { showPart } from "./design_panel";
import { notify } from "./dialog";
import { button, field, h, input, textarea, type Child } from "./dom";
import { showFieldProblem } from "./field_problem";
import { showPages } from "./pages_panel";
import { editPageSettings } from "./page_settings";
import { text } from "./texts";

interface Detail {
  name: string;
  label: string;
  value: string;
  isLong: boolean;
  autocomplete: string;
  mode: string | null;
}

interface Details {
  groups: { title: string; fields: Detail[] }[];
}

/** Which detail a part of the template shows. Other parts are settings of the design. */
const SHOWN_BY: Record<string, string> = {
  name: "business", logo: "business", hero: "headline", strapline: "strapline", description: "companydescription",
  copyright: "copyright", contact: "phone", closing: "phone", map: "address1", social: "newName",
};
/** Both fields of a further link are saved together. */
const PAIR = ["newName", "newLink"];

/** A part of the template was clicked in the page: show where it is changed. */
export function editPart(editor: Editor, id: string): void {
  const detail = SHOWN_BY[id];
  const page = editor.page;
  if (id === "navigation") showPages(editor);
  else if (id === "title" && page !== undefined) editPageSettings(editor, page);
  else if (detail === undefined || (id === "logo" && editor.start.profile["logo"])) showPart(editor, id);
  else void showBusiness(editor, detail, id);
}

export async function showBusiness(editor: Editor, focus?: string, part?: string): Promise<void> {
  try {
    const details = await editor.api.get<Details>("/details");
    editor.panel.show("business", text("business_title"), content(editor, details, part));
    const control = document.querySelector<HTMLElement>(`[data-detail="${focus ?? "business"}"]`);
    if (focus !== undefined) control?.scrollIntoView({ block: "center" });
    control?.focus();
  } catch (error) {
    notify(error instanceof CallFailed && error.message ? error.message : text("load_failed"));
  }
}

function content(editor: Editor, details: Details, part?: string): Child[] {
  const groups = details.groups.map((group) =>
    h("section", { class: "stack-tight" }, h("h3", {}, group.title), ...group.fields.map((each) => detailField(editor, each))));
  const hide = part === undefined || part === "name" ? null : button(text("part_hide"), "quiet", () => showPart(editor, part), "eye-off");
  return [h("p", { class: "soft small" }, text("business_hint")), ...groups, hide];
}

/** Addresses and numbers are valid only when they are complete: they are saved when the field is left. */
function detailField(editor: Editor, detail: Detail): HTMLElement {
  const save = (typed: string): void => editor.saveDetails({ [detail.name]: typed });
  const more = { "data-detail": detail.name, autocomplete: detail.autocomplete, inputmode: detail.mode, maxlength: 10_000 };
  if (detail.isLong) return field(detail.label, textarea(detail.value, save, { ...more, rows: 4 }));
  if (detail.mode === null && !PAIR.includes(detail.name)) return field(detail.label, input(detail.value, save, more));
  const control = input(detail.value, () => undefined, more);
  control.addEventListener("change", () => (PAIR.includes(detail.name) ? savePair(editor) : save(control.value)));
  return field(detail.label, control);
}

/** Another page of the business needs its name and its address. */
function savePair(editor: Editor): void {
  const values = Object.fromEntries(PAIR.map((name) => [name, typedIn(name)]));
  if (PAIR.every((name) => values[name])) {
    editor.saveDetails(values as Record<string, string>);
  }
}

/** Show at the field why a detail was not saved, or that it is right now. Returns whether there is such a field. */
export function showProblem(details: Record<string, string>, problem: string | null): boolean {
  const [name] = Object.keys(details);
  const control = document.querySelector<HTMLElement>(`[data-detail="${CSS.escape(name ?? "")}"]`);
  if (control === null) return false;
  showFieldProblem(control, problem);
  return true;
}

function typedIn(name: string): string {
  return document.querySelector<HTMLInputElement>(`[data-detail="${name}"]`)?.value.trim() ?? "";
}
