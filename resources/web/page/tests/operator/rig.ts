// A page without a browser: a hand that can be put anywhere, the page's way of driving, and a target that follows.

import { Driving } from "../../src/operator/driving";
import type { Hand } from "../../src/operator/link/packets";
import { NO_WISHES, type HandReading, type Master, type Moment } from "../../src/operator/masters/master";
import { IDENTITY, type Pose } from "../../src/operator/view/pose";
import { Follower } from "./follower";

export class PuppetHand implements Master {
  readonly name = "puppet";
  readonly words = "moved by a test";
  pose: Pose = IDENTITY;
  clutch = false;
  tracked = true;
  grips = 0;
  holder: Pose | null = null;

  readonly begin = "move the puppet";
  constructor(readonly carriesView = true) {}

  sample({ now }: Moment): readonly HandReading[] {
    const { pose, clutch, tracked, grips } = this;
    return [{ side: "right", W_T_hand: pose, taken: now, tracked, clutch, grips, stick: [0, 0, 0] }];
  }

  wishes(): typeof NO_WISHES {
    return { ...NO_WISHES, holdView: this.holder };
  }

  feel(): boolean {
    return false;
  }

  health(): string {
    return "";
  }

  close(): void {}
}

export class Rig {
  readonly driving = new Driving();
  readonly hand: PuppetHand;
  readonly robot: Follower;
  sent: Omit<Hand, "number"> | null = null;
  now = 1000;
  barred = "";
  scale = 1;
  holdView = false;

  constructor(public R_T_A: Pose, tool: Pose, carriesView = true) {
    this.hand = new PuppetHand(carriesView);
    this.robot = new Follower(tool);
    this.driving.use(this.hand);
    this.step(); // a button found pressed at the start has to be let go first: it was not
  }

  /** One reading, `after` the last [ms]. */
  step(after = 16): Pose {
    this.now += after;
    const moment: Moment = { now: this.now, W_T_eye: this.hand.pose, xr: null, page: { clutch: false, grips: 0 } };
    const { barred, scale, holdView } = this;
    this.driving.step(moment, { barred, scale, holdView, R_T_A: () => this.R_T_A }, (hand) => {
      this.sent = hand;
      this.robot.take(hand);
    });
    return this.robot.target;
  }
}
