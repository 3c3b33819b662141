/** The first dialog of a site without pages: ready-made sets of pages, each added as one step that can be undone. */
import type { Editor } from "./context";
import { actions, openDialog } from "./dialog";
import { alert, button, h, picture } from "./dom";
import type { PageSet } from "./model";
import { packageLink, pagesAllowed } from "./page_tree";
import { text } from "./texts";

const DRAWN = 3;

/** Closing it, by any way, skips it: the panel of pages shows how to go on. */
export function showWelcome(editor: Editor): void {
  let isChosen = false;
  const limit = pagesAllowed(editor);
  const choose = (set: PageSet): void => {
    isChosen = true;
    editor.openAddedPage();
    editor.change({ kind: "addPageSet", pageSet: set.name });
    dialog.close();
  };
  const isLocked = (set: PageSet): boolean => set.pages.length > limit;
  const sets = editor.start.pageSets;
  const inOrder = [...sets.filter((set) => !isLocked(set)), ...sets.filter(isLocked)];
  const dialog = openDialog(
    text("welcome_title"),
    [
      h("p", {}, text("welcome_text")),
      h("ul", { class: "page-sets" }, ...inOrder.map((set) => h("li", {}, card(set, isLocked(set), set === inOrder[0], () => choose(set))))),
      sets.some(isLocked) ? alert(text("rule_pagesLimited", { limit, used: 0 }), "neutral", packageLink()) : null,
      actions(button(text("welcome_skip"), "quiet", () => dialog.close())),
    ],
    () => {
      if (!isChosen) editor.showPanel("pages");
    },
    true,
  );
}

function card(set: PageSet, isLocked: boolean, autofocus: boolean, onclick: () => void): HTMLElement {
  const drawings = (set.pages[0]?.sections ?? []).slice(0, DRAWN).map((name) => picture("section", name));
  return h("button", { type: "button", class: "choice page-set", disabled: isLocked, autofocus, onclick },
    h("span", { class: "page-set-drawing" }, ...drawings),
    h("span", { class: "page-set-text" }, h("span", {}, set.title), h("span", { class: "soft small" }, set.description),
      isLocked ? h("span", { class: "small" }, text("not_in_package")) : null));
}
