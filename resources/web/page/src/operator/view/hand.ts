// One hand on its way to the robot: from a master's reading to the packet's contents, in the axes of the driven arm's
// base (A). Knows no three.js, no socket, no page.

import type { HandReading, Side } from "../masters/master";
import { Clutch } from "./clutch";
import { Derivatives } from "./derivatives";
import { compose, inverse, isFinitePose, isSamePose, type Pose } from "./pose";
import type { View } from "./view";
import type { Hand } from "../link/packets";

export class HandPath {
  readonly clutch = new Clutch();
  private readonly derivatives = new Derivatives();
  private scale = 1;
  private last: Pose | null = null;
  private lastBase: Pose | null = null;
  private grips = 0;
  private gripsSeen: number | null = null;

  constructor(readonly side: Side) {}

  /**
   * The packet's contents for this reading; null if there has never been a pose.
   *
   * R_T_A: base of the arm it drives. scale: of translations; one that is changed while the clutch is closed
   * counts from the next pressing, or the target would jump. barred: why this page may not move anything, or "".
   */
  next(reading: HandReading, view: View, R_T_A: Pose, scale: number, barred: string): Omit<Hand, "number"> | null {
    const usable = reading.W_T_hand !== null && isFinitePose(reading.W_T_hand);
    const tracked = usable && reading.tracked;
    // Another arm: its axes are others, nothing continues.
    if (this.lastBase !== null && !isSamePose(this.lastBase, R_T_A)) this.restart("another arm was chosen");
    this.lastBase = R_T_A;
    // Presses of the page's life, whichever master counted them.
    if (this.gripsSeen !== null) this.grips += Math.max(0, reading.grips - this.gripsSeen);
    this.gripsSeen = reading.grips;
    const engagement = this.clutch.update({ now: reading.taken, held: reading.clutch, tracked, barred });
    if (engagement === 0) this.scale = scale;
    const pose = usable ? compose(inverse(R_T_A), view.inScene(reading.W_T_hand!)) : this.last;
    if (pose === null) return null;
    if (!tracked) this.derivatives.reset();
    this.last = pose;
    const { twist, acceleration } = this.derivatives.add(reading.taken, pose);
    return {
      side: this.side, tracked, scale: this.scale, taken: reading.taken, engagement, grips: this.grips,
      pose, twist, acceleration, stick: reading.stick,
    };
  }

  /** What comes now does not continue what was. */
  restart(reason: string): void {
    this.clutch.break(reason);
    this.derivatives.reset();
  }

  /** Another master counts from its own beginning. */
  changeMaster(): void {
    this.restart("the way of driving was changed");
    this.clutch.distrust();
    this.gripsSeen = null;
  }
}
