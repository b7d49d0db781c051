// States are heard in a thread of their own where the browser lets a channel go there, else here; with the time they came.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Given, Told } from "../../src/operator/link/states_worker";
import { FakeChannel } from "./browser";

/** The other half of a Worker, run here: what it posts comes a turn later. */
class FakeWorker {
  static newest: FakeWorker;
  static letsChannelsGo = true;
  onmessage: ((event: { data: Told }) => void) | null = null;
  readonly given: Given[] = [];

  constructor() {
    FakeWorker.newest = this;
  }

  postMessage(given: Given, transfer: unknown[]): void {
    assert.deepEqual(transfer, [given.channel]);
    if (!FakeWorker.letsChannelsGo) throw new DOMException("an RTCDataChannel cannot be cloned", "DataCloneError");
    this.given.push(given);
  }

  tell(told: Told): void {
    this.onmessage!({ data: told });
  }
}

Object.assign(globalThis, { Worker: FakeWorker });
const { StatesEar } = await import("../../src/operator/link/states_ear");

const STATE = new ArrayBuffer(160);

function ear(): { heard: { data: ArrayBuffer; came: number }[]; ear: InstanceType<typeof StatesEar> } {
  const heard: { data: ArrayBuffer; came: number }[] = [];
  return { heard, ear: new StatesEar((data, came) => heard.push({ data, came })) };
}

function channel(): RTCDataChannel & FakeChannel {
  return new FakeChannel("states") as unknown as RTCDataChannel & FakeChannel;
}

test("a thread that is there takes the channel, and says when each state came", () => {
  const { heard, ear: states } = ear();
  FakeWorker.newest.tell("ready");
  const taken = channel();
  states.take(taken);
  const [given] = FakeWorker.newest.given;
  assert.equal(given!.channel, taken);
  assert.equal(given!.origin, performance.timeOrigin);
  assert.equal(taken.onmessage, null);
  FakeWorker.newest.tell({ link: given!.link, data: STATE, came: 12.5 });
  assert.deepEqual(heard, [{ data: STATE, came: 12.5 }]);
});

test("of a link that is over nothing is heard any more", () => {
  const { heard, ear: states } = ear();
  FakeWorker.newest.tell("ready");
  states.take(channel());
  const before = FakeWorker.newest.given[0]!.link;
  states.forget();
  FakeWorker.newest.tell({ link: before, data: STATE, came: 1 });
  states.take(channel());
  FakeWorker.newest.tell({ link: before, data: STATE, came: 2 });
  assert.deepEqual(heard, []);
  FakeWorker.newest.tell({ link: FakeWorker.newest.given[1]!.link, data: STATE, came: 3 });
  assert.equal(heard.length, 1);
});

test("a channel is heard here before the thread is there", () => {
  const { heard, ear: states } = ear();
  const here = channel();
  states.take(here);
  assert.equal(FakeWorker.newest.given.length, 0);
  const before = performance.now();
  here.onmessage!({ data: STATE });
  assert.equal(heard.length, 1);
  assert.ok(heard[0]!.came >= before && heard[0]!.came <= performance.now());
  states.forget();
  here.onmessage!({ data: STATE });
  assert.equal(heard.length, 1);
});

test("a channel is heard here where browsers keep it", (context) => {
  FakeWorker.letsChannelsGo = false;
  context.after(() => (FakeWorker.letsChannelsGo = true));
  const { heard, ear: states } = ear();
  FakeWorker.newest.tell("ready");
  const here = channel();
  states.take(here);
  here.onmessage!({ data: STATE });
  assert.equal(heard.length, 1);
});

test("the thread tells times by the page's clock", async () => {
  const told: Told[] = [];
  const scope: { onmessage: ((event: { data: Given }) => void) | null; postMessage: (message: Told) => void } = {
    onmessage: null, postMessage: (message) => told.push(message),
  };
  Object.assign(globalThis, { self: scope });
  await import("../../src/operator/link/states_worker");
  assert.deepEqual(told, ["ready"]);
  const given = channel();
  // The page began a second before this thread did: its clock shows a second more.
  scope.onmessage!({ data: { channel: given, link: 7, origin: performance.timeOrigin - 1000 } });
  const before = performance.now();
  given.onmessage!({ data: "words" });
  given.onmessage!({ data: STATE });
  const after = performance.now();
  assert.equal(told.length, 2);
  const state = told[1] as Exclude<Told, "ready">;
  assert.deepEqual([state.link, state.data], [7, STATE]);
  assert.ok(state.came >= before + 1000 && state.came <= after + 1000);
});
