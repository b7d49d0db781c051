// The emergency stop: a button, Escape twice, a banner while it is latched, and the reset that asks.
// A stop that cannot be sent is said to be so, and sent as soon as there is a connection again.

import { h, setText } from "../../elements";
import type { Emergency, Reply } from "../../protocol";

const TWICE_WITHIN_MS = 1000;

export interface StopActions {
  readonly stop: () => Promise<Reply>;
  readonly reset: () => Promise<Reply>;
  readonly isConnected: () => boolean;
}

export class StopPanel {
  readonly button: HTMLButtonElement;
  readonly banner: HTMLElement;
  private readonly words = h("span", { class: "banner-words" });
  private readonly resetButton: HTMLButtonElement;
  private readonly dialog: HTMLDialogElement;
  private latched = false;
  private unsent = false;
  private hint = "";
  private said = "";
  private lastEscape = -Infinity;

  constructor(private readonly actions: StopActions) {
    this.button = h("button", {
      class: "stop",
      attributes: { type: "button", "aria-label": "Emergency stop", "aria-keyshortcuts": "Escape" },
      title: "Emergency stop (Esc twice)",
    }, h("span", { class: "stop-word" }, "STOP"), h("span", { class: "stop-key" }, "Esc Esc"));
    // When it is pressed, not when it is let go: a finger that slips off must have stopped as well.
    this.button.addEventListener("pointerdown", () => void this.stop());
    this.button.addEventListener("click", (event) => {
      if (event.detail === 0) void this.stop(); // by keyboard, or by a screen reader
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
    if (emergency.latched) {
      this.unsent = false;
      this.hint = "";
    } else if (this.dialog.open) {
      this.dialog.close();
    }
    this.draw();
  }

  /** There is a connection again: what could not be sent is sent now. */
  connected(): void {
    if (this.unsent) void this.stop();
  }

  private async stop(): Promise<void> {
    if (!this.actions.isConnected()) {
      this.unsent = true;
      this.draw();
      return;
    }
    const reply = await this.actions.stop();
    this.unsent = !reply.ok && !this.actions.isConnected();
    this.hint = reply.ok || this.unsent ? "" : reply.text;
    this.draw();
  }

  private onKey(event: KeyboardEvent): void {
    if (event.key !== "Escape" || event.repeat || this.dialog.open) return;
    const now = performance.now();
    if (now - this.lastEscape < TWICE_WITHIN_MS) {
      this.lastEscape = -Infinity;
      this.button.classList.remove("armed");
      void this.stop();
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
    this.banner.hidden = !this.latched && !this.unsent && this.hint === "";
    this.resetButton.hidden = !this.latched;
    if (this.unsent) {
      setText(this.words, "STOP WAS NOT SENT: there is no connection. Use the robot's own stop button. It will be sent when the connection is back.");
    } else if (this.hint !== "") {
      setText(this.words, this.hint);
    } else {
      const named = this.said.toLowerCase().includes("emergency stop");
      setText(this.words, named ? this.said : `Emergency stop: ${this.said}`);
    }
  }
}
