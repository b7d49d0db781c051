// Push-to-talk: what becomes of pressing and letting go. Knows neither browser nor buttons.
//
// Letting go says that all is said; whatever else ends a talk breaks it off, and then nothing of it is done.

import type { Heard as ToldHeard, Reply } from "../protocol";
import type { Captured } from "./capture_worklet";
import { loudness } from "./blocks";
import type { SoundBlock } from "./packets";

/** What a server says of a talk, whichever of both it is. */
export type Heard = Omit<ToldHeard, "type">;

/** People let go a little before the end of the last word. */
const TAIL_MS = 250;
/** Digital silence for so long is no quiet room [blocks of 32 ms]. */
const MUTED_AFTER = 40;

export interface TalkWays {
  /** The microphone, as in sound/microphone.ts. */
  readonly microphone: { readonly isOpen: boolean; ready(): Promise<void>; begin(): void; end(): void };
  /** Tell the server that a talk begins; it says whether it may. */
  begin(talk: number): Promise<Pick<Reply, "ok" | "text">>;
  /** Send a block; false if there is no connection. What waits too long is not sent, and its number is missing. */
  sound(block: SoundBlock): boolean;
  /** Nothing more of this talk is sent, though its microphone may give more. */
  stopped(talk: number): void;
  show(shown: Shown): void;
}

export type TalkState = "idle" | "opening" | "starting" | "listening" | "ending";

export interface Shown {
  readonly state: TalkState;
  /** What is being said, as far as it is understood. */
  readonly text: string;
  /** What people are to be told. */
  readonly words: string;
  /** What is wrong with the sound, if anything. */
  readonly hint: string;
  /** How loud it is, 0 … 1. */
  readonly level: number;
}

export const STARTS = "The recogniser starts; the first time that takes half a minute. Nothing you say is lost, but what is understood too late is not done.";
export const ALLOWED = "The microphone is open now: hold the button and speak.";
export const MUTED = "Your microphone gives silence only: is it muted?";
export const TOO_LOUD = "That is too loud for your microphone: speak from further off.";
export const NOT_CONNECTED = "There is no connection: nothing of this is done.";

const IDLE: Shown = { state: "idle", text: "", words: "", hint: "", level: 0 };

export class Talker {
  private shown: Shown = IDLE;
  private talk = 0;
  private sequence = 0;
  private tail: ReturnType<typeof setTimeout> | undefined;
  /** What the microphone still gives of a talk that is over. */
  private drops = false;
  private silent = 0;
  private isHeld = false;

  constructor(private readonly ways: TalkWays) {}

  get isTalking(): boolean {
    return this.shown.state === "starting" || this.shown.state === "listening" || this.shown.state === "ending";
  }

  async press(): Promise<void> {
    if (this.isHeld) return;
    this.isHeld = true;
    if (this.shown.state === "ending") { // they go on
      clearTimeout(this.tail);
      this.show({ state: "listening" });
      return;
    }
    if (this.shown.state !== "idle") return;
    if (!this.ways.microphone.isOpen && !(await this.opens())) return;
    this.begin();
  }

  /** All is said. */
  release(): void {
    this.isHeld = false;
    if (this.shown.state !== "starting" && this.shown.state !== "listening") return;
    this.show({ state: "ending", level: 0 });
    this.tail = setTimeout(() => this.ways.microphone.end(), TAIL_MS);
  }

  /** It ends, and not because all was said. */
  breakOff(words: string): void {
    this.isHeld = false;
    if (!this.isTalking) return;
    this.ways.sound({ talk: this.talk, sequence: this.sequence, samples: new Int16Array(0), ending: "broken off" });
    this.stop(words);
  }

  /** What the microphone gives. */
  captured({ samples, isLast }: Captured): void {
    if (this.drops || !this.isTalking) {
      this.drops &&= !isLast;
      return;
    }
    const number = this.sequence;
    this.sequence += 1;
    if (!this.ways.sound({ talk: this.talk, sequence: number, samples, ending: isLast ? "last" : "" })) {
      this.stop(NOT_CONNECTED);
      this.drops = !isLast;
      return;
    }
    if (isLast) {
      this.show({ state: "idle", level: 0 });
      return; // its hint stays: it may be why nothing comes of it
    }
    const { level, isClipped, isSilent } = loudness(samples);
    this.silent = isSilent ? this.silent + 1 : 0;
    const hint = this.silent > MUTED_AFTER ? MUTED : isClipped ? TOO_LOUD : isSilent || this.shown.hint === MUTED ? "" : this.shown.hint;
    if (this.shown.state !== "ending") this.show({ level, hint });
  }

  /** The microphone has gone. */
  gone(why: string): void {
    this.breakOff(sentence(why));
    this.drops = false;
  }

  /** What the server says of a talk. */
  heard({ talk, state, text, words }: Heard): void {
    if (talk !== this.talk) return;
    if (state === "over" && words !== "" && this.isTalking) this.stop(sentence(words));
    else {
      const now = state === "listening" && this.shown.state === "starting" ? "listening" : this.shown.state;
      this.show({ state: now, text, words: words === "" ? this.shown.words : sentence(words) });
    }
  }

  private async opens(): Promise<boolean> {
    this.show({ ...IDLE, state: "opening" });
    try {
      await this.ways.microphone.ready();
    } catch (error) {
      this.show({ ...IDLE, words: sentence(error instanceof Error ? error.message : String(error)) });
      return false;
    }
    this.show({ ...IDLE, words: this.isHeld ? "" : ALLOWED }); // asked for it, they let go
    this.drops = false;
    return this.isHeld;
  }

  private begin(): void {
    this.talk += 1;
    this.sequence = this.silent = 0;
    const talk = this.talk;
    this.show({ ...IDLE, state: "starting" });
    this.ways.microphone.begin();
    void this.ways.begin(talk).then(({ ok, text }) => {
      if (!ok && talk === this.talk && this.isTalking) this.stop(sentence(text));
    });
  }

  /** Nothing more of it is sent. */
  private stop(words: string): void {
    clearTimeout(this.tail);
    this.drops = true;
    this.ways.microphone.end();
    this.ways.stopped(this.talk);
    this.show({ ...IDLE, words });
  }

  private show(change: Partial<Shown>): void {
    this.shown = { ...this.shown, ...change };
    this.ways.show(this.shown);
  }
}

function sentence(words: string): string {
  const first = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
