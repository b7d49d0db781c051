// Buttons as counts and as long presses: a press between two readings must not be lost, a held one counts once.

export class Presses {
  private down = false;
  count = 0;

  /** With each reading; returns whether it was pressed anew. */
  update(isDown: boolean): boolean {
    const anew = isDown && !this.down;
    if (anew) this.count += 1;
    this.down = isDown;
    return anew;
  }
}

export class LongPress {
  private since: number | null = null;
  private said = false;

  constructor(private readonly length: number) {}

  /** True once, when it has been held for its length [ms]. */
  update(isDown: boolean, now: number): boolean {
    if (!isDown) {
      this.since = null;
      this.said = false;
      return false;
    }
    this.since ??= now;
    if (this.said || now - this.since < this.length) return false;
    this.said = true;
    return true;
  }
}
