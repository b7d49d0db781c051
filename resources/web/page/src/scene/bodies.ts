// Robot and room: bodies made of primitive shapes, put where the poses say.

import * as THREE from "three";
import type { Scene } from "../protocol";
import { OpenWalls } from "./open_walls";
import { Shapes } from "./shapes";

/** Fixed things of the room with a longer side are its shell (floor, walls, pipes): nobody comes to look at them [m]. */
const SHELL_M = 2.5;

export class Bodies {
  readonly group = new THREE.Group();
  private shapes = new Shapes();
  private bodies: THREE.Group[] = [];
  private fixed: boolean[] = [];
  private roomMeshes: THREE.Mesh[] = [];
  private robotMeshes: THREE.Mesh[] = [];
  private roomFixed: THREE.Mesh[] = [];
  private solid: THREE.Mesh[] = [];
  private walls: OpenWalls | null = null;
  private placed = false;
  private showRoom = true;

  /** Build anew; bodies are invisible until their first poses. */
  show(scene: Scene): void {
    this.shapes.dispose();
    this.shapes = new Shapes();
    this.group.clear();
    this.roomMeshes = [];
    this.robotMeshes = [];
    this.roomFixed = [];
    this.solid = [];
    this.walls = null;
    this.placed = false;
    this.fixed = scene.bodies.map((body) => body.fixed);
    this.bodies = scene.bodies.map((body) => {
      const group = new THREE.Group();
      group.visible = false;
      group.matrixAutoUpdate = false;
      for (const shape of body.shapes) {
        const mesh = this.shapes.mesh(shape);
        group.add(mesh);
        (shape.robot ? this.robotMeshes : this.roomMeshes).push(mesh);
        if (shape.kind === "plane") continue;
        this.solid.push(mesh);
        if (body.fixed && !shape.robot) this.roomFixed.push(mesh);
      }
      this.group.add(group);
      return group;
    });
    this.setRoomVisible(this.showRoom);
  }

  /** Put every body where it is: 7 numbers each, position and quaternion x y z w. Returns whether it was the first time. */
  place(poses: Float32Array): boolean {
    const one = new THREE.Vector3(1, 1, 1);
    this.bodies.forEach((body, index) => {
      if (this.placed && this.fixed[index]) return;
      const at = 7 * index;
      if (at + 7 > poses.length) return;
      const [x, y, z, qx, qy, qz, qw] = poses.subarray(at, at + 7) as unknown as Seven;
      body.matrix.compose(new THREE.Vector3(x, y, z), new THREE.Quaternion(qx, qy, qz, qw), one);
      body.matrixWorldNeedsUpdate = true;
      body.visible = true;
    });
    if (this.placed) return false;
    this.placed = true;
    this.group.updateMatrixWorld(true);
    this.walls = new OpenWalls(this.roomFixed);
    return true;
  }

  /** Boxes around the parts of the robot and what stands in the room, but not around the room; none before the first poses. */
  extents(): THREE.Box3[] {
    if (!this.placed) return [];
    this.group.updateMatrixWorld(true);
    const fixed = new Set(this.roomFixed);
    return this.solid.flatMap((mesh) => {
      if (mesh.parent?.visible !== true) return [];
      const box = new THREE.Box3().setFromObject(mesh);
      const { x, y, z } = box.getSize(new THREE.Vector3());
      return fixed.has(mesh) && Math.max(x, y, z) >= SHELL_M ? [] : [box];
    });
  }

  /** What a ray can meet: what is seen, or (`hidden`) also what was taken away for the viewer to look in. */
  targets(hidden: boolean): THREE.Mesh[] {
    this.group.updateMatrixWorld();
    return [...this.roomMeshes, ...this.robotMeshes].filter((mesh) => mesh.parent?.visible === true && (hidden || mesh.visible));
  }

  setRobotVisible(visible: boolean): void {
    for (const mesh of this.robotMeshes) mesh.visible = visible;
  }

  setRoomVisible(visible: boolean): void {
    this.showRoom = visible;
    for (const mesh of this.roomMeshes) mesh.visible = visible;
  }

  /** Take away the walls in front of a viewer at `position`. */
  lookFrom(position: THREE.Vector3): void {
    this.walls?.lookFrom(position, this.showRoom);
  }
}

type Seven = readonly [number, number, number, number, number, number, number];
