// The robot's half of the clutch, as paper 000 eq 6 and 7 have it (repaired): what a target does with what pages send.

import type { Hand } from "../../src/operator/link/packets";
import { add, back, minus, times, turned, unit, type Pose } from "../../src/operator/view/pose";

export class Follower {
  private engagement = 0;
  private hand: Pose | null = null; // A_T_P at t_c
  private latched: Pose;

  /** target: B_T_T,d. */
  constructor(public target: Pose) {
    this.latched = target;
  }

  take(hand: Omit<Hand, "number">): void {
    if (hand.engagement === 0) {
      this.hand = null;
      this.engagement = 0;
      return;
    }
    if (hand.engagement !== this.engagement || this.hand === null) {
      this.engagement = hand.engagement;
      this.hand = hand.pose;
      this.latched = this.target;
    }
    this.target = {
      p: add(this.latched.p, times(hand.scale, minus(hand.pose.p, this.hand.p))),
      q: unit(turned(turned(hand.pose.q, back(this.hand.q)), this.latched.q)),
    };
  }
}
