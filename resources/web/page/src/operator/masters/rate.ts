// Masters that say how fast, not where: keys, game-pads, space mice. Their rates are integrated here to a pose in W,
// along what is seen: right of the picture is right, up is up against gravity, ahead is level ahead.

import { levelFrame } from "../view/place";
import { add, fromRotationVector, IDENTITY, rotate, times, turned, unit, type Pose, type Vector } from "../view/pose";

/** At full deflection [m/s], [rad/s]. */
export const SPEED = 0.12;
export const TURNING = 0.6;
/** A longer step is a pause, not a motion [s]. */
const LONGEST_S = 0.1;
/** How fast a rate comes up: steps would be torn out of the feed-forward [1/s]. */
const RISE = 12;

/** Rates in the seen axes: x right, y up, z back; each -1 to 1. */
export interface Rate {
  readonly linear: Vector;
  readonly angular: Vector;
}

export const NO_RATE: Rate = { linear: [0, 0, 0], angular: [0, 0, 0] };

export class RatePose {
  private pose: Pose = IDENTITY;
  private smooth: Rate = NO_RATE;
  private last: number | null = null;

  /** The pose after `rate` held since the last call. `eye`: the operator's, in W. */
  move(rate: Rate, eye: Pose, now: number): Pose {
    const step = this.last === null ? 0 : (now - this.last) / 1000;
    this.last = now;
    if (step <= 0 || step > LONGEST_S) {
      this.smooth = NO_RATE;
      return this.pose;
    }
    const share = 1 - Math.exp(-RISE * step);
    this.smooth = { linear: towards(this.smooth.linear, rate.linear, share), angular: towards(this.smooth.angular, rate.angular, share) };
    const level = levelFrame(eye.q);
    const p = add(this.pose.p, rotate(level, times(SPEED * step, this.smooth.linear)));
    const turn = fromRotationVector(rotate(level, times(TURNING * step, this.smooth.angular)));
    this.pose = { p, q: unit(turned(turn, this.pose.q)) };
    return this.pose;
  }
}

/** Nothing below `zone`, then rising to full: no stick rests exactly in its middle. */
export function deadZone(value: number, zone: number): number {
  const size = Math.abs(value);
  return size <= zone ? 0 : (Math.sign(value) * (Math.min(1, size) - zone)) / (1 - zone);
}

function towards(from: Vector, to: Vector, share: number): Vector {
  const step = (index: 0 | 1 | 2): number => {
    const next = from[index] + share * (to[index] - from[index]);
    return to[index] === 0 && Math.abs(next) < 0.01 ? 0 : next;
  };
  return [step(0), step(1), step(2)];
}
