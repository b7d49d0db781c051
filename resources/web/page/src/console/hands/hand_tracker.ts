// The operator's camera and the tracker's thread: pictures in, tracked hands out, never more than one picture at a time.
// Nothing of a picture leaves this page.

import { camera } from "./camera";
import type { FromTracker, ToTracker, TrackedHand } from "./tracked";
import { OLDEST_HANDS_MS } from "../../protocol";

/** So many pictures a second are enough, and leave a small machine its time for the robot. */
const WANTED_PER_S = 15;
/** After a picture the tracker rests for at least such a share of the time that it took. */
const RESTS = 0.3;
/** A tracker that takes longer for a picture has stopped; the first one it is given more time for [ms]. */
const ANSWERS_WITHIN_MS = 10_000;
const STARTS_WITHIN_MS = 60_000;

/** One picture with its hands. takenAt: `performance.now()`; tookMs: of the tracker. */
export interface Look {
  readonly hands: readonly TrackedHand[];
  readonly takenAt: number;
  readonly tookMs: number;
  readonly width: number;
  readonly height: number;
}

export interface TrackerNews {
  readonly seen: (look: Look) => void;
  /** It has ended by itself. */
  readonly failed: (why: string) => void;
}

export class HandTracker {
  /** What the camera sees. */
  readonly video = document.createElement("video");
  private stream: MediaStream | null = null;
  private worker: Worker | null = null;
  private isBusy = false;
  private isReady = false;
  private takenAt = -Infinity;
  private nextAt = -Infinity;
  private width = 0;
  private height = 0;
  private late: number | undefined;
  private readonly turns: number;

  constructor(private readonly news: TrackerNews) {
    this.video.muted = this.video.playsInline = true;
    this.turns = window.setInterval(() => void this.turn(), 1000 / WANTED_PER_S / 4);
  }

  /** Ask for the camera and load the tracker. Throws an error with words for people. */
  async start(): Promise<void> {
    this.stream = await camera(2 * WANTED_PER_S);
    const [track] = this.stream.getVideoTracks();
    track?.addEventListener("ended", () => this.fail("the camera was unplugged, or its permission taken back"));
    this.video.srcObject = this.stream;
    await this.video.play();
    this.worker = new Worker(new URL("./tracker_worker.ts", import.meta.url));
    this.worker.onmessage = ({ data }: MessageEvent<FromTracker>) => this.hear(data);
    this.worker.onerror = (event) => this.fail(`the hand tracker could not be loaded (${event.message || "its file is missing"})`);
    this.expect(STARTS_WITHIN_MS);
  }

  /** Let go of the camera, and of the tracker's memory. Idempotent. */
  stop(): void {
    clearInterval(this.turns);
    clearTimeout(this.late);
    this.worker?.terminate();
    this.worker = null;
    this.stream?.getTracks().forEach((track) => track.stop());
    this.stream = null;
    this.video.srcObject = null;
  }

  private async turn(): Promise<void> {
    const { video, worker } = this;
    const now = performance.now();
    if (!this.isReady || this.isBusy || worker === null || document.hidden || now < this.nextAt) return;
    if (video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA || this.stream?.getVideoTracks()[0]?.muted === true) return;
    this.isBusy = true;
    this.takenAt = now;
    this.nextAt = now + 1000 / WANTED_PER_S;
    try {
      const image = await createImageBitmap(video);
      this.width = image.width;
      this.height = image.height;
      this.expect(ANSWERS_WITHIN_MS);
      worker.postMessage({ image } satisfies ToTracker, [image]);
    } catch (error) {
      this.isBusy = false; // a camera between two pictures; the next turn tries again
      console.debug("no picture", error);
    }
  }

  private hear(message: FromTracker): void {
    clearTimeout(this.late);
    if (message.type === "failed") {
      this.fail(`the hand tracker does not work in this browser (${message.why})`);
      return;
    }
    this.isReady = true;
    if (message.type === "ready") return;
    this.isBusy = false;
    this.nextAt = Math.max(this.nextAt, performance.now() + RESTS * message.tookMs);
    if (performance.now() - this.takenAt > OLDEST_HANDS_MS) return;
    const { takenAt, width, height } = this;
    this.news.seen({ hands: message.hands, tookMs: message.tookMs, takenAt, width, height });
  }

  private expect(withinMs: number): void {
    clearTimeout(this.late);
    this.late = window.setTimeout(() => this.fail(`the hand tracker has not answered for ${withinMs / 1000} s`), withinMs);
  }

  private fail(why: string): void {
    if (this.worker === null && this.stream === null) return;
    this.stop();
    this.news.failed(why);
  }
}
