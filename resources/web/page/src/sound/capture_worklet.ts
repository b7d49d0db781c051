// Runs beside the page, where the browser gives the microphone's sound: makes blocks of it while it is told to.

import { Blocks } from "./blocks";

/** To the worklet: whether sound is wanted from now on. */
export interface Wanted {
  readonly wanted: boolean;
}

/** From the worklet: a block; isLast: it is wanted no more, and this is the rest, which may be short or empty. */
export interface Captured {
  readonly samples: Int16Array<ArrayBuffer>;
  readonly isLast: boolean;
}

// The names of an AudioWorkletGlobalScope, which TypeScript's library for pages does not have.
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare const sampleRate: number;
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

class Capture extends AudioWorkletProcessor {
  private blocks: Blocks | null = null;

  constructor() {
    super();
    this.port.onmessage = ({ data }: MessageEvent<Wanted>) => {
      if (data.wanted) {
        this.blocks = new Blocks(sampleRate);
        return;
      }
      const rest = this.blocks?.end() ?? [];
      this.blocks = null;
      rest.forEach((samples, index) => this.give(samples, index === rest.length - 1));
    };
  }

  process(inputs: readonly (readonly Float32Array[])[]): boolean {
    const channels = inputs[0] ?? [];
    if (this.blocks !== null && channels.length > 0) for (const samples of this.blocks.push(channels)) this.give(samples, false);
    return true;
  }

  private give(samples: Int16Array<ArrayBuffer>, isLast: boolean): void {
    this.port.postMessage({ samples, isLast } satisfies Captured, [samples.buffer]);
  }
}

registerProcessor("capture", Capture);
