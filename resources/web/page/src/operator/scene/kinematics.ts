// Where an arm's links are, from its joints. Pure.

import { compose, fromRotationVector, IDENTITY, type Pose, type Vector } from "../view/pose";

/**
 * Frames of all links in the base: base, seven joints, flange.
 *
 * dh: modified Denavit-Hartenberg a [m], d [m], alpha [rad]: frame i in frame i-1 is Rx(alpha) Tx(a) Rz(q) Tz(d).
 */
export function linkFrames(dh: readonly (readonly [number, number, number])[], q: readonly number[]): readonly Pose[] {
  const frames: Pose[] = [IDENTITY];
  dh.forEach(([a, d, alpha], index) => {
    const tilt: Pose = { p: [a, 0, 0], q: fromRotationVector([alpha, 0, 0]) };
    const turn: Vector = [0, 0, q[index] ?? 0];
    frames.push(compose(compose(frames[index]!, tilt), { p: [0, 0, d], q: fromRotationVector(turn) }));
  });
  return frames;
}
