// Questions that wait for an answer.

import { h, Rows, setText } from "../../elements";
import type { Asked } from "../link/protocol";

export class Questions {
  readonly element = h("div", { class: "questions", attributes: { role: "alert" } });
  private readonly open = new Map<string, Asked>();
  private readonly rows = new Rows<Asked>(this.element, (asked) => asked.question, (asked) => this.row(asked));

  constructor(private readonly reply: (question: string, choice: number) => void) {
    this.element.hidden = true;
  }

  /** One that is asked, or, with text "", answered or taken back. */
  take(asked: Asked): void {
    if (asked.text === "") this.open.delete(asked.question);
    else this.open.set(asked.question, asked);
    this.show();
  }

  /** Whether anything waits for an answer. */
  get areOpen(): boolean {
    return this.open.size > 0;
  }

  /** One whose answers are things that can be shown; null: there is none. */
  get aboutThings(): Asked | null {
    return [...this.open.values()].find(({ things }) => things.length > 1) ?? null;
  }

  /** A new link tells all that are open anew. */
  clear(): void {
    this.open.clear();
    this.show();
  }

  private show(): void {
    this.rows.show([...this.open.values()]);
    this.element.hidden = this.open.size === 0;
  }

  private row(first: Asked): { element: Element; update(asked: Asked): void } {
    const text = h("p", { class: "question-text" });
    const choices = h("div", { class: "choices" });
    let shown = "";
    return {
      element: h("section", { class: "question" }, text, choices),
      update: ({ text: words, options }) => {
        setText(text, words);
        if (shown === options.join("\n") && choices.childElementCount > 0) return;
        shown = options.join("\n");
        // Numbered answers count from 1; without any it is yes (1) or no (0).
        const answers: readonly (readonly [string, number])[] = options.length === 0
          ? [["Yes", 1], ["No", 0]]
          : [...options.map((option, index) => [option, index + 1] as const), ["None of these", 0]];
        choices.replaceChildren(...answers.map(([label, choice]) =>
          h("button", { class: choice === 0 ? "choice refusing" : "choice", attributes: { type: "button" }, onclick: () => this.reply(first.question, choice) },
            ...(options.length > 1 && choice > 0 ? [h("span", { class: "choice-number" }, String(choice))] : []), label)));
      },
    };
  }
}
