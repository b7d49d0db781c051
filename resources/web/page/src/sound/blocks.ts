// What a microphone gives, at any rate and of any number of channels, as blocks of sound. Pure.

import { SOUND_BLOCK, SOUND_RATE_HZ } from "../protocol";
import { Resampler } from "./resampler";

const FULL_SCALE = 32_767;
const CLIPPED = 32_000;

export class Blocks {
  private readonly resampler: Resampler | null;
  private block = new Int16Array(SOUND_BLOCK);
  private filled = 0;

  constructor(rateHz: number) {
    this.resampler = rateHz === SOUND_RATE_HZ ? null : new Resampler(rateHz, SOUND_RATE_HZ);
  }

  /** The blocks that are full now. channels: of −1 … 1, equally long; their mean is taken. */
  push(channels: readonly Float32Array[]): Int16Array<ArrayBuffer>[] {
    const mono = mean(channels);
    return this.cut(this.resampler === null ? mono : this.resampler.push(mono));
  }

  /** The full blocks that still waited, and the last one, which may be shorter, or empty. */
  end(): Int16Array<ArrayBuffer>[] {
    const full = this.resampler === null ? [] : this.cut(this.resampler.end());
    const rest = this.block.slice(0, this.filled);
    this.filled = 0;
    return [...full, rest];
  }

  private cut(sound: Float32Array): Int16Array<ArrayBuffer>[] {
    const full: Int16Array<ArrayBuffer>[] = [];
    for (const value of sound) {
      this.block[this.filled] = Math.round(Math.max(-1, Math.min(1, Number.isNaN(value) ? 0 : value)) * FULL_SCALE);
      this.filled += 1;
      if (this.filled < SOUND_BLOCK) continue;
      full.push(this.block);
      this.block = new Int16Array(SOUND_BLOCK);
      this.filled = 0;
    }
    return full;
  }
}

/** How loud a block is: 0 silence, 1 as loud as can be, on a scale that ears have; and whether it is too loud. */
export function loudness(samples: Int16Array): { readonly level: number; readonly isClipped: boolean; readonly isSilent: boolean } {
  let power = 0;
  let clipped = 0;
  for (const sample of samples) {
    power += sample * sample;
    if (Math.abs(sample) >= CLIPPED) clipped += 1;
  }
  const db = 10 * Math.log10(power / Math.max(1, samples.length) / FULL_SCALE ** 2); // −∞ … 0
  return { level: Math.max(0, Math.min(1, 1 + db / 60)), isClipped: clipped > samples.length / 100, isSilent: power === 0 };
}

function mean(channels: readonly Float32Array[]): Float32Array {
  const [first, ...others] = channels;
  if (first === undefined) return new Float32Array(0);
  if (others.length === 0) return first;
  return first.map((value, index) => others.reduce((sum, channel) => sum + (channel[index] ?? 0), value) / channels.length);
}
