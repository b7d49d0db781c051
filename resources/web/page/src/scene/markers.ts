// Things that are followed: a small frame with a ring and a name at each pose.

import * as THREE from "three";
import { h, setText } from "../elements";
import type { Viewport } from "./viewport";

const COLOUR = 0xe879c8;

export class Markers {
  readonly object = new THREE.Group();
  private readonly label: HTMLElement;

  constructor(
    private readonly viewport: Viewport,
    overlay: HTMLElement,
    title: string,
  ) {
    this.label = h("span", { class: "marker-label" }, title);
    this.label.hidden = true;
    overlay.append(this.label);
  }

  /** 7 numbers each: position and quaternion x y z w. */
  set(poses: Float32Array): void {
    const count = Math.floor(poses.length / 7);
    while (this.object.children.length < count) this.object.add(marker());
    this.object.children.forEach((child, index) => {
      child.visible = index < count;
      if (child.visible) {
        child.position.fromArray(poses, 7 * index);
        child.quaternion.fromArray(poses, 7 * index + 3);
      }
    });
  }

  setTitle(title: string): void {
    setText(this.label, title);
  }

  setGrey(grey: boolean): void {
    this.label.classList.toggle("stale", grey);
  }

  /** Put the name beside the first one. */
  placeLabel(): void {
    const first = this.object.children[0];
    const at = first?.visible ? this.viewport.project(first.position) : null;
    this.label.hidden = at === null;
    if (at !== null) this.label.style.transform = `translate(${at.x + 12}px, ${at.y - 22}px)`;
  }

  dispose(): void {
    this.label.remove();
  }
}

function marker(): THREE.Object3D {
  const group = new THREE.Group();
  const ring = new THREE.Mesh(
    new THREE.TorusGeometry(0.11, 0.008, 8, 40),
    new THREE.MeshBasicMaterial({ color: COLOUR, depthTest: false }),
  );
  group.add(ring, new THREE.AxesHelper(0.12));
  group.renderOrder = 2;
  return group;
}
