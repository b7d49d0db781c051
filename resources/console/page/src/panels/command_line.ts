// The text box: Enter sends, arrow up and down go through what was sent before.

import { h } from "../elements";
import { MAX_TEXT_CHARS } from "../protocol";

const REMEMBERED = 100;
const STORE = "pilothouse.said";

export class CommandLine {
  readonly element: HTMLFormElement;
  private readonly input: HTMLInputElement;
  private readonly hints = h("div", { class: "hints" });
  private readonly said: string[] = remembered();
  private at = this.said.length;
  private draft = "";

  constructor(private readonly onSay: (text: string) => void) {
    this.input = h("input", {
      id: "say",
      attributes: {
        type: "text",
        maxlength: String(MAX_TEXT_CHARS),
        placeholder: "Type what you want",
        "aria-label": "Instruction",
        autocomplete: "off",
        autocapitalize: "off",
        spellcheck: "false",
        enterkeyhint: "send",
      },
    });
    const send = h("button", { class: "send", attributes: { type: "submit" } }, "Send");
    this.element = h("form", { class: "command-line" }, this.hints, this.input, send);
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.say(this.input.value);
    });
    this.input.addEventListener("keydown", (event) => this.onKey(event));
  }

  /** Instructions to try, as buttons. */
  showHints(hints: readonly string[]): void {
    this.hints.replaceChildren(
      ...hints.map((text) => h("button", { class: "chip", attributes: { type: "button" }, onclick: () => this.say(text) }, text)),
    );
  }

  focus(): void {
    this.input.focus();
  }

  private say(text: string): void {
    const words = text.trim();
    if (words === "") return;
    if (this.said.at(-1) !== words) this.said.push(words);
    this.said.splice(0, this.said.length - REMEMBERED);
    this.at = this.said.length;
    this.draft = "";
    this.input.value = "";
    remember(this.said);
    this.onSay(words);
  }

  private onKey(event: KeyboardEvent): void {
    const step = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    if (step === 0) return;
    event.preventDefault();
    if (this.at === this.said.length) this.draft = this.input.value;
    this.at = Math.max(0, Math.min(this.said.length, this.at + step));
    this.input.value = this.said[this.at] ?? this.draft;
    this.input.setSelectionRange(this.input.value.length, this.input.value.length);
  }
}

// A browser may forbid storage; then nothing is remembered over a reload, and that is all.
function remembered(): string[] {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(STORE) ?? "[]");
    return Array.isArray(found) ? found.filter((text) => typeof text === "string") : [];
  } catch {
    return [];
  }
}

function remember(said: readonly string[]): void {
  try {
    sessionStorage.setItem(STORE, JSON.stringify(said));
  } catch {
    return;
  }
}
