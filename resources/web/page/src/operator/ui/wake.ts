// The screen stays on while somebody drives: a phone that locks itself drops the arm's hand.

export class Wake {
  private lock: WakeLockSentinel | null = null;
  private asking = false;

  /** Call again and again: browsers take it away with each hiding of the page. */
  async keep(wanted: boolean): Promise<void> {
    if (this.asking || !("wakeLock" in navigator)) return;
    if (!wanted) {
      await this.lock?.release();
      this.lock = null;
      return;
    }
    if (document.hidden || (this.lock !== null && !this.lock.released)) return;
    this.asking = true;
    try {
      this.lock = await navigator.wakeLock.request("screen");
    } catch {
      this.lock = null; // a low battery forbids it: the page does without
    }
    this.asking = false;
  }
}
