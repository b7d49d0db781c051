// Gestures: a button that switches them on and off, and while they are on what the camera sees, what is read of it, and
// what is wrong.

import { h, setAttribute, setText } from "../../elements";
import type { GesturesSeen, HandShown, HandsSeen, Reply } from "../../protocol";
import { asWords, sentence } from "../../words";
import { HandTracker, type Look } from "../hands/hand_tracker";
import { placed, rounded, type Point } from "../hands/placed";

export interface HandsActions {
  /** Tell the robot that hands are coming, or not any more. */
  readonly watch: (isOn: boolean) => Promise<Reply>;
  /** One picture's hands; never waits. */
  readonly see: (seen: Omit<HandsSeen, "id" | "type">) => void;
}

/** Of a hand's points, which are joined by bones. */
const BONES: readonly (readonly [number, number])[] = [
  [0, 1], [1, 2], [2, 3], [3, 4], [0, 5], [5, 6], [6, 7], [7, 8], [5, 9], [9, 10], [10, 11], [11, 12],
  [9, 13], [13, 14], [14, 15], [15, 16], [13, 17], [0, 17], [17, 18], [18, 19], [19, 20],
];
const WIDTH = 240;
/** Of so many pictures the tracker's time is told: their median. The first one takes it ten times as long. */
const TOOK = 15;
/** Where the tracker takes longer for a picture, holding takes longer, and soon nothing counts [ms]. */
const SLOW_MS = 350;
const MEANINGS: Readonly<Record<string, string>> = {
  open_palm: "what moves rests",
  fist: "everything rests",
  thumb_up: "yes, if you are asked",
  thumb_down: "no, if you are asked",
};
const TROUBLE: Readonly<Record<string, string>> = {
  silent: "No pictures come: nothing counts.",
  frozen: "The camera gives the same picture again and again: nothing counts.",
  too_slow: "Pictures come more than half a second apart, or so late: nothing counts. Close other programs.",
  unreadable: "What comes is no hand: nothing counts.",
  unread: "Nobody reads your hands just now, that is started again: nothing counts.",
};

