// How everything is, as one colour and one sentence: what the clutch, the top of the page and a headset's board show.
// Pure.

import type { ClutchState } from "../view/clutch";
import type { LinkState } from "../link/link";
import type { Seat } from "../link/protocol";
import { NOT_CONFIRMED, type StopState } from "../../stop_sender";
import { sentence } from "../../words";

export type Tone = "idle" | "engaged" | "held" | "stopped" | "lost";

/** As in colours.css, for where no style sheet reaches. Grey: idle. Green: the arm follows. Amber: let go by itself, or not yet taken up. Red: stopped, or no link. */
export const COLOURS: Readonly<Record<Tone, string>> = {
  idle: "#6b7985", engaged: "#5fbf86", held: "#e7ae4a", stopped: "#d8322c", lost: "#f0706a",
};

export interface Facts {
  readonly link: LinkState;
  /** Of this page's own STOP. */
  readonly stop: StopState;
  /** Why everything stands, or "". */
  readonly emergency: string;
  readonly fault: boolean;
  readonly stopped: boolean;
  /** So long the main process has not answered, if that is too long [s]; Infinity: it never has. Else 0. */
  readonly hangs: number;
  readonly seat: Seat;
  readonly seatWords: string;
  readonly holder: string;
  readonly clutch: ClutchState;
  readonly reason: string;
  /** The control loop follows this hand just now. */
  readonly followed: boolean;
  /** No arm is driven, only a base. */
  readonly baseOnly: boolean;
  /** What is driven, in words: "the left arm". */
  readonly driven: string;
  readonly scale: number;
  /** Something is chosen to drive by. */
  readonly hasMaster: boolean;
  /** How one begins to move something by it, to whoever has not moved anything yet; else "". */
  readonly begin: string;
  /** Why the master does not work, or "". */
  readonly trouble: string;
  /** It was said just now that the arm rests. */
  readonly atRest: boolean;
  /** [ms] since the arm was last heard of; null: never. */
  readonly deaf: number | null;
  /** [ms] since anything was heard over the link. */
  readonly silence: number;
  /** Why nobody can drive over this link, or "". */
  readonly tooSlow: string;
  readonly holdingView: boolean;
}

export interface Shown {
  readonly tone: Tone;
  /** On the clutch. */
  readonly word: string;
  /** In a sentence. */
  readonly words: string;
  /** It tells somebody who is new here how to begin. */
  readonly isFirst?: boolean;
}

const DEAF_MS = 600;
/** So long after they were said the seat's words are news [ms]. */
const NEWS_MS = 30_000;

