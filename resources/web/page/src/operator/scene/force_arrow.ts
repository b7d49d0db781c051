// Where the arm touches something, and how hard it is pushed there.

import * as THREE from "three";
import { norm, type Vector } from "../view/pose";

/** The arrow's length for each newton [m/N], and the longest. */
const LENGTH = 0.006;
const LONGEST_M = 0.35;
/** Less is noise of the estimate [N]. */
const LEAST_N = 3;
const TOUCH = 0xffb02e;
const HARD = 0xff5a4f;
/** From here on it is hard [N]; contact patterns end at 40 N. */
const HARD_N = 25;

export class ForceArrow {
  readonly object = new THREE.Group();
  private readonly shaft = new THREE.Mesh(new THREE.CylinderGeometry(0.006, 0.006, 1, 10).translate(0, 0.5, 0), paint());
  private readonly head = new THREE.Mesh(new THREE.ConeGeometry(0.018, 0.045, 14).translate(0, 0.0225, 0), paint());
  private readonly point = new THREE.Mesh(new THREE.SphereGeometry(0.014, 14, 10), paint());

  constructor() {
    for (const each of [this.shaft, this.head, this.point]) each.renderOrder = 3;
    this.object.add(this.shaft, this.head, this.point);
  }

  /** at [m], force on the arm [N]: both in the base's axes. */
  show(at: Vector, force: Vector, contact: boolean): void {
    const size = norm(force);
    this.object.visible = contact || size > LEAST_N;
    if (!this.object.visible) return;
    this.object.position.set(...at);
    this.point.visible = contact;
    const length = Math.min(LONGEST_M, LENGTH * size);
    this.shaft.visible = this.head.visible = size > LEAST_N;
    if (size > LEAST_N) {
      const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), new THREE.Vector3(...force).divideScalar(size));
      for (const each of [this.shaft, this.head]) each.quaternion.copy(turn);
      this.shaft.scale.set(1, length, 1);
      this.head.position.set(0, length, 0).applyQuaternion(turn);
    }
    const colour = size > HARD_N ? HARD : TOUCH;
    for (const each of [this.shaft, this.head, this.point]) each.material.color.set(contact ? colour : 0x91a0ad);
  }
}

function paint(): THREE.MeshBasicMaterial {
  return new THREE.MeshBasicMaterial({ color: TOUCH, depthTest: false, transparent: true, opacity: 0.9 });
}
