// The eye at a desk, and on a phone outside of a session: mouse and fingers turn it around what it looks at.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
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
