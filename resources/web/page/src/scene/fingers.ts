// Where people point with a finger before the robot's cameras: a line from the hand, and the cursor where that meets
// the world. What counts the robot says; here it is drawn for as long.

import * as THREE from "three";
import type { FingerRay, PagePoint } from "../protocol";
import { COLOUR, Cursor, FAR_M } from "./cursor";
import type { Stage } from "./stage";
import type { Viewport } from "./viewport";

/** One finger: its line, and its cursor. */
class Finger {
  private readonly cursor: Cursor;
  private readonly line = new THREE.Line(
    new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3(0, 0, 1)]),
    new THREE.LineBasicMaterial({ color: COLOUR, transparent: true, opacity: 0.6 }),
  );

  constructor(private readonly viewport: Viewport, private readonly stage: Stage, overlay: HTMLElement) {
    this.cursor = new Cursor(viewport, overlay);
    this.line.frustumCulled = false;
    viewport.scene.add(this.line);
    this.show(null);
  }

  show(finger: FingerRay | null): void {
    this.line.visible = finger !== null;
    if (finger === null) {
      this.cursor.show(null, null);
      return;
    }
    const ray = new THREE.Ray(new THREE.Vector3(...finger.origin), new THREE.Vector3(...finger.direction));
    const met = this.stage.meet(ray, true);
    const at: PagePoint = { origin: finger.origin, direction: finger.direction, meets_m: met?.distance ?? null };
    this.cursor.name(finger.names);
    this.cursor.show(at, met?.normal ?? null);
    this.line.position.copy(ray.origin);
    this.line.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), ray.direction.normalize());
    this.line.scale.setScalar(met?.distance ?? FAR_M);
    this.viewport.invalidate();
  }
}

export class Fingers {
  private readonly drawn: Finger[] = [];

  constructor(private readonly viewport: Viewport, private readonly stage: Stage, private readonly overlay: HTMLElement) {}

  /** All that count now. */
  show(rays: readonly FingerRay[]): void {
    while (this.drawn.length < rays.length) this.drawn.push(new Finger(this.viewport, this.stage, this.overlay));
    this.drawn.forEach((finger, number) => finger.show(rays[number] ?? null));
  }
}
