// What this page drives, why it may not move anything now, and which of the robot's words are about it. Pure.
//
// A hand that drives only a base has no arm: nothing is told of a base but words.

import type { ArmState } from "./link/packets";
import { SILENCE_MS, type Driven, type HandSide, type Health, type Line, type Seat } from "./link/protocol";
import { DEAF_MS } from "./view/clutch";

export interface Circumstances {
  readonly connected: boolean;
  readonly seen: boolean;
  readonly seat: Seat;
  /** Why everything stands, or "". */
  readonly emergency: string;
  readonly driven: readonly Driven[];
  /** Of the driven arm, and how old that is [ms]; null: nothing. */
  readonly arm: { readonly state: Pick<ArmState, "stopped" | "fault">; readonly age: number } | null;
  /** Since anything was heard over the link [ms]. */
  readonly silence: number;
  /** Why nobody can drive over this link, or "". */
  readonly tooSlow: string;
}

/** Why this page may not move anything now; "" if it may. */
export function hindrance({ connected, seen, seat, emergency, driven, arm, silence, tooSlow }: Circumstances): string {
  if (!connected) return "there is no link";
  if (!seen) return "the page is not seen";
  if (seat === "watching") return "you are watching; say “let me drive”";
  if (emergency !== "") return "everything is stopped";
  // Of the robot nothing else is known then: it is the link that is silent, as far as anybody here can tell.
  if (silence > DEAF_MS) return `nothing was heard over the link for ${Math.round(silence)} ms`;
  if (tooSlow !== "") return tooSlow;
  if (drivesBaseOnly(driven)) return "";
  if (arm === null) return "nothing is known of the arm yet";
  if (arm.age > DEAF_MS) return `nothing was heard of the arm for ${Math.round(arm.age)} ms`;
  if (arm.state.stopped) return "the arm is stopped";
  return arm.state.fault ? "the arm has a fault" : "";
}

/** Why nobody can drive over a link like this; "" if one can. */
export function whyTooSlow(health: Pick<Health, "quality" | "pose_age_ms"> | null): string {
  if (health?.quality !== "too_slow") return "";
  return `the link is too slow to drive: your hand's poses come ${Math.round(health.pose_age_ms ?? 0)} ms late, at most ${SILENCE_MS} ms may pass`;
}

export function drivesBaseOnly(driven: readonly Driven[]): boolean {
  return driven.length > 0 && driven.every(({ arm }) => arm === "");
}

/** Whether a stick moves anything. */
export function drivesBase(driven: readonly Driven[]): boolean {
  return driven.some(({ base }) => base !== "");
}

/** Whether the gripper's button moves anything: one that is dead, or another's, is not driven. */
export function drivesGripper(driven: readonly Driven[]): boolean {
  return driven.some(({ gripper }) => gripper !== "");
}

/** In words: "the left arm", "the right arm and the left arm", "the arm and the base"; "" if nothing is. */
export function whatIsDriven(driven: readonly Driven[]): string {
  const devices = [...driven.map(({ arm }) => arm), ...driven.map(({ base }) => base)].filter(Boolean);
  return [...new Set(devices)].map((device) => `the ${plain(device)}`).join(" and ");
}

/** Device of the arm that a hand drives; null: none. "" while nothing is driven: the first will do. */
export function armOf(side: HandSide, driven: readonly Driven[]): string | null {
  if (driven.length === 0) return "";
  return driven.find((each) => each.side === side)?.arm || null;
}

/** Why what this hand drives holds, if the line says that; else "". */
export function whyItHolds(line: Pick<Line, "subject" | "device" | "why">, { arm, base }: Driven): string {
  return line.subject === "holds" && line.device === (arm || base) ? line.why : "";
}

/** A device's name as people are told it (resources/types/naming.py). */
function plain(device: string): string {
  const words = device.toLowerCase().split(/[_\s]+/).filter(Boolean);
  return (words.length > 1 && ["the", "a", "an", "my", "your"].includes(words[0]!) ? words.slice(1) : words).join(" ");
}
