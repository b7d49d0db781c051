// What a page says aloud: its own answers, one after the other, nothing while somebody speaks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SpokenAnswers, type Spoken, type Synthesizer } from "../../src/sound/spoken_answers";

class Voice implements Synthesizer {
  readonly said: string[] = [];
  hushes = 0;
  why = "";
  private over: ((trouble: string) => void) | null = null;

  trouble(): Promise<string> {
    return Promise.resolve(this.why);
  }

  say(words: string, over: (trouble: string) => void): void {
    this.said.push(words);
    this.over = over;
  }

  hush(): void {
    this.hushes++;
    this.end("");
  }

  end(trouble = ""): void {
    const over = this.over;
    this.over = null;
    over?.(trouble);
  }
}

let number = 0;
const line = (spoken: string, kind = "answered"): Spoken => ({ number: ++number, kind, spoken });
const mine = (): boolean => true;

async function speaking(): Promise<{ voice: Voice; answers: SpokenAnswers; notes: string[] }> {
  const voice = new Voice();
  const notes: string[] = [];
  const answers = new SpokenAnswers(voice, (words) => notes.push(words));
  assert.equal(await answers.turnOn(), true);
  return { voice, answers, notes };
}

test("nothing is said before somebody wants it, and nothing of before is said then", async () => {
  const voice = new Voice();
  const answers = new SpokenAnswers(voice, () => undefined);
  const before = line("Done: home.");
  answers.take([before], mine);
  await answers.turnOn();
  answers.take([before], mine);
  assert.deepEqual(voice.said, []);
  answers.take([line("Done: up.")], mine);
  assert.deepEqual(voice.said, ["Done: up."]);
  answers.turnOff();
  answers.take([line("Done: down.")], mine);
  assert.deepEqual(voice.said, ["Done: up."]);
  assert.equal(voice.hushes, 1);
});

test("a browser without a voice says so, and stays silent", async () => {
  const voice = new Voice();
  voice.why = "this browser has no voices";
  const notes: string[] = [];
  const answers = new SpokenAnswers(voice, (words) => notes.push(words));
  assert.equal(await answers.turnOn(), false);
  assert.deepEqual(notes, ["Answers cannot be said aloud: this browser has no voices."]);
  answers.take([line("Done: up.")], mine);
  assert.deepEqual(voice.said, []);
});

test("only what is for this page and what can be said is said, each line once", async () => {
  const { voice, answers } = await speaking();
  const [others, unsaid, own] = [line("of somebody else"), line(""), line("Done: up.")];
  answers.take([others, unsaid, own], ({ number: which }) => which !== others.number);
  answers.take([own], mine);
  voice.end();
  assert.deepEqual(voice.said, ["Done: up."]);
});

test("one after the other; of many answers the newest, and every question", async () => {
  const { voice, answers } = await speaking();
  answers.take([line("one")], mine);
  answers.take([line("two"), line("a question?", "asked"), line("three"), line("four")], mine);
  assert.deepEqual(voice.said, ["one"]);
  for (let turn = 0; turn < 5; turn++) voice.end();
  assert.deepEqual(voice.said, ["one", "a question?", "three", "four"]);
});

test("what was stopped cuts what is being said", async () => {
  const { voice, answers } = await speaking();
  answers.take([line("a long story"), line("another one")], mine);
  answers.take([line("I end: go home.", "cancelled")], mine);
  assert.equal(voice.hushes, 1);
  assert.deepEqual(voice.said, ["a long story", "I end: go home."]);
});

test("hushed it is silent, and what waited is not said", async () => {
  const { voice, answers } = await speaking();
  answers.take([line("one"), line("two")], mine);
  answers.hush();
  assert.deepEqual(voice.said, ["one"]);
  answers.take([line("three")], mine);
  assert.deepEqual(voice.said, ["one", "three"]);
});

test("while hold-to-talk is pressed nothing is said; what came meanwhile is said then", async () => {
  const { voice, answers } = await speaking();
  answers.take([line("one")], mine);
  answers.hold(true);
  answers.hold(true);
  assert.equal(voice.hushes, 1);
  answers.take([line("two")], mine);
  assert.deepEqual(voice.said, ["one"]);
  answers.hold(false);
  assert.deepEqual(voice.said, ["one", "two"]);
});

test("what could not be said is told, and the next one is said", async () => {
  const { voice, answers, notes } = await speaking();
  answers.take([line("one"), line("two")], mine);
  voice.end("the loudspeaker is busy");
  assert.deepEqual(notes, ["This was not said aloud: the loudspeaker is busy."]);
  assert.deepEqual(voice.said, ["one", "two"]);
});

test("after a restart lines are counted anew", async () => {
  const { voice, answers } = await speaking();
  answers.take([{ number: 90, kind: "ended", spoken: "one" }], mine);
  voice.end();
  answers.begin();
  answers.take([{ number: 1, kind: "ended", spoken: "two" }], mine);
  assert.deepEqual(voice.said, ["one", "two"]);
});
