// A game-pad at a desk. Right shoulder: clutch; sticks: right/left and up/down, ahead/back and turn; held left shoulder: the
// sticks turn the tool; left trigger held: they drive the base; A: gripper; right trigger: slower.

import { NO_WISHES, type Feeling, type HandReading, type Master, type Moment, type Wishes } from "./master";
import { Presses } from "./presses";
import { deadZone, NO_RATE, RatePose, type Rate } from "./rate";

/** Buttons of the standard mapping. */
const GRIPPER = 0;
const TURN = 4;
const CLUTCH = 5;
const BASE = 6;
const SLOW = 7;
const DEAD = 0.12;
const FEEL_MS = 60;

export class GamePad implements Master {
  readonly name = "game-pad";
  readonly words = "a game-pad's sticks, at set speeds";
  readonly begin = "hold the right shoulder button and push a stick";
  readonly carriesView = false;
  readonly forBase = "the left trigger is for a base; without it the sticks move an arm";
  private readonly pose = new RatePose();
  private readonly grips = new Presses();
  private feltAt = -Infinity;

  sample({ now, W_T_eye, page }: Moment): readonly HandReading[] {
    const pad = connected();
    const button = (index: number): number => pad?.buttons[index]?.value ?? 0;
    const axis = (index: number): number => deadZone(pad?.axes[index] ?? 0, DEAD) * (1 - 0.8 * button(SLOW));
    const [lx, ly, rx, ry] = [axis(0), axis(1), axis(2), axis(3)];
    const base = button(BASE) > 0.5;
    let rate: Rate = NO_RATE;
    if (!base && button(TURN) > 0.5) rate = { linear: [0, 0, 0], angular: [ly, -lx, -rx] };
    else if (!base) rate = { linear: [lx, -ry, ly], angular: [0, -rx, 0] };
    this.grips.update(button(GRIPPER) > 0.5);
    return [{
      side: "right", W_T_hand: this.pose.move(rate, W_T_eye, now), taken: now, tracked: pad !== null,
      clutch: page.clutch || button(CLUTCH) > 0.5, grips: page.grips + this.grips.count, stick: base ? [-ly, -lx, -rx] : [0, 0, 0],
    }];
  }

  wishes(): Wishes {
    return NO_WISHES;
  }

  feel({ knock, press }: Feeling, now: number): boolean {
    const actuator = connected()?.vibrationActuator;
    if (actuator == null) return false;
    if (knock > 0 || (press > 0 && now - this.feltAt > FEEL_MS)) {
      this.feltAt = now;
      void actuator.playEffect("dual-rumble", { duration: FEEL_MS, strongMagnitude: Math.max(knock, press), weakMagnitude: knock }).catch(() => undefined);
    }
    return true;
  }

  health(): string {
    return connected() === null ? "no game-pad is there: connect it and press one of its buttons" : "";
  }

  close(): void {}
}

/** The first game-pad with the standard mapping, or null. */
export function connected(): Gamepad | null {
  return navigator.getGamepads?.().find((pad) => pad !== null && pad.connected && pad.mapping === "standard") ?? null;
}
