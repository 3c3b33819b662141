/** The part of a picture that a crop keeps, in shares of the picture's width and height: pure functions. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export const CORNERS = ["upper-left", "upper-right", "lower-left", "lower-right"] as const;
type Corner = (typeof CORNERS)[number];
export const WHOLE: Box = { x: 0, y: 0, width: 1, height: 1 };
const LEAST = 0.05;

export function moved(box: Box, x: number, y: number): Box {
  return { ...box, x: within(box.x + x, 0, 1 - box.width), y: within(box.y + y, 0, 1 - box.height) };
}

/** The largest part with this ratio of the shares, in the middle. */
export function fitted(ratio: number | null): Box {
  if (ratio === null) return WHOLE;
  const [width, height] = [Math.min(1, ratio), Math.min(1, 1 / ratio)];
  return { x: (1 - width) / 2, y: (1 - height) / 2, width, height };
}

/** A corner was moved; the opposite one stays, and so does the ratio of the shares, where there is one. */
export function resized(box: Box, corner: Corner, x: number, y: number, ratio: number | null): Box {
  const [isLeft, isUpper] = [corner.endsWith("left"), corner.startsWith("upper")];
  const most = { width: isLeft ? box.x + box.width : 1 - box.x, height: isUpper ? box.y + box.height : 1 - box.y };
  let width = within(box.width + (isLeft ? -x : x), LEAST, most.width);
  let height = within(box.height + (isUpper ? -y : y), LEAST, most.height);
  if (ratio !== null) {
    const wanted = Math.abs(x) >= Math.abs(y * ratio) ? width : height * ratio;
    width = within(wanted, Math.min(LEAST, most.height * ratio), Math.min(most.width, most.height * ratio));
    height = width / ratio;
  }
  return { x: isLeft ? box.x + box.width - width : box.x, y: isUpper ? box.y + box.height - height : box.y, width, height };
}

export function isWhole(box: Box): boolean {
  return box.width > 0.999 && box.height > 0.999;
}

function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
