// Where the scene stands at first: the middle of the arm's reach in the middle of the operator's picture, seen
// from behind the robot and over its right shoulder, so that its left is the operator's left. Gravity stays down.

import { add, fromAxes, inverse, rotate, times, compose, type Pose, type Quaternion, type Vector } from "./pose";

/** From the operator's eye to the middle of what the arm reaches [m]. */
export const DISTANCE_M = 1.5;
/** How far the operator looks to the robot's left [rad]. */
const HEADING = 0.5;
/** However a phone is tilted at the start, the operator looks down by so much [rad]. */
const DOWN_LEAST = 0.15;
const DOWN_MOST = 0.9;

/** Browsers have y up and look along -z; robots have z up and look along x: R_R_V, at the robot's own heading. */
const UPRIGHT: Quaternion = fromAxes([0, -1, 0], [0, 0, 1], [-1, 0, 0]);

/** Which way an eye looks, level: the turn about W's vertical; straight down or up, the top of its picture decides. */
export function heading(eye: Quaternion): number {
  const ahead = rotate(eye, [0, 0, -1]);
  const top = rotate(eye, [0, 1, 0]);
  const level: Vector = Math.hypot(ahead[0], ahead[2]) > 0.2 ? ahead : times(ahead[1] > 0 ? -1 : 1, top);
  return Math.atan2(-level[0], -level[2]);
}

/** The level frame of an eye, in W: x to its right, y up, z back. */
export function levelFrame(eye: Quaternion): Quaternion {
  const half = heading(eye) / 2;
  return [0, Math.sin(half), 0, Math.cos(half)];
}

/** R_T_W for an eye at `eye` (in W): the robot stands before it, with `middle` [m, R] in its picture's middle. */
export function placeBefore(eye: Pose, middle: Vector): Pose {
  const half = HEADING / 2;
  const atRobot: Quaternion = [0, 0, Math.sin(half), Math.cos(half)];
  const ahead = rotate(eye.q, [0, 0, -1]);
  const down = Math.min(DOWN_MOST, Math.max(DOWN_LEAST, Math.asin(Math.max(-1, Math.min(1, -ahead[1])))));
  const look: Vector = [Math.cos(HEADING) * Math.cos(down), Math.sin(HEADING) * Math.cos(down), -Math.sin(down)];
  const R_T_V: Pose = { p: add(middle, times(-DISTANCE_M, look)), q: compose({ p: [0, 0, 0], q: atRobot }, { p: [0, 0, 0], q: UPRIGHT }).q };
  const W_T_V: Pose = { p: eye.p, q: levelFrame(eye.q) };
  return compose(R_T_V, inverse(W_T_V));
}

/** R_T_E of an eye that looks at the robot as at the start, its picture's middle on `middle`. */
export function startEye(middle: Vector, down = 0.5): Pose {
  const tilt: Pose = { p: [0, 0, 0], q: [Math.sin(-down / 2), 0, 0, Math.cos(down / 2)] };
  return compose(placeBefore(tilt, middle), tilt);
}
