// Comparisons of poses, to a nanometre and a nanoradian.

import assert from "node:assert/strict";
import { back, minus, norm, rotationVector, turned, type Pose, type Quaternion, type Vector } from "../../src/operator/view/pose";

export function sameVector(a: Vector, b: Vector, within = 1e-9, words = ""): void {
  assert.ok(norm(minus(a, b)) < within, `${words} [${a.join(", ")}] and [${b.join(", ")}]`);
}

export function sameTurn(a: Quaternion, b: Quaternion, within = 1e-7, words = ""): void {
  const angle = norm(rotationVector(turned(a, back(b))));
  assert.ok(angle < within, `${words} ${angle} rad between [${a.join(", ")}] and [${b.join(", ")}]`);
}

export function samePose(a: Pose, b: Pose, within = 1e-9, words = ""): void {
  sameVector(a.p, b.p, within, words);
  sameTurn(a.q, b.q, Math.max(1e-7, within), words);
}
