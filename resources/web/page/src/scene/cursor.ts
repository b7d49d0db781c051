// The cursor of whoever points: a ring where it meets the world, and the name of what that is.

import * as THREE from "three";
import { h, setText } from "../elements";
import type { PagePoint } from "../protocol";
import type { Viewport } from "./viewport";

export const COLOUR = 0xffd45e;
/** Its radius, seen from the viewer [rad]: some twelve pixels, however near it is. */
const RADIUS_RAD = 0.016;
/** Where nothing is met it is drawn so far away [m]. */
export const FAR_M = 5;
const AHEAD = new THREE.Vector3(0, 0, 1);

export class Cursor {
  private readonly object = new THREE.Group();
  private readonly label = h("span", { class: "cursor-label" });
  private readonly facing = new THREE.Vector3();

  /** `overlay`: an element of the viewport's size over it. */
  constructor(private readonly viewport: Viewport, overlay: HTMLElement) {
    const material = new THREE.MeshBasicMaterial({ color: COLOUR, depthTest: false, transparent: true, fog: false });
    this.object.add(
      new THREE.Mesh(new THREE.TorusGeometry(1, 0.13, 8, 40), material),
      new THREE.Mesh(new THREE.SphereGeometry(0.2, 12, 8), material),
    );
    for (const part of this.object.children) part.renderOrder = 5;
    this.object.visible = false;
    this.label.hidden = true;
    overlay.append(this.label);
    viewport.scene.add(this.object);
    this.name([]);
    viewport.onBeforeRender(() => this.place());
  }

  /** Draw it there; null: nowhere. normal: of the surface that it lies on, in the world. */
  show(at: PagePoint | null, normal: THREE.Vector3 | null): void {
    this.object.visible = at !== null;
    if (at !== null) {
      const direction = new THREE.Vector3(...at.direction);
      this.object.position.set(...at.origin).addScaledVector(direction, at.meets_m ?? FAR_M);
      this.facing.copy(normal ?? direction.negate());
      this.object.quaternion.setFromUnitVectors(AHEAD, this.facing.normalize());
    }
    this.viewport.invalidate();
  }

  /** What it is on, as people call it; several: nobody could tell which of them. */
  name(names: readonly string[]): void {
    setText(this.label, inWords(names));
    this.label.classList.toggle("unknown", names.length === 0);
    this.viewport.invalidate();
  }

  private place(): void {
    const { position, visible } = this.object;
    const at = visible ? this.viewport.project(position) : null;
    this.label.hidden = at === null;
    if (at === null) return;
    this.object.scale.setScalar(RADIUS_RAD * position.distanceTo(this.viewport.camera.position));
    this.label.style.transform = `translate(${at.x + 16}px, ${at.y + 8}px)`;
  }
}

/** What a cursor is on; several names: nobody could tell which of them. */
export function inWords(names: readonly string[]): string {
  const different = [...new Set(names)];
  return different.length === 0 ? "nothing that I know" : `${different.join(" or ")}${names.length > 1 ? "?" : ""}`;
}
