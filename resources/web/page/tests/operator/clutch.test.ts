// What opens the clutch, and that only a new press closes it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { add, IDENTITY } from "../../src/operator/view/pose";
import { Clutch } from "../../src/operator/view/clutch";
import { samePose } from "./near";
import { Rig } from "./rig";

function engaged(): Rig {
  const rig = new Rig(IDENTITY, IDENTITY);
  rig.hand.clutch = true;
  rig.step();
  assert.equal(rig.sent!.engagement, 1);
  return rig;
}

const BREAKS: Readonly<Record<string, (rig: Rig) => void>> = {
  "a gap between poses": (rig) => void rig.step(101),
  "lost tracking": (rig) => {
    rig.hand.tracked = false;
    rig.step();
    rig.hand.tracked = true;
  },
  "a pose that is no number": (rig) => {
    rig.hand.pose = { p: [NaN, 0, 0], q: [0, 0, 0, 1] };
    rig.step();
    rig.hand.pose = IDENTITY;
  },
  "a lost link": (rig) => {
    rig.barred = "there is no link";
    rig.step();
    rig.barred = "";
  },
  "a hidden page, between two poses": (rig) => rig.driving.interrupt("the page was hidden"),
  "another master": (rig) => {
    const { hand } = rig;
    rig.driving.use(null);
    rig.step();
    rig.driving.use(hand);
  },
};

for (const [name, breakIt] of Object.entries(BREAKS)) {
  test(`${name}: the clutch is open until it is pressed anew`, () => {
    const rig = engaged();
    const { target } = rig.robot;
    breakIt(rig);
    for (let step = 1; step <= 5; step += 1) {
      rig.hand.pose = { ...IDENTITY, p: [0.1 * step, 0, 0] };
      samePose(rig.step(), target, 1e-12);
      assert.equal(rig.sent!.engagement, 0);
    }
    assert.equal(rig.driving.hands.right.clutch.state, "broken");
    assert.notEqual(rig.driving.hands.right.clutch.reason, "");
    rig.hand.clutch = false;
    rig.step();
    assert.equal(rig.driving.hands.right.clutch.state, "open");
    rig.hand.clutch = true;
    samePose(rig.step(), target, 1e-12);
    assert.equal(rig.sent!.engagement, 2);
    rig.hand.pose = { ...rig.hand.pose, p: add(rig.hand.pose.p, [0, 0, 0.05]) };
    samePose(rig.step(), { ...target, p: [0, 0, 0.05] }, 1e-9);
  });
}

test("a gap that a timer makes now and then does not open it", () => {
  const rig = engaged();
  rig.step(99);
  assert.equal(rig.sent!.engagement, 1);
});

test("a button found pressed at the start counts from the next press", () => {
  const clutch = new Clutch();
  const input = { held: true, tracked: true, barred: "" };
  for (let now = 0; now < 100; now += 16) assert.equal(clutch.update({ ...input, now }), 0);
  clutch.update({ ...input, held: false, now: 110 });
  assert.equal(clutch.update({ ...input, now: 120 }), 1);
});

test("a press that nothing may follow does not become one later", () => {
  const clutch = new Clutch();
  const input = { held: true, tracked: true, barred: "" };
  clutch.update({ ...input, held: false, now: 0 });
  assert.equal(clutch.update({ ...input, barred: "you are watching", now: 16 }), 0);
  assert.match(clutch.reason, /watching/);
  assert.equal(clutch.update({ ...input, now: 32 }), 0);
});

test("a press that began while nothing was seen of it moves nothing", () => {
  const clutch = new Clutch();
  const input = { held: true, tracked: true, barred: "" };
  clutch.update({ ...input, held: false, now: 0 });
  assert.equal(clutch.update({ ...input, now: 10_000 }), 0);
  assert.equal(clutch.state, "broken");
  assert.match(clutch.reason, /pressed while nothing was seen/);
  assert.equal(clutch.update({ ...input, now: 10_016 }), 0);
  clutch.update({ ...input, held: false, now: 10_032 });
  assert.equal(clutch.update({ ...input, now: 10_048 }), 1);
});

test("timers that a touch holds back make no such gap", () => {
  const clutch = new Clutch();
  const input = { held: true, tracked: true, barred: "" };
  clutch.update({ ...input, held: false, now: 0 });
  assert.equal(clutch.update({ ...input, now: 150 }), 1);
});

/** Engaged and followed since 30 ms. */
function followed(): Clutch {
  const clutch = new Clutch();
  const input = { held: true, tracked: true, barred: "" };
  clutch.update({ ...input, held: false, now: 0 });
  clutch.update({ ...input, now: 16 });
  clutch.confirm(1, 30);
  return clutch;
}

for (const [when, told, letGo] of [["before", 40, 60], ["after", 200, 60]] as const) {
  test(`why the arm let go is told, said shortly ${when} it did`, () => {
    const clutch = followed();
    if (told < letGo) clutch.explain("the hand was 31 cm ahead of it", told);
    clutch.update({ held: true, tracked: true, barred: "", now: letGo });
    clutch.confirm(0, letGo);
    if (told > letGo) clutch.explain("the hand was 31 cm ahead of it", told);
    assert.equal(clutch.reason, "the arm let go: the hand was 31 cm ahead of it");
  });
}

test("what was said long before, or is another's, explains nothing", () => {
  const old = followed();
  old.explain("no pose for 100 ms", -2000);
  old.update({ held: true, tracked: true, barred: "", now: 60 });
  old.confirm(0, 60);
  assert.equal(old.reason, "the arm let go");
  old.explain("no pose for 100 ms", 2100);
  assert.equal(old.reason, "the arm let go");
  const own = followed();
  own.break("tracking was lost"); // the page knows better why
  own.explain("no pose for 100 ms", 50);
  assert.equal(own.reason, "tracking was lost");
  const again = followed();
  again.explain("no pose for 100 ms", 20);
  again.update({ held: false, tracked: true, barred: "", now: 40 });
  again.explain("no pose for 100 ms", 50);
  assert.equal(again.reason, "");
});

test("what the control loop let go is over on the page, too", () => {
  const clutch = new Clutch();
  const input = { held: true, tracked: true, barred: "" };
  clutch.update({ ...input, held: false, now: 0 });
  clutch.update({ ...input, now: 16 });
  clutch.confirm(0, 10); // of before the press
  assert.equal(clutch.engagement, 1);
  clutch.confirm(1, 30);
  assert.equal(clutch.engagement, 1);
  clutch.confirm(0, 60);
  assert.equal(clutch.engagement, 0);
  assert.match(clutch.reason, /let go/);
});

test("a press that the control loop never takes up is given up", () => {
  const clutch = new Clutch();
  const input = { held: true, tracked: true, barred: "" };
  clutch.update({ ...input, held: false, now: 0 });
  clutch.update({ ...input, now: 16 });
  clutch.confirm(0, 1400);
  assert.equal(clutch.state, "engaged");
  clutch.confirm(0, 1600);
  assert.equal(clutch.state, "broken");
});

test("presses of the gripper are counted over all masters, and none twice", () => {
  const rig = new Rig(IDENTITY, IDENTITY);
  rig.hand.grips = 2;
  rig.step();
  rig.step();
  assert.equal(rig.sent!.grips, 2);
  rig.driving.use(null);
  rig.hand.grips = 0; // another one begins anew
  rig.driving.use(rig.hand);
  rig.step();
  assert.equal(rig.sent!.grips, 2);
  rig.hand.grips = 1;
  rig.step();
  assert.equal(rig.sent!.grips, 3);
});
