/** Redirects from former addresses: those that were added, and those that the service keeps for renamed pages. */
import type { Editor } from "./context";
import { confirmLoss, notify } from "./dialog";
import { alert, button, field, h, icon, iconButton, input, select } from "./dom";
import { failureOf, runCall, showLoaded } from "./loading_panel";
import { packageLink } from "./page_tree";
import { text } from "./texts";

interface Redirect {
  ref: number;
  from: string;
  to: string | null;
  automatic: boolean;
}

const ELSEWHERE = "elsewhere";

export function showRedirects(editor: Editor): void {
  void showLoaded(editor, "redirects", text("redirects_title"), async () => {
    const mayEdit = editor.allows("seoAndRedirects");
    const list = h("div", { class: "stack-tight" });
    const reload = async (): Promise<void> => {
      const { redirects } = await editor.api.get<{ redirects: Redirect[] }>("/redirects");
      list.replaceChildren(content(editor, redirects, mayEdit, changed));
    };
    const changed = (): void => void reload().catch((error: unknown) => notify(failureOf(error)));
    await reload();
    return [
      h("p", { class: "soft small" }, text("redirects_hint")),
      mayEdit ? creation(editor, changed) : alert(text("rule_redirects"), "warn", packageLink()),
      list,
      button(text("redirects_back"), "quiet", () => editor.showPanel("pages"), "arrow-left"),
    ];
  });
}

/** The form stays as it is while the list is loaded again: the next address may be typed already. */
function creation(editor: Editor, changed: () => void): HTMLElement {
  const isExternalAllowed = editor.allows("allowExternalRedirects");
  const from = input("", () => check(), { maxlength: 255, autocapitalize: "none", spellcheck: "false", placeholder: "/old-menu", "data-focus": "redirect-from" });
  const url = input("", () => check(), { maxlength: 2000, type: "url", inputmode: "url", placeholder: "https://", "data-focus": "redirect-url" });
  const urlField = field(text("redirect_url"), url);
  const showUrl = (isShown: boolean): void => {
    urlField.hidden = !isShown;
    url.disabled = !isShown; // what is hidden is not validated
  };
  showUrl(false);
  const pages = editor.content.pages.map((page) => [String(page.ref), page.page.title] as const);
  const target = select(pages[0]?.[0] ?? "", [...pages, ...(isExternalAllowed ? [[ELSEWHERE, text("redirect_elsewhere")] as const] : [])], (chosen) => {
    showUrl(chosen === ELSEWHERE);
    check();
  });
  const add = button(text("redirect_add"), "primary", () => form.requestSubmit(), "plus");
  const check = (): void => {
    const isElsewhere = target.value === ELSEWHERE;
    add.disabled = from.value.trim() === "" || target.value === "" || (isElsewhere && url.value.trim() === "");
  };
  const run = async (): Promise<void> => {
    const to = target.value === ELSEWHERE ? { url: url.value.trim() } : { pageRef: Number(target.value) };
    const sent = from.value;
    const isAdded = await runCall(add, () => editor.api.post("/redirects", { from: sent.trim(), ...to }));
    if (isAdded && from.value === sent) [from.value, url.value] = ["", ""];
    check();
    if (isAdded) changed();
  };
  const form = h("form", { class: "stack-tight", onsubmit: (event) => {
    event.preventDefault();
    if (!add.disabled) void run();
  } },
    field(text("redirect_from"), from, text("redirect_from_hint")),
    field(text("redirect_to"), target, isExternalAllowed ? undefined : text("rule_allowExternalRedirects")),
    urlField, add);
  check();
  return form;
}

function content(editor: Editor, redirects: readonly Redirect[], mayEdit: boolean, changed: () => void): HTMLElement {
  if (redirects.length === 0) return h("p", { class: "soft" }, text("redirects_empty"));
  return h("ul", { class: "row-cards" }, ...redirects.map((redirect) => row(editor, redirect, mayEdit, changed)));
}

function row(editor: Editor, redirect: Redirect, mayEdit: boolean, changed: () => void): HTMLElement {
  const from = `/${redirect.from}`;
  const remove = iconButton(text("redirect_delete_of", { from }), "trash", () => void run());
  const run = async (): Promise<void> => {
    if (!(await confirmLoss(text("redirect_delete_title"), text("redirect_delete_text", { from }), text("delete")))) return;
    if (await runCall(remove, () => editor.api.post(`/redirects/${redirect.ref}/delete`))) changed();
  };
  return h("li", { class: "row-card redirect" },
    h("div", { class: "redirect-text" },
      h("p", {}, h("strong", {}, from)),
      h("p", { class: "small" }, icon("arrow-right"), " ", redirect.to ?? text("redirect_to_deleted")),
      redirect.automatic ? h("p", {}, h("span", { class: "badge neutral" }, text("redirect_automatic"))) : null),
    mayEdit ? remove : null);
}