export class HandsPanel {
  readonly button: HTMLButtonElement;
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { class: "hands-picture", attributes: { role: "img", "aria-label": "Your camera, as a mirror" } });
  private readonly words = h("p", { class: "hands-words", attributes: { role: "status" } });
  private readonly list = h("ul", { class: "hands-list" });
  private readonly cost = h("p", { class: "hands-cost" });
  private tracker: HandTracker | null = null;
  private took: readonly number[] = [];
  private tookMs = NaN;

  constructor(private readonly actions: HandsActions) {
    this.button = h("button", { class: "small hands-button", title: "Show gestures to your camera; its pictures stay in this page",
      attributes: { type: "button", "aria-pressed": "false" }, onclick: () => void this.toggle() }, "Gestures");
    this.element = h("section", { class: "hands", attributes: { "aria-label": "Gestures" } },
      this.canvas, this.words, this.list, this.cost);
    this.element.hidden = true;
    document.addEventListener("visibilitychange", () => {
      if (this.tracker !== null && document.hidden) this.say("The page is in the background: nothing counts.");
    });
  }

  /** The server is there again, and knows nothing of what was on before. */
  connected(): void {
    if (this.tracker !== null) void this.begin(this.tracker);
  }

  /** What the server reads. */
  show(seen: GesturesSeen): void {
    if (this.tracker === null) return;
    if (!seen.is_on) {
      if (seen.why !== "") this.end(seen.why);
      return;
    }
    if (this.took.length === 0) return; // it is loaded still
    const isSlow = this.took.length === TOOK && this.tookMs > SLOW_MS;
    const slow = `The hand tracker is slow here (${Math.round(this.tookMs)} ms a picture): hold gestures longer, or close other programs.`;
    this.say(TROUBLE[seen.trouble] ?? (isSlow ? slow : seen.hands.length === 0 ? "Show a hand." : ""));
    this.list.replaceChildren(...seen.hands.map(line));
  }

  private async toggle(): Promise<void> {
    if (this.tracker !== null) {
      this.end("");
      return;
    }
    const tracker = new HandTracker({ seen: (look) => this.seen(tracker, look), failed: (why) => this.end(why) });
    this.tracker = tracker;
    this.took = [];
    this.tookMs = NaN;
    setAttribute(this.button, "aria-pressed", "true");
    this.element.hidden = false;
    this.canvas.hidden = true;
    this.list.replaceChildren();
    setText(this.cost, "");
    this.say("Asking for the camera …");
    try {
      await tracker.start();
    } catch (error) {
      if (this.tracker === tracker) this.end(error instanceof Error ? error.message : String(error));
      else tracker.stop();
      return;
    }
    if (this.tracker !== tracker) {
      tracker.stop(); // switched off meanwhile
      return;
    }
    this.say("Loading the hand tracker …");
    await this.begin(tracker);
  }

  private async begin(tracker: HandTracker): Promise<void> {
    const reply = await this.actions.watch(true);
    if (!reply.ok && this.tracker === tracker) this.say(sentence(reply.text)); // without a connection it begins with the next one
  }

  /** why: in words, "" if it was switched off. */
  private end(why: string): void {
    this.tracker?.stop();
    if (this.tracker !== null) void this.actions.watch(false);
    this.tracker = null;
    setAttribute(this.button, "aria-pressed", "false");
    this.element.hidden = why === "";
    this.canvas.hidden = true;
    this.list.replaceChildren();
    setText(this.cost, "");
    this.say(why === "" ? "" : `Gestures are off: ${sentence(why)}`);
  }

  private say(words: string): void {
    setText(this.words, words);
    this.words.hidden = words === "";
  }

  private seen(tracker: HandTracker, look: Look): void {
    const hands = look.hands.flatMap(({ side, confidence, shape, picture }) => {
      const points = placed(shape, picture, look.width, look.height);
      return points === null ? [] : [{ side, confidence, points: rounded(points) }];
    });
    this.actions.see({ age_ms: performance.now() - look.takenAt, hands });
    this.took = [...this.took, look.tookMs].slice(-TOOK);
    this.tookMs = median(this.took);
    setText(this.cost, `${Math.round(this.tookMs)} ms a picture`);
    setAttribute(this.cost, "data-hand-ms", this.tookMs.toFixed(1));
    this.draw(tracker, look);
  }

  /** As a mirror, with what the tracker has found. */
  private draw(tracker: HandTracker, look: Look): void {
    const height = Math.round((WIDTH * look.height) / look.width);
    this.canvas.hidden = false;
    if (this.canvas.width !== WIDTH) this.canvas.width = WIDTH;
    if (this.canvas.height !== height) this.canvas.height = height;
    const context = this.canvas.getContext("2d");
    if (context === null) return;
    context.setTransform(-1, 0, 0, 1, WIDTH, 0);
    context.drawImage(tracker.video, 0, 0, WIDTH, height);
    context.lineWidth = 2;
    for (const { picture } of look.hands) {
      const at = ([x, y]: Point): [number, number] => [x * WIDTH, y * height];
      context.strokeStyle = "#4ec9b0";
      context.beginPath();
      for (const [from, to] of BONES) {
        const [one, other] = [picture[from], picture[to]];
        if (one === undefined || other === undefined) continue;
        context.moveTo(...at(one));
        context.lineTo(...at(other));
      }
      context.stroke();
    }
  }
}

function line({ side, kind, held }: HandShown): HTMLElement {
  const meaning = MEANINGS[kind];
  const words = kind === "none" ? `${sideInWords(side)}: no gesture` : `${sideInWords(side)}: ${asWords(kind)}${meaning === undefined ? "" : ` (${meaning})`}`;
  const row = h("li", { class: "hands-hand" }, h("span", {}, words));
  if (meaning !== undefined) row.append(h("progress", { attributes: { max: "1", value: held.toFixed(2), "aria-label": "held" } }));
  return row;
}

function sideInWords(side: string): string {
  return side === "left" ? "Left hand" : "Right hand";
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? NaN;
}
