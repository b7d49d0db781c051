// Hold to talk: what is sent when it is pressed, let go, or taken away, and what people are told.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import type { Ending } from "../../src/sound/packets";
import { ALLOWED, MUTED, NOT_CONNECTED, Talker, type Heard, type Shown } from "../../src/sound/talker";

interface Packet {
  readonly talk: number;
  readonly sequence: number;
  readonly samples: number;
  readonly ending: Ending;
}

class Desk {
  readonly packets: Packet[] = [];
  readonly begun: number[] = [];
  readonly stopped: number[] = [];
  readonly wanted: boolean[] = [];
  shown: Shown | undefined;
  isOpen = true;
  isConnected = true;
  reply = { ok: true, text: "" };
  opens: () => Promise<void> = () => Promise.resolve();
  readonly talker: Talker;

  constructor() {
    const isOpen = (): boolean => this.isOpen;
    this.talker = new Talker({
      microphone: {
        get isOpen() {
          return isOpen();
        },
        ready: async () => {
          await this.opens();
          this.isOpen = true;
        },
        begin: () => this.wanted.push(true),
        end: () => this.wanted.push(false),
      },
      begin: (talk) => {
        this.begun.push(talk);
        return Promise.resolve(this.reply);
      },
      sound: ({ talk, sequence, samples, ending }) => {
        if (!this.isConnected) return false;
        this.packets.push({ talk, sequence, samples: samples.length, ending });
        return true;
      },
      stopped: (talk) => this.stopped.push(talk),
      show: (shown) => (this.shown = shown),
    });
  }

  gives(value = 1000, length = 512, isLast = false): void {
    this.talker.captured({ samples: new Int16Array(length).fill(value), isLast });
  }

  hears(state: Heard["state"], text = "", words = "", talk = this.begun.at(-1) ?? 0): void {
    this.talker.heard({ talk, state, text, words });
  }
}

async function talking(): Promise<Desk> {
  const desk = new Desk();
  await desk.talker.press();
  return desk;
}

test("pressed, spoken, let go: blocks in their order, a little of what follows, and the last one says so", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const desk = await talking();
  assert.deepEqual(desk.begun, [1]);
  desk.gives();
  desk.talker.release();
  desk.gives();
  assert.deepEqual(desk.wanted, [true]);
  mock.timers.tick(250);
  assert.deepEqual(desk.wanted, [true, false]);
  desk.gives(1000, 100, true);
  assert.deepEqual(desk.packets.map(({ sequence, samples, ending }) => [sequence, samples, ending]), [[0, 512, ""], [1, 512, ""], [2, 100, "last"]]);
  assert.equal(desk.shown?.state, "idle");
  mock.timers.reset();
});

test("who presses again at once goes on with the same talk", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const desk = await talking();
  desk.talker.release();
  await desk.talker.press();
  mock.timers.tick(1000);
  assert.deepEqual(desk.begun, [1]);
  assert.deepEqual(desk.wanted, [true]);
  mock.timers.reset();
});

test("a talk that is taken away is broken off at once, and the rest of its sound belongs to no other", async () => {
  const desk = await talking();
  desk.gives();
  desk.talker.breakOff("Hidden.");
  assert.deepEqual(desk.packets.at(-1), { talk: 1, sequence: 1, samples: 0, ending: "broken off" });
  assert.equal(desk.shown?.words, "Hidden.");
  await desk.talker.press();
  desk.gives(1000, 80, true); // of the talk before
  desk.gives();
  assert.deepEqual(desk.packets.at(-1), { talk: 2, sequence: 0, samples: 512, ending: "" });
  assert.equal(desk.packets.length, 3);
});

test("nothing is broken off while nobody talks", () => {
  const desk = new Desk();
  desk.talker.breakOff("Hidden.");
  assert.equal(desk.packets.length, 0);
  assert.equal(desk.shown, undefined);
});

test("who had to allow the microphone first, and let go for that, is told to hold again", async () => {
  const desk = new Desk();
  desk.isOpen = false;
  let allow = (): void => undefined;
  desk.opens = () => new Promise((resolve) => (allow = resolve));
  const pressed = desk.talker.press();
  desk.talker.release();
  allow();
  await pressed;
  assert.deepEqual(desk.begun, []);
  assert.equal(desk.shown?.words, ALLOWED);
  assert.equal(desk.shown?.state, "idle");
});

test("why there is no microphone is said in a sentence", async () => {
  const desk = new Desk();
  desk.isOpen = false;
  desk.opens = () => Promise.reject(new Error("there is no microphone here: plug one in"));
  await desk.talker.press();
  assert.equal(desk.shown?.words, "There is no microphone here: plug one in.");
  assert.deepEqual(desk.begun, []);
});

test("what the server refuses ends the talk in its words", async () => {
  const desk = new Desk();
  desk.reply = { ok: false, text: "4 people talk at once already" };
  await desk.talker.press();
  await Promise.resolve();
  assert.equal(desk.shown?.words, "4 people talk at once already.");
  desk.gives();
  assert.equal(desk.packets.length, 0);
});

test("without a connection it ends, and says that nothing is done", async () => {
  const desk = await talking();
  desk.isConnected = false;
  desk.gives();
  assert.equal(desk.shown?.words, NOT_CONNECTED);
  assert.equal(desk.shown?.state, "idle");
});

test("a microphone that goes ends it in words, and what comes after that is heard again", async () => {
  const desk = await talking();
  desk.isOpen = false;
  desk.talker.gone("the microphone has gone");
  assert.equal(desk.packets.at(-1)?.ending, "broken off");
  assert.equal(desk.shown?.words, "The microphone has gone.");
  await desk.talker.press();
  desk.gives();
  assert.equal(desk.packets.at(-1)?.talk, 2);
});

test("what is understood is shown, and who is cut off by the server is told why", async () => {
  const desk = await talking();
  desk.hears("listening", "show the");
  assert.equal(desk.shown?.state, "listening");
  assert.equal(desk.shown?.text, "show the");
  desk.hears("over", "show the", "this has gone on for 60 s");
  assert.equal(desk.shown?.state, "idle");
  assert.equal(desk.shown?.words, "This has gone on for 60 s.");
  desk.hears("listening", "of another talk", "", 99);
  assert.equal(desk.shown?.text, "");
});

test("after it was let go the words stay until they have become something", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const desk = await talking();
  desk.hears("listening", "show the environment");
  desk.talker.release();
  mock.timers.tick(250);
  desk.gives(0, 0, true);
  desk.hears("over", "show the environment");
  assert.equal(desk.shown?.text, "show the environment");
  desk.hears("over");
  assert.equal(desk.shown?.text, "");
  mock.timers.reset();
});

test("a microphone that gives nothing but zeros is muted perhaps, until it gives something", async () => {
  const desk = await talking();
  for (let block = 0; block < 50; block += 1) desk.gives(0);
  assert.equal(desk.shown?.hint, MUTED);
  desk.gives(3);
  assert.equal(desk.shown?.hint, "");
});
