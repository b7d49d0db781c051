// How many pixels are drawn: fewer where drawing is slow, because a page that draws reads no hand meanwhile. Pure.

/** A picture that took longer was slow; pictures that take less leave room [ms]. */
const SLOW_MS = 45;
const EASY_MS = 20;
/** So many in a row decide. */
const IN_A_ROW = 8;
const COARSEST = 0.4;

export class Fineness {
  private slow = 0;
  private easy = 0;
  private ratio: number;

  /** `finest`: device pixels for each pixel of the page. */
  constructor(private readonly finest: number) {
    this.ratio = finest;
  }

  get pixelRatio(): number {
    return this.ratio;
  }

  /** With each picture: how long it was after the one before [ms]. Returns whether the ratio has changed. */
  took(ms: number): boolean {
    if (ms > 1000) return false; // a page in the background, not a slow one
    this.slow = ms > SLOW_MS ? this.slow + 1 : 0;
    this.easy = ms < EASY_MS ? this.easy + 1 : 0;
    const before = this.ratio;
    if (this.slow >= IN_A_ROW) this.change(0.7);
    else if (this.easy >= 60 * IN_A_ROW) this.change(1.3);
    return this.ratio !== before;
  }

  private change(by: number): void {
    this.slow = this.easy = 0;
    this.ratio = Math.min(this.finest, Math.max(Math.min(COARSEST, this.finest), this.ratio * by));
  }
}
