/** Dialogs of one page: a new one, and the settings of an existing one with a preview of the search result. */
import { PAUSE } from "./address_field";
import { pageAddressProblem, type PageAddressProblem } from "./addresses";
import type { Editor } from "./context";
import { actions, openDialog } from "./dialog";
import { alert, button, checkbox, field, h, input, select, textarea } from "./dom";
import { showFieldProblem } from "./field_problem";
import type { Page } from "./model";
import { freeAddress, packageLink } from "./page_tree";
import { IS_WIDE } from "./panel";
import { text } from "./texts";

const PROBLEMS: Record<PageAddressProblem, string> = { characters: "page_address_wrong", reserved: "page_address_reserved", taken: "why_pageUrlTaken" };
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

/** With the fields that were changed before, where the service `refused` them because of a `problem`. */
export function editPageSettings(editor: Editor, page: Page, refused: PageChange = {}, problem: string | null = null): void {
  const fields = { ...refused };
  const isHome = editor.content.home?.ref === page.ref;
  const result = h("div", { class: "search-result" });
  const shown = shownOf(page, refused);
  const preview = (): void => result.replaceChildren(...searchResult(editor, shown, isHome));
  const set = (name: keyof typeof shown, field_: string) => (typed: string): void => {
    shown[name] = typed;
    fields[field_] = typed.trim() === "" && name !== "title" && name !== "request" ? null : typed.trim();
    preview();
    check();
  };
  const name = input(shown.title, set("title", "title"), { maxlength: 200, required: true });
  const address = input(shown.request, set("request", "pageUrl"), { maxlength: 255, autocapitalize: "none", spellcheck: "false" });
  const isValidAddress = addressCheck(editor, page, address);
  const save = button(text("save"), "primary", () => {
    if (!isValidAddress()) return address.focus();
    if (Object.keys(fields).length > 0) editor.change({ kind: "editPage", pageRef: page.ref, fields });
    dialog.close();
  });
  const check = (): void => {
    save.disabled = shown.title.trim() === "";
  };
  const hidden = checkbox(text("page_in_menu"), !(refused["hiddenFromNavigation"] ?? page.page.hiddenFromNavigation), (checked) => {
    fields["hiddenFromNavigation"] = checked ? 0 : 1;
  });
  const state = select(String(refused["status"] ?? page.page.status), [["active", text("status_active")], ["draft", text("status_draft")]], (chosen) => {
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
  const dialog = openDialog(text("page_settings_of", { title: page.page.title }), [form]);
  if (problem === null) return;
  if (isValidAddress()) form.prepend(alert(problem, "bad"));
  else address.focus();
}

type PageChange = Record<string, unknown>;
type Shown = { title: string; request: string; seoTitle: string; description: string };
type Set = (name: keyof Shown, field: string) => (typed: string) => void;

function shownOf({ page }: Page, refused: PageChange): Shown {
  const typed = (name: string, own: string | null): string => String((name in refused ? refused[name] : own) ?? "");
  return {
    title: typed("title", page.title), request: typed("pageUrl", page.request),
    seoTitle: typed("seoTitle", page.seoTitle), description: typed("description", page.description),
  };
}

/** Shows at the field why the page cannot have the address, after a pause and when the result is called. The page may keep the one that it has. */
function addressCheck(editor: Editor, page: Page, control: HTMLInputElement): () => boolean {
  const others = editor.content.pages.filter((each) => each.ref !== page.ref).map((each) => each.page.request);
  const problemOf = (): PageAddressProblem | null => (control.value.trim() === page.page.request ? null : pageAddressProblem(control.value, others));
  const report = (): boolean => {
    const problem = problemOf();
    showFieldProblem(control, problem === null ? null : text(PROBLEMS[problem]));
    return problem === null;
  };
  let timer = 0;
  control.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(report, problemOf() === null ? 0 : PAUSE);
  });
  return report;
}

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

