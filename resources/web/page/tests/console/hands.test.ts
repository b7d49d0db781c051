// Where a tracked hand is put, and what is said where there is no camera.

import assert from "node:assert/strict";
import { test } from "node:test";
import { refusal } from "../../src/console/hands/camera";
import { placed, rounded, type Point } from "../../src/console/hands/placed";

const WIDTH = 640;
const HEIGHT = 480;
const SHAPE: readonly Point[] = Array.from({ length: 21 }, (_, n) => [0.01 * (n % 5) - 0.02, 0.012 * (n % 7) - 0.03, 0.005 * (n % 3)]);

/** The shape in the picture: its middle at these pixels, so many pixels a metre. */
function seen(x: number, y: number, scale: number, shape = SHAPE): Point[] {
  return shape.map(([u, v, w]) => [(x + u * scale) / WIDTH, (y + v * scale) / HEIGHT, w]);
}

function near(one: readonly number[] | undefined, other: readonly number[]): void {
  assert.ok(one !== undefined && one.every((value, axis) => Math.abs(value - (other[axis] ?? NaN)) < 1e-9), `${one} is not ${other}`);
}

test("a hand keeps its shape and goes where its picture is", () => {
  const points = placed(SHAPE, seen(420, 180, 1000), WIDTH, HEIGHT);
  assert.ok(points !== null);
  points.forEach((point, n) => {
    const [x, y, z] = SHAPE[n]!;
    near(point, [x + 0.1, y - 0.06, z]); // 100 px right of the middle and 60 above it, at 1000 px a metre
  });
});

test("of a hand that is further away a pixel is more", () => {
  const points = placed(SHAPE, seen(420, 240, 500), WIDTH, HEIGHT);
  near(points?.[0], [SHAPE[0]![0] + 0.2, SHAPE[0]![1], SHAPE[0]![2]]);
});

test("noise in the picture hardly moves it", () => {
  const noisy = seen(320, 240, 1000).map(([x, y, z], n): Point => [x + (n % 2 === 0 ? 0.002 : -0.002), y, z]);
  const points = placed(SHAPE, noisy, WIDTH, HEIGHT);
  assert.ok(points !== null && Math.abs(points[0]![0] - SHAPE[0]![0]) < 2e-3);
});

test("what has no size, or no numbers, is nowhere", () => {
  const picture = seen(320, 240, 1000);
  assert.equal(placed(SHAPE.map((): Point => [0, 0, 0]), picture, WIDTH, HEIGHT), null);
  assert.equal(placed(SHAPE, SHAPE.map((): Point => [0.5, 0.5, 0]), WIDTH, HEIGHT), null);
  assert.equal(placed(SHAPE, picture.map(([x, y, z], n): Point => (n === 3 ? [NaN, y, z] : [x, y, z])), WIDTH, HEIGHT), null);
  assert.equal(placed(SHAPE, picture.slice(0, 20), WIDTH, HEIGHT), null);
  assert.equal(placed(SHAPE, seen(320, 240, -1000), WIDTH, HEIGHT), null);
  assert.equal(placed([], [], WIDTH, HEIGHT), null);
});

test("numbers are as short as a tenth of a millimetre needs them", () => {
  assert.deepEqual(rounded([[0.123456, -0.00004, 1]]), [[0.1235, -0, 1]]);
});

test("why there is no camera is said with what to do", () => {
  for (const name of ["NotAllowedError", "NotFoundError", "OverconstrainedError", "NotReadableError", "AbortError"]) {
    assert.match(refusal(name), /camera.*: .*gestures on again$/);
  }
  assert.equal(refusal("TypeError"), "the camera does not work (TypeError)");
});
