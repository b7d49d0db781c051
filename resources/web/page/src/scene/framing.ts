// Where to stand so that all of some boxes is in the picture, and as large as it can be.

import * as THREE from "three";

/** Part of the picture that stays free around them: robots stretch, and buttons lie along the edge. */
const MARGIN = 0.16;

export interface Stand {
  readonly position: THREE.Vector3;
  /** Ahead in the picture's middle, as far away as the middle of them all. */
  readonly target: THREE.Vector3;
}

/**
 * The nearest stand from which `camera` (its fov and aspect) sees all of `boxes` (one at least); `towards`: the way it looks [world].
 *
 * In the camera's axes (x right, y up, z ahead) a corner is seen if |x - x0| <= tan(half the width's angle) (z - z0),
 * and the same upwards; the outermost corners of both sides give x0 and z0.
 */
export function standFor(boxes: readonly THREE.Box3[], towards: THREE.Vector3, camera: THREE.PerspectiveCamera): Stand {
  const ahead = towards.clone().normalize();
  const right = new THREE.Vector3().crossVectors(ahead, camera.up).normalize();
  const up = new THREE.Vector3().crossVectors(right, ahead);
  const middle = boxes.reduce((all, box) => all.union(box), new THREE.Box3()).getCenter(new THREE.Vector3());
  const high = Math.tan((camera.fov * Math.PI) / 360) * (1 - MARGIN);
  const wide = high * camera.aspect;

  const corners = boxes.flatMap(cornersOf).map((corner) => corner.sub(middle));
  const between = (axis: THREE.Vector3, slope: number): { offset: number; back: number } => {
    const most = Math.max(...corners.map((at) => at.dot(axis) - slope * at.dot(ahead)));
    const least = Math.max(...corners.map((at) => -at.dot(axis) - slope * at.dot(ahead)));
    return { offset: (most - least) / 2, back: (most + least) / (2 * slope) };
  };
  const across = between(right, wide);
  const upwards = between(up, high);
  const back = Math.max(across.back, upwards.back);

  const target = middle.clone().addScaledVector(right, across.offset).addScaledVector(up, upwards.offset);
  return { position: target.clone().addScaledVector(ahead, -back), target };
}

/** What is smaller is looked at as if it were so large: its surroundings say where it is [m]. */
const LEAST_M = 0.7;
/** Straight down there is no upwards; so little off it, what was ahead is upwards [rad]. */
const OFF_VERTICAL = 0.02;

/** Where to stand to have a thing right in the middle: from where `camera` looks now, or straight down. `size`: its sides [m]. */
export function standBefore(middle: THREE.Vector3, size: readonly number[], isAbove: boolean, camera: THREE.PerspectiveCamera): Stand {
  const side = Math.max(LEAST_M, ...size);
  const box = new THREE.Box3().setFromCenterAndSize(middle, new THREE.Vector3(side, side, side));
  const ahead = camera.getWorldDirection(new THREE.Vector3());
  if (isAbove) ahead.addScaledVector(camera.up, -ahead.dot(camera.up)).normalize().multiplyScalar(OFF_VERTICAL).sub(camera.up).normalize();
  const { position, target } = standFor([box], ahead, camera);
  return { position: middle.clone().addScaledVector(ahead, -position.distanceTo(target)), target: middle.clone() };
}

function cornersOf({ min, max }: THREE.Box3): THREE.Vector3[] {
  return [min.x, max.x].flatMap((x) => [min.y, max.y].flatMap((y) => [min.z, max.z].map((z) => new THREE.Vector3(x, y, z))));
}
