// A phone's motor knows on and off only: how strong it feels is said by how much of each period it is on.

/** One period of the continuous pattern [ms]; motors follow nothing shorter. */
export const PERIOD_MS = 50;
const LEAST_ON_MS = 8;
/** A knock [ms], at the least and at the most. */
const KNOCK_MS: readonly [number, number] = [20, 70];
/** The continuous pattern is given for so long at a time, so that it ends by itself when nothing comes any more [ms]. */
const AHEAD_MS = 200;

/** On and off times [ms] of one knock and of the continuous pattern after it, as navigator.vibrate wants them. */
export function pattern(knock: number, press: number): readonly number[] {
  const times: number[] = [];
  if (knock > 0) times.push(Math.round(KNOCK_MS[0] + (KNOCK_MS[1] - KNOCK_MS[0]) * Math.min(1, knock)));
  if (press > 0) {
    if (times.length > 0) times.push(LEAST_ON_MS * 4); // a knock is told from what follows by a pause
    const on = Math.max(LEAST_ON_MS, Math.round(PERIOD_MS * Math.min(1, press)));
    for (let t = 0; t < AHEAD_MS; t += PERIOD_MS) times.push(on, PERIOD_MS - on);
    times.pop();
  }
  return times;
}

export class Vibration {
  private until = -Infinity;

  /** Whether this device can; it may still be switched off in its settings. */
  readonly works = typeof navigator !== "undefined" && typeof navigator.vibrate === "function" && matchMedia("(pointer: coarse)").matches;

  play(knock: number, press: number, now: number): void {
    if (!this.works) return;
    if (knock <= 0 && now < this.until) return;
    const times = pattern(knock, press);
    if (times.length === 0) {
      if (this.until !== -Infinity) navigator.vibrate(0);
      this.until = -Infinity;
      return;
    }
    navigator.vibrate([...times]);
    this.until = now + times.reduce((sum, each) => sum + each, 0) - PERIOD_MS / 2;
  }
}
