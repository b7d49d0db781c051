// Whether the page hears the robot, in words; and the page's answer when it may not.

import { h, setAttribute, setText } from "../../elements";
import type { LinkState } from "../connection";

export class LinkStatus {
  readonly element = h("button", { class: "link", attributes: { type: "button", role: "status", "aria-live": "polite" } });
  private readonly words = h("span", {});
  private state: LinkState = { kind: "connecting" };

  constructor(onRetry: () => void) {
    this.element.append(h("span", { class: "dot" }), this.words);
    this.element.addEventListener("click", onRetry);
    setInterval(() => this.draw(), 250);
    this.draw();
  }

  show(state: LinkState): void {
    // While it tries again and again, the words stay those of the loss.
    if (state.kind === "connecting" && this.state.kind === "lost") return;
    this.state = state;
    this.draw();
  }

  private draw(): void {
    const { state } = this;
    setAttribute(this.element, "data-state", state.kind);
    document.documentElement.classList.toggle("disconnected", state.kind !== "connected");
    switch (state.kind) {
      case "connected":
        setText(this.words, "Connected");
        break;
      case "connecting":
        setText(this.words, "Connecting…");
        break;
      case "lost": {
        const wait = Math.ceil((state.retryAt - performance.now()) / 1000);
        setText(this.words, wait > 1 ? `Connection lost: trying again in ${wait} s` : "Connection lost: trying again…");
        break;
      }
      case "refused":
        setText(this.words, "Refused: open the address that pilothouse run printed");
    }
  }
}
