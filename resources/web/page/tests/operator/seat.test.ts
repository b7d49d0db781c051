// What a page drives, why it may not, and which of the robot's words are about it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { armOf, drivesBase, drivesBaseOnly, drivesGripper, hindrance, whatIsDriven, whyItHolds, whyTooSlow, type Circumstances } from "../../src/operator/seat";
import { StickHint } from "../../src/operator/ui/stick_hint";
import type { Driven } from "../../src/operator/link/protocol";

const ARM: Driven = { side: "right", arm: "right_arm", gripper: "", base: "base", arm_side: "right" };
const BASE: Driven = { side: "right", arm: "", gripper: "", base: "base", arm_side: "right" };
const FREE = { stopped: false, fault: false };
const FINE: Circumstances = {
  connected: true, seen: true, seat: "ready", emergency: "", driven: [ARM], arm: { state: FREE, age: 16 }, silence: 16, tooSlow: "",
};

test("who drives only the base needs no arm, not even one that works", () => {
  const base = { ...FINE, driven: [BASE] };
  assert.equal(hindrance({ ...base, arm: null }), "");
  assert.equal(hindrance({ ...base, arm: { state: { stopped: true, fault: true }, age: 5000 } }), "");
  assert.match(hindrance({ ...base, arm: null, silence: 400 }), /nothing was heard over the link for 400 ms/);
});

test("why nothing may be moved", () => {
  const cases: readonly (readonly [Partial<Circumstances>, RegExp])[] = [
    [{}, /^$/], [{ connected: false }, /no link/], [{ seen: false }, /not seen/], [{ seat: "watching" }, /let me drive/],
    [{ emergency: "stopped by phone 2" }, /everything is stopped/], [{ arm: null }, /nothing is known of the arm/],
    [{ arm: { state: FREE, age: 301 } }, /301 ms/], [{ arm: { state: { ...FREE, stopped: true }, age: 0 } }, /is stopped/],
    [{ arm: { state: { ...FREE, fault: true }, age: 0 } }, /has a fault/],
    // What is silent altogether is the link, and no fault of the arm's.
    [{ arm: { state: FREE, age: 320 }, silence: 301 }, /^nothing was heard over the link for 301 ms$/],
    [{ tooSlow: whyTooSlow({ quality: "too_slow", pose_age_ms: 152.4 }) }, /too slow to drive.*152 ms late.*100 ms/],
  ];
  for (const [changed, words] of cases) assert.match(hindrance({ ...FINE, ...changed }), words);
});

test("a link is too slow if that is said, however old its poses are", () => {
  assert.equal(whyTooSlow(null), "");
  assert.equal(whyTooSlow({ quality: "good", pose_age_ms: 300 }), "");
});

test("a hand drives its own arm; who drives none yet is shown the first one", () => {
  assert.equal(armOf("right", [ARM]), "right_arm");
  assert.equal(armOf("left", [ARM]), null);
  assert.equal(armOf("right", [BASE]), null);
  assert.equal(armOf("left", []), "");
  assert.deepEqual([[BASE], [ARM], []].map(drivesBaseOnly), [true, false, false]);
});

test("what is driven, in words", () => {
  assert.equal(whatIsDriven([ARM]), "the right arm and the base");
  assert.equal(whatIsDriven([{ ...ARM, base: "" }, { ...ARM, side: "left", arm: "left_arm", base: "" }]), "the right arm and the left arm");
  assert.equal(whatIsDriven([BASE]), "the base");
  assert.equal(whatIsDriven([]), "");
  assert.deepEqual([[ARM], [{ ...ARM, base: "" }], []].map(drivesBase), [true, false, false]);
  assert.deepEqual([[ARM], [ARM, { ...ARM, gripper: "left_hand" }]].map(drivesGripper), [false, true]);
});

test("who pushes a stick and drives no base is told once what it is for", () => {
  const only = [{ ...ARM, base: "" }];
  const hint = new StickHint();
  assert.equal(hint.look([0, 0, 0.2], only, "arrows are for a base"), "");
  assert.equal(hint.look([-1, 0, 0], [ARM], "arrows are for a base"), ""); // it drives
  assert.equal(hint.look([-1, 0, 0], [], "arrows are for a base"), ""); // nothing is driven: the page says that itself
  assert.equal(hint.look([-1, 0, 0], only, ""), ""); // a phone has none
  assert.equal(hint.look([-1, 0, 0], only, "arrows are for a base"), "You drive the right arm: arrows are for a base.");
  assert.equal(hint.look([-1, 0, 0], only, "arrows are for a base"), "");
  hint.look([0, 0, 0], [], "");
  assert.notEqual(hint.look([-1, 0, 0], only, "arrows are for a base"), ""); // in another drive again
});

test("of all that is said, why the driven arm or base holds", () => {
  const holds = (device: string) => ({ subject: "holds", device, why: "no pose for 100 ms" });
  assert.equal(whyItHolds(holds(ARM.arm), ARM), "no pose for 100 ms");
  assert.equal(whyItHolds(holds(BASE.base), BASE), "no pose for 100 ms");
  assert.equal(whyItHolds(holds(BASE.base), ARM), "");
  assert.equal(whyItHolds(holds("left_arm"), ARM), "");
  assert.equal(whyItHolds({ subject: "", device: ARM.arm, why: "no pose for 100 ms" }, ARM), "");
});
