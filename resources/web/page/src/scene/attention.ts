// What of all that the mouse passes over counts as pointed at, and for how long. Pure.
//
// Where it is counts while it is over the scene. Whoever types has to leave with it: then the place counts where it
// rested last, or the one that was clicked, for some seconds. A click counts wherever the mouse goes meanwhile.

import type { PagePoint } from "../protocol";

/** It rests if it stays within so many pixels for so long [ms]. */
const REST_PX = 6;
const REST_MS = 400;
/** From where it rested to the scene's edge it takes no longer than this [ms]. */
const AWAY_WITHIN_MS = 2000;
/** Enough to type a sentence; a mouse that somebody has left on the scene points no longer, too [ms]. */
export const COUNTS_MS = 20_000;

interface Place {
  readonly at: PagePoint;
  /** Until when [ms]. */
  readonly until: number;
}

type Pixel = readonly [number, number];

/** `pixel`: where the mouse was last; `anchor`: about where it has rested since. */
interface Over {
  readonly at: PagePoint;
  readonly pixel: Pixel;
  readonly movedAt: number;
  readonly anchor: Pixel;
  readonly since: number;
}

export class Attention {
  private over: Over | null = null;
  private rested: Place | null = null;
  private mark: Place | null = null;
  private clicked: Place | null = null;

  /** The mouse is there: in the world, and in the window [px]. To be told some times a second. */
  see(at: PagePoint, pixel: Pixel, now: number): void {
    const before = this.over;
    if (before !== null && apart(pixel, before.anchor) <= REST_PX) {
      const movedAt = apart(pixel, before.pixel) > 0 ? now : before.movedAt;
      this.over = { ...before, at, pixel, movedAt };
      return;
    }
    this.noteRest(now);
    this.over = { at, pixel, movedAt: now, anchor: pixel, since: now };
  }

  /** It is over the scene no more. */
  leave(now: number): void {
    this.noteRest(now);
    this.over = null;
    if (this.rested !== null && now < this.rested.until) this.mark = { at: this.rested.at, until: now + COUNTS_MS };
    this.rested = null;
  }

  /** The view is being moved with it: it points at nothing. */
  drag(): void {
    this.over = this.rested = null;
  }

  /** This place is meant; null: none is any more. */
  click(at: PagePoint | null, now: number): void {
    this.clicked = at === null ? null : { at, until: now + COUNTS_MS };
    this.mark = null;
  }

  /** What counts now; null: nothing. */
  at(now: number): PagePoint | null {
    if (this.clicked !== null && now < this.clicked.until) return this.clicked.at;
    if (this.over !== null) return now - this.over.movedAt < COUNTS_MS ? this.over.at : null;
    return this.mark !== null && now < this.mark.until ? this.mark.at : null;
  }

  private noteRest(now: number): void {
    const { over } = this;
    if (over === null || now - over.since < REST_MS || now - over.movedAt >= COUNTS_MS) return;
    this.rested = { at: over.at, until: now + AWAY_WITHIN_MS };
  }
}

function apart([x, y]: Pixel, [u, v]: Pixel): number {
  return Math.hypot(x - u, y - v);
}
