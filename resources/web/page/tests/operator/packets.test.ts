// Both halves of the binary formats read the same bytes: golden files written beside the Python half.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Clouds, decodeChunk } from "../../src/operator/link/cloud";
import { checkOf, decodeState, encodeHand } from "../../src/operator/link/packets";
import { fromSeven } from "../../src/operator/view/pose";
import type { Six } from "../../src/operator/view/derivatives";

// npm starts scripts in the folder of package.json.
const DATA = join(process.cwd(), "..", "..", "..", "tests", "resources", "operator", "data");

interface GoldenHand {
  readonly side: "right" | "left"; readonly number: number; readonly sent_ms: number; readonly check: number;
  readonly engagement: number; readonly grips: number; readonly tracked: boolean; readonly scale: number;
  readonly base_T_hand: readonly number[]; readonly twist: readonly number[]; readonly acceleration: readonly number[];
  readonly stick: readonly number[]; readonly echo_ms: number; readonly held_ms: number; readonly age_ms: number;
}
interface Golden<T> { readonly what: string; readonly packet: T; readonly bytes: string }
interface Packets { readonly hands: readonly Golden<GoldenHand>[]; readonly states: readonly Golden<Record<string, unknown>>[] }

function load<T>(name: string): T {
  return JSON.parse(readFileSync(join(DATA, name), "utf8")) as T;
}

function bytesOf(hex: string): ArrayBuffer {
  return new Uint8Array(Buffer.from(hex, "hex")).buffer;
}

const packets = load<Packets>("packets.json");

for (const { what, packet, bytes } of packets.hands) {
  test(`a hand, ${what}, is packed as the other side unpacks it`, () => {
    const hand = {
      ...packet, taken: packet.sent_ms - packet.age_ms, pose: fromSeven(packet.base_T_hand), twist: packet.twist as unknown as Six,
      acceleration: packet.acceleration as unknown as Six, stick: packet.stick as unknown as readonly [number, number, number],
    };
    const packed = encodeHand(hand, { check: packet.check, sent: packet.sent_ms, echo: packet.echo_ms, echoCame: packet.sent_ms - packet.held_ms });
    assert.equal(Buffer.from(packed).toString("hex"), bytes);
  });
}

test("a pose of a frame that is ahead of the clock is one the other side takes", () => {
  const { packet } = packets.hands[0]!;
  const hand = { ...packet, taken: packet.sent_ms + 200, pose: fromSeven(packet.base_T_hand), twist: [0, 0, 0, 0, 0, 0] as const,
    acceleration: [0, 0, 0, 0, 0, 0] as const, stick: [0, 0, 0] as const };
  const packed = new DataView(encodeHand(hand, { check: 1, sent: packet.sent_ms, echo: 0, echoCame: 0 }));
  assert.equal(packed.getFloat32(132, true), -50);
});

for (const { what, packet, bytes } of packets.states) {
  test(`a state, ${what}, is read as it was written`, () => {
    const state = decodeState(bytesOf(bytes));
    const expected: Record<string, unknown> = {
      index: packet["index"], fault: packet["fault"], stopped: packet["stopped"], atRest: packet["at_rest"], contact: packet["contact"],
      driven: packet["driven"], moved: packet["moved"], now: packet["now_ms"], echo: packet["echo_ms"], number: packet["number"],
      engaged: packet["engaged"], knocks: packet["knocks"],
    };
    for (const [name, value] of Object.entries(expected)) assert.equal(state[name as keyof typeof state], value, name);
    const near = (a: readonly number[], b: unknown, name: string): void =>
      a.forEach((value, index) => assert.ok(Math.abs(value - (b as number[])[index]!) < 1e-4 * Math.max(1, Math.abs(value)), `${name} ${a} ${b}`));
    near(state.q, packet["q"], "q");
    near(state.wrench, packet["wrench"], "wrench");
    near([...state.base_T_tool.p, ...state.base_T_tool.q], packet["base_T_tool"], "tool");
    near([...state.base_T_target.p, ...state.base_T_target.q], packet["base_T_target"], "target");
    near([state.held, state.knock, state.press, state.age, state.handAge], ["held_ms", "knock", "press", "sample_age_ms", "hand_age_ms"].map((name) => packet[name]), "times");
  });
}

test("what is no state is refused with words", () => {
  assert.throws(() => decodeState(new ArrayBuffer(3)), /3 bytes/);
  assert.throws(() => decodeState(new ArrayBuffer(160)), /no state/);
});

test("a session is recognised by the first bytes of its id", () => {
  assert.equal(checkOf("7f3a9c0152ee4b8d"), 1630758455);
});

interface GoldenChunk {
  readonly what: string; readonly cloud: number; readonly chunk: number; readonly chunks: number; readonly camera: number;
  readonly age_ms: number; readonly points: readonly (readonly number[])[]; readonly bytes: string;
}

for (const golden of load<{ chunks: readonly GoldenChunk[] }>("cloud.json").chunks) {
  test(`a cloud's chunk, ${golden.what}, is read as it was written`, () => {
    const chunk = decodeChunk(bytesOf(golden.bytes));
    assert.deepEqual([chunk.cloud, chunk.chunk, chunk.chunks, chunk.camera], [golden.cloud, golden.chunk, golden.chunks, golden.camera]);
    assert.ok(Math.abs(chunk.age - golden.age_ms) < 1e-3 * Math.max(1, golden.age_ms));
    const view = new DataView(chunk.points.buffer);
    assert.equal(chunk.points.length, 16 * golden.points.length);
    golden.points.forEach(([x, y, z, r, g, b], index) => {
      [x, y, z].forEach((value, axis) => assert.ok(Math.abs(view.getFloat32(16 * index + 4 * axis, true) * 1000 - value!) < 0.01));
      [[r, 31], [g, 63], [b, 31]].forEach(([value, most], channel) => assert.equal(chunk.points[16 * index + 12 + channel], Math.round((value! * 255) / most!)));
    });
  });
}

test("a cloud is drawn when half of it is there; older ones never come back", () => {
  const clouds = new Clouds();
  const chunk = (cloud: number, number: number, count = 1): void =>
    clouds.take({ cloud, chunk: number, chunks: 4, camera: 0, age: 10, points: new Uint8Array(16 * count).fill(cloud) }, 1000);
  chunk(1, 0);
  assert.equal(clouds.points()?.length, 16);
  chunk(2, 0);
  assert.equal(clouds.points(), null); // the one before stays
  chunk(1, 1);
  assert.equal(clouds.points()?.[0], 1);
  chunk(2, 3);
  assert.equal(clouds.points()?.[0], 2);
  chunk(1, 2);
  assert.equal(clouds.points(), null);
  chunk(2, 3); // twice
  assert.equal(clouds.points(), null);
  clouds.take({ cloud: 2, chunk: 0, chunks: 4, camera: 0, age: 5000, points: new Uint8Array(0) }, 6000);
  assert.equal(clouds.age(6000), 5000);
});
