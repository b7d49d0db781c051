// A page's session stands in each packet of its hands: on a new link the old one's is foreign.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Link } from "../../src/operator/link/link";
import { checkOf } from "../../src/operator/link/packets";
import { HAND_BYTES, STATE_BYTES } from "../../src/operator/link/protocol";
import { IDENTITY } from "../../src/operator/view/pose";
import { fakeBrowser } from "./browser";

const [SENT_AT, NUMBER_AT, CHECK_AT, ECHO_AT, HELD_AT] = [8, 16, 116, 120, 128];
const HAND = {
  side: "right", tracked: true, scale: 1, taken: 0, engagement: 0, grips: 0, pose: IDENTITY,
  twist: [0, 0, 0, 0, 0, 0], acceleration: [0, 0, 0, 0, 0, 0], stick: [0, 0, 0],
} as const;

const ignore = (): void => undefined;

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

/** Of no arm, as of this time of the process's [ms]. */
function stateOf(now: number): ArrayBuffer {
  const state = new DataView(new ArrayBuffer(STATE_BYTES));
  state.setUint8(0, 0x51);
  state.setUint8(1, 1);
  state.setFloat64(8, now, true);
  return state.buffer;
}

test("nothing is sent on a link before it has said whose it is, also on the next one", { timeout: 5000 }, async () => {
  const links = fakeBrowser();
  const link = new Link("phone", { words: ignore, arm: ignore, cloud: ignore, state: ignore });
  link.connectNow();
  await until(() => link.isConnected);
  assert.equal(link.sendHands([HAND]), false);
  links[0]!.welcome("7f3a9c01");
  assert.equal(link.sendHands([HAND]), true);
  links[0]!.lose();
  assert.equal(link.sendHands([HAND]), false);
  link.connectNow();
  await until(() => link.isConnected);
  assert.equal(link.sendHands([HAND]), false);
  assert.equal(links[1]!.hands.sent.length, 0);
  links[1]!.welcome("0badcafe");
  assert.equal(link.sendHands([HAND]), true);
  const sent = new DataView(links[1]!.hands.sent.at(-1)!);
  assert.equal(sent.getUint32(CHECK_AT, true), checkOf("0badcafe"));
});

test("both hands go in one message, with numbers that rise, and tell when the newest state came", { timeout: 5000 }, async () => {
  const links = fakeBrowser();
  const heard: number[] = [];
  const link = new Link("headset", { words: ignore, arm: (state, came) => heard.push(state.now, came), cloud: ignore, state: ignore });
  link.connectNow();
  await until(() => link.isConnected);
  links[0]!.welcome("7f3a9c01");
  links[0]!.states.onmessage!({ data: stateOf(4000) });
  assert.equal(heard[0], 4000);
  assert.equal(link.sendHands([]), false);
  assert.equal(link.sendHands([HAND, { ...HAND, side: "left" }]), true);
  assert.deepEqual(links[0]!.hands.sent.map((message) => message.byteLength), [2 * HAND_BYTES]);
  const sent = new DataView(links[0]!.hands.sent[0]!);
  const first = sent.getUint32(NUMBER_AT, true);
  assert.equal(sent.getUint32(HAND_BYTES + NUMBER_AT, true), first + 1);
  for (const from of [0, HAND_BYTES]) {
    assert.equal(sent.getUint8(from + 2), from === 0 ? 0 : 1);
    assert.equal(sent.getFloat64(from + ECHO_AT, true), 4000);
    const held = sent.getFloat64(from + SENT_AT, true) - heard[1]!;
    assert.ok(Math.abs(sent.getFloat32(from + HELD_AT, true) - held) < 1e-3);
  }
});

test("a stop goes over the control connection and the signalling's, and is confirmed over either", { timeout: 5000 }, async () => {
  const links = fakeBrowser();
  const heard: unknown[] = [];
  const link = new Link("phone", { words: (message) => heard.push(message), arm: ignore, cloud: ignore, state: ignore });
  link.stop("0123456789ab-1"); // there is no way yet
  link.connectNow();
  await until(() => link.isConnected);
  const { words, signalling } = links[0]!;
  link.stop("0123456789ab-2");
  for (const way of [words, signalling]) assert.deepEqual(JSON.parse(String(way.sent.at(-1))), { type: "stop_now", id: "0123456789ab-2" });
  const confirmed = { type: "stop_confirmed", id: "0123456789ab-2", latched: true };
  for (const way of [words, signalling]) way.onmessage!({ data: JSON.stringify(confirmed) });
  await until(() => heard.length === 2);
  assert.deepEqual(heard, [confirmed, confirmed]);

  words.bufferedAmount = signalling.bufferedAmount = 1_000_000; // so many wait already
  const count = words.sent.length + signalling.sent.length;
  link.stop("0123456789ab-3");
  assert.equal(words.sent.length + signalling.sent.length, count);
});

test("what something may begin by says when it was said, by the process's clock; before that is known nothing is", { timeout: 5000 }, async () => {
  const links = fakeBrowser();
  const came: number[] = [];
  const link = new Link("phone", { words: ignore, arm: (_, at) => came.push(at), cloud: ignore, state: ignore });
  const home = { type: "said", id: "1", text: "home", spoken: false } as const;
  link.connectNow();
  await until(() => link.isConnected);
  links[0]!.welcome("7f3a9c01");
  assert.equal(link.instruct(home), false);
  link.stop("0123456789ab-1"); // a stop has no time
  assert.deepEqual(JSON.parse(String(links[0]!.words.sent.at(-1))), { type: "stop_now", id: "0123456789ab-1" });
  links[0]!.states.onmessage!({ data: stateOf(4000) });
  const before = performance.now();
  assert.equal(link.instruct(home), true);
  const { said_ms, ...said } = JSON.parse(String(links[0]!.words.sent.at(-1))) as { said_ms: number };
  assert.deepEqual(said, home);
  assert.ok(said_ms >= 4000 + before - came[0]! && said_ms <= 4000 + performance.now() - came[0]!);
  links[0]!.lose();
  assert.equal(link.instruct(home), false);
});
