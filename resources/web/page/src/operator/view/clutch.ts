// One hand's clutch as the page sees it: numbers its pressings, and opens it by itself when a pose cannot be trusted.
// The control loop decides for itself, on its own clock; this is the half that knows why a page let go.
//
// Whatever opened it, only a new press closes it: a thumb that stayed on the button moves nothing.

import { SEEN_WITHIN_MS, SILENCE_MS } from "../link/protocol";

/** Nothing heard from the robot for so long: who cannot see must not move it [ms]. */
export const DEAF_MS = 300;
/** Why the arm let go is said within so long of it [ms]. */
const SAID_WITHIN_MS = 2000;
/** The control loop has had a pressing for so long and does not follow it [ms]. */
const REFUSED_MS = 1500;

export type ClutchState = "open" | "engaged" | "broken";

export interface ClutchInput {
  /** Time of this pose [ms]. */
  readonly now: number;
  readonly held: boolean;
  /** The pose is good, by what the device says. */
  readonly tracked: boolean;
  /** Why this page may not move anything now, or "". */
  readonly barred: string;
}

export class Clutch {
  private number = 0;
  private current: ClutchState = "open";
  private why = "";
  private last = -Infinity;
  private wasHeld = true; // a button found pressed at the start has to be let go first
  private since = 0;
  private confirmed = false;
  private said: { readonly why: string; readonly at: number } | null = null;
  /** When the control loop opened it, and the page's own words for that. */
  private byArm: { readonly words: string; readonly at: number } | null = null;

  get state(): ClutchState {
    return this.current;
  }

  /** Why it opened by itself, in words; "" if it did not. */
  get reason(): string {
    return this.why;
  }

  /** Number of the present pressing; 0 while open. */
  get engagement(): number {
    return this.current === "engaged" ? this.number : 0;
  }

  /** With each pose. Returns the engagement to send with it. */
  update({ now, held, tracked, barred }: ClutchInput): number {
    const gap = now - this.last;
    this.last = now;
    if (this.current === "engaged") {
      if (!held) this.current = "open";
      else if (gap > SILENCE_MS) this.break(`no pose for ${Math.round(gap)} ms`);
      else if (!tracked) this.break("tracking was lost");
      else if (barred !== "") this.break(barred);
    } else if (!held) {
      this.current = "open";
      this.why = "";
      this.byArm = null;
    } else if (!this.wasHeld) {
      const hindrance = barred !== "" ? barred : tracked ? "" : "there is no good pose yet";
      if (gap > SEEN_WITHIN_MS) {
        this.current = "broken";
        this.why = "it was pressed while nothing was seen";
      } else if (hindrance !== "") {
        this.current = "broken";
        this.why = hindrance;
      } else {
        this.number += 1;
        this.current = "engaged";
        this.why = "";
        this.said = this.byArm = null;
        this.since = now;
        this.confirmed = false;
      }
    } else if (this.current === "open") {
      this.current = "broken";
      this.why = "it was held already";
    }
    this.wasHeld = held;
    return this.engagement;
  }

  /** Whoever holds it next has to let it go first. */
  distrust(): void {
    this.wasHeld = true;
  }

  /** Open it, for a reason that is no pose's: page hidden, link lost, view put elsewhere. Nothing if it is open. */
  break(reason: string): void {
    if (this.current !== "engaged") return; // what opened it first is what is to be known
    this.current = "broken";
    this.why = reason;
  }

  /**
   * What the control loop says: the number it follows (0 none), and the time of the pose it had then [ms].
   * An engagement that it let go, or never took, is over here, too.
   */
  confirm(engaged: number, echo: number): void {
    if (this.current !== "engaged") return;
    if (engaged === this.number) this.confirmed = true;
    else if (this.confirmed && echo > this.since) this.letGo("the arm let go");
    else if (echo > this.since + REFUSED_MS) this.letGo("the arm does not follow");
  }

  /** The robot says why what this hand drives holds. It is heard before or after the clutch is seen to be open. */
  explain(why: string, now: number): void {
    this.said = { why, at: now };
    this.addWhy();
  }

  private letGo(words: string): void {
    this.break(words);
    this.byArm = { words, at: this.last };
    this.addWhy();
  }

  private addWhy(): void {
    const { said, byArm } = this;
    if (this.current !== "broken" || said === null || byArm === null || Math.abs(byArm.at - said.at) > SAID_WITHIN_MS) return;
    this.why = `${byArm.words}: ${said.why}`;
  }
}
