// What stands behind an action's name while it is under way.

import assert from "node:assert/strict";
import { test } from "node:test";
import { percentDone, stateWords } from "../../src/console/panels/done_part";

test("how much is done stands behind the state, where it is known", () => {
  assert.equal(stateWords({ state: "running", fraction: 0.4 }), "running 40 %");
  assert.equal(stateWords({ state: "paused", fraction: 0 }), "paused 0 %");
  assert.equal(stateWords({ state: "ready", fraction: -1 }), "ready");
});

test("only what is done is called done, and nonsense is not known", () => {
  assert.equal(percentDone({ fraction: 0.999 }), 99);
  assert.equal(percentDone({ fraction: 1 }), 100);
  assert.equal(percentDone({ fraction: 1.5 }), 100);
  assert.equal(percentDone({ fraction: NaN }), null);
});
