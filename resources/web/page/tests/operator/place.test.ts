// Where the scene stands at first, and what "level" and "ahead" are.

import assert from "node:assert/strict";
import { test } from "node:test";
import { attitudeOf } from "../../src/operator/masters/turn_and_touch";
import { NO_RATE, RatePose, SPEED } from "../../src/operator/masters/rate";
import { DISTANCE_M, heading, placeBefore, startEye } from "../../src/operator/view/place";
import { compose, fromRotationVector, IDENTITY, inverse, rotate, turned, type Pose, type Vector } from "../../src/operator/view/pose";
import { Chance } from "./chance";
import { sameTurn, sameVector } from "./near";

const MIDDLE: Vector = [0.45, 0.05, 0.3];

/** An eye anywhere, looking down by `down` [rad], not rolled. */
function eyeAt(chance: Chance, down: number): Pose {
  return { p: chance.vector(2), q: turned(fromRotationVector([0, chance.between(-3, 3), 0]), fromRotationVector([-down, 0, 0])) };
}

test("the arm stands in the picture's middle, upright, and its left is the operator's left", () => {
  const chance = new Chance(11);
  for (let run = 0; run < 200; run += 1) {
    const eye = eyeAt(chance, chance.between(0.26, 0.89));
    const R_T_W = placeBefore(eye, MIDDLE);
    const seen = compose(inverse(compose(R_T_W, eye)), { p: MIDDLE, q: [0, 0, 0, 1] }).p;
    sameVector(seen, [0, 0, -DISTANCE_M], 1e-9, "middle");
    sameVector(rotate(R_T_W.q, [0, 1, 0]), [0, 0, 1], 1e-9, "gravity");
    const right = rotate(compose(R_T_W, eye).q, [1, 0, 0]);
    assert.ok(right[1] < -0.8, "the operator's right is the robot's right");
  }
});

test("gravity stays down for phones held flat, upright or beyond", () => {
  const chance = new Chance(12);
  for (const down of [-Math.PI / 2, -0.3, 0, 1.2, Math.PI / 2]) {
    const R_T_W = placeBefore(eyeAt(chance, down), MIDDLE);
    sameVector(rotate(R_T_W.q, [0, 1, 0]), [0, 0, 1], 1e-9);
  }
});

test("a desk's eye at the start looks at the middle from where a phone would", () => {
  const eye = startEye(MIDDLE);
  sameVector(rotate(eye.q, [0, 0, -DISTANCE_M]), [MIDDLE[0] - eye.p[0], MIDDLE[1] - eye.p[1], MIDDLE[2] - eye.p[2]], 1e-9);
  assert.ok(eye.p[0] < 0 && eye.p[1] < 0 && eye.p[2] > MIDDLE[2], "behind the robot, over its right shoulder");
});

test("a phone's angles become the attitude of its picture", () => {
  sameTurn(attitudeOf(0, 90, 0, 0), IDENTITY.q); // upright, its back to the north: north is ahead
  assert.ok(Math.abs(heading(attitudeOf(90, 90, 0, 0)) - Math.PI / 2) < 1e-9); // to the west: a quarter to the left
  sameVector(rotate(attitudeOf(0, 0, 0, 0), [0, 0, 1]), [0, 1, 0]); // flat on a table: its picture looks up
  sameVector(rotate(attitudeOf(0, 90, 0, 90), [0, 1, 0]), rotate(attitudeOf(0, 90, 0, 0), [1, 0, 0])); // on its side
});

test("rates go along what is seen, level, and stop at pauses", () => {
  const chance = new Chance(13);
  for (let run = 0; run < 50; run += 1) {
    const yaw = chance.between(-3, 3);
    const eye: Pose = { p: chance.vector(1), q: turned(fromRotationVector([0, yaw, 0]), fromRotationVector([-0.8, 0, 0])) };
    const rate = new RatePose();
    let pose = rate.move(NO_RATE, eye, 0);
    for (let now = 16; now <= 1600; now += 16) pose = rate.move({ linear: [1, 0, 0], angular: [0, 0, 0] }, eye, now);
    const right = rotate(fromRotationVector([0, yaw, 0]), [1, 0, 0]);
    const far = Math.hypot(...pose.p);
    assert.ok(far > 1.3 * SPEED && far < 1.6 * SPEED, `${far}`);
    sameVector([pose.p[0] / far, pose.p[1] / far, pose.p[2] / far], right, 1e-9);
    const after = rate.move({ linear: [1, 0, 0], angular: [0, 0, 0] }, eye, 5000);
    sameVector(after.p, pose.p, 1e-12, "a pause is no motion");
  }
});
