// Sound of one rate at another one, as it comes: a windowed sinc, which lets nothing alias. Pure.
//
// Julius O. Smith, "Digital Audio Resampling Home Page" (CCRMA): bandlimited interpolation with a table of the
// filter's impulse response, Kaiser window.

/** Zero crossings of the filter on either side, and entries of its table between two of them. */
const CROSSINGS = 16;
const ENTRIES = 256;
/** Of the lower of both rates' halves so much is kept. */
const KEPT = 0.92;
const KAISER_BETA = 9;

const TABLE = table();

export class Resampler {
  /** How many input samples an output sample is after the one before, and how wide the filter is in them. */
  private readonly step: number;
  private readonly scale: number;
  private readonly half: number;
  private waiting: Float32Array;
  /** Where the next output sample lies in what waits. */
  private at: number;

  /** Throws RangeError for rates that are none. */
  constructor(fromHz: number, toHz: number) {
    if (!(fromHz > 0 && toHz > 0 && Number.isFinite(fromHz) && Number.isFinite(toHz))) throw new RangeError(`sound of ${fromHz} Hz at ${toHz} Hz`);
    this.step = fromHz / toHz;
    this.scale = KEPT * Math.min(1, toHz / fromHz);
    this.half = Math.ceil(CROSSINGS / this.scale);
    this.waiting = new Float32Array(this.half); // silence before the first sample
    this.at = this.half;
  }

  /** What can be told by now; the last few samples wait for what follows them. */
  push(input: Float32Array): Float32Array {
    const sound = new Float32Array(this.waiting.length + input.length);
    sound.set(this.waiting);
    sound.set(input, this.waiting.length);
    const last = sound.length - 1 - this.half;
    const count = Math.max(0, Math.floor((last - this.at) / this.step) + 1);
    const output = new Float32Array(count);
    for (let index = 0; index < count; index += 1) output[index] = this.sample(sound, this.at + index * this.step);
    const next = this.at + count * this.step;
    const dropped = Math.max(0, Math.min(sound.length, Math.floor(next) - this.half));
    this.waiting = sound.slice(dropped);
    this.at = next - dropped;
    return output;
  }

  /** What still waited: nothing follows. */
  end(): Float32Array {
    return this.push(new Float32Array(this.half));
  }

  private sample(sound: Float32Array, at: number): number {
    const first = Math.max(0, Math.ceil(at - this.half));
    const last = Math.min(sound.length - 1, Math.floor(at + this.half));
    let sum = 0;
    for (let index = first; index <= last; index += 1) {
      const place = Math.abs(index - at) * this.scale * ENTRIES;
      const entry = Math.floor(place);
      const low = TABLE[entry] ?? 0;
      sum += sound[index]! * (low + ((TABLE[entry + 1] ?? 0) - low) * (place - entry));
    }
    return sum * this.scale;
  }
}

function table(): Float32Array {
  const entries = new Float32Array(CROSSINGS * ENTRIES + 1);
  for (let index = 0; index < entries.length; index += 1) {
    const x = index / ENTRIES;
    const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
    const off = x / CROSSINGS;
    entries[index] = (sinc * bessel(KAISER_BETA * Math.sqrt(Math.max(0, 1 - off * off)))) / bessel(KAISER_BETA);
  }
  return entries;
}

/** The modified Bessel function of order 0. */
function bessel(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > 1e-12 * sum; k += 1) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}
