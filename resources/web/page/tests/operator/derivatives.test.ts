// Velocities and accelerations that are sent with poses.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Derivatives, type Motion } from "../../src/operator/view/derivatives";
import { fromRotationVector, times, turned, type Pose, type Vector } from "../../src/operator/view/pose";
import { Chance } from "./chance";
import { sameVector } from "./near";

function after(path: (t: number) => Pose, jitter: Chance | null = null): { motion: Motion; t: number } {
  const derivatives = new Derivatives();
  let motion: Motion | null = null;
  let t = 0;
  for (let index = 0; index < 30; index += 1) {
    t += jitter === null ? 1 / 60 : jitter.between(0.008, 0.03);
    motion = derivatives.add(1000 * t, path(t));
  }
  return { motion: motion!, t };
}

const part = (six: readonly number[], at: 0 | 3): Vector => [six[at]!, six[at + 1]!, six[at + 2]!];

test("steady acceleration is found without lag, whatever the times between poses", () => {
  const chance = new Chance(21);
  for (let run = 0; run < 50; run += 1) {
    const [v, a] = [chance.vector(0.5), chance.vector(2)];
    const { motion, t } = after((s) => ({ p: [0, 1, 2].map((i) => v[i]! * s + 0.5 * a[i]! * s * s) as unknown as Vector, q: [0, 0, 0, 1] }), chance);
    sameVector(part(motion.twist, 0), [v[0] + a[0] * t, v[1] + a[1] * t, v[2] + a[2] * t], 1e-6);
    sameVector(part(motion.acceleration, 0), a, 1e-4);
  }
});

test("a steady turn has its angular velocity in the frame's own axes", () => {
  const chance = new Chance(22);
  for (let run = 0; run < 50; run += 1) {
    const w = chance.vector(2);
    const q0 = chance.turn();
    const { motion } = after((s) => ({ p: [0, 0, 0], q: turned(fromRotationVector(times(s, w)), q0) }));
    sameVector(part(motion.twist, 3), w, 1e-6);
    sameVector(part(motion.acceleration, 3), [0, 0, 0], 1e-3);
  }
});

test("nothing is said of a few poses, after a reset, or twice of one time", () => {
  const derivatives = new Derivatives();
  for (let t = 0; t < 3; t += 1) assert.deepEqual(derivatives.add(16 * t, { p: [t, 0, 0], q: [0, 0, 0, 1] }).twist, [0, 0, 0, 0, 0, 0]);
  derivatives.add(64, { p: [3, 0, 0], q: [0, 0, 0, 1] });
  assert.notEqual(derivatives.add(80, { p: [4, 0, 0], q: [0, 0, 0, 1] }).twist[0], 0);
  assert.ok(derivatives.add(80, { p: [400, 0, 0], q: [0, 0, 0, 1] }).twist.every(Number.isFinite));
  derivatives.reset();
  assert.deepEqual(derivatives.add(96, { p: [5, 0, 0], q: [0, 0, 0, 1] }).twist, [0, 0, 0, 0, 0, 0]);
});

test("a jump of the tracking is no acceleration of a hand", () => {
  const { motion } = after((s) => ({ p: [s > 0.4 ? 5 : 0, 0, 0], q: [0, 0, 0, 1] }));
  assert.ok(Math.hypot(...part(motion.acceleration, 0)) <= 20 + 1e-9);
});
