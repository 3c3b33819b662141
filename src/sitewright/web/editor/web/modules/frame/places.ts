// Where a block would go that is dropped at a point: before or after another block, or into an empty place.

import type { Place } from "../protocol";
import { allWidgets, placeOf, widgetRef, widgetsIn, zones } from "./page";

const EDGE = 14;

/** `marker` is the line that shows it, in coordinates of the window. */
type DropPlace = Place & { marker: { left: number; top: number; width: number } };

/** `moved` is the ref of the block that is being moved, which is not counted; null for something new. */
export function placeAt(x: number, y: number, moved: number | null): DropPlace | null {
  const dragged = allWidgets().find((each) => widgetRef(each) === moved) ?? null;
  const isOutside = (element: Element): boolean => dragged === null || !dragged.contains(element);
  const empty = zones().filter((zone) => isOutside(zone) && isEmpty(zone, moved) && contains(zone.getBoundingClientRect(), x, y));
  const zone = empty.at(-1);
  if (zone !== undefined && zone.matches(".column, [data-zone-empty]")) return inZone(zone);
  const widgets = allWidgets().filter(isOutside);
  const nearest = nearestTo(widgets, x, y);
  if (nearest === null) return zone === undefined ? firstPlace() : inZone(zone);
  const rect = nearest.getBoundingClientRect();
  const isAfter = y > rect.top + rect.height / 2;
  const { parentId } = placeOf(nearest);
  const siblings = widgetsIn(parentId).filter((each) => widgetRef(each) !== moved);
  const position = siblings.indexOf(nearest) + (isAfter ? 1 : 0);
  return { parentId, position, marker: { left: rect.left, top: isAfter ? rect.bottom : rect.top, width: rect.width } };
}

/** The innermost block at the point, else the one with the smallest distance. Columns count at their edges only. */
function nearestTo(widgets: HTMLElement[], x: number, y: number): HTMLElement | null {
  let found: HTMLElement | null = null;
  let least = Infinity;
  for (const each of widgets) {
    const rect = each.getBoundingClientRect();
    const isInner = rect.top + EDGE < y && y < rect.bottom - EDGE && rect.left < x && x < rect.right;
    if (isInner && each.querySelector("[data-widget]") !== null && each.querySelector("[data-zone]") !== null) continue;
    const distance = Math.hypot(Math.max(rect.left - x, 0, x - rect.right), Math.max(rect.top - y, 0, y - rect.bottom));
    if (distance <= least) [found, least] = [each, distance];
  }
  return found;
}

function isEmpty(zone: HTMLElement, moved: number | null): boolean {
  return widgetsIn(zone.getAttribute("data-zone") ?? "").every((each) => widgetRef(each) === moved);
}

function inZone(zone: HTMLElement): DropPlace {
  const rect = zone.getBoundingClientRect();
  const marker = { left: rect.left, top: rect.top + Math.min(rect.height / 2, 32), width: rect.width };
  return { parentId: zone.getAttribute("data-zone") ?? "", position: 0, marker };
}

function firstPlace(): DropPlace | null {
  const zone = zones()[0];
  return zone === undefined ? null : inZone(zone);
}

function contains(rect: DOMRect, x: number, y: number): boolean {
  return rect.left <= x && x <= rect.right && rect.top <= y && y <= rect.bottom;
}
