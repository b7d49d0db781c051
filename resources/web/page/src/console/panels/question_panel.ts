// The open questions, where they cannot be overlooked. Only who is asked has buttons that work; the others see
// who that is. The server takes a question back when its time is over, and then it disappears here.

import { h, Rows, setAttribute, setText, type Row } from "../../elements";
import type { Question } from "../../protocol";

export class QuestionPanel {
  readonly element = h("div", { class: "questions", attributes: { "aria-live": "assertive", role: "region", "aria-label": "Questions" } });
  private readonly rows = new Rows<Question>(this.element, (question) => question.id, (question) => this.row(question));
  private readonly ends = new Map<string, number | null>();
  private own = "";
  private questions: readonly Question[] = [];

  constructor(
    private readonly onAnswer: (question: string, choice: number) => void,
    private readonly onGone: () => void,
    /** The question whose answers are things in the scene, and that this page may answer; null: there is none. */
    private readonly onChoice: (question: Question | null) => void,
  ) {
    this.element.hidden = true;
    setInterval(() => {
      if (this.questions.length > 0) this.draw();
    }, 200);
  }

  /** What this page is called. */
  name(own: string): void {
    this.own = own;
    this.draw();
  }

  show(questions: readonly Question[]): void {
    const now = performance.now();
    const had = this.element.contains(document.activeElement);
    for (const question of questions) {
      this.ends.set(question.id, question.left_s === null ? null : now + 1000 * question.left_s);
    }
    for (const id of [...this.ends.keys()]) if (questions.every((question) => question.id !== id)) this.ends.delete(id);
    this.questions = questions;
    this.element.hidden = questions.length === 0;
    this.draw();
    if (had && !this.element.contains(document.activeElement)) this.onGone(); // not into nowhere
  }

  /** One's own first. */
  private draw(): void {
    const own = this.questions.filter((question) => this.isOwn(question));
    this.onChoice(own.find((question) => question.things.length > 1) ?? null);
    this.rows.show([...own, ...this.questions.filter((question) => !this.isOwn(question))]);
  }

  private isOwn(question: Question): boolean {
    return question.who === this.own || question.who === "";
  }

  private row(question: Question): Row<Question> {
    const answers = question.options.length === 0 ? ["Yes"] : question.options;
    const none = answers.length > 1 ? "None of these" : "No";
    const choices = [...answers.map((words, index) => ({ choice: index + 1, words })), { choice: 0, words: none }];
    const buttons = choices.map(({ choice, words }) =>
      h("button", { class: choice === 0 ? "choice refusing" : "choice", attributes: { type: "button" },
        onclick: () => this.onAnswer(question.id, choice) },
        ...(question.options.length > 1 && choice > 0 ? [h("span", { class: "choice-number" }, String(choice))] : []), words),
    );
    const asked = h("p", { class: "question-text" }, question.text);
    const whose = h("p", { class: "question-who" });
    const left = h("span", { class: "question-left", attributes: { "aria-live": "off" } });
    const bar = h("progress", { class: "question-time", attributes: { max: String(question.within_s), "aria-label": "Time left" } });
    const element = h("section", { class: "question", attributes: { "aria-label": "Question" } },
      h("div", { class: "question-head" }, asked, left), whose, h("div", { class: "choices" }, ...buttons), bar);
    return {
      element,
      update: () => {
        const own = this.isOwn(question);
        element.classList.toggle("foreign", !own);
        for (const button of buttons) if (button.disabled === own) button.disabled = !own;
        setText(whose, own ? question.hint : `${question.who} is asked, and answers.`);
        whose.hidden = own && question.hint === "";
        const end = this.ends.get(question.id) ?? null;
        bar.hidden = end === null;
        if (end === null) return;
        const seconds = Math.max(0, (end - performance.now()) / 1000);
        setText(left, `${Math.ceil(seconds)} s`);
        setAttribute(bar, "value", seconds.toFixed(1));
      },
    };
  }
}
