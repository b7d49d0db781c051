// What is held and pressed while driving: clutch, hold view, gripper, scale.

import { h, setText } from "../../elements";
import { HoldButton } from "../../hold_button";
import { SCALES } from "./scales";
import { scaleWords, type Shown } from "./state";

/** Who drives an arm has to see it on the button. */
export const NO_GRIPPER = "The gripper of this arm does not work just now, or it has none; the log says why";

export class Controls {
  /** All but the clutch. */
  readonly element: HTMLElement;
  readonly clutch: HoldButton;
  readonly holdView: HoldButton;
  grips = 0;
  private readonly word = h("span", { class: "clutch-word" }, "Connecting");
  private readonly gripper: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private readonly scaleName = h("span", { class: "scale-words" });
  private chosen = 1;

  constructor() {
    this.clutch = new HoldButton("clutch", () => undefined, h("span", { class: "clutch-name" }, "Clutch"), this.word);
    this.holdView = new HoldButton("view", () => undefined, "Hold view");
    this.holdView.element.title = "The picture stands still while you move to where it is comfortable; the arm does not move";
    const gripper = (this.gripper = h("button", { class: "gripper", attributes: { type: "button" } }, "Gripper"));
    gripper.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      this.grips += 1;
    });
    gripper.addEventListener("keydown", (event) => {
      if (event.code === "Enter" && !event.repeat) this.grips += 1;
    });
    this.slider = h("input", {
      attributes: { type: "range", min: "0", max: String(SCALES.length - 1), step: "1", "aria-label": "Scale of motions" },
    });
    this.slider.addEventListener("input", () => this.choose(SCALES[Number(this.slider.value)] ?? 1));
    // Keys are the arm's again as soon as the slider is let go.
    this.slider.addEventListener("pointerup", () => this.slider.blur());
    const scale = h("label", { class: "scale" }, this.scaleName, this.slider);
    this.element = h("div", { class: "controls" }, this.holdView.element, gripper, scale);
    this.choose(1);
  }

  get scale(): number {
    return this.chosen;
  }

  /** How far the arm goes for a hand's motion, from the next pressing of the clutch on. */
  choose(scale: number): void {
    this.chosen = scale;
    const nearest = SCALES.reduce((best, each, index) => (Math.abs(each - scale) < Math.abs(SCALES[best]! - scale) ? index : best), 0);
    this.slider.value = String(nearest);
    setText(this.scaleName, `Scale ${scaleWords(scale)}`);
  }

  /** gripper: why its button moves none now; "" if it does. */
  show({ word }: Shown, gripper: string): void {
    setText(this.word, word);
    this.gripper.disabled = gripper !== "";
    this.gripper.title = gripper;
    setText(this.gripper, gripper === NO_GRIPPER ? "No gripper" : "Gripper");
  }

  /** Nobody can hold anything on a page that is not seen. */
  letGo(): void {
    this.clutch.letGo();
    this.holdView.letGo();
  }
}
