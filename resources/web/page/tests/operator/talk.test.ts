// Of all that is said, what stands over the picture, and what on the smallest screens.

import assert from "node:assert/strict";
import { test } from "node:test";
import { KEPT_MS, OLD_MS, PAST_MS, Talk, type Note, type Told } from "../../src/operator/ui/talk";

const main = (talk: Talk, now: number): string => talk.shown(now)[0]?.text ?? "";
const told = (kind: string, text: string, number = 0, readBack = ""): Told => ({ kind, text, number, readBack });
const all = (talk: Talk, now: number): readonly string[] => talk.shown(now)[1].map(({ text }: Note) => text);

test("own words are shown once, however often they come back", () => {
  const talk = new Talk();
  assert.deepEqual(talk.say("let me drive", 0), { kind: "own", text: "You: let me drive", number: 0, readBack: "", at: 0 });
  assert.equal(talk.hear(told("heard", "let me drive"), 10), null);
  assert.equal(talk.settle(true, { text: "let me drive", number: 0 }, 20), null);
  assert.ok(talk.hear(told("understood", "I understand: let me drive.", 3, "let me drive"), 30) !== null); // in the log
  assert.deepEqual(all(talk, 40), ["You: let me drive"]);
});

test("the last answer stays, and what merely happens does not push it away at once", () => {
  const talk = new Talk();
  talk.say("fly", 0);
  assert.equal(main(talk, 1), "You: fly");
  talk.hear(told("refused", "I cannot fly."), 10);
  assert.equal(main(talk, 11), "I cannot fly.");
  talk.hear(told("ended", "Done: home."), 20);
  assert.equal(main(talk, 21), "I cannot fly.");
  assert.deepEqual(all(talk, 21), ["You: fly", "I cannot fly.", "Done: home."]);
  assert.equal(main(talk, 10 + KEPT_MS), "Done: home.");
  talk.say("home", 5000);
  assert.equal(main(talk, 5001), "I cannot fly.");
  talk.hear(told("failed", "That did not work: home."), 5100);
  assert.equal(main(talk, 5101), "That did not work: home.");
  assert.equal(main(talk, 5100 + OLD_MS), "");
});

test("what merely happened is not over the picture for long", () => {
  const talk = new Talk();
  talk.hear(told("doing", "the left arm touches something, with 12 N"), 0);
  assert.equal(main(talk, PAST_MS - 1), "the left arm touches something, with 12 N");
  assert.deepEqual(all(talk, PAST_MS), []);
});

test("an answer that comes on both ways is shown once", () => {
  const talk = new Talk();
  assert.ok(talk.hear(told("refused", "No."), 0) !== null);
  assert.equal(talk.settle(false, { text: "No.", number: 0 }, 10), null);
  assert.ok(talk.settle(true, { text: "That is answered.", number: 0 }, 20) !== null);
  assert.equal(talk.hear(told("answered", "That is answered."), 30), null);
  assert.ok(talk.hear(told("answered", "That is answered."), 40) !== null); // a second time
});

test("two events that say the same are two, one event that comes twice is one", () => {
  const talk = new Talk();
  assert.ok(talk.hear(told("refused", "No.", 7), 0) !== null);
  assert.equal(talk.settle(false, { text: "No.", number: 7 }, 10), null);
  assert.ok(talk.settle(false, { text: "No.", number: 8 }, 20) !== null);
  assert.equal(talk.hear(told("refused", "No.", 8), 30), null);
});

test("other people's affairs are in the log only", () => {
  const talk = new Talk();
  assert.ok(talk.hear(told("others", "Done: the teapot is fetched."), 0) !== null);
  assert.ok(talk.hear(told("heard", "stop"), 1) !== null);
  assert.deepEqual(all(talk, 2), []);
});

test("that it is being done already is an answer", () => {
  const talk = new Talk();
  talk.say("go home", 0);
  talk.hear(told("understood", "That is being done already: home."), 10);
  talk.hear(told("doing", "the arm moves"), 20);
  assert.equal(main(talk, 30), "That is being done already: home.");
});
