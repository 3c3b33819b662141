/** Modal dialogs and short notices of the editor. */
import { button, h, icon, newId, present, type Attributes, type Child } from "./dom";
import { text } from "./texts";

export interface Dialog {
  element: HTMLDialogElement;
  body: HTMLElement;
  close(): void;
}

/** Open a dialog; it is removed when it is closed, and the focus goes back to where it was. */
export function openDialog(title: string, children: readonly Child[], onclose?: () => void, wide = false): Dialog {
  const closer = h("button", { type: "button", class: "icon-button", "aria-label": text("close") }, icon("cross"));
  const dialog = show(h("h2", {}, title), closer, children, { class: wide ? "wide-dialog" : "" }, onclose);
  closer.addEventListener("click", dialog.close);
  return dialog;
}

/** A dialog that only its own buttons close: whoever types while it opens decides nothing. */
export function openDecision(title: string, children: readonly Child[]): Dialog {
  const heading = h("h2", { tabindex: -1 }, title);
  const dialog = independent(show(heading, null, children, { closedby: "none", oncancel: (event) => event.preventDefault() }));
  heading.focus();
  return dialog;
}

function show(heading: HTMLElement, closer: Child, children: readonly Child[], more: Attributes, onclose?: () => void): Dialog {
  heading.id = newId("dialog");
  const body = h("div", { class: "stack" }, ...present(children));
  const head = h("div", { class: "dialog-head" }, heading, closer);
  const element = h("dialog", { "aria-labelledby": heading.id, ...more }, head, body);
  element.addEventListener("close", () => {
    element.remove();
    onclose?.();
  });
  document.body.append(element);
  element.showModal();
  return { element, body, close: () => element.close() };
}

/** A dialog that shows nothing of the content: what others changed is loaded behind it. */
export function independent(dialog: Dialog): Dialog {
  dialog.element.dataset["independent"] = "";
  return dialog;
}

/** Whether a dialog is open that shows something as it was when it opened. */
export function isDialogInUse(): boolean {
  return document.querySelector("dialog[open]:not([data-independent])") !== null;
}

export function actions(...buttons: readonly Child[]): HTMLElement {
  return h("div", { class: "row dialog-actions" }, ...buttons);
}

/** Ask once before something is lost or replaced. Resolves to whether the user agreed. */
export function confirmLoss(title: string, lost: string, label: string, kind = "danger"): Promise<boolean> {
  return new Promise((resolve) => {
    let agreed = false;
    const agree = button(label, kind, () => {
      agreed = true;
      dialog.close();
    });
    const cancel = button(text("cancel"), "quiet", () => dialog.close());
    const dialog = openDialog(title, [h("p", {}, lost), actions(agree, cancel)], () => resolve(agreed));
  });
}

/** A notice at the bottom of the screen; on a phone at the top, since the panel is at the bottom. It stays until it is closed or replaced: readers differ in speed. */
export function notify(message: string, ...more: readonly Child[]): void {
  document.querySelector(".notice")?.remove();
  const close = h("button", { type: "button", "aria-label": text("close") }, icon("cross"));
  const notice = h("div", { class: "toast notice", role: "status" }, icon("info"), h("p", {}, message, ...more), close);
  close.addEventListener("click", () => notice.remove());
  document.body.append(notice);
}
