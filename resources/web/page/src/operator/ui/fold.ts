// Folds the controls away, all but what is held while driving: then nearly all of the picture is seen.

import { h, setAttribute, setText } from "../../elements";

export class Fold {
  readonly button: HTMLButtonElement;
  private isFolded = false;

  constructor(private readonly overlay: HTMLElement) {
    this.button = h("button", { class: "fold", attributes: { type: "button" }, onclick: () => this.fold(!this.isFolded) });
    this.fold(false);
  }

  private fold(isFolded: boolean): void {
    this.isFolded = isFolded;
    this.overlay.classList.toggle("folded", isFolded);
    setText(this.button, isFolded ? "▴" : "▾");
    setAttribute(this.button, "aria-expanded", String(!isFolded));
    setAttribute(this.button, "aria-label", isFolded ? "Show the other controls" : "Fold the other controls away");
  }
}
