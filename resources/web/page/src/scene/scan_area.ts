// What a planar scan says besides its points: the outline it saw, and the area it looked through.

import * as THREE from "three";
import { POINT_BYTES } from "../protocol";

const GAP_M = 0.35;
const COLOUR = 0xffb02e;

export class ScanArea {
  readonly object = new THREE.Group();
  private readonly area: THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial>;
  private readonly outline: THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial>;

  constructor() {
    this.area = new THREE.Mesh(
      new THREE.BufferGeometry(),
      new THREE.MeshBasicMaterial({ color: COLOUR, transparent: true, opacity: 0.09, depthWrite: false, side: THREE.DoubleSide }),
    );
    this.outline = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: COLOUR }));
    for (const part of [this.area, this.outline]) part.frustumCulled = false;
    this.object.add(this.area, this.outline);
  }

  /** `points` in the order of the scan, 16 bytes each; `origin`: where the scanner was. */
  set(points: Uint8Array<ArrayBuffer>, origin: readonly number[]): void {
    const count = points.byteLength / POINT_BYTES;
    const at = new Float32Array(points.buffer, points.byteOffset, count * 4);
    const lines: number[] = [];
    const triangles: number[] = [];
    const [ox = 0, oy = 0, oz = 0] = origin;
    for (let i = 0; i + 1 < count; i++) {
      const [x, y, z] = [at[4 * i]!, at[4 * i + 1]!, at[4 * i + 2]!];
      const [u, v, w] = [at[4 * i + 4]!, at[4 * i + 5]!, at[4 * i + 6]!];
      if (Math.hypot(u - x, v - y, w - z) > GAP_M) continue;
      lines.push(x, y, z, u, v, w);
      triangles.push(ox, oy, oz, x, y, z, u, v, w);
    }
    replace(this.outline.geometry, lines);
    replace(this.area.geometry, triangles);
  }

  setGrey(grey: boolean): void {
    for (const part of [this.area, this.outline]) part.material.color.set(grey ? 0x8a949c : COLOUR);
  }

  dispose(): void {
    for (const part of [this.area, this.outline]) {
      part.geometry.dispose();
      part.material.dispose();
    }
  }
}

function replace(geometry: THREE.BufferGeometry, positions: readonly number[]): void {
  geometry.dispose();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(positions, 3));
}
