/** What is wrong with a field, said at the field. */
import { h, icon } from "./dom";

/** Show a problem at a control, or that there is none any more. */
export function showFieldProblem(control: HTMLElement, problem: string | null): void {
  const id = `${control.id}-error`;
  const shown = document.getElementById(id);
  if (problem !== null && shown?.textContent === problem) return; // it would be read aloud again
  shown?.remove();
  const hint = document.getElementById(`${control.id}-hint`);
  const described = [hint?.id, problem === null ? null : id].filter(Boolean).join(" ");
  if (described) control.setAttribute("aria-describedby", described);
  else control.removeAttribute("aria-describedby");
  if (problem === null) {
    control.removeAttribute("aria-invalid");
    return;
  }
  control.setAttribute("aria-invalid", "true");
  const message = h("p", { class: "field-error", id, role: "alert" }, icon("alert"), problem);
  control.after(message);
  if (document.activeElement === control) message.scrollIntoView({ block: "nearest" });
}
