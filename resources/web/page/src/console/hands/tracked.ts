// What the page and the tracker's thread tell each other.

import type { Point } from "./placed";

/** A hand in one picture. side: whose it is. shape [m] and picture (0 to 1): see `placed`. */
export interface TrackedHand {
  readonly side: "left" | "right";
  readonly confidence: number;
  readonly shape: readonly Point[];
  readonly picture: readonly Point[];
}

export interface ToTracker {
  readonly image: ImageBitmap;
}

/** tookMs: how long the tracker worked on the picture. */
export type FromTracker =
  | { readonly type: "ready" }
  | { readonly type: "seen"; readonly hands: readonly TrackedHand[]; readonly tookMs: number }
  | { readonly type: "failed"; readonly why: string };
