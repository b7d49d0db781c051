// What a person does next: that is the prominent button, where the thumb is. Pure.

import type { LinkState } from "../link/link";
import type { Seat } from "../link/protocol";

/**
 * take: nobody drives: "Let me drive". watch: somebody else does; the same button, not prominent.
 * choose: how to move what one has. clutch: move it. none: not known yet.
 */
export type Step = "none" | "take" | "watch" | "choose" | "clutch";

/** How long after it appears where the clutch was a button counts no tap: the thumb meant the clutch [ms]. */
export const NOT_MEANT_MS = 800;

export interface Where {
  readonly link: LinkState;
  readonly seat: Seat;
  readonly holder: string;
  readonly hasMaster: boolean;
}

/** The step after `before`. While the link is away nothing moves under a thumb. */
export function nextStep({ link, seat, holder, hasMaster }: Where, before: Step): Step {
  if (link.kind !== "connected") return before;
  if (seat === "watching") return holder === "" ? "take" : "watch";
  return hasMaster ? "clutch" : "choose";
}

/** Whether the emergency stop can be taken back here: by somebody who is let in, and whose own STOP is not still on its way. */
export function mayReset(link: LinkState, emergency: string, isStopPending: boolean): boolean {
  return link.kind === "connected" && emergency !== "" && !isStopPending;
}
