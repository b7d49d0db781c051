// A text box for instructions that says what could follow: an ARIA combobox with a list of options.
//
// While the list is open: arrows choose, Tab takes (the first one if none is chosen), Enter takes what is
// chosen and sends otherwise, Escape closes. Escape goes on to the page: twice is the emergency stop, list or not.
// In an empty box the list opens on arrow down or a click: what could I say?

import { h, setAttribute, setText } from "../../elements";
import { MAX_BEGUN_CHARS, MAX_TEXT_CHARS, type Completed } from "../../protocol";

const PAUSE_MS = 90;

export type Complete = (text: string) => Promise<Completed | null>;

export interface BoxSettings {
  /** Of the input element; the list's is derived from it. */
  readonly id: string;
  readonly label: string;
  readonly placeholder: string;
  readonly complete: Complete;
  readonly onSubmit: (text: string) => void;
}

export class InstructionBox {
  readonly element: HTMLDivElement;
  readonly input: HTMLInputElement;
  private readonly list: HTMLUListElement;
  private readonly foot = h("p", { class: "options-foot", attributes: { "aria-hidden": "true" } });
  private readonly frame: HTMLDivElement;
  private readonly count = h("span", { class: "unseen", attributes: { role: "status" } });
  private shown: Completed | null = null;
  /** What stood there when somebody began to talk. */
  private draft = "";
  private chosen = -1;
  private asked = 0;
  private pause: number | undefined;

  constructor(private readonly settings: BoxSettings) {
    const listId = `${settings.id}-options`;
    this.input = h("input", {
      id: settings.id,
      attributes: {
        type: "text",
        role: "combobox",
        "aria-label": settings.label,
        "aria-autocomplete": "list",
        "aria-expanded": "false",
        "aria-controls": listId,
        maxlength: String(MAX_TEXT_CHARS),
        placeholder: settings.placeholder,
        autocomplete: "off",
        autocapitalize: "off",
        spellcheck: "false",
        enterkeyhint: "send",
      },
    });
    this.list = h("ul", { id: listId, attributes: { role: "listbox", "aria-label": "What could follow" } });
    this.frame = h("div", { class: "options" }, this.list, this.foot);
    this.frame.hidden = true;
    this.element = h("div", { class: "instruction-box" }, this.input, this.frame, this.count);
    this.input.addEventListener("keydown", (event) => this.onKey(event));
    this.input.addEventListener("input", () => this.askSoon());
    this.input.addEventListener("click", () => {
      if (this.input.value === "" && !this.isOpen) this.askSoon();
    });
    this.input.addEventListener("blur", () => this.close());
    // The focus stays in the box, so that a click on an option is no leaving of it.
    this.frame.addEventListener("pointerdown", (event) => event.preventDefault());
  }

  get isOpen(): boolean {
    return !this.frame.hidden;
  }

  get value(): string {
    return this.input.value;
  }

  /** Put a text there, without a list. */
  set value(text: string) {
    this.close();
    this.input.value = text;
    this.input.setSelectionRange(text.length, text.length);
  }

  /** Show in grey what is being said, and let nobody type meanwhile; null: nobody talks, and what stood there is back. */
  showHeard(text: string | null): void {
    const { input } = this;
    if ((text !== null) !== input.readOnly) {
      input.readOnly = text !== null;
      input.classList.toggle("heard", text !== null);
      if (text !== null) {
        this.draft = input.value;
        this.value = "";
      } else this.value = this.draft;
    }
    input.placeholder = text ?? this.settings.placeholder;
  }

  /** Close the list; answers that are on their way are dropped. */
  close(): void {
    clearTimeout(this.pause);
    this.asked += 1;
    this.shown = null;
    this.draw();
  }

  private onKey(event: KeyboardEvent): void {
    if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
    const options = this.isOpen ? (this.shown?.options ?? []) : [];
    switch (event.key) {
      case "ArrowDown":
      case "ArrowUp":
        if (options.length > 0) {
          this.choose(this.chosen + (event.key === "ArrowDown" ? 1 : -1));
          event.preventDefault();
        }
        return;
      case "Tab":
        if (options.length > 0 && !event.shiftKey) {
          this.take(Math.max(0, this.chosen));
          event.preventDefault();
        }
        return;
      case "Enter":
        event.preventDefault();
        if (options.length > 0 && this.chosen >= 0) this.take(this.chosen);
        else this.submit();
        return;
      case "Escape":
        this.close();
    }
  }

  /** Send what stands there. */
  submit(): void {
    if (this.input.readOnly) return; // it is not what they have typed
    this.close();
    const text = this.input.value.trim();
    if (text !== "") this.settings.onSubmit(text);
  }

  /** Ask what could follow what stands there now, when the typing pauses. */
  askSoon(): void {
    clearTimeout(this.pause);
    this.pause = window.setTimeout(() => void this.ask(), PAUSE_MS);
  }

  private async ask(): Promise<void> {
    const text = this.input.value;
    this.asked += 1;
    const number = this.asked;
    const answer = text.length <= MAX_BEGUN_CHARS ? await this.settings.complete(text) : null;
    // Meanwhile more may have been typed, or the list was closed: then this is about nothing any more.
    if (number !== this.asked || text !== this.input.value) return;
    this.shown = answer;
    this.draw();
  }

  private take(index: number): void {
    const option = this.shown?.options[index];
    if (option === undefined) return;
    const text = this.input.value;
    const kept = text.slice(0, text.length - (this.shown?.begun ?? 0));
    const space = kept === "" || /\s$/.test(kept) || /^[,.;:?!]/.test(option) ? "" : " ";
    this.value = `${kept}${space}${option} `;
    this.input.scrollLeft = this.input.scrollWidth;
    this.askSoon();
  }

  private choose(index: number): void {
    const options = this.list.children;
    // Beyond either end nothing is chosen: back in the text.
    this.chosen = index >= options.length ? -1 : index < -1 ? options.length - 1 : index;
    for (const [at, option] of [...options].entries()) setAttribute(option, "aria-selected", String(at === this.chosen));
    const chosen = options[this.chosen];
    if (chosen === undefined) this.input.removeAttribute("aria-activedescendant");
    else {
      setAttribute(this.input, "aria-activedescendant", chosen.id);
      chosen.scrollIntoView({ block: "nearest" });
    }
  }

  private draw(): void {
    const options = this.shown?.options ?? [];
    this.frame.hidden = options.length === 0;
    setAttribute(this.input, "aria-expanded", String(this.isOpen));
    this.list.replaceChildren(
      ...options.map((option, index) =>
        h("li", { id: `${this.list.id}-${index}`, attributes: { role: "option" }, onclick: () => this.take(index) }, option),
      ),
    );
    this.list.scrollTop = 0;
    this.choose(-1);
    if (this.isOpen) this.frame.scrollIntoView({ block: "nearest" }); // inside of a panel that scrolls
    setText(this.foot, this.shown?.is_whole ? "Enter: send it as it is · Tab: take" : "Tab: take · ↑ ↓: choose");
    setText(this.count, options.length === 0 ? "" : `${options.length} could follow`);
  }
}
