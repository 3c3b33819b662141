// Shows a block in the part of the frame that the page's panel does not cover.

import { findWidget } from "./page";
import { session } from "./session";

/** Between the block and the edges of the visible part. */
const MARGIN = 8;

/** The last block of a page needs room below it to be scrolled above the panel. */
export function uncover(ref: number | null, covered: number): void {
  document.documentElement.style.setProperty("--editor-covered", `${covered}px`);
  const widget = findWidget(ref);
  if (widget === null) return;
  const rect = widget.getBoundingClientRect();
  const top = headerBottom() + MARGIN;
  const bottom = innerHeight - covered - MARGIN;
  if (rect.top >= top && rect.bottom <= bottom) return;
  const rest = Math.max(0, bottom - top - rect.height); // a block that is higher than the visible part begins at its top
  scrollBy({ top: rect.top - top - rest / 2, behavior: "instant" });
  session.changed("places");
}

/** A header that stays at the top of the window covers what is below it. */
function headerBottom(): number {
  const isFixed = (each: Element): boolean => ["sticky", "fixed"].includes(getComputedStyle(each).position);
  const header = document.elementsFromPoint(innerWidth / 2, 1).find(isFixed);
  return header === undefined ? 0 : Math.max(0, header.getBoundingClientRect().bottom);
}
