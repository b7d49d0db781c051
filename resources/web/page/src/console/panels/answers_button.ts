// Whether this page says its answers aloud: off until somebody wants it.

import { h } from "../../elements";
import type { SpokenAnswers } from "../../sound/spoken_answers";

export class AnswersButton {
  readonly element: HTMLButtonElement;

  constructor(private readonly answers: SpokenAnswers) {
    this.element = h("button", {
      class: "quiet aloud", title: "Say answers to this page aloud, by the browser's voice", attributes: { type: "button", "aria-pressed": "false" },
      onclick: () => void this.toggle(),
    }, "Answers aloud");
  }

  private async toggle(): Promise<void> {
    this.element.disabled = true;
    if (this.answers.isOn) this.answers.turnOff();
    else await this.answers.turnOn();
    this.element.disabled = false;
    this.element.setAttribute("aria-pressed", String(this.answers.isOn));
  }
}
