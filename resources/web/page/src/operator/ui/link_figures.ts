// How fast the link is, as a line of the drawer.

import { h, setText } from "../../elements";
import type { Health } from "../link/protocol";

/** Clocks that run apart by less are no news [ms]. */
const APART_MS = 1;

export class LinkFigures {
  readonly element = h("p", { class: "health" });
  private firstOffset: number | null = null;

  show(health: Health | null): void {
    // Two clocks begin at different times: what tells something is how they run apart.
    if (health === null) this.firstOffset = null;
    else this.firstOffset ??= health.offset_ms;
    setText(this.element, health === null ? "No link." : figures(health, this.firstOffset ?? 0));
  }
}

/** Round trip, and how far the clocks have run apart since the link began, if that is worth a word. */
export function figures({ rtt_ms, offset_ms }: Health, firstOffset: number): string {
  const apart = offset_ms === null ? 0 : offset_ms - firstOffset;
  const clocks = Math.abs(apart) < APART_MS ? "" : ` The clocks have run ${milliseconds(Math.abs(apart))} apart since it connected.`;
  if (rtt_ms === null) return `Round trip not known yet.${clocks}`;
  return `Round trip ${milliseconds(rtt_ms[0])}, worst ${milliseconds(rtt_ms[1])}.${clocks}`;
}

function milliseconds(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}
