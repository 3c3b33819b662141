/** Pages are ordered and nested by dragging their handle, with mouse, pen and finger alike. The buttons do the same. */
import type { Editor } from "./context";
import { h, icon } from "./dom";
import type { Page } from "./model";
import { pagesBelow } from "./page_tree";

type Side = "before" | "after" | "inside";
interface Target {
  row: HTMLElement;
  page: Page;
  side: Side;
}

const EDGE = 40;
const SCROLL_STEP = 12;

/** The handle of a page's row, which has `data-page`. */
export function dragHandle(editor: Editor, page: Page): HTMLElement {
  const handle = h("span", { class: "page-handle", "aria-hidden": "true" }, icon("grip"));
  let target: Target | null = null;
  const show = (found: Target | null): void => {
    if (target) delete target.row.dataset["drop"];
    target = found;
    if (found) found.row.dataset["drop"] = found.side;
  };
  handle.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    handle.closest<HTMLElement>("[data-page]")?.classList.add("is-dragged");
  });
  handle.addEventListener("pointermove", (event) => {
    if (!handle.hasPointerCapture(event.pointerId)) return;
    scrollNear(handle, event.clientY);
    show(targetAt(editor, page, event));
  });
  const end = (isDropped: boolean): void => {
    handle.closest("[data-page]")?.classList.remove("is-dragged");
    const dropped = target;
    show(null);
    if (isDropped && dropped) drop(editor, page, dropped);
  };
  handle.addEventListener("pointerup", () => end(true));
  handle.addEventListener("pointercancel", () => end(false));
  return handle;
}

/** The upper and lower third of a row are before and after it, the middle is inside. */
function targetAt(editor: Editor, dragged: Page, event: PointerEvent): Target | null {
  const row = document.elementFromPoint(event.clientX, event.clientY)?.closest<HTMLElement>("[data-page]") ?? null;
  const page = row && editor.content.page(Number(row.dataset["page"]));
  if (!row || !page || isWithin(editor, page, dragged.ref)) return null;
  const box = row.getBoundingClientRect();
  const share = (event.clientY - box.top) / box.height;
  return { row, page, side: share < 1 / 3 ? "before" : share > 2 / 3 ? "after" : "inside" };
}

/** Whether a page is the one with this ref, or below it. */
function isWithin(editor: Editor, page: Page | undefined, ref: number): boolean {
  for (let each = page; each !== undefined; each = editor.content.page(each.page.parentId)) {
    if (each.ref === ref) return true;
  }
  return false;
}

/** `position` counts the pages of the new place without the one that moves. */
function drop(editor: Editor, page: Page, { page: other, side }: Target): void {
  const parentId = side === "inside" ? other.ref : editor.content.page(other.page.parentId) ? other.page.parentId : 0;
  const siblings = pagesBelow(editor, parentId).filter((each) => each.ref !== page.ref);
  const position = side === "inside" ? siblings.length : siblings.indexOf(other) + (side === "after" ? 1 : 0);
  editor.change({ kind: "movePage", pageRef: page.ref, parentId, position });
}

function scrollNear(handle: HTMLElement, y: number): void {
  const body = handle.closest(".panel-body");
  const box = body?.getBoundingClientRect();
  if (!body || !box) return;
  if (y < box.top + EDGE) body.scrollBy(0, -SCROLL_STEP);
  else if (y > box.bottom - EDGE) body.scrollBy(0, SCROLL_STEP);
}
