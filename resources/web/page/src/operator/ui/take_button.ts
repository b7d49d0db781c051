// "Let me drive", where the clutch is once one drives.

import { h } from "../../elements";
import { NOT_MEANT_MS, type Step } from "./step";

export class TakeButton {
  readonly element: HTMLButtonElement;
  private step: Step = "none";
  private since = 0;

  constructor(onTake: () => void) {
    this.element = h("button", { class: "take", attributes: { type: "button" }, onclick: () => {
      if (performance.now() - this.since > NOT_MEANT_MS) onTake();
    } }, "Let me drive");
  }

  show(step: Step): void {
    if (step === this.step) return;
    if (this.step === "clutch") this.since = performance.now();
    this.step = step;
  }
}
