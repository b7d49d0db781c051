// Numbers of answers stand beside each other, as near to their things as that lets them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { apart } from "../../src/scene/candidates";

test("what is far apart stays where it is", () => {
  assert.deepEqual(apart([], 30), []);
  assert.deepEqual(apart([5], 30), [5]);
  assert.deepEqual(apart([0, 30, 100], 30), [0, 30, 100]);
});

test("neighbours make room on both sides", () => {
  assert.deepEqual(apart([10, 20], 30), [0, 30]);
  assert.deepEqual(apart([10, 10, 10], 30), [-20, 10, 40]);
});

test("a row that has grown pushes the next one, and the order stays", () => {
  const found = apart([0, 10, 20, 55, 300], 30);
  found.slice(1).forEach((x, index) => assert.ok(x - found[index]! >= 30 - 1e-9, String(found)));
  assert.equal(found[4], 300);
});
