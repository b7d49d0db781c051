// What a stick is for, said once to somebody who pushes it and drives no base: else nothing happens, and nothing says why.

import type { Driven } from "../link/protocol";
import { drivesBase, whatIsDriven } from "../seat";

/** Less is no push: no stick rests exactly in its middle. */
const PUSHED = 0.5;

export class StickHint {
  private isTold = false;

  /** words: of the master, what its stick is for and what moves an arm. The hint, when it is due; else "". */
  look(stick: readonly number[], driven: readonly Driven[], words: string): string {
    if (driven.length === 0) this.isTold = false; // whoever drives next may be somebody else
    if (this.isTold || words === "" || driven.length === 0 || drivesBase(driven)) return "";
    if (!stick.some((part) => Math.abs(part) > PUSHED)) return "";
    this.isTold = true;
    return `You drive ${whatIsDriven(driven)}: ${words}.`;
  }
}
