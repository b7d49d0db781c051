// Walls that stand between the viewer and the room are taken away, as from a doll's house.

import * as THREE from "three";

const THIN_M = 0.2;
const LONG_M = 0.5;

interface Wall {
  readonly mesh: THREE.Mesh;
  readonly axis: "x" | "y";
  /** Where it stands along its axis [m]. */
  readonly at: number;
}

export class OpenWalls {
  private readonly walls: readonly Wall[];
  private readonly centre = new THREE.Vector3();

  /** `fixed`: all meshes of the room that never move, placed. */
  constructor(fixed: readonly THREE.Mesh[]) {
    this.walls = fixed.flatMap((mesh) => asWall(mesh) ?? []);
    const room = new THREE.Box3();
    for (const wall of this.walls) room.expandByObject(wall.mesh);
    if (!room.isEmpty()) room.getCenter(this.centre);
  }

  /** Show and hide for a viewer at `position`: away with each wall that he is behind. */
  lookFrom(position: THREE.Vector3, shown: boolean): void {
    for (const { mesh, axis, at } of this.walls) {
      const outward = at - this.centre[axis];
      mesh.visible = shown && (position[axis] - at) * outward <= 0;
    }
  }
}

/** Upright slabs along x or y; null for everything else. */
function asWall(mesh: THREE.Mesh): Wall | null {
  const box = new THREE.Box3().setFromObject(mesh);
  const size = box.getSize(new THREE.Vector3());
  const axis = size.x < size.y ? "x" : "y";
  if (size[axis] > THIN_M || Math.max(size.x, size.y) < LONG_M || size.z < size[axis]) return null;
  return { mesh, axis, at: box.getCenter(new THREE.Vector3())[axis] };
}
