// Sound at another rate: what can be heard stays what it is, what cannot be kept is gone, and no sample is lost.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Blocks, loudness } from "../../src/sound/blocks";
import { Resampler } from "../../src/sound/resampler";

const SECONDS = 0.5;

function sine(hertz: number, rate: number, seconds = SECONDS): Float32Array {
  return Float32Array.from({ length: Math.round(rate * seconds) }, (_, index) => 0.5 * Math.sin((2 * Math.PI * hertz * index) / rate));
}

/** Resampled to 16 kHz in pieces as browsers give them. */
function resampled(sound: Float32Array, rate: number): Float32Array {
  const resampler = new Resampler(rate, 16_000);
  const parts: Float32Array[] = [];
  for (let at = 0; at < sound.length; at += 128) parts.push(resampler.push(sound.slice(at, at + 128)));
  parts.push(resampler.end());
  return Float32Array.from(parts.flatMap((part) => [...part]));
}

/** The root of the mean square, in the middle, where the filter has both sides. */
function loud(sound: Float32Array): number {
  const middle = sound.slice(1000, -1000);
  return Math.sqrt(middle.reduce((sum, value) => sum + value * value, 0) / middle.length);
}

for (const rate of [8_000, 11_025, 22_050, 44_100, 48_000, 96_000, 192_000]) {
  test(`a tone of ${rate} Hz sound is the same tone at 16 kHz`, () => {
    const found = resampled(sine(1_000, rate), rate);
    assert.ok(Math.abs(found.length - 16_000 * SECONDS) <= 1, `${found.length} samples`);
    const wanted = sine(1_000, 16_000);
    let worst = 0;
    for (let index = 500; index < 7_000; index += 1) worst = Math.max(worst, Math.abs(found[index]! - wanted[index]!));
    assert.ok(worst < 0.002, `off by ${worst}`);
  });
}

for (const rate of [44_100, 48_000]) {
  test(`what is too high for 16 kHz does not come back as another tone, from ${rate} Hz`, () => {
    assert.ok(loud(resampled(sine(9_500, rate), rate)) < 0.001);
    assert.ok(loud(resampled(sine(6_000, rate), rate)) > 0.34);
  });
}

test("rates that are none are refused", () => {
  for (const rate of [0, -1, NaN, Infinity]) assert.throws(() => new Resampler(rate, 16_000), RangeError);
});

test("blocks have 512 samples, the rest comes at the end, and channels are mixed", () => {
  const blocks = new Blocks(16_000);
  const half = new Float32Array(600).fill(0.5);
  const none = new Float32Array(600);
  const [first, ...more] = blocks.push([half, none]);
  assert.equal(first?.length, 512);
  assert.equal(more.length, 0);
  assert.equal(first?.[0], Math.round(0.25 * 32_767));
  const rest = blocks.end();
  assert.deepEqual(rest.map((block) => block.length), [88]);
  assert.deepEqual(blocks.end().map((block) => block.length), [0]);
});

test("nothing is lost on the way through the resampler", () => {
  const blocks = new Blocks(48_000);
  let count = 0;
  for (let index = 0; index < 375; index += 1) count += blocks.push([new Float32Array(128)]).length * 512;
  count += blocks.end().reduce((sum, block) => sum + block.length, 0);
  assert.ok(Math.abs(count - 16_000) <= 1, `${count}`);
});

test("what is beyond full scale is clipped, and no number is silence", () => {
  const [block] = new Blocks(16_000).push([Float32Array.from({ length: 512 }, (_, index) => [3, -3, NaN, 0.5][index % 4]!)]);
  assert.deepEqual([...block!.slice(0, 4)], [32_767, -32_767, 0, 16_384]);
  assert.equal(loudness(block!).isClipped, true);
});

test("silence is silence, and a level rises with the sound", () => {
  assert.deepEqual(loudness(new Int16Array(512)), { level: 0, isClipped: false, isSilent: true });
  const quiet = loudness(new Int16Array(512).fill(100)).level;
  const louder = loudness(new Int16Array(512).fill(3000)).level;
  assert.ok(quiet > 0 && quiet < louder && louder < 1);
});
