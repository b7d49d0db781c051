// Driving: from the master's readings to packets, through the view and the clutch. Has no page, no link, no picture.

import type { Hand } from "./link/packets";
import { NO_WISHES, type HandReading, type Master, type Moment, type Side, type Wishes } from "./masters/master";
import { HandPath } from "./view/hand";
import { IDENTITY, type Pose } from "./view/pose";
import { View } from "./view/view";

export interface Conditions {
  /** Why nothing may be moved now, or "". */
  readonly barred: string;
  readonly scale: number;
  /** The page's own button for holding the view is held. */
  readonly holdView: boolean;
  /** Base of the arm that a hand drives, in the robot's frame. */
  readonly R_T_A: (side: Side) => Pose;
}

export class Driving {
  readonly view = new View();
  readonly hands: Readonly<Record<Side, HandPath>> = { right: new HandPath("right"), left: new HandPath("left") };
  private present: Master | null = null;
  private name = "";

  get master(): Master | null {
    return this.present;
  }

  /** Drive by this from now on; null: by nothing. */
  use(master: Master | null): void {
    if (master === this.present) return;
    this.present?.close();
    this.present = master;
    this.name = "";
    this.view.release();
    for (const hand of Object.values(this.hands)) hand.changeMaster();
  }

  /** What comes now does not continue what was: all clutches open, and take a new press. */
  interrupt(reason: string): void {
    for (const hand of Object.values(this.hands)) hand.restart(reason);
  }

  /** One step. `send` gets what each hand says. Returns what else the person asked for. */
  step(moment: Moment, conditions: Conditions, send: (hand: Omit<Hand, "number">) => void): Wishes {
    const master = this.present;
    const readings = master?.sample(moment) ?? [resting(moment)];
    // A headset's wearer has put the controllers away: a wrist is elsewhere than a grip.
    if (master !== null && master.name !== this.name) {
      if (this.name !== "") for (const hand of Object.values(this.hands)) hand.changeMaster();
      this.name = master.name;
    }
    const wishes = master?.wishes(moment) ?? NO_WISHES;
    this.moveView(master?.carriesView === true, readings, wishes, conditions.holdView);
    // A controller that moves the scene moves it under the other hand, too.
    const barred = this.view.isHolding && master?.carriesView !== true ? "the view is being moved" : conditions.barred;
    for (const reading of readings) {
      const hand = this.hands[reading.side].next(reading, this.view, conditions.R_T_A(reading.side), conditions.scale, barred);
      if (hand !== null) send(hand);
    }
    for (const [side, hand] of Object.entries(this.hands)) {
      if (hand.clutch.state === "engaged" && !readings.some((reading) => reading.side === side)) hand.restart("the hand is not seen any more");
    }
    return wishes;
  }

  private moveView(carried: boolean, readings: readonly HandReading[], wishes: Wishes, button: boolean): void {
    const first = readings[0];
    const holder = carried ? (first?.tracked === true ? first.W_T_hand : null) : wishes.holdView;
    const wanted = carried ? button : holder !== null;
    if (!wanted) this.view.release();
    else if (holder !== null) {
      this.view.hold(holder);
      this.view.follow(holder);
    }
  }
}

/** Without a master the link is still alive: its times are measured by what a resting hand says. */
function resting({ now }: Moment): HandReading {
  return { side: "right", W_T_hand: IDENTITY, taken: now, tracked: false, clutch: false, grips: 0, stick: [0, 0, 0] };
}
