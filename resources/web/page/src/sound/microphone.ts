// The browser's microphone: opened when it is first wanted, closed when nobody has wanted it for a while.

import type { Captured, Wanted } from "./capture_worklet";

/** It stays open for so long after it was wanted last: opening it anew would cost the first word. */
const KEPT_MS = 60_000;

export interface MicrophoneUse {
  /** A block, while it is wanted; see `Captured`. */
  readonly onSound: (captured: Captured) => void;
  /** It gives nothing any more: unplugged, taken back, muted by the system. */
  readonly onGone: (why: string) => void;
}

/** Why the microphone cannot be had, in words for people. */
export class NoMicrophone extends Error {}

export class Microphone {
  private open: Open | null = null;
  private opening: Promise<Open> | null = null;
  private closing: number | undefined;

  constructor(private readonly use: MicrophoneUse) {}

  get isOpen(): boolean {
    return this.open !== null;
  }

  /** What it gives, for who sends it as it is; null while it is closed. */
  get track(): MediaStreamTrack | null {
    return this.open?.track ?? null;
  }

  /** Ask for it, if it is not open. Rejects with NoMicrophone. */
  async ready(): Promise<void> {
    if (this.open !== null) return;
    this.opening ??= Open.ask(this.use, () => this.close());
    try {
      this.open = await this.opening;
    } finally {
      this.opening = null;
    }
    this.closeLater();
  }

  /** Sound is wanted from now on; only while it is open. */
  begin(): void {
    clearTimeout(this.closing);
    this.open?.want(true);
  }

  /** No more of it; the rest comes, and then nothing. */
  end(): void {
    this.open?.want(false);
    this.closeLater();
  }

  private closeLater(): void {
    clearTimeout(this.closing);
    this.closing = window.setTimeout(() => this.close(), KEPT_MS);
  }

  private close(): void {
    clearTimeout(this.closing);
    this.open?.close();
    this.open = null;
  }
}

/** One opening of it. */
class Open {
  private constructor(
    private readonly stream: MediaStream,
    private readonly context: AudioContext,
    private readonly capture: AudioWorkletNode,
  ) {}

  static async ask(use: MicrophoneUse, close: () => void): Promise<Open> {
    if (!isSecureContext || !("mediaDevices" in navigator)) {
      throw new NoMicrophone("a browser gives its microphone to pages of https or of this machine only: open the console by https");
    }
    let stream: MediaStream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true } });
    } catch (error) {
      throw new NoMicrophone(whyNot(error));
    }
    const context = new AudioContext();
    try {
      const { default: worklet } = await import("./capture_worklet?worker&url"); // where Vite has put it
      await context.audioWorklet.addModule(worklet);
      await context.resume();
    } catch (error) {
      for (const track of stream.getTracks()) track.stop();
      void context.close();
      throw new NoMicrophone(`this browser cannot read its microphone (${String(error)})`);
    }
    const capture = new AudioWorkletNode(context, "capture", { numberOfOutputs: 0 });
    context.createMediaStreamSource(stream).connect(capture);
    capture.port.onmessage = ({ data }: MessageEvent<Captured>) => use.onSound(data);
    const gone = (why: string): void => {
      close();
      use.onGone(why);
    };
    for (const track of stream.getAudioTracks()) {
      track.addEventListener("ended", () => gone("the microphone has gone: was it unplugged, or its permission taken back?"));
      track.addEventListener("mute", () => gone("the microphone was muted by the system, or another program has it"));
    }
    context.addEventListener("statechange", () => {
      if (context.state !== "running" && context.state !== "closed") gone("the browser has stopped the microphone");
    });
    return new Open(stream, context, capture);
  }

  get track(): MediaStreamTrack | null {
    return this.stream.getAudioTracks()[0] ?? null;
  }

  want(wanted: boolean): void {
    this.capture.port.postMessage({ wanted } satisfies Wanted);
  }

  close(): void {
    for (const track of this.stream.getTracks()) track.stop();
    void this.context.close();
  }
}

function whyNot(error: unknown): string {
  switch (error instanceof DOMException ? error.name : "") {
    case "NotAllowedError":
    case "SecurityError":
      return "the microphone is not allowed to this page: allow it in the browser (at the address), then hold again";
    case "NotFoundError":
    case "OverconstrainedError":
      return "there is no microphone here: plug one in, then hold again";
    case "NotReadableError":
    case "AbortError":
      return "the microphone cannot be used: another program has it, or it is muted";
    default:
      return `the microphone cannot be opened (${String(error)})`;
  }
}
