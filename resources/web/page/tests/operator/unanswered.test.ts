// What nothing has come back of is said, once: when it has waited too long, or when the link is lost.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ANSWER_WITHIN_MS, Unanswered } from "../../src/operator/ui/unanswered";

test("what was answered is done with, and what was not is said to be unheard, once", () => {
  const unanswered = new Unanswered();
  unanswered.say("1", "home", 0);
  unanswered.say("2", "show the scan", 1000);
  unanswered.settle("2");
  unanswered.settle("never said");
  assert.deepEqual(unanswered.look(ANSWER_WITHIN_MS), []);
  assert.deepEqual(unanswered.look(ANSWER_WITHIN_MS + 1), ["“home” was not heard: nothing came back. Say it again."]);
  assert.deepEqual(unanswered.look(10 * ANSWER_WITHIN_MS), []);
});

test("with the link all of it is lost, and said at once", () => {
  const unanswered = new Unanswered();
  unanswered.say("1", "home", 0);
  unanswered.say("2", "show the scan", 1);
  assert.deepEqual(unanswered.lose(), [
    "The link was lost before “home” was answered: if nothing comes of it, say it again.",
    "The link was lost before “show the scan” was answered: if nothing comes of it, say it again.",
  ]);
  assert.deepEqual(unanswered.look(10 * ANSWER_WITHIN_MS), []);
});
