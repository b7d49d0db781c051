// Keys whose end nobody tells: what is not known to be held any more is let go.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { HandReading } from "../../src/operator/masters/master";
import { Keyboard } from "../../src/operator/masters/keyboard";
import { IDENTITY } from "../../src/operator/view/pose";

const page = new EventTarget();
Object.assign(globalThis, {
  addEventListener: page.addEventListener.bind(page),
  document: Object.assign(new EventTarget(), { hasFocus: () => true }),
  HTMLInputElement: class {},
});

function key(type: "keydown" | "keyup", code: string, held: Readonly<Record<string, boolean>> = {}): void {
  page.dispatchEvent(Object.assign(new Event(type, { cancelable: true }), { code, ctrlKey: false, altKey: false, metaKey: false, repeat: false, ...held }));
}

function reading(keyboard: Keyboard, now: number): HandReading {
  return keyboard.sample({ now, W_T_eye: IDENTITY, xr: null, page: { clutch: false, grips: 0 } })[0]!;
}

test("space is the clutch as long as it is held", () => {
  const keyboard = new Keyboard();
  key("keydown", "Space");
  assert.equal(reading(keyboard, 0).clutch, true);
  key("keyup", "Space");
  assert.equal(reading(keyboard, 10).clutch, false);
  keyboard.close();
});

test("a window that is left, and the command key, let everything go", () => {
  const keyboard = new Keyboard();
  for (const leave of [
    () => page.dispatchEvent(new Event("blur")),
    () => key("keydown", "MetaLeft", { metaKey: true }), // what is let go from now on, macOS does not tell
    () => key("keydown", "KeyC", { metaKey: true }),
  ]) {
    key("keydown", "Space");
    key("keydown", "KeyW");
    key("keydown", "ArrowUp");
    assert.deepEqual([reading(keyboard, 0).clutch, reading(keyboard, 0).stick], [true, [1, 0, 0]]);
    leave();
    for (const code of ["Space", "KeyW", "ArrowUp"]) key("keydown", code, { repeat: true }); // the thumb has stayed
    assert.deepEqual([reading(keyboard, 0).clutch, reading(keyboard, 0).stick], [false, [0, 0, 0]]);
  }
  const before = reading(keyboard, 20).W_T_hand!.p;
  assert.deepEqual(reading(keyboard, 40).W_T_hand!.p, before, "and nothing moves on");
  keyboard.close();
});