export function shown(facts: Facts): Shown {
  const { link, clutch, seat } = facts;
  if (facts.stop === "unconfirmed") return { tone: "lost", word: "Not confirmed", words: `${NOT_CONFIRMED}.` };
  if (facts.stop === "sent") return { tone: "held", word: "STOP sent", words: "STOP was sent; it is not confirmed yet." };
  if (link.kind === "refused") return { tone: "lost", word: "Not let in", words: sentence(link.words) };
  if (link.kind === "lost") return { tone: "lost", word: "No link", words: `No link: ${link.words}. Whether the arm moves is not known. Trying again.` };
  if (link.kind === "connecting") return { tone: "idle", word: "Connecting", words: `Connecting: ${link.words || "one moment"}…` };
  if (facts.emergency !== "") return { tone: "stopped", word: "Stopped", words: `Emergency stop: ${facts.emergency.replace(/\.$/, "")}. When all is safe, reset it.` };
  if (facts.hangs > 0) return { tone: "stopped", word: "Stopped", words: `The robot's computer has not answered${facts.hangs < Infinity ? ` for ${Math.round(facts.hangs)} s` : ""}: nothing moves until it does, and nobody hears instructions. STOP works.` };
  if (facts.stopped && (facts.deaf === null || facts.deaf <= DEAF_MS)) return { tone: "stopped", word: "Stopped", words: "The arm is stopped: the robot's computer does not answer in time. It stands until that does." }; // a stop has its own words
  if (facts.fault) return { tone: "stopped", word: "Fault", words: "The arm has a fault: say “recover” when all is safe." };
  // First: of a link that is silent the arm is not to blame.
  if (facts.silence > DEAF_MS) return { tone: "held", word: "Link silent", words: `Nothing was heard over the link for ${(facts.silence / 1000).toFixed(1)} s; what is shown is old. Whether the arm moves is not known.` };
  if (facts.deaf !== null && facts.deaf > DEAF_MS) return { tone: "held", word: "Silent", words: `Nothing was heard of the arm for ${(facts.deaf / 1000).toFixed(1)} s; what is shown is old.` };
  // Who drives no more is told why, whatever that did to the clutch.
  if (seat === "watching" && facts.seatWords !== "") return { tone: "idle", word: "Watching", words: sentence(facts.seatWords) };
  if (seat !== "watching" && facts.tooSlow !== "") return { tone: "held", word: "Too slow", words: `${sentence(facts.tooSlow)} Come nearer to the access point, or close what else uses the network.` };
  if (clutch === "broken") return { tone: "held", word: "Let go, press anew", words: `The clutch is open: ${facts.reason}. Let go and press again.` };
  if (clutch === "engaged") {
    const fine = facts.scale === 1 ? "" : ` at ${scaleWords(facts.scale)}`;
    if (!facts.followed) return { tone: "held", word: "One moment", words: "Waiting for the arm to take it up." };
    if (facts.baseOnly) return { tone: "engaged", word: "Engaged", words: "The base follows the stick." };
    return { tone: "engaged", word: "Engaged", words: facts.holdingView ? `View held${facts.atRest ? ": the arm stands still" : ""}.` : `The arm follows you${fine}.` };
  }
  if (seat === "holding") return { tone: "held", word: "Held", words: facts.seatWords || `${facts.atRest ? "The arm holds; it" : "The arm"} is still yours.` };
  if (seat === "watching") {
    const words = facts.holder === ""
      ? "Nobody drives. Tap “Let me drive”."
      : `${sentence(`${facts.holder} drives`)} Ask for the arm there, or on the console (Hand the arm over).`;
    return { tone: "idle", word: "Watching", words };
  }
  if (!facts.hasMaster) return { tone: "idle", word: "Choose", words: `You have ${facts.driven}. Tap how to move it.`, isFirst: true };
  if (facts.trouble !== "") return { tone: "held", word: "No pose", words: sentence(facts.trouble) };
  if (facts.baseOnly) return { tone: "idle", word: "Hold to move", words: "Ready: hold the clutch, then the stick." };
  if (facts.begin !== "") return { tone: "idle", word: "Hold to move", words: `Ready. ${sentence(facts.begin)}`, isFirst: true };
  return { tone: "idle", word: "Hold to move", words: `Ready: hold the clutch and move ${facts.driven}.` };
}

/** The seat's words while they are news: not when they are old, nor when the fault or the stop is gone that they may be about. */
export class SeatWords {
  private words = "";
  private at = -Infinity;
  private wasInTrouble = false;

  /** What is said of the seat now. The same words again, as a new link has them, are no news. */
  take(words: string, now: number): void {
    if (words === "" || words === this.words) return;
    this.words = words;
    this.at = now;
  }

  /** What to show of what is said now. inTrouble: the arm has a fault, or everything is stopped. */
  look(words: string, inTrouble: boolean, now: number): string {
    if (this.wasInTrouble && !inTrouble) this.at = -Infinity;
    this.wasInTrouble = inTrouble;
    return now - this.at < NEWS_MS ? words : "";
  }
}

/** What the button says with which a page without a link tries again. */
export function againWords(link: LinkState): string {
  return link.kind === "refused" && link.wayIn === "here" ? "Drive here instead" : "Try now";
}

/** Whether this device is not let in and has to be paired anew: it has no session, so nothing that it sends is taken. */
export function needsCode(link: LinkState): boolean {
  return link.kind === "refused" && link.wayIn === "code";
}

/** "1 : 4", "2 : 1"; what is no whole number either way as a share: "30 %". */
export function scaleWords(scale: number): string {
  const parts = scale >= 1 ? scale : 1 / scale;
  if (Math.abs(parts - Math.round(parts)) > 0.01) return `${Math.round(scale * 100)} %`;
  return scale >= 1 ? `${Math.round(parts)} : 1` : `1 : ${Math.round(parts)}`;
}
