// Hold to talk: a button, or F2, held down; what is heard is shown while it is said.

import { h, setText } from "../elements";
import { HoldButton } from "../hold_button";
import { Microphone } from "./microphone";
import { STARTS, Talker, type Shown, type TalkWays } from "./talker";

const KEY = "F2";
/** What takes half a minute at most is told only if it takes longer than this. */
const TOLD_AFTER_MS = 1500;

export interface TalkActions extends Pick<TalkWays, "sound" | "stopped"> {
  /** As `TalkWays.begin`. track: what the microphone gives meanwhile. */
  begin(talk: number, track: MediaStreamTrack | null): ReturnType<TalkWays["begin"]>;
  /** What is being said, as far as it is understood; null: nobody talks. */
  readonly onText: (text: string | null) => void;
  /** Whether somebody talks now. */
  readonly onTalking: (isTalking: boolean) => void;
  /** What people are to be told; "": nothing any more. */
  readonly onWords: (words: string) => void;
}

export class TalkButton {
  readonly element: HTMLButtonElement;
  readonly talker: Talker;
  private readonly level = h("span", { class: "talk-level", attributes: { "aria-hidden": "true" } });
  private readonly name = h("span", { class: "talk-name" }, "Talk");
  private readonly button: HoldButton;
  private isKeyHeld = false;
  private startingSince = 0;
  private told = "";

  /** face: what stands on it; without one its name, and what it does. */
  constructor(private readonly actions: TalkActions, face?: Node) {
    const microphone = new Microphone({
      onSound: (captured) => this.talker.captured(captured),
      onGone: (why) => this.talker.gone(why),
    });
    this.talker = new Talker({ microphone, begin: (talk) => actions.begin(talk, microphone.track), sound: actions.sound, stopped: actions.stopped, show: (shown) => this.show(shown) });
    this.button = new HoldButton("talk", (_, isCancelled) => this.changed(isCancelled), this.level, ...(face === undefined ? [this.name, h("span", { class: "talk-key" }, KEY)] : [face]));
    this.element = this.button.element;
    this.element.title = `Hold to talk (or hold ${KEY}): let go when all is said`;
    this.element.setAttribute("aria-label", "Hold to talk");
    this.element.setAttribute("aria-keyshortcuts", KEY);
    addEventListener("keydown", (event) => this.onKey(event, true));
    addEventListener("keyup", (event) => this.onKey(event, false));
    addEventListener("blur", () => this.leave("You have left this page while you talked: nothing of it is done. Say it again."));
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.leave("This page was hidden while you talked: nothing of it is done. Say it again.");
    });
    addEventListener("pagehide", () => this.leave(""));
  }

  private onKey(event: KeyboardEvent, isDown: boolean): void {
    if (event.code !== KEY || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) {
      if (event.code !== KEY || isDown) return; // let go with another key down is let go
    }
    event.preventDefault();
    if (event.repeat) return;
    this.isKeyHeld = isDown;
    this.changed();
  }

  private changed(isCancelled = false): void {
    if (this.button.isHeld || this.isKeyHeld) void this.talker.press();
    else if (isCancelled) this.talker.breakOff("The button was taken from you: nothing of this is done. Say it again.");
    else this.talker.release();
  }

  private leave(words: string): void {
    this.isKeyHeld = false;
    this.talker.breakOff(words);
    this.button.letGo();
  }

  private show({ state, text, words, hint, level }: Shown): void {
    this.element.dataset["state"] = state;
    this.actions.onTalking(state !== "idle");
    this.level.style.setProperty("--level", level.toFixed(2));
    setText(this.name, { idle: "Talk", opening: "Opening…", starting: "Talking…", listening: "Talking…", ending: "Talking…" }[state]);
    if (state !== "starting") this.startingSince = 0;
    else this.startingSince ||= performance.now();
    const takesLong = this.startingSince > 0 && performance.now() - this.startingSince > TOLD_AFTER_MS;
    const telling = words !== "" ? words : hint !== "" ? hint : takesLong ? STARTS : "";
    if (telling !== this.told) this.actions.onWords(telling);
    this.told = telling;
    this.actions.onText(state === "idle" && text === "" ? null : text);
  }
}
