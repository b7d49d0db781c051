// What the arm does with what the page sends: the properties of paper 000's view and clutch.

import assert from "node:assert/strict";
import { test } from "node:test";
import { add, back, compose, fromRotationVector, inverse, rotate, rotationVector, times, turned, type Pose } from "../../src/operator/view/pose";
import { Chance } from "./chance";
import { samePose, sameTurn, sameVector } from "./near";
import { Rig } from "./rig";

const RUNS = 300;

/** A rig anywhere: the scene put anywhere, any base, any tool, the phone held anyhow. */
function anywhere(chance: Chance, carriesView = true): Rig {
  const rig = new Rig(chance.pose(), chance.pose(1), carriesView);
  rig.driving.view.put(chance.pose(3));
  rig.hand.pose = chance.pose();
  rig.step();
  return rig;
}

function wander(chance: Chance, pose: Pose, most = 0.05): Pose {
  return { p: add(pose.p, chance.vector(most)), q: turned(fromRotationVector(chance.vector(most)), pose.q) };
}

test("the clutch, on and off at any pose, moves nothing", () => {
  const chance = new Chance(1);
  for (let run = 0; run < RUNS; run += 1) {
    const rig = anywhere(chance);
    rig.scale = chance.between(0.05, 2);
    for (let press = 0; press < 4; press += 1) {
      let before = rig.robot.target;
      rig.hand.pose = chance.pose(); // anywhere else while it is open
      samePose(rig.step(), before, 1e-12, "open");
      rig.hand.clutch = true;
      samePose(rig.step(), before, 1e-9, "pressed");
      for (let step = 0; step < 5; step += 1) {
        rig.hand.pose = wander(chance, rig.hand.pose);
        rig.step();
      }
      before = rig.robot.target;
      rig.hand.clutch = false;
      rig.hand.pose = wander(chance, rig.hand.pose);
      samePose(rig.step(), before, 1e-12, "let go");
    }
  }
});

test("holding the view leaves the picture where it is, and the robot", () => {
  const chance = new Chance(2);
  for (let run = 0; run < RUNS; run += 1) {
    const rig = anywhere(chance);
    rig.hand.clutch = chance.chance(0.5);
    rig.step();
    const { view } = rig.driving;
    const seen = (): Pose => inverse(view.inScene(rig.hand.pose)); // P_T_R: where the robot is in the picture
    const target = rig.robot.target;
    const sent = rig.sent!.pose;
    const picture = seen();
    rig.holdView = true;
    for (let step = 0; step < 6; step += 1) {
      if (step > 0) rig.hand.pose = wander(chance, rig.hand.pose, 0.5);
      rig.step();
      samePose(seen(), picture, 1e-9, "held picture");
      samePose(rig.sent!.pose, sent, 1e-9, "held pose");
      samePose(rig.robot.target, target, 1e-9, "held target");
    }
    rig.holdView = false;
    rig.step();
    samePose(seen(), picture, 1e-9, "picture when let go");
    samePose(rig.robot.target, target, 1e-9, "target when let go");
    // And from there on the arm follows again.
    const moved: Pose = { p: add(rig.hand.pose.p, [0, 0.02, 0]), q: rig.hand.pose.q };
    rig.hand.pose = moved;
    rig.step();
    const expected = rig.hand.clutch ? 0.02 : 0;
    assert.ok(Math.abs(Math.hypot(...[0, 1, 2].map((i) => rig.robot.target.p[i]! - target.p[i]!)) - expected) < 1e-9);
  }
});

test("left, right, up and every turn are what the operator sees, from anywhere, for any tool", () => {
  const chance = new Chance(3);
  for (let run = 0; run < RUNS; run += 1) {
    const rig = anywhere(chance);
    rig.scale = chance.chance(0.5) ? 1 : chance.between(0.05, 2);
    // The view is somewhere else than at the start: held and moved.
    rig.holdView = true;
    for (let step = 0; step < 3; step += 1) {
      rig.step();
      rig.hand.pose = chance.pose();
    }
    rig.step();
    rig.holdView = false;
    rig.hand.clutch = true;
    rig.step();
    const start = rig.hand.pose;
    const before = rig.robot.target;
    const R_T_P = rig.driving.view.inScene(start); // the picture's axes, when it began
    const motion = chance.vector(0.3); // right, up, back: in the picture
    const turning = chance.vector(1);
    rig.hand.pose = compose(start, { p: motion, q: fromRotationVector(turning) });
    const after = rig.step();
    // What the tool did, in the picture's axes of the beginning.
    const P_R_A = turned(back(R_T_P.q), rig.R_T_A.q);
    const moved = rotate(P_R_A, [after.p[0] - before.p[0], after.p[1] - before.p[1], after.p[2] - before.p[2]]);
    const turn = rotate(P_R_A, rotationVector(turned(after.q, back(before.q))));
    sameVector(moved, times(rig.scale, motion), 1e-9, "motion");
    sameTurn(fromRotationVector(turn), fromRotationVector(turning), 1e-7, "turn");
  }
});

test("a scale that is changed while the clutch is closed counts from the next press", () => {
  const rig = anywhere(new Chance(4));
  rig.hand.clutch = true;
  rig.step();
  rig.hand.pose = { ...rig.hand.pose, p: add(rig.hand.pose.p, [0.1, 0, 0]) };
  const target = rig.step();
  rig.scale = 0.1;
  samePose(rig.step(), target, 1e-9);
  assert.equal(rig.sent!.scale, 1);
  rig.hand.clutch = false;
  rig.step();
  rig.hand.clutch = true;
  samePose(rig.step(), target, 1e-9);
  assert.equal(rig.sent!.scale, 0.1);
});

test("while a controller moves the scene, no clutch is closed", () => {
  const chance = new Chance(5);
  const rig = anywhere(chance, false);
  rig.hand.clutch = true;
  rig.step();
  assert.notEqual(rig.sent!.engagement, 0);
  const target = rig.robot.target;
  rig.hand.holder = chance.pose();
  for (let step = 0; step < 5; step += 1) {
    rig.step();
    assert.equal(rig.sent!.engagement, 0);
    rig.hand.holder = wander(chance, rig.hand.holder!, 0.2);
  }
  rig.hand.holder = null;
  rig.step();
  rig.hand.pose = wander(chance, rig.hand.pose);
  rig.step();
  samePose(rig.robot.target, target, 1e-12);
  assert.equal(rig.driving.hands.right.clutch.state, "broken");
});

test("another arm's axes continue nothing", () => {
  const chance = new Chance(6);
  const rig = anywhere(chance);
  rig.hand.clutch = true;
  rig.step();
  const target = rig.robot.target;
  rig.R_T_A = chance.pose();
  samePose(rig.step(), target, 1e-12);
  assert.equal(rig.sent!.engagement, 0);
});
