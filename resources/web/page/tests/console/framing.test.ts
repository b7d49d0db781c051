// A view that is put onto something has it right in its middle and all of it in sight, however it was looked before.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as THREE from "three";
import { standBefore } from "../../src/scene/framing";

const UP = new THREE.Vector3(0, 0, 1);

function looking(towards: THREE.Vector3, aspect = 1.6): THREE.PerspectiveCamera {
  const camera = new THREE.PerspectiveCamera(50, aspect, 0.05, 100);
  camera.up.copy(UP);
  camera.lookAt(towards);
  camera.updateMatrixWorld();
  return camera;
}

function seen(camera: THREE.PerspectiveCamera, stand: { position: THREE.Vector3; target: THREE.Vector3 }, point: THREE.Vector3): THREE.Vector3 {
  camera.position.copy(stand.position);
  camera.lookAt(stand.target);
  camera.updateMatrixWorld();
  return point.clone().project(camera);
}

const MIDDLE = new THREE.Vector3(2, -1, 0.8);

for (const isAbove of [false, true]) {
  for (const size of [[0.08, 0.08, 0.1], [3, 1, 0.2], [6, 5, 0]]) {
    test(`${size.join(" × ")} m, ${isAbove ? "from above" : "from where it was looked"}`, () => {
      const ahead = new THREE.Vector3(1, 0.5, -0.6).normalize();
      const camera = looking(ahead, 0.46);
      const stand = standBefore(MIDDLE, size, isAbove, camera);
      const way = stand.target.clone().sub(stand.position).normalize();
      if (isAbove) assert.ok(way.z < -0.999);
      else assert.ok(way.distanceTo(ahead) < 1e-6);
      const at = seen(camera, stand, MIDDLE);
      assert.ok(Math.hypot(at.x, at.y) < 1e-6 && at.z < 1);
      for (const side of [-0.5, 0.5]) {
        for (const [axis, length] of size.entries()) {
          const end = seen(camera, stand, MIDDLE.clone().setComponent(axis, MIDDLE.getComponent(axis) + side * length));
          assert.ok(Math.abs(end.x) < 1.1 && Math.abs(end.y) < 1.1, `${end.x} ${end.y}`);
        }
      }
    });
  }
}

test("from above, what was ahead is upwards in the picture", () => {
  const camera = looking(new THREE.Vector3(1, 0, -0.3));
  const at = seen(camera, standBefore(MIDDLE, [1, 1, 1], true, camera), MIDDLE.clone().add(new THREE.Vector3(0.3, 0, 0)));
  assert.ok(at.y > 0.05 && Math.abs(at.x) < 1e-6);
});
