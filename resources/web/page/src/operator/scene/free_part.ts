// Where the picture stands behind the page's panels: its middle in the middle of what they leave free, and the tool
// always in that part. Pure; in CSS pixels.

export interface Part {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export type Point = readonly [number, number];

/** So far the tool stays away from every panel, for its axes are seen as well [px]. */
export const MARGIN = 40;
/** Somebody who looks elsewhere on purpose may have the tool so far outside of the window before nothing is moved for it [px]. */
const GONE = 120;

/** How far the picture has to be moved for this point to be in the free part: no further than that takes, and back again. */
export function shiftFor([x, y]: Point, free: Part, window: { readonly width: number; readonly height: number }): Point {
  const outside = Math.max(-x, x - window.width, -y, y - window.height, 0);
  const share = Math.max(0, 1 - outside / GONE);
  return [share * into(x, free.left, free.width), share * into(y, free.top, free.height)];
}

function into(value: number, from: number, size: number): number {
  const margin = Math.min(MARGIN, size / 2);
  return Math.min(Math.max(value, from + margin), from + size - margin) - value;
}
