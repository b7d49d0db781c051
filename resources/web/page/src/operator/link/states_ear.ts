// The page's end of the channel "states". It is heard in a thread of its own where browsers let channels go there
// (Chromium, WebKit), for the page's own hears nothing while it draws; else on the page's.

import type { Given, Told } from "./states_worker";

export class StatesEar {
  private readonly worker: Worker | null = null;
  private isReady = false;
  private link = 0;

  /** `hear` gets each message of the newest link's channel, and when it came by this page's clock [ms]. */
  constructor(private readonly hear: (data: ArrayBuffer, came: number) => void) {
    if (typeof Worker === "undefined") return;
    this.worker = new Worker(new URL("./states_worker.ts", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data: told }: MessageEvent<Told>) => {
      if (told === "ready") this.isReady = true;
      else if (told.link === this.link) this.hear(told.data, told.came);
    };
  }

  /** Hear this channel from now on; at once when it is announced, for later it cannot change threads any more. */
  take(channel: RTCDataChannel): void {
    this.link += 1;
    if (!this.give({ channel, link: this.link, origin: performance.timeOrigin })) this.hearHere(channel, this.link);
  }

  /** The link is over. */
  forget(): void {
    this.link += 1;
  }

  private give(given: Given): boolean {
    if (this.worker === null || !this.isReady) return false;
    try {
      this.worker.postMessage(given, [given.channel]);
      return true;
    } catch {
      return false; // this browser's channels stay where they are
    }
  }

  private hearHere(channel: RTCDataChannel, link: number): void {
    channel.onmessage = ({ data }) => {
      if (link === this.link && data instanceof ArrayBuffer) this.hear(data, performance.now());
    };
  }
}
