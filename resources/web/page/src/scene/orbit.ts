// Looking around with mouse, touch and keys: the viewer turns around a target, and finds home again.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { PutView } from "../protocol";
import { standBefore, standFor } from "./framing";
import type { Viewport } from "./viewport";

/** From behind the robot, over its right shoulder: its left is on the left. */
const HOME_TOWARDS = new THREE.Vector3(4.0, 3.2, -2.55);
/** What is looked at as long as nothing is known to be anywhere [m]. */
const SOMEWHERE = [new THREE.Box3(new THREE.Vector3(-1.5, -1.5, 0), new THREE.Vector3(1.5, 1.5, 1.5))];

export class Orbit {
  private readonly controls: OrbitControls;
  private framed: readonly THREE.Box3[] = SOMEWHERE;
  /** Nobody has moved the view since it was home. */
  private isHome = true;
  private isGoingHome = false;

  constructor(private readonly viewport: Viewport) {
    this.controls = new OrbitControls(viewport.camera, viewport.canvas);
    this.controls.minDistance = 0.2;
    this.controls.maxDistance = 40;
    this.controls.maxPolarAngle = Math.PI * 0.55;
    this.controls.zoomToCursor = true;
    this.controls.listenToKeyEvents(viewport.canvas);
    this.controls.keyPanSpeed = 20;
    this.controls.addEventListener("change", () => {
      this.isHome = this.isGoingHome;
      viewport.invalidate();
    });
    viewport.onResize(() => {
      if (this.isHome) this.home();
    });
    this.home();
  }

  /** From now on home shows all of `boxes`; who has not looked elsewhere yet is taken there. None change nothing. */
  frame(boxes: readonly THREE.Box3[]): void {
    if (boxes.length === 0) return;
    this.framed = boxes;
    if (this.isHome) this.home();
  }

  /** Look at something else, from where it is looked from now or from above; at nothing in particular: home. */
  put({ middle, size_m, is_above }: PutView): void {
    if (middle === null) {
      this.home();
      return;
    }
    const { position, target } = standBefore(new THREE.Vector3(...middle), size_m, is_above, this.viewport.camera);
    this.viewport.camera.position.copy(position);
    this.controls.target.copy(target);
    this.controls.update();
    this.isHome = false; // also if it was there already
  }

  /** Look from where the page began. */
  home(): void {
    const { position, target } = standFor(this.framed, HOME_TOWARDS, this.viewport.camera);
    this.viewport.camera.position.copy(position);
    this.controls.target.copy(target);
    this.isGoingHome = true;
    this.controls.update();
    this.isGoingHome = false;
    this.isHome = true;
    this.viewport.invalidate();
  }
}
