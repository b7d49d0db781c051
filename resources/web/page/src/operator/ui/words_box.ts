// Instructions in words: typed, or said while the button is held; and "carry on" as a button. On a phone the line to
// type on is there while it is wanted: it covers the picture.

import { h, setText, svg } from "../../elements";
import { MAX_WORDS, type Following } from "../link/protocol";
import { TalkButton, type TalkActions } from "../../sound/talk_button";
import type { Talker } from "../../sound/talker";

const SAY = "Say what to do";
const CARRY_ON = "Carry on";
/** So long what the button does is new to whoever is about to press it [ms]. */
const TO_READ_MS = 700;
const MOST_NAMED = 2;

export class WordsBox {
  readonly element: HTMLElement;
  /** Carry on, speak, type: a row that is always there. */
  readonly quick: HTMLElement;
  private readonly input: HTMLInputElement;
  private readonly carryOn: HTMLButtonElement;
  private readable: number | undefined;
  /** What stood there when somebody began to talk. */
  private draft = "";

  readonly talker: Talker;

  /** say: an instruction that is whole. ways: of what is said. note: something that did not work, in words. held: whether somebody talks. */
  constructor(private readonly say: (text: string) => void, ways: Pick<TalkActions, "begin" | "sound" | "stopped">, note: (words: string) => void,
    held: (isTalking: boolean) => void) {
    this.input = h("input", {
      class: "instruction",
      attributes: {
        type: "text", placeholder: SAY, "aria-label": "Instruction", enterkeyhint: "send", autocomplete: "off",
        autocapitalize: "off", maxlength: String(MAX_WORDS),
      },
    });
    const talk = new TalkButton({
      ...ways,
      onText: (text) => this.hear(text),
      onTalking: held,
      onWords: (words) => {
        if (words !== "") note(words);
      },
    }, microphone());
    this.talker = talk.talker;
    const send = h("button", { class: "send", attributes: { type: "submit", "aria-label": "Send" } }, "➤");
    const form = h("form", { class: "words" }, this.input, send);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
      this.input.blur(); // the keyboard of a phone goes, the picture comes back
    });
    this.element = form;
    this.carryOn = h("button", { class: "carry-on", attributes: { type: "button" }, onclick: () => this.say(CARRY_ON.toLowerCase()) }, CARRY_ON);
    const type = h("button", { class: "say", attributes: { type: "button" }, onclick: () => this.open(!this.isOpen) }, "Type…");
    this.quick = h("div", { class: "quick" }, this.carryOn, talk.element, type);
  }

  private get isOpen(): boolean {
    return this.element.classList.contains("open");
  }

  /** types: a phone raises its keyboard for that. */
  private open(isOpen: boolean, types = isOpen): void {
    this.element.classList.toggle("open", isOpen);
    if (types) this.input.focus();
  }

  /** Who drives ends that by the same words that let others carry on; what would move by that is on the button. */
  show(drives: boolean, then: readonly Following[], name: string): void {
    const text = `${drives ? `Done: ${CARRY_ON.toLowerCase()}` : CARRY_ON}${thenWords(then, name)}`;
    if (text === this.carryOn.textContent) return;
    setText(this.carryOn, text);
    // A finger that was on its way meant what stood there before.
    this.carryOn.disabled = true;
    clearTimeout(this.readable);
    this.readable = window.setTimeout(() => (this.carryOn.disabled = false), TO_READ_MS);
  }

  /** Show in grey what is being said, as far as it is understood; null: nobody talks. */
  private hear(text: string | null): void {
    const { input } = this;
    if ((text !== null) !== input.readOnly) {
      input.readOnly = text !== null;
      this.draft = text !== null ? input.value : this.draft;
      input.value = text !== null ? "" : this.draft;
      this.open(text !== null || input.value !== "", false);
    }
    input.placeholder = text ?? SAY;
  }

  private send(): void {
    if (this.input.readOnly) return;
    const text = this.input.value.trim();
    this.open(false);
    if (text === "") return;
    this.input.value = "";
    this.say(text);
  }
}

/** ", then “go home”, as phone 2 asked": what moves after it, for whoever reads this; "" if nothing does. */
export function thenWords(then: readonly Following[], name: string): string {
  if (then.length === 0) return "";
  const named = then.slice(0, MOST_NAMED).map(({ words, who }) => `“${words}”${who === "" || who === name ? "" : `, as ${who} asked`}`);
  const more = then.length - named.length;
  return `, then ${named.join(" and ")}${more === 0 ? "" : ` and ${more} more`}`;
}

function microphone(): SVGSVGElement {
  return svg("svg", { class: "icon", attributes: { viewBox: "0 0 24 24", "aria-hidden": "true" } },
    svg("rect", { attributes: { x: "9", y: "3", width: "6", height: "11", rx: "3" } }),
    svg("path", { attributes: { d: "M5 11a7 7 0 0 0 14 0M12 18v3" } }));
}
