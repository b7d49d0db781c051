// A page's session stands in each packet of its hands: on a new link the old one's is foreign.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Link } from "../../src/operator/link/link";
import { checkOf } from "../../src/operator/link/packets";
import { IDENTITY } from "../../src/operator/view/pose";
import { fakeBrowser } from "./browser";

const CHECK_AT = 116;
const HAND = {
  side: "right", tracked: true, scale: 1, taken: 0, engagement: 0, grips: 0, pose: IDENTITY,
  twist: [0, 0, 0, 0, 0, 0], acceleration: [0, 0, 0, 0, 0, 0], stick: [0, 0, 0],
} as const;

const ignore = (): void => undefined;

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

test("nothing is sent on a link before it has said whose it is, also on the next one", { timeout: 5000 }, async () => {
  const links = fakeBrowser();
  const link = new Link("phone", { words: ignore, arm: ignore, cloud: ignore, state: ignore });
  link.connectNow();
  await until(() => link.isConnected);
  assert.equal(link.sendHand(HAND), false);
  links[0]!.welcome("7f3a9c01");
  assert.equal(link.sendHand(HAND), true);
  links[0]!.lose();
  assert.equal(link.sendHand(HAND), false);
  link.connectNow();
  await until(() => link.isConnected);
  assert.equal(link.sendHand(HAND), false);
  assert.equal(links[1]!.hands.sent.length, 0);
  links[1]!.welcome("0badcafe");
  assert.equal(link.sendHand(HAND), true);
  const sent = new DataView(links[1]!.hands.sent.at(-1)!);
  assert.equal(sent.getUint32(CHECK_AT, true), checkOf("0badcafe"));
});
