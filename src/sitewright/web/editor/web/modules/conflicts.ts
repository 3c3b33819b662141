/** Dialogs for changes that could not be saved as they are. */
import type { CallFailed } from "./api";
import type { Decision } from "./change_queue";
import type { Entry } from "./change_store";
import type { Editor } from "./context";
import { copyText, readonlyText } from "./clipboard";
import { actions, independent, notify, openDecision, openDialog } from "./dialog";
import { button, h } from "./dom";
import { readRows } from "./list_field";
import { editPageSettings } from "./page_settings";
import { text } from "./texts";

const PAGE_TEXTS = ["title", "pageUrl", "seoTitle", "description"];

/** Somebody else changed the item. Nothing is overwritten, and nothing typed is lost, without the user's decision. */
export function decideConflict(entry: Entry, failure: CallFailed): Promise<Decision> {
  const current = failure.problem["current"];
  const etag = isObject(current) && typeof current["etag"] === "string" ? current["etag"] : null;
  const typed = typedText(entry);
  return new Promise((resolve) => {
    const decide = (decision: Decision): void => {
      dialog.close();
      resolve(decision);
    };
    const mine = button(text("conflict_mine"), "primary", () => decide({ kind: "overwrite", etag }));
    const theirs = button(text(typed ? "conflict_copy" : "conflict_theirs"), "quiet", () => {
      if (typed) void copyText(typed, text("copied"));
      decide({ kind: "drop" });
    });
    const shown = typed ? h("div", { class: "field" }, h("p", { class: "field-hint" }, text("conflict_typed")), readonlyText(typed)) : null;
    const buttons = actions(etag === null ? null : mine, theirs);
    const dialog = openDecision(text("conflict_title"), [h("p", {}, text("conflict_text")), shown, buttons]);
  });
}

/** The service refused a change for good; what was typed can be corrected or copied. The content is `loaded` again meanwhile. */
export async function showRefusal(editor: Editor, entry: Entry, failure: CallFailed, loaded: Promise<unknown>): Promise<void> {
  const typed = typedText(entry);
  const reason = failure.message || text("refused");
  if (typed && entry.change?.kind === "editPage") {
    await loaded;
    const page = editor.content.page(entry.change.pageRef);
    if (page !== undefined) return editPageSettings(editor, page, entry.change.fields, reason);
  }
  if (!typed) {
    notify(reason);
    return;
  }
  const copier = button(text("copy_text"), "primary", () => void copyText(typed, text("copied")));
  const closer = button(text("close"), "quiet", () => dialog.close());
  const dialog = openDecision(text("refused_title"), [h("p", {}, reason), readonlyText(typed), actions(copier, closer)]);
}

/** The session ended: log in again in another tab, then go on here. */
export function showLogIn(onback: () => void): { close(): void } {
  const link = h("a", { class: "button primary", href: "/login?r=/account", target: "_blank", rel: "opener" }, text("log_in_again"));
  const goOn = button(text("log_in_done"), "quiet", onback);
  return independent(openDialog(text("logged_out_title"), [h("p", {}, text("logged_out_text")), actions(link, goOn)]));
}

function typedText(entry: Entry): string {
  const change = entry.change;
  if (entry.typed && (change?.kind === "setGlobalValue" || change?.kind === "setStaticValue")) return change.value ?? "";
  if (change?.kind === "editPage") return PAGE_TEXTS.map((name) => change.fields[name]).filter(Boolean).join("\n\n");
  if (change?.kind !== "setValues") return "";
  return Object.values(change.values).map((value) => textOf(value ?? "")).filter(Boolean).join("\n\n").trim();
}

/** A value without formatting and pictures; of a list, the texts of its entries. */
function textOf(value: string): string {
  const rows = readRows(value);
  if (rows.length > 0) return rows.flatMap((row) => Object.values(row)).map(textOf).filter(Boolean).join("\n");
  if (value === "[]" || value.startsWith("media:")) return "";
  return value.includes("<") ? (new DOMParser().parseFromString(value, "text/html").body.textContent ?? "") : value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
