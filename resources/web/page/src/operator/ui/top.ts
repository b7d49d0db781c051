// The top of the page: who this is, who drives, how the link is, and the emergency stop.

import { h, setText } from "../../elements";
import type { Health } from "../link/protocol";

/** Escape twice is the emergency stop, as on the console [ms]. */
const TWICE_WITHIN_MS = 1000;

export class Top {
  readonly element: HTMLElement;
  readonly stop: HTMLButtonElement;
  private lastEscape = -Infinity;
  private firstOffset: number | null = null;
  private readonly name = h("span", { class: "name" }, "Pilothouse");
  private readonly holder = h("span", { class: "holder" });
  private readonly trip = [h("span", { class: "wide" }), h("span"), h("span", { class: "middling" }), h("span")] as const;
  private readonly health = h("span", { class: "health" }, ...this.trip);
  private readonly trouble = h("span", { class: "trouble" });

  constructor(onStop: () => void) {
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
    this.element = h("header", { class: "top" }, h("div", { class: "who" }, h("p", {}, this.name, this.holder), this.health, this.trouble), this.stop);
  }

  /** name: what everybody calls this session. holder: who drives, "" nobody; null: without a link nobody knows. */
  show(name: string, installation: string, holder: string | null): void {
    setText(this.name, name === "" ? "Pilothouse" : name);
    this.name.title = installation;
    setText(this.holder, holder === null ? "" : holder === "" ? "nobody drives" : holder === name ? "you drive" : `${holder} drives`);
    this.holder.classList.toggle("mine", holder !== null && holder !== "" && holder === name);
  }

  showHealth(health: Health | null): void {
    // Two clocks begin at different times: what tells something is how they run apart.
    if (health === null) this.firstOffset = null;
    else this.firstOffset ??= health.offset_ms;
    const times = health === null ? [] : timesOf(health, this.firstOffset ?? 0);
    this.trip.forEach((part, index) => setText(part, times[index] ?? ""));
    const off = health?.offset_ms == null ? "" : `; this device's clock is ${health.offset_ms.toFixed(1)} ms off the robot's`;
    this.health.title = `${times.join("")}${off}`;
    setText(this.trouble, health?.words ?? "");
  }
}

/**
 * Round trip, and how far the clocks have run apart since the link began, in one line of four parts: a phone has no room
 * for the first, the smallest ones have none for the third.
 */
export function timesOf({ rtt_ms, offset_ms }: Health, firstOffset: number): readonly [string, string, string, string] {
  const apart = (offset_ms ?? 0) - firstOffset;
  const clocks = offset_ms === null ? "" : ` · clocks ${apart >= 0 ? "+" : "−"}${milliseconds(Math.abs(apart))}`;
  if (rtt_ms === null) return ["", "round trip not known yet", "", clocks];
  return ["round trip ", milliseconds(rtt_ms[0]), `, worst ${milliseconds(rtt_ms[1])}`, clocks];
}

function milliseconds(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}
