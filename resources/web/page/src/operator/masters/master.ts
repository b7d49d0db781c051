// What a person moves by. A master is one file beside this one: it makes readings of hands out of a device, and lets
// the person feel what the robot feels. It knows nothing of arms, links or frames but W, the browser's space.

import type { Pose } from "../view/pose";

export type Side = "right" | "left";

export interface HandReading {
  readonly side: Side;
  /** Pose of the hand in W [m]; null: none. Its own axes do not matter, only how it turns and moves. */
  readonly W_T_hand: Pose | null;
  /** When it was measured, on performance.now()'s clock [ms]. */
  readonly taken: number;
  readonly tracked: boolean;
  /** The clutch is pressed. */
  readonly clutch: boolean;
  /** How often the gripper's button was pressed so far. */
  readonly grips: number;
  /** Forward, left, turn left: each -1 to 1. */
  readonly stick: readonly [number, number, number];
}

/** What is seen and pressed on the page while a master is read. */
export interface Moment {
  readonly now: number;
  /** The operator's eye in W: which way is left and right of what is seen. */
  readonly W_T_eye: Pose;
  /** While an XR session runs: its frame and space. */
  readonly xr: { readonly frame: XRFrame; readonly space: XRReferenceSpace } | null;
  /** The page's own buttons: they count for every master that has no better ones. */
  readonly page: { readonly clutch: boolean; readonly grips: number };
}

/** What is to be felt now. */
export interface Feeling {
  /** A new contact since the last time: intensity 0 to 1; 0: none. */
  readonly knock: number;
  /** The continuous pattern: 0 none, else its intensity to 1. */
  readonly press: number;
}

export interface Wishes {
  /** What holds the view, in W; null: nothing does. */
  readonly holdView: Pose | null;
  /** The emergency stop was asked for. */
  readonly stop: boolean;
  /** The next of the scales. */
  readonly nextScale: boolean;
}

export const NO_WISHES: Wishes = { holdView: null, stop: false, nextScale: false };

export interface Master {
  readonly name: string;
  /** What the pose comes from and what this cannot do, in words. */
  readonly words: string;
  /** How one begins to move an arm by it, to somebody who never has. */
  readonly begin: string;
  /** Its one hand is the operator's window, too: who moves it looks elsewhere. */
  readonly carriesView: boolean;
  /** What of it is for a base, and what moves an arm: said to whoever pushes that and drives no base. */
  readonly forBase?: string;
  /** Readings of all its hands; called before each picture, and 60 times a second at a desk. */
  sample(moment: Moment): readonly HandReading[];
  /** What else was pressed since the last call. */
  wishes(moment: Moment): Wishes;
  /** Let the person feel it; false: this device cannot, something else has to. */
  feel(feeling: Feeling, now: number): boolean;
  /** Why it does not work just now, in words, or "". */
  health(): string;
  close(): void;
}
