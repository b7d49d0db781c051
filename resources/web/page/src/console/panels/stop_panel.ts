// The emergency stop: a button, Escape twice, a banner while it is latched or not confirmed, and the reset that asks.

import { h, setText } from "../../elements";
import { EmergencyStop, type Confirmation, type StopWays } from "../../emergency_stop";
import type { Emergency, Reply } from "../../protocol";
import { CONFIRMED, NOT_CONFIRMED, RESET_SINCE } from "../../stop_sender";

const TWICE_WITHIN_MS = 1000;

export interface StopActions extends Omit<StopWays, "show"> {
  reset(): Promise<Reply>;
}

export class StopPanel {
  readonly button: HTMLButtonElement;
  readonly banner: HTMLElement;
  private readonly words = h("span", { class: "banner-words" });
  private readonly resetButton: HTMLButtonElement;
  private readonly dialog: HTMLDialogElement;
  private latched = false;
  private hint = "";
  private said = "";
  private readonly emergency: EmergencyStop;
  private lastEscape = -Infinity;

  constructor(private readonly actions: StopActions) {
    this.emergency = new EmergencyStop({
      say: (id) => actions.say(id),
      post: (id) => actions.post(id),
      show: (state) => {
        this.hint = state === "unconfirmed" ? NOT_CONFIRMED : state === "confirmed" ? CONFIRMED : state === "reset_since" ? RESET_SINCE : "";
        this.draw();
      },
    });
    this.button = h("button", {
      class: "stop",
      attributes: { type: "button", "aria-label": "Emergency stop", "aria-keyshortcuts": "Escape" },
      title: "Emergency stop (Esc twice)",
    }, h("span", { class: "stop-word" }, "STOP"), h("span", { class: "stop-key" }, "Esc Esc"));
    // When it is pressed, not when it is let go: a finger that slips off must have stopped as well.
    this.button.addEventListener("pointerdown", () => this.emergency.press());
    this.button.addEventListener("click", (event) => {
      if (event.detail === 0) this.emergency.press(); // by keyboard, or by a screen reader
    });
    this.resetButton = h("button", { class: "reset", attributes: { type: "button" }, onclick: () => this.ask() }, "Reset…");
    this.banner = h("div", { class: "banner", attributes: { role: "alert" } }, this.words, this.resetButton);
    this.dialog = this.makeDialog();
    document.body.append(this.dialog);
    addEventListener("keydown", (event) => this.onKey(event));
    this.draw();
  }

  show(emergency: Emergency): void {
    this.latched = emergency.latched;
    this.said = emergency.words;
    if (!this.emergency.isPending) this.hint = "";
    if (!emergency.latched && this.dialog.open) this.dialog.close();
    this.draw();
  }

  confirm(confirmation: Confirmation): void {
    this.emergency.confirm(confirmation);
  }

  private onKey(event: KeyboardEvent): void {
    if (event.key !== "Escape" || event.repeat || this.dialog.open) return;
    const now = performance.now();
    if (now - this.lastEscape < TWICE_WITHIN_MS) {
      this.lastEscape = -Infinity;
      this.button.classList.remove("armed");
      this.emergency.press();
      return;
    }
    this.lastEscape = now;
    this.button.classList.add("armed");
    setTimeout(() => this.button.classList.remove("armed"), TWICE_WITHIN_MS);
  }

  private ask(): void {
    this.dialog.showModal();
    this.dialog.querySelector("button")?.focus(); // the harmless one
  }

  private makeDialog(): HTMLDialogElement {
    const answer = h("p", { class: "dialog-answer", attributes: { role: "status" } });
    const keep = h("button", { attributes: { type: "button" }, onclick: () => dialog.close() }, "Keep it stopped");
    const reset = h("button", {
      class: "danger",
      attributes: { type: "button" },
      onclick: () => {
        setText(answer, "");
        void this.actions.reset().then((reply) => {
          if (reply.ok) dialog.close();
          else setText(answer, reply.text);
        });
      },
    }, "Reset the stop");
    const dialog: HTMLDialogElement = h("dialog", { class: "dialog", attributes: { "aria-labelledby": "reset-title" } },
      h("h2", { id: "reset-title" }, "Reset the emergency stop?"),
      h("p", {}, "Look at the robot first. Resetting moves nothing by itself, but from then on instructions may move it again."),
      answer,
      h("div", { class: "dialog-buttons" }, keep, reset));
    return dialog;
  }

  private draw(): void {
    document.documentElement.classList.toggle("stopped", this.latched);
    const { state } = this.emergency;
    this.banner.hidden = !this.latched && this.hint === "";
    this.banner.classList.toggle("unconfirmed", state === "unconfirmed");
    this.resetButton.hidden = !this.latched;
    setText(this.words, this.hint !== "" && !(this.latched && state === "confirmed") ? this.hint : this.said);
  }
}
