// Which hand of a headset's wearer points, of inputs made of paper.

import assert from "node:assert/strict";
import { test } from "node:test";
import { targetRay } from "../../src/operator/masters/target_ray";

interface Paper { readonly x: number; readonly emulated?: boolean; readonly side?: "left" | "right" | "none"; readonly mode?: XRTargetRayMode; readonly lost?: boolean }

/** Where a frame with these inputs points, by its x; null: nowhere. */
function pointing(...inputs: readonly Paper[]): number | null {
  const frame = {
    session: {
      inputSources: inputs.map((paper) => ({ handedness: paper.side ?? "right", targetRayMode: paper.mode ?? "tracked-pointer", targetRaySpace: paper })),
    },
    getPose: ({ x, emulated, lost }: Paper) => lost === true ? undefined
      : { transform: { position: { x, y: 0, z: 0 }, orientation: { x: 0, y: 0, z: 0, w: 1 } }, emulatedPosition: emulated ?? false },
  };
  return targetRay(frame as unknown as XRFrame, {} as XRReferenceSpace)?.p[0] ?? null;
}

test("the right hand points, else the left one", () => {
  assert.equal(pointing({ x: 1, side: "left" }, { x: 2 }), 2);
  assert.equal(pointing({ x: 1, side: "left" }), 1);
  assert.equal(pointing(), null);
});

test("a hand that nobody knows the place of does not point", () => {
  assert.equal(pointing({ x: 1, side: "left" }, { x: 2, lost: true }), 1);
  assert.equal(pointing({ x: 1, side: "left" }, { x: 2, emulated: true }), 1);
  assert.equal(pointing({ x: 2, emulated: true }), null);
});

test("neither a finger on a phone's screen nor a gaze is a hand", () => {
  assert.equal(pointing({ x: 1, mode: "screen" }, { x: 2, mode: "gaze" }, { x: 3, side: "none" }), null);
});
