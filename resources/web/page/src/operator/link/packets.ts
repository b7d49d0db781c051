// The two binary packets of the channel "hands". Layout: resources/operator/packets.py, its other half; a test reads
// here what was written there.

import type { Side } from "../masters/master";
import type { Six } from "../view/derivatives";
import { fromSeven, type Pose } from "../view/pose";
import { HAND_BYTES, HAND_MAGIC, LONGEST_MS, MOST_AHEAD_MS, OLDEST_MS, PACKET_VERSION, STATE_BYTES, STATE_MAGIC } from "./protocol";

export interface Hand {
  readonly side: Side;
  readonly tracked: boolean;
  readonly scale: number;
  /** When the pose was measured [ms], this page's clock. */
  readonly taken: number;
  readonly number: number;
  readonly engagement: number;
  readonly grips: number;
  readonly pose: Pose;
  readonly twist: Six;
  readonly acceleration: Six;
  readonly stick: readonly [number, number, number];
}

/** What stands in a packet besides the hand. Times [ms]. */
export interface Sending {
  /** The first four bytes of the session's id as a number. */
  readonly check: number;
  /** This page's clock. */
  readonly sent: number;
  /** `now` of the newest state, 0 before the first, and when that came. */
  readonly echo: number;
  readonly echoCame: number;
}

export interface ArmState {
  readonly index: number;
  readonly fault: boolean;
  readonly stopped: boolean;
  readonly atRest: boolean;
  readonly contact: boolean;
  /** Driven by this session. */
  readonly driven: boolean;
  /** A hand moves it, whosever. */
  readonly moved: boolean;
  /** The operator process's clock [ms]. */
  readonly now: number;
  /** When the newest hand it had was sent [ms, this page's clock; 0: none], and how long it had held that. */
  readonly echo: number;
  readonly held: number;
  readonly number: number;
  readonly engaged: number;
  readonly knocks: number;
  readonly knock: number;
  readonly press: number;
  /** Age of the arm's sample [ms]. */
  readonly age: number;
  readonly q: readonly number[];
  /** At the tool, in the base's axes [N, N m]. */
  readonly wrench: Six;
  readonly base_T_tool: Pose;
  readonly base_T_target: Pose;
  /** Age of the newest hand's pose as the process sees it [ms]; negative before the first. */
  readonly handAge: number;
}

export function encodeHand(hand: Hand, { check, sent, echo, echoCame }: Sending): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(HAND_BYTES));
  view.setUint8(0, HAND_MAGIC);
  view.setUint8(1, PACKET_VERSION);
  view.setUint8(2, hand.side === "right" ? 0 : 1);
  view.setUint8(3, hand.tracked ? 1 : 0);
  view.setFloat32(4, hand.scale, true);
  view.setFloat64(8, sent, true);
  view.setUint32(16, hand.number, true);
  view.setUint32(20, hand.engagement, true);
  view.setUint32(24, hand.grips, true);
  const { p, q } = hand.pose;
  putFloats(view, 28, [...p, ...q]);
  putFloats(view, 56, hand.twist);
  putFloats(view, 80, hand.acceleration);
  putFloats(view, 104, hand.stick);
  view.setUint32(116, check, true);
  view.setFloat64(120, echo, true);
  view.setFloat32(128, echo > 0 ? Math.min(LONGEST_MS, sent - echoCame) : 0, true);
  view.setFloat32(132, Math.max(-MOST_AHEAD_MS, Math.min(OLDEST_MS, sent - hand.taken)), true);
  return view.buffer;
}

/** What the hands of one moment say, in one message. */
export function encodeHands(hands: readonly Hand[], sending: Sending): ArrayBuffer {
  const message = new Uint8Array(hands.length * HAND_BYTES);
  hands.forEach((hand, index) => message.set(new Uint8Array(encodeHand(hand, sending)), index * HAND_BYTES));
  return message.buffer;
}

/** Throws an Error with words if it is no state. */
export function decodeState(data: ArrayBuffer): ArmState {
  if (data.byteLength !== STATE_BYTES) throw new Error(`a state of ${data.byteLength} bytes should have ${STATE_BYTES}`);
  const view = new DataView(data);
  const [kind, version] = [view.getUint8(0), view.getUint8(1)];
  if (kind !== STATE_MAGIC || version !== PACKET_VERSION) throw new Error(`packet ${kind} of version ${version} is no state of version ${PACKET_VERSION}`);
  const bits = view.getUint8(3);
  const bit = (number: number): boolean => (bits & (1 << number)) !== 0;
  return {
    index: view.getUint8(2),
    fault: bit(0), stopped: bit(1), atRest: bit(2), contact: bit(3), driven: bit(4), moved: bit(5),
    now: view.getFloat64(8, true),
    echo: view.getFloat64(16, true),
    held: view.getFloat32(24, true),
    number: view.getUint32(4, true),
    engaged: view.getUint32(28, true),
    knocks: view.getUint32(32, true),
    knock: view.getFloat32(36, true),
    press: view.getFloat32(40, true),
    age: view.getFloat32(44, true),
    q: floats(view, 48, 7),
    wrench: floats(view, 76, 6) as unknown as Six,
    base_T_tool: fromSeven(floats(view, 100, 7)),
    base_T_target: fromSeven(floats(view, 128, 7)),
    handAge: view.getFloat32(156, true),
  };
}

/** What stands in each HandPacket of a session: the first four bytes of its id. */
export function checkOf(session: string): number {
  const bytes = new TextEncoder().encode(session.padEnd(4, "\0"));
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
}

function putFloats(view: DataView, at: number, values: readonly number[]): void {
  values.forEach((value, index) => view.setFloat32(at + 4 * index, value, true));
}

function floats(view: DataView, at: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => view.getFloat32(at + 4 * index, true));
}
