// The tracker's own thread: MediaPipe's hands, so that the page and its emergency stop wait for no picture.
//
// The package is made for a page. It wants a document only to load its own files and to have a canvas, so it gets just
// that. It works on the processor: where a graphics card is emulated it is twenty times as fast as on that.

import type { Hands, Landmark, NormalizedLandmark, Options, Results } from "@mediapipe/hands";
import type { Point } from "./placed";
import type { FromTracker, ToTracker, TrackedHand } from "./tracked";
import { MOST_PAGE_HANDS } from "../../protocol";

declare const HANDS_FOLDER: string;
declare function importScripts(...addresses: string[]): void;

interface Thread {
  window: unknown;
  document: unknown;
  Hands: typeof Hands;
  onmessage: ((event: MessageEvent<ToTracker>) => void) | null;
  postMessage(message: FromTracker): void;
}

const thread = self as unknown as Thread;

class Script {
  private src = "";
  private readonly told = new Map<string, () => void>();

  setAttribute(name: string, value: string): void {
    if (name === "src") this.src = value;
  }

  addEventListener(kind: string, listener: () => void): void {
    this.told.set(kind, listener);
  }

  run(): void {
    try {
      importScripts(this.src);
      this.told.get("load")?.();
    } catch (error) {
      fail(`${this.src} could not be loaded: ${String(error)}`);
    }
  }
}

const nothing = (): null => null;
thread.window = thread;
thread.document = {
  createElement: (tag: string) => (tag === "canvas" ? Object.assign(new OffscreenCanvas(1, 1), { style: {} }) : new Script()),
  body: { appendChild: (script: Script) => script.run() },
  addEventListener: nothing,
  removeEventListener: nothing,
  getElementById: nothing,
  querySelector: nothing,
};

const OPTIONS: Options & { useCpuInference: boolean } = {
  maxNumHands: MOST_PAGE_HANDS,
  modelComplexity: 1,
  minDetectionConfidence: 0.5,
  minTrackingConfidence: 0.5,
  useCpuInference: true,
};

let found: Results | null = null;

function fail(why: string): void {
  thread.postMessage({ type: "failed", why });
}

function handsOf(results: Results | null): TrackedHand[] {
  return (results?.multiHandedness ?? []).flatMap(({ label, score }, number) => {
    const shape = results?.multiHandWorldLandmarks[number];
    const picture = results?.multiHandLandmarks[number];
    // It takes every picture for a mirror's: a left one is the right hand of who stands before a camera.
    const side = label === "Left" ? "right" : "left";
    return shape === undefined || picture === undefined
      ? []
      : [{ side, confidence: Math.min(Math.max(score, 0), 1), shape: shape.map(point), picture: picture.map(point) } as const];
  });
}

function point({ x, y, z }: Landmark | NormalizedLandmark): Point {
  return [x, y, z];
}

async function begin(): Promise<void> {
  importScripts(`${HANDS_FOLDER}/hands.js`);
  const tracker = new thread.Hands({ locateFile: (name) => `${HANDS_FOLDER}/${name}` });
  tracker.setOptions(OPTIONS);
  tracker.onResults((results) => {
    found = results;
    if (results.image instanceof ImageBitmap) results.image.close();
  });
  await tracker.initialize();
  thread.onmessage = ({ data: { image } }) => void look(tracker, image);
  thread.postMessage({ type: "ready" });
}

async function look(tracker: Hands, image: ImageBitmap): Promise<void> {
  const began = performance.now();
  found = null;
  try {
    await tracker.send({ image: image as unknown as HTMLCanvasElement }); // it draws whatever WebGL draws
    thread.postMessage({ type: "seen", hands: handsOf(found), tookMs: performance.now() - began });
  } catch (error) {
    fail(String(error));
  } finally {
    image.close();
  }
}

begin().catch((error: unknown) => fail(String(error)));
