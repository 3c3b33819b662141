/** A published version in full: a sandboxed frame in the width of a phone or a desktop. Links lead to its other pages. */
import type { Editor } from "./context";
import { actions, openDialog } from "./dialog";
import { h, icon } from "./dom";
import { FrameLink } from "./frame_link";
import { ALL_RICH } from "./protocol";
import { text } from "./texts";
import { showTime } from "./times";
import { details, editButton, restoreButton, type Version } from "./version";

const WIDTHS = ["phone", "desktop"] as const;

export function viewVersion(editor: Editor, version: Version): void {
  const stage = h("div", { class: "version-stage" });
  const choices = h("div", { class: "row version-widths", role: "group", "aria-label": text("widths") }, ...WIDTHS.map((width) => widthButton(stage, width)));
  const close = (): void => dialog.close();
  const dialog = openDialog(
    text("version_of", { when: showTime(version.published) }),
    [
      h("div", { class: "row version-head" }, h("p", { class: "soft small" }, details(version)), choices),
      stage,
      actions(editButton(editor, version, close), version.current ? null : restoreButton(editor, version, close)),
    ],
    () => frame.stop(),
    true,
  );
  dialog.element.classList.add("version-dialog");
  const frame = new FrameLink(stage, text("version_frame"), (message) => {
    if (message.type === "navigate") open(message.path);
  });
  const open = (path: string): void => {
    const page = path.split(/[?#]/)[0]?.replace(/^\/+|\/+$/g, "") ?? "";
    frame.open(`${editor.api.base}/versions/${version.ref}/frame?path=${encodeURIComponent(decoded(page))}`, {}, ALL_RICH, false);
  };
  open("");
}

function widthButton(stage: HTMLElement, width: string): HTMLElement {
  const label = text(`width_${width}`);
  const isFirst = width === (matchMedia("(min-width: 60rem)").matches ? "desktop" : "phone");
  if (isFirst) stage.dataset["shown"] = width;
  const control = h("button", { type: "button", class: "icon-button", "aria-pressed": String(isFirst), "aria-label": label, title: label }, icon(width));
  control.addEventListener("click", () => {
    stage.dataset["shown"] = width;
    for (const each of control.parentElement?.children ?? []) each.setAttribute("aria-pressed", String(each === control));
  });
  return control;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
