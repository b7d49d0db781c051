// The line where instructions are given: Enter sends; with no list open, arrow up and down go through what was
// sent before.

import { h } from "../../elements";
import { InstructionBox, type Complete } from "./instruction_box";

const REMEMBERED = 100;
const STORE = "pilothouse.said";

export class CommandLine {
  readonly element: HTMLFormElement;
  private readonly box: InstructionBox;
  private readonly hints = h("div", { class: "hints" });
  private readonly said: string[] = remembered();
  private at = this.said.length;
  private draft = "";

  constructor(
    private readonly onSay: (text: string) => void,
    complete: Complete,
    others: readonly Node[] = [],
  ) {
    this.box = new InstructionBox({
      id: "say",
      label: "Instruction",
      placeholder: "Type what you want, or press ↓",
      complete,
      onSubmit: (text) => this.say(text),
    });
    const send = h("button", { class: "send", attributes: { type: "submit" } }, "Send");
    this.element = h("form", { class: "command-line" }, this.hints, this.box.element, send, ...others);
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.box.submit();
    });
    this.box.input.addEventListener("keydown", (event) => this.onKey(event));
  }

  /** Instructions to try, as buttons. */
  showHints(hints: readonly string[]): void {
    this.hints.replaceChildren(
      ...hints.map((text) => h("button", { class: "chip", attributes: { type: "button" }, onclick: () => this.say(text) }, text)),
    );
  }

  /** What is being said, as far as it is understood, in place of what stands in the box; null: nobody talks. */
  showHeard(text: string | null): void {
    this.box.showHeard(text);
  }

  focus(): void {
    this.box.input.focus();
  }

  private say(words: string): void {
    if (this.said.at(-1) !== words) this.said.push(words);
    this.said.splice(0, this.said.length - REMEMBERED);
    this.at = this.said.length;
    this.draft = "";
    this.box.value = "";
    remember(this.said);
    this.onSay(words);
  }

  private onKey(event: KeyboardEvent): void {
    if (event.defaultPrevented || this.box.isOpen) return; // the list's
    const step = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    if (step === 0) return;
    event.preventDefault();
    if (step === 1 && this.at === this.said.length) {
      this.box.askSoon(); // there is nothing later: what could follow?
      return;
    }
    if (this.at === this.said.length) this.draft = this.box.value;
    this.at = Math.max(0, Math.min(this.said.length, this.at + step));
    this.box.value = this.said[this.at] ?? this.draft;
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
