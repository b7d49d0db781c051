// The eye at a desk, and on a phone outside of a session: mouse and fingers turn it around what it looks at.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { LookAt } from "../link/protocol";
import { standBefore } from "../../scene/framing";
import { compose, inverse, rotate, type Pose, type Vector } from "../view/pose";
import { DISTANCE_M, startEye } from "../view/place";

export class DeskEye {
  private readonly controls: OrbitControls;
  private moved = false;
  private placing = false;

  constructor(private readonly camera: THREE.PerspectiveCamera, canvas: HTMLCanvasElement, onChange: () => void) {
    this.controls = new OrbitControls(camera, canvas);
    this.controls.minDistance = 0.15;
    this.controls.maxDistance = 8;
    this.controls.maxPolarAngle = Math.PI * 0.6;
    this.controls.addEventListener("change", () => {
      if (!this.placing) this.moved = true;
      onChange();
    });
  }

  set enabled(enabled: boolean) {
    this.controls.enabled = enabled;
  }

  /** Nobody has looked elsewhere yet. */
  get isHome(): boolean {
    return !this.moved;
  }

  /** Look at something, from where it is looked from now or from above. `middle`: of it, in R [m]. */
  look(middle: Vector, { size_m, is_above }: LookAt, R_T_W: Pose): void {
    const W_p_middle = new THREE.Vector3(...compose(inverse(R_T_W), { p: middle, q: [0, 0, 0, 1] }).p);
    const { position, target } = standBefore(W_p_middle, size_m, is_above, this.camera);
    this.camera.position.copy(position);
    this.controls.target.copy(target);
    this.controls.update();
    this.camera.updateMatrixWorld();
    this.moved = true;
  }

  /** Look at the robot as at the start. `middle`: of the picture, in R [m]. */
  home(middle: Vector, R_T_W: Pose): void {
    const W_T_E = compose(inverse(R_T_W), startEye(middle));
    const W_p_middle = rotate(W_T_E.q, [0, 0, -DISTANCE_M]);
    this.placing = true;
    this.camera.position.set(...W_T_E.p);
    this.controls.target.set(W_T_E.p[0] + W_p_middle[0], W_T_E.p[1] + W_p_middle[1], W_T_E.p[2] + W_p_middle[2]);
    this.controls.update();
    this.camera.updateMatrixWorld();
    this.placing = false;
    this.moved = false;
  }
}
