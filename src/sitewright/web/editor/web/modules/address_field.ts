/** Fields for links, e-mail addresses and telephone numbers: checked while they are typed, saved only where they are valid. */
import { completedLink, isValidAddress, type AddressKind } from "./addresses";
import type { Editor } from "./context";
import { h, input, type Attributes } from "./dom";
import { showFieldProblem } from "./field_problem";
import { text } from "./texts";

/** Half an address is not reported as wrong while it is being typed. */
export const PAUSE = 600;
const MODES: Record<AddressKind, string> = { url: "url", email: "email", phone: "tel" };

export function addressInput(kind: AddressKind, current: string, save: (value: string) => void, more: Attributes = {}): HTMLInputElement {
  let timer = 0;
  const check = (typed: string): void => {
    clearTimeout(timer);
    if (!isValidAddress(kind, typed)) {
      timer = setTimeout(() => reportAddress(kind, control), PAUSE);
      return;
    }
    showFieldProblem(control, null);
    save(typed.trim());
  };
  const control = input(current, check, { ...more, inputmode: MODES[kind], autocapitalize: "none", spellcheck: "false" });
  control.addEventListener("change", () => {
    const complete = kind === "url" ? completedLink(control.value) : control.value;
    if (complete !== control.value) {
      control.value = complete;
      check(complete);
    }
    reportAddress(kind, control);
  });
  return control;
}

/** Show at the control what is wrong with its address. Returns whether it is valid. */
export function reportAddress(kind: AddressKind, control: HTMLInputElement): boolean {
  const isValid = isValidAddress(kind, control.value);
  showFieldProblem(control, isValid ? null : text(`wrong_${kind}`));
  return isValid;
}

/** A link, with the pages of the site as suggestions. */
export function linkInput(editor: Editor, current: string, save: (value: string) => void, more: Attributes = {}): HTMLInputElement {
  let list = document.getElementById("site-pages");
  if (list === null) {
    list = h("datalist", { id: "site-pages" });
    document.body.append(list);
  }
  const options = editor.content.pages.map((each) => h("option", { value: `/${each.page.request}` }, each.page.title));
  list.replaceChildren(...options);
  return addressInput("url", current, save, { ...more, list: "site-pages" });
}
