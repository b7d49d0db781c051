// The top of the page: who this is, who drives, how everything is in one sentence, and the emergency stop.

import { h, setAttribute, setText } from "../../elements";
import type { Shown } from "./state";

/** Escape twice is the emergency stop, as on the console [ms]. */
const TWICE_WITHIN_MS = 1000;

export class Top {
  readonly element: HTMLElement;
  readonly stop: HTMLButtonElement;
  private lastEscape = -Infinity;
  private readonly name = h("span", { class: "name" }, "Pilothouse");
  private readonly holder = h("span", { class: "holder" });
  private readonly status = h("p", { class: "status", attributes: { role: "status" } });
  private readonly trouble = h("p", { class: "trouble" });
  private readonly camera = h("p", { class: "camera-words" });
  private readonly reset: HTMLButtonElement;

  /** onReset: asks whether the stop is to be taken back; whoever says yes to that has done it. */
  constructor(onStop: () => void, onReset: () => void) {
    this.stop = h("button", { class: "stop", title: "Emergency stop, at once; or Escape twice", attributes: { type: "button" } }, "STOP");
    // A finger that comes down means it; waiting for it to go up costs a tenth of a second.
    this.stop.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      onStop();
    });
    this.stop.addEventListener("keydown", (event) => {
      if (event.code === "Enter" || event.code === "Space") onStop();
    });
    addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.repeat) return;
      const now = performance.now();
      if (now - this.lastEscape < TWICE_WITHIN_MS) onStop();
      this.lastEscape = now;
    });
    this.reset = h("button", { class: "reset", attributes: { type: "button" }, onclick: onReset }, "Reset the stop…");
    this.element = h("header", { class: "top" },
      h("div", { class: "who" }, h("p", { class: "whose" }, this.name, this.holder), this.status, this.trouble, this.camera, this.reset), this.stop);
  }

  /** name: what everybody calls this session. holder: who drives, "" nobody; null: without a link nobody knows. */
  show(name: string, installation: string, holder: string | null): void {
    setText(this.name, name === "" ? "Pilothouse" : name);
    this.name.title = installation;
    setText(this.holder, holder === null ? "" : holder === "" ? "nobody drives" : holder === name ? "you drive" : `${holder} drives`);
    this.holder.classList.toggle("mine", holder !== null && holder !== "" && holder === name);
  }

  /** What is: one sentence about what is driven. trouble: of the link; camera: of the picture; only one of them is shown besides. */
  say({ words, isFirst }: Shown, isUnconfirmed: boolean, trouble: string, camera: string): void {
    setText(this.status, words);
    this.status.classList.toggle("first", isFirst === true);
    this.status.classList.toggle("unconfirmed", isUnconfirmed);
    setAttribute(this.status, "role", isUnconfirmed ? "alert" : "status");
    setText(this.trouble, trouble);
    setText(this.camera, camera);
    this.trouble.hidden = trouble === "" || isUnconfirmed;
    this.camera.hidden = camera === "" || !this.trouble.hidden || isUnconfirmed;
  }

  offerReset(mayReset: boolean): void {
    this.reset.hidden = !mayReset;
  }
}
