// Where the wearer of a headset points with a hand: a line from there, and a ring where it meets what the camera has
// measured, or the floor; where it meets nothing it ends in the air.

import * as THREE from "three";
import { rotate, type Pose } from "../view/pose";

const COLOUR = 0xffd45e;
const FAR_M = 3;
const RING_RAD = 0.02;
/** It passes a measured point by so near to meet it [m]. */
const POINT_M = 0.02;
/** Looking through a cloud takes a headset some milliseconds: not for each picture [ms]. */
const LOOK_MS = 100;
const FLOOR = new THREE.Plane(new THREE.Vector3(0, 0, 1), 0);

export class PointingRay {
  /** In the robot's axes. */
  readonly object = new THREE.Group();
  private readonly line = new THREE.Mesh(new THREE.CylinderGeometry(0.002, 0.002, 1, 6).translate(0, 0.5, 0), paint(0.7));
  private readonly ring = new THREE.Mesh(new THREE.TorusGeometry(1, 0.15, 6, 32), paint(1));
  private readonly caster = new THREE.Raycaster();
  private far = FAR_M;
  private lookedAt = -Infinity;

  constructor() {
    this.object.add(this.line, this.ring);
    this.object.visible = false;
  }

  /** R_T_hand: along whose -z it points; null: nobody points. cloud: what was measured; null: nothing. */
  show(R_T_hand: Pose | null, cloud: THREE.Points | null, now: number): void {
    this.object.visible = R_T_hand !== null;
    if (R_T_hand === null) return;
    const from = new THREE.Vector3(...R_T_hand.p);
    const along = new THREE.Vector3(...rotate(R_T_hand.q, [0, 0, -1]));
    if (now - this.lookedAt > LOOK_MS) {
      this.lookedAt = now;
      this.far = this.look(new THREE.Ray(from, along), cloud);
    }
    this.line.position.copy(from);
    this.line.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), along);
    this.line.scale.set(1, this.far, 1);
    this.ring.position.copy(from).addScaledVector(along, this.far);
    this.ring.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), along);
    this.ring.scale.setScalar(RING_RAD * this.far);
  }

  private look(ray: THREE.Ray, cloud: THREE.Points | null): number {
    const floor = ray.intersectPlane(FLOOR, new THREE.Vector3());
    const toFloor = floor === null ? FAR_M : floor.distanceTo(ray.origin);
    if (cloud === null) return Math.min(toFloor, FAR_M);
    cloud.updateWorldMatrix(true, false);
    this.caster.ray.copy(ray).applyMatrix4(cloud.matrixWorld);
    this.caster.params.Points.threshold = POINT_M;
    const [first] = this.caster.intersectObject(cloud, false);
    return Math.min(toFloor, first?.distance ?? FAR_M);
  }
}

function paint(opacity: number): THREE.MeshBasicMaterial {
  return new THREE.MeshBasicMaterial({ color: COLOUR, depthTest: false, transparent: true, opacity, fog: false });
}
