// What of all that the mouse passes over counts as pointed at, and for how long.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { PagePoint } from "../../src/protocol";
import { Attention, COUNTS_MS } from "../../src/scene/attention";

const LOOK_MS = 100;

function place(x: number): PagePoint {
  return { origin: [0, 0, 2], direction: [1, 0, 0], meets_m: x };
}

/** An attention on a clock of the test; its pixels and places are numbered alike. */
class Watched {
  readonly attention = new Attention();
  now = 0;

  /** The mouse is there for so long. */
  stay(x: number, ms: number): void {
    for (const end = this.now + ms; this.now < end; this.now += LOOK_MS) this.attention.see(place(x), [x, 0], this.now);
  }

  get at(): number | null {
    return this.attention.at(this.now)?.meets_m ?? null;
  }
}

test("nothing counts before the mouse has been there", () => {
  assert.equal(new Watched().at, null);
  const it = new Watched();
  it.attention.leave(0);
  assert.equal(it.at, null);
});

test("over the scene it counts where it is, until it has been left there", () => {
  const it = new Watched();
  it.stay(100, LOOK_MS);
  assert.equal(it.at, 100);
  it.stay(200, COUNTS_MS - LOOK_MS);
  assert.equal(it.at, 200);
  it.stay(200, 2 * LOOK_MS);
  assert.equal(it.at, null, "nobody points with a mouse that lies there");
  it.stay(201, LOOK_MS);
  assert.equal(it.at, 201);
});

test("whoever leaves to type means where it rested last, for a while", () => {
  const it = new Watched();
  it.stay(100, 600);
  for (let x = 120; x < 400; x += 40) it.stay(x, LOOK_MS);
  assert.equal(it.at, 360);
  it.attention.leave(it.now);
  assert.equal(it.at, 100);
  it.now += COUNTS_MS - 1;
  assert.equal(it.at, 100);
  it.now += 1;
  assert.equal(it.at, null);
});

test("where a mouse was left lying, nobody means when it is taken up again", () => {
  const it = new Watched();
  it.stay(100, COUNTS_MS + 1000);
  it.stay(300, LOOK_MS);
  it.attention.leave(it.now);
  assert.equal(it.at, null);
});

test("who only passes over it points at nothing", () => {
  const it = new Watched();
  for (let x = 0; x < 800; x += 40) it.stay(x, LOOK_MS);
  it.attention.leave(it.now);
  assert.equal(it.at, null);
});

test("a rest that was long before is none", () => {
  const it = new Watched();
  it.stay(100, 600);
  for (let x = 120; x < 2000; x += 40) it.stay(x, LOOK_MS);
  it.attention.leave(it.now);
  assert.equal(it.at, null);
});

test("a trembling hand rests", () => {
  const it = new Watched();
  for (let n = 0; n < 8; n += 1) it.stay(100 + (n % 3), LOOK_MS);
  it.attention.leave(it.now);
  assert.ok(it.at !== null && Math.abs(it.at - 101) <= 1);
});

test("a click counts wherever the mouse goes, until the next one or for a while", () => {
  const it = new Watched();
  it.stay(100, 300);
  it.attention.click(place(100), it.now);
  it.stay(300, 2000);
  assert.equal(it.at, 100);
  it.attention.leave(it.now);
  assert.equal(it.at, 100);
  it.attention.click(place(500), it.now);
  assert.equal(it.at, 500);
  it.now += COUNTS_MS;
  assert.equal(it.at, null);
});

test("a click into nothing ends it", () => {
  const it = new Watched();
  it.attention.click(place(100), 0);
  it.attention.click(null, 10);
  assert.equal(it.at, null);
});

test("who turns the view points at nothing meanwhile", () => {
  const it = new Watched();
  it.stay(100, 600);
  it.attention.drag();
  assert.equal(it.at, null);
  it.attention.leave(it.now);
  assert.equal(it.at, null);
});

test("what moves under a mouse that rests counts instead", () => {
  const it = new Watched();
  it.stay(100, 300);
  it.attention.see(place(7), [100, 0], it.now);
  assert.equal(it.at, 7);
});
