// The microphone is attached while the button is held and only then, and the other side is told in that order.

import assert from "node:assert/strict";
import { test } from "node:test";
import { NOT_SENT, SoundTrack, type Sender } from "../../src/operator/link/sound_track";
import type { TalkBegins, TalkEnds } from "../../src/operator/link/protocol";

const MICROPHONE = { kind: "audio" } as MediaStreamTrack;

class Page implements Sender {
  readonly done: (string | TalkBegins | TalkEnds)[] = [];
  readonly failed: string[] = [];
  packetsSent: number | undefined = 0;
  refuses = false;
  readonly track = new SoundTrack(this, (message) => this.done.push(message), (talk, words) => this.failed.push(`${talk} ${words}`));

  replaceTrack(track: MediaStreamTrack | null): Promise<void> {
    if (this.refuses && track !== null) return Promise.reject(new Error("InvalidStateError"));
    this.done.push(track === MICROPHONE ? "attached" : "detached");
    return Promise.resolve();
  }

  getStats(): Promise<{ forEach(each: (report: unknown) => void): void }> {
    if (!this.done.includes("detached")) assert.fail("asked while somebody may speak");
    const reports = this.packetsSent === undefined ? [] : [{ type: "codec" }, { type: "outbound-rtp", packetsSent: this.packetsSent }];
    return Promise.resolve({ forEach: (each) => reports.forEach(each) });
  }

  async settled(): Promise<void> {
    for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
  }
}

test("it is told before the first packet that a talk begins, and after the last that it is over", async () => {
  const page = new Page();
  page.track.begin(1, MICROPHONE);
  await page.settled();
  page.packetsSent = 50;
  page.track.end(1, 31);
  await page.settled();
  assert.deepEqual(page.done, [
    { type: "talk_begins", talk: 1, sent: 0 }, "attached",
    "detached", { type: "talk_ends", talk: 1, blocks: 31, sent: 50, is_broken_off: false },
  ]);
});

test("let go at once, it has begun and ended in this order", async () => {
  const page = new Page();
  page.track.begin(1, MICROPHONE);
  page.track.end(1, 0);
  page.track.end(1, 0);
  await page.settled();
  assert.equal(page.done.at(-2), "detached");
  assert.equal(page.done.filter((each) => typeof each !== "string" && each.type === "talk_ends").length, 1);
});

test("broken off it is detached first, and nothing is sent of a talk that had not begun yet", async () => {
  const page = new Page();
  page.track.begin(1, MICROPHONE);
  page.track.breakOff(1);
  page.track.breakOff(1);
  await page.settled();
  assert.deepEqual(page.done, ["detached", { type: "talk_ends", talk: 1, blocks: 0, sent: null, is_broken_off: true }]);
});

test("what was sent before a talk is known when it begins, also of one that was broken off or never began", async () => {
  const page = new Page();
  for (const [talk, sent] of [[1, 40], [2, 70], [3, 90]] as const) {
    page.track.begin(talk, MICROPHONE);
    if (talk !== 2) await page.settled(); // the second is over before it has begun
    if (talk !== 2) page.packetsSent = sent;
    page.track.breakOff(talk);
    await page.settled();
  }
  page.track.begin(4, MICROPHONE);
  await page.settled();
  const begun = page.done.flatMap((each) => (typeof each !== "string" && each.type === "talk_begins" ? [[each.talk, each.sent]] : []));
  assert.deepEqual(begun, [[1, 0], [3, 40], [4, 90]]);
});

test("another talk's end ends nothing", async () => {
  const page = new Page();
  page.track.begin(2, MICROPHONE);
  page.track.breakOff(1);
  await page.settled();
  assert.equal(page.done.at(-1), "attached");
});

test("a browser that counts no packets says so, but before it has ever sent any there were none", async () => {
  const page = new Page();
  page.packetsSent = undefined;
  page.track.begin(1, MICROPHONE);
  await page.settled();
  page.track.end(1, 3);
  page.track.begin(2, MICROPHONE);
  await page.settled();
  const sent = page.done.flatMap((each) => (typeof each === "string" ? [] : [each.sent]));
  assert.deepEqual(sent, [0, null, null]);
});

test("a browser that does not send it: whoever talks is told", async (context) => {
  context.mock.method(console, "error", () => undefined);
  const page = new Page();
  page.refuses = true;
  page.track.begin(1, MICROPHONE);
  await page.settled();
  assert.deepEqual(page.failed, [`1 ${NOT_SENT}`]);
  page.track.breakOff(1);
  await page.settled();
  assert.deepEqual(page.done.at(-1), { type: "talk_ends", talk: 1, blocks: 0, sent: null, is_broken_off: true });
});
