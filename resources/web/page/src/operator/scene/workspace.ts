// The box that an arm does not leave, and the virtual walls in it. A side shows itself when the target comes near.

import * as THREE from "three";
import type { Vector } from "../view/pose";

type Corner = readonly [number, number, number];

/** From here on a side of the box is seen; at its wall it is as solid as it gets [m]. */
const NEAR_M = 0.08;
const SOLID = 0.35;
const EDGE = 0x3f7f89;
const SIDE = 0xe7ae4a;
const WALL = 0xd8322c;

export class Workspace {
  readonly object = new THREE.Group();
  private readonly sides: { readonly mesh: THREE.Mesh<THREE.PlaneGeometry, THREE.MeshBasicMaterial>; readonly axis: 0 | 1 | 2; readonly at: number }[] = [];

  /** Boxes in the arm's base: lower and upper corner [m]; walls six numbers each. */
  constructor(box: readonly [Corner, Corner], walls: readonly (readonly number[])[]) {
    const [lower, upper] = box;
    this.object.add(edges(lower, upper, EDGE, 0.5));
    for (const axis of [0, 1, 2] as const) for (const corner of box) this.addSide(lower, upper, axis, corner[axis]);
    for (const [x0, y0, z0, x1, y1, z1] of walls as readonly (readonly [number, number, number, number, number, number])[]) {
      const [from, to] = [[x0, y0, z0], [x1, y1, z1]] as [Corner, Corner];
      const wall = new THREE.Mesh(
        new THREE.BoxGeometry(x1 - x0, y1 - y0, z1 - z0),
        new THREE.MeshBasicMaterial({ color: WALL, transparent: true, opacity: 0.14, depthWrite: false }),
      );
      wall.position.set((x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2);
      this.object.add(wall, edges(from, to, WALL, 0.7));
    }
  }

  /** Show the sides near this point. */
  near(point: Vector): void {
    for (const { mesh, axis, at } of this.sides) {
      const distance = Math.abs(point[axis] - at);
      mesh.material.opacity = SOLID * Math.max(0, 1 - distance / NEAR_M);
      mesh.visible = mesh.material.opacity > 0;
    }
  }

  private addSide(lower: Corner, upper: Corner, axis: 0 | 1 | 2, at: number): void {
    const [u, v] = ([[1, 2], [2, 0], [0, 1]] as const)[axis];
    const mesh = new THREE.Mesh(
      new THREE.PlaneGeometry(upper[u] - lower[u], upper[v] - lower[v]),
      new THREE.MeshBasicMaterial({ color: SIDE, transparent: true, opacity: 0, side: THREE.DoubleSide, depthWrite: false }),
    );
    // A plane lies in x and y: its axes onto u, v and the side's own.
    const columns = [u, v, axis].map((index) => new THREE.Vector3().setComponent(index, 1)) as [THREE.Vector3, THREE.Vector3, THREE.Vector3];
    mesh.quaternion.setFromRotationMatrix(new THREE.Matrix4().makeBasis(...columns));
    mesh.position.set((lower[0] + upper[0]) / 2, (lower[1] + upper[1]) / 2, (lower[2] + upper[2]) / 2).setComponent(axis, at);
    mesh.visible = false;
    this.object.add(mesh);
    this.sides.push({ mesh, axis, at });
  }
}

function edges(lower: Corner, upper: Corner, color: number, opacity: number): THREE.LineSegments {
  const box = new THREE.BoxGeometry(upper[0] - lower[0], upper[1] - lower[1], upper[2] - lower[2]);
  const lines = new THREE.LineSegments(new THREE.EdgesGeometry(box), new THREE.LineBasicMaterial({ color, transparent: true, opacity }));
  box.dispose();
  lines.position.set((lower[0] + upper[0]) / 2, (lower[1] + upper[1]) / 2, (lower[2] + upper[2]) / 2);
  return lines;
}
