// Primitive shapes of a scene as meshes. Geometries and materials are shared by equal shapes.

import * as THREE from "three";
import type { SceneShape } from "../protocol";

export class Shapes {
  private readonly geometries = new Map<string, THREE.BufferGeometry>();
  private readonly materials = new Map<string, THREE.Material>();

  /** A mesh that lies in its body as the shape says. */
  mesh(shape: SceneShape): THREE.Mesh {
    const mesh = new THREE.Mesh(this.geometry(shape), this.material(shape));
    mesh.position.set(...shape.position);
    mesh.quaternion.set(...shape.quaternion);
    return mesh;
  }

  dispose(): void {
    for (const geometry of this.geometries.values()) geometry.dispose();
    for (const material of this.materials.values()) material.dispose();
  }

  private geometry(shape: SceneShape): THREE.BufferGeometry {
    const key = `${shape.kind} ${shape.size.join(" ")}`;
    let geometry = this.geometries.get(key);
    if (geometry === undefined) {
      geometry = make(shape);
      this.geometries.set(key, geometry);
    }
    return geometry;
  }

  private material(shape: SceneShape): THREE.Material {
    const [red, green, blue, alpha] = shape.rgba;
    const floor = shape.kind === "plane";
    const key = `${shape.rgba.join(" ")} ${floor} ${shape.robot}`;
    let material = this.materials.get(key);
    if (material === undefined) {
      const colour = new THREE.Color().setRGB(red, green, blue, THREE.SRGBColorSpace);
      // The room is a model, what sensors measure is news: the room stays in the background.
      if (!shape.robot) colour.lerp(new THREE.Color(0x1a2229), floor ? 0.92 : 0.66);
      material = new THREE.MeshLambertMaterial({
        color: colour,
        transparent: alpha < 1,
        opacity: alpha,
        side: floor ? THREE.DoubleSide : THREE.FrontSide,
      });
      this.materials.set(key, material);
    }
    return material;
  }
}

function make(shape: SceneShape): THREE.BufferGeometry {
  const [x, y, z] = shape.size;
  switch (shape.kind) {
    case "plane":
      return new THREE.PlaneGeometry(x || 40, y || 40); // a side of 0 is without end
    case "box":
      return new THREE.BoxGeometry(x, y, z);
    case "sphere":
      return new THREE.SphereGeometry(x / 2, 20, 14);
    // three.js stands round shapes along y; ours lie along z.
    case "cylinder":
      return new THREE.CylinderGeometry(x / 2, x / 2, z, 24).rotateX(Math.PI / 2);
    case "capsule":
      return new THREE.CapsuleGeometry(x / 2, z, 8, 20).rotateX(Math.PI / 2);
  }
}
