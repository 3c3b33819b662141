/** Dialogs of one page: a new one, and the settings of an existing one with a preview of the search result. */
import type { Editor } from "./context";
import { actions, openDialog } from "./dialog";
import { alert, button, checkbox, field, h, input, select, textarea } from "./dom";
import type { Page } from "./model";
import { freeAddress, packageLink } from "./page_tree";
import { IS_WIDE } from "./panel";
import { text } from "./texts";

const ADDRESS = /^\/?[\p{L}\p{N}._~-]+(?:\/[\p{L}\p{N}._~-]+)*$/u;
const SHOWN_TITLE = 60;
const SHOWN_DESCRIPTION = 155;

export function showNewPage(editor: Editor): void {
  const isFirst = editor.content.pages.length === 0;
  let title = isFirst ? text("home_title") : "";
  const name = input(title, (typed) => {
    title = typed.trim();
    create.disabled = title === "";
  }, { required: true, maxlength: 200, autofocus: true });
  const create = button(text("page_create"), "primary", () => {
    editor.openAddedPage();
    editor.change({ kind: "addPage", title, pageUrl: isFirst ? "home" : freeAddress(editor, title) });
    dialog.close();
    if (!IS_WIDE.matches) editor.panel.close(); // the new page is behind it
  });
  create.disabled = title === "";
  const form = h("form", { class: "stack", onsubmit: (event) => {
    event.preventDefault();
    if (!create.disabled) create.click();
  } }, field(text("page_title"), name, text("page_title_hint")), actions(create));
  const dialog = openDialog(text("page_add"), [form]);
  name.focus();
}

export function editPageSettings(editor: Editor, page: Page): void {
  const fields: Record<string, unknown> = {};
  const { title, request, seoTitle, description, hiddenFromNavigation, status } = page.page;
  const isHome = editor.content.home?.ref === page.ref;
  const result = h("div", { class: "search-result" });
  const shown = { title, request, seoTitle: seoTitle ?? "", description: description ?? "" };
  const preview = (): void => result.replaceChildren(...searchResult(editor, shown, isHome));
  const set = (name: keyof typeof shown, field_: string) => (typed: string): void => {
    shown[name] = typed;
    fields[field_] = typed.trim() === "" && name !== "title" && name !== "request" ? null : typed.trim();
    preview();
    check();
  };
  const name = input(title, set("title", "title"), { maxlength: 200, required: true });
  const address = input(request, set("request", "pageUrl"), { maxlength: 255, autocapitalize: "none", spellcheck: "false" });
  const save = button(text("save"), "primary", () => {
    if (Object.keys(fields).length > 0) editor.change({ kind: "editPage", pageRef: page.ref, fields });
    dialog.close();
  });
  const check = (): void => {
    const isValid = ADDRESS.test(shown.request.trim());
    address.setAttribute("aria-invalid", String(!isValid));
    save.disabled = !isValid || shown.title.trim() === "";
  };
  const hidden = checkbox(text("page_in_menu"), !hiddenFromNavigation, (checked) => {
    fields["hiddenFromNavigation"] = checked ? 0 : 1;
  });
  const state = select(status, [["active", text("status_active")], ["draft", text("status_draft")]], (chosen) => {
    fields["status"] = chosen;
  });
  preview();
  const form = h("form", { class: "stack", onsubmit: (event) => {
    event.preventDefault();
    if (!save.disabled) save.click();
  } },
    field(text("page_title"), name),
    field(text("page_address"), address, text(isHome ? "page_address_home" : "page_address_hint")),
    hidden,
    field(text("page_status"), state),
    searchFields(editor, shown, set, result),
    actions(save));
  const dialog = openDialog(text("page_settings_of", { title }), [form]);
}

type Shown = { title: string; request: string; seoTitle: string; description: string };
type Set = (name: keyof Shown, field: string) => (typed: string) => void;

function searchFields(editor: Editor, shown: Shown, set: Set, result: HTMLElement): HTMLElement {
  const legend = h("legend", { class: "list-legend" }, text("search_settings"));
  if (!editor.allows("seoAndRedirects")) {
    return h("fieldset", { class: "plain-fieldset stack-tight" }, legend, result, alert(text("rule_seoAndRedirects"), "warn", packageLink()));
  }
  const title = input(shown.seoTitle, set("seoTitle", "seoTitle"), { maxlength: 200 });
  const description = textarea(shown.description, set("description", "description"), { rows: 3, maxlength: 1000 });
  return h("fieldset", { class: "plain-fieldset stack" }, legend, result, field(text("seo_title"), title, text("seo_title_hint")), field(text("seo_description"), description, text("seo_description_hint")));
}

/** The page as search engines show it. */
function searchResult(editor: Editor, shown: Shown, isHome: boolean): HTMLElement[] {
  const site = (editor.start.address ?? "").replace(/\/$/, "");
  const path = isHome ? "" : ` › ${shown.request.replace(/^\//, "").replaceAll("/", " › ")}`;
  return [
    h("p", { class: "field-hint" }, text("search_preview")),
    h("p", { class: "search-address" }, site.replace(/^https?:\/\//, "") + path),
    h("p", { class: "search-title" }, cut(shown.seoTitle.trim() || `${shown.title} – ${editor.start.name}`, SHOWN_TITLE)),
    h("p", { class: "search-description" }, cut(shown.description.trim() || text("search_no_description"), SHOWN_DESCRIPTION)),
  ];
}

function cut(words: string, length: number): string {
  return words.length <= length ? words : `${words.slice(0, length).trimEnd()}…`;
}

