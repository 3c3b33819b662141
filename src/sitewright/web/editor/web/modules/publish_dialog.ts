/** Publishing: what prevents it, in words, each with its own button; then the publish itself. */
import { CallFailed } from "./api";
import type { Editor } from "./context";
import { actions, openDialog, type Dialog } from "./dialog";
import { alert, button, h, icon, type Child } from "./dom";
import { showDesign } from "./design_panel";
import { showPages } from "./pages_panel";
import { showBlockPicker } from "./block_picker";
import { publishHints } from "./publish_hints";
import { text } from "./texts";

interface Reason {
  code: string;
  text: string;
  isWarning: boolean;
}

interface PublishState {
  reasons: Reason[];
  activationUrl: string | null;
  published: boolean;
}

export async function showPublish(editor: Editor, waiting: number): Promise<void> {
  const dialog = openDialog(text("publish_title"), [h("p", { role: "status" }, text("publish_checking"))]);
  if (waiting > 0) {
    dialog.body.replaceChildren(alert(text("publish_unsaved"), "warn"));
    return;
  }
  try {
    showReasons(editor, dialog, await editor.api.get<PublishState>("/publish"));
  } catch (error) {
    dialog.body.replaceChildren(alert(reasonOf(error), "bad"));
  }
}

function showReasons(editor: Editor, dialog: Dialog, state: PublishState): void {
  if (state.activationUrl !== null) {
    dialog.body.replaceChildren(h("p", {}, text("publish_activate")), actions(h("a", { class: "button primary", href: state.activationUrl }, text("publish_activate_do"))));
    return;
  }
  const blocking = state.reasons.filter((each) => !each.isWarning);
  const warnings = [...list(editor, dialog, state.reasons.filter((each) => each.isWarning), "warn"), ...hints(editor, dialog, state)];
  const publish = button(text(state.published ? "publish_again" : "publish_now"), "primary", () => void publishNow(editor, dialog, publish), "upload");
  const shown: Child[] = [
    blocking.length > 0 ? h("p", {}, text("publish_blocked")) : h("p", {}, text(state.published ? "publish_update" : "publish_first")),
    blocking.length === 0 && editor.start.address ? h("p", { class: "publish-address" }, icon("globe"), shownAddress(editor.start.address)) : null,
    blocking.length > 0 ? h("ul", { class: "reasons" }, ...list(editor, dialog, blocking, "bad")) : null,
    warnings.length > 0 ? h("p", { class: "soft" }, text("publish_warnings")) : null,
    warnings.length > 0 ? h("ul", { class: "reasons" }, ...warnings) : null,
    blocking.length > 0 ? null : actions(publish),
  ];
  dialog.body.replaceChildren(...shown.filter((each): each is Node => each instanceof Node));
  if (blocking.length === 0) publish.focus();
}

function list(editor: Editor, dialog: Dialog, reasons: readonly Reason[], tone: string): HTMLElement[] {
  return reasons.map((reason) => h("li", { class: `reason ${tone}` }, icon("alert"), h("p", {}, reason.text), remedy(editor, dialog, reason)));
}

/** A site without any content is one warning of the service: its empty pages are not listed as well. */
function hints(editor: Editor, dialog: Dialog, state: PublishState): HTMLElement[] {
  const isEmpty = state.reasons.some((each) => each.code === "noPages" || each.code === "noContent");
  return (isEmpty ? [] : publishHints(editor)).map((hint) => {
    const open = button(hint.label, "quiet", () => {
      dialog.close();
      hint.open();
    });
    return h("li", { class: "reason warn" }, icon("alert"), h("p", {}, hint.text), open);
  });
}

function shownAddress(address: string): string {
  return address.replace(/^https?:\/\//, "").replace(/\/$/, "");
}

/** The button that leads to where a reason can be removed. */
function remedy(editor: Editor, dialog: Dialog, reason: Reason): HTMLElement | null {
  const go = (label: string, open: () => void): HTMLElement =>
    button(text(label), "quiet", () => {
      dialog.close();
      open();
    });
  switch (reason.code) {
    case "noPages":
      return go("remedy_pages", () => showPages(editor));
    case "noContent":
      return go("remedy_content", () => showBlockPicker(editor));
    case "templateNotInstalled":
    case "templateFailed":
      return go("remedy_design", () => showDesign(editor));
    case "packageLimitReached":
      return h("a", { class: "button quiet", href: "/account/package" }, text("to_package"));
    default:
      return null;
  }
}

async function publishNow(editor: Editor, dialog: Dialog, control: HTMLButtonElement): Promise<void> {
  control.disabled = true;
  control.setAttribute("aria-busy", "true");
  try {
    const state = await editor.api.post<PublishState>("/publish");
    if (state.activationUrl !== null) {
      location.assign(state.activationUrl);
      return;
    }
    const visit = editor.start.address ? h("a", { class: "button primary", href: editor.start.address, target: "_blank", rel: "noopener" }, text("publish_visit")) : null;
    const shown = editor.start.address ? h("p", { class: "publish-address" }, icon("globe"), shownAddress(editor.start.address)) : "";
    dialog.body.replaceChildren(alert(text("published"), "good"), shown, actions(visit, button(text("publish_go_on"), "quiet", () => dialog.close())));
  } catch (error) {
    dialog.body.replaceChildren(alert(reasonOf(error), "bad"), actions(button(text("close"), "quiet", () => dialog.close())));
  }
}

function reasonOf(error: unknown): string {
  return error instanceof CallFailed && error.message ? error.message : text("unreachable");
}
