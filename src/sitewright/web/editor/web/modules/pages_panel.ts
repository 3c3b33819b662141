/** The panel of the site's pages: add, open, order, nest, hide, duplicate, delete. */
import type { Editor } from "./context";
import { confirmLoss } from "./dialog";
import { alert, button, h, icon, iconButton, type Child } from "./dom";
import type { Page } from "./model";
import { dragHandle } from "./page_dragging";
import { freeAddress, packageLink, pagesAllowed, pagesBelow } from "./page_tree";
import { IS_WIDE } from "./panel";
import { editPageSettings, showNewPage } from "./page_settings";
import { text } from "./texts";
import { showWelcome } from "./welcome";

export function showPages(editor: Editor): void {
  editor.panel.show("pages", text("pages_title"), content(editor));
}

function content(editor: Editor): Child[] {
  const pages = editor.content.pages;
  const limit = pagesAllowed(editor);
  const isFull = pages.length >= limit;
  const add = button(text("page_add"), "primary", () => showNewPage(editor), "plus");
  add.disabled = isFull;
  return [
    pages.length === 0 ? alert(text("no_page"), "neutral") : null,
    tree(editor, 0),
    add,
    pages.length === 0 ? button(text("welcome_again"), "quiet", () => showWelcome(editor), "file") : null,
    isFull ? alert(text("rule_pagesLimited", { limit, used: pages.length }), "warn", packageLink()) : null,
    button(text("redirects_title"), "quiet", () => editor.showPanel("redirects"), "arrow-right"),
  ];
}

function tree(editor: Editor, parent: number): HTMLElement | null {
  const pages = pagesBelow(editor, parent);
  if (pages.length === 0) return null;
  const label = parent === 0 ? text("pages_title") : null;
  return h("ul", { class: "page-tree", "aria-label": label }, ...pages.map((page, index) => row(editor, page, index, pages)));
}

function row(editor: Editor, page: Page, index: number, siblings: readonly Page[]): HTMLElement {
  const { title, hiddenFromNavigation, status } = page.page;
  const isHome = editor.content.home?.ref === page.ref;
  const isOpen = editor.page?.ref === page.ref;
  const open = h("button", { type: "button", class: "page-open", "aria-current": isOpen ? "page" : null, onclick: () => choose(editor, page) },
    icon(isHome ? "home" : hiddenFromNavigation || status !== "active" ? "eye-off" : "file"), h("span", {}, title));
  const menu = h("details", { class: "page-menu", "data-open-key": page.ref }, h("summary", { "aria-label": text("page_actions", { title }), title: text("page_actions", { title }) }, icon("settings")), pageActions(editor, page, index, siblings));
  menu.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest(".page-actions > button")) menu.open = false;
  });
  return h("li", {}, h("div", { class: "page-row", "data-page": page.ref }, dragHandle(editor, page), open, menu), tree(editor, page.ref));
}

/** The panel makes way for the page where it covers it. */
function choose(editor: Editor, page: Page): void {
  editor.openPage(page.ref);
  if (!IS_WIDE.matches) editor.panel.close();
}

function pageActions(editor: Editor, page: Page, index: number, siblings: readonly Page[]): HTMLElement {
  const isHome = editor.content.home?.ref === page.ref;
  const move = (parentId: number, position: number): void => editor.change({ kind: "movePage", pageRef: page.ref, parentId, position });
  const edit = (fields: Record<string, unknown>): void => editor.change({ kind: "editPage", pageRef: page.ref, fields });
  const parent = page.page.parentId;
  const above = siblings[index - 1];
  const grandparent = editor.content.page(parent)?.page.parentId ?? 0;
  const isHidden = Boolean(page.page.hiddenFromNavigation);
  const copy = button(text("duplicate"), "plain", () => duplicate(editor, page), "copy");
  copy.disabled = editor.content.pages.length >= pagesAllowed(editor);
  return h("div", { class: "page-actions" },
    h("div", { class: "row" },
      iconButton(text("move_up"), "arrow-up", () => move(parent, index - 1), index === 0),
      iconButton(text("move_down"), "arrow-down", () => move(parent, index + 1), index === siblings.length - 1),
      iconButton(text("page_nest"), "indent", () => above && move(above.ref, pagesBelow(editor, above.ref).length), above === undefined),
      iconButton(text("page_unnest"), "outdent", () => move(grandparent, placeAfterParent(editor, page)), parent === 0)),
    button(text("page_settings"), "plain", () => editPageSettings(editor, page), "settings"),
    button(text(isHidden ? "page_show" : "page_hide"), "plain", () => edit({ hiddenFromNavigation: isHidden ? 0 : 1 }), isHidden ? "eye" : "eye-off"),
    isHome ? null : button(text("page_home"), "plain", () => editor.change({ kind: "makeHome", pageRef: page.ref }), "home"),
    copy,
    button(text("delete"), "plain danger-text", () => void remove(editor, page), "trash"),
  );
}

function placeAfterParent(editor: Editor, page: Page): number {
  const parent = editor.content.page(page.page.parentId);
  if (parent === undefined) return 0;
  return pagesBelow(editor, parent.page.parentId).indexOf(parent) + 1;
}

function duplicate(editor: Editor, page: Page): void {
  const title = text("copy_of", { title: page.page.title });
  editor.openAddedPage();
  editor.change({ kind: "addPage", title, pageUrl: freeAddress(editor, title), copyOf: page.ref });
}

async function remove(editor: Editor, page: Page): Promise<void> {
  const lost = text("page_delete_text", { title: page.page.title });
  if (await confirmLoss(text("page_delete_title"), lost, text("delete"))) editor.change({ kind: "deletePage", pageRef: page.ref });
}
