// One arm as it is now: its capsules where its joints put them, its tool and where that is to go, what it feels.

import * as THREE from "three";
import type { ArmState } from "../link/packets";
import type { ArmPart } from "../link/protocol";
import { compose, fromSeven, minus, norm, rotate, type Pose, type Vector } from "../view/pose";
import { ForceArrow } from "./force_arrow";
import { linkFrames } from "./kinematics";
import { Workspace } from "./workspace";

const LINK = 0xd5dde4;
const JOINT = 0x8da0b0;
const OLD = 0x59636c;
/** Tool and target nearer than this are one [m]. */
const APART_M = 0.004;
/** Older states are not how the arm is [ms]. */
const OLD_MS = 400;

export class ArmFigure {
  /** In the robot's frame. */
  readonly group = new THREE.Group();
  private readonly links: THREE.Group[] = [];
  private readonly tool = frame(0.1, 1);
  private readonly target = frame(0.14, 0.45);
  private readonly towards = new THREE.Line(
    new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(new Float32Array(6), 3)),
    new THREE.LineBasicMaterial({ color: 0xffd166 }),
  );
  private readonly force = new ForceArrow();
  private readonly workspace: Workspace;
  private readonly materials = [LINK, JOINT].map((color) => new THREE.MeshLambertMaterial({ color }));
  private state: ArmState | null = null;
  private heardAt = -Infinity;
  private isOld = false;

  constructor(readonly part: ArmPart) {
    place(this.group, fromSeven(part.robot_T_base));
    for (let index = 0; index <= part.dh.length; index += 1) {
      const link = new THREE.Group();
      link.visible = false;
      this.links.push(link);
      this.group.add(link);
    }
    part.capsules.forEach(([link, from, to, radius]) => {
      const mesh = capsule(from, to, radius, this.materials[link % 2]!);
      this.links[Math.min(link, this.links.length - 1)]!.add(mesh);
    });
    this.workspace = new Workspace(part.workspace, part.walls);
    this.towards.frustumCulled = false;
    for (const each of [this.tool, this.target, this.towards, this.force.object]) each.visible = false;
    this.group.add(this.tool, this.target, this.towards, this.force.object, this.workspace.object);
  }

  /** Returns whether the picture is another one now. */
  show(state: ArmState, now: number): boolean {
    const before = this.state;
    this.state = state;
    this.heardAt = now;
    if (before !== null && !this.isOld && isSame(before, state)) return false;
    linkFrames(this.part.dh, state.q).forEach((at, index) => {
      const link = this.links[index]!;
      place(link, at);
      link.visible = true;
    });
    place(this.tool, state.base_T_tool);
    place(this.target, state.base_T_target);
    const apart = norm(minus(state.base_T_tool.p, state.base_T_target.p)) > APART_M;
    this.tool.visible = true;
    this.target.visible = state.engaged !== 0 || state.moved || apart;
    this.towards.visible = apart;
    const line = this.towards.geometry.getAttribute("position") as THREE.BufferAttribute;
    line.setXYZ(0, ...state.base_T_tool.p);
    line.setXYZ(1, ...state.base_T_target.p);
    line.needsUpdate = true;
    this.force.show(state.base_T_tool.p, [state.wrench[0], state.wrench[1], state.wrench[2]], state.contact);
    this.workspace.near(state.base_T_target.p);
    return true;
  }

  /** Grey when nothing is heard of it; returns whether that has changed. */
  refresh(now: number): boolean {
    const old = this.state !== null && now - this.heardAt + this.state.age > OLD_MS;
    if (old === this.isOld) return false;
    this.isOld = old;
    this.materials.forEach((material, index) => material.color.set(old ? OLD : [LINK, JOINT][index]!));
    return true;
  }

  /** Where its tool is, in the robot's frame [m]; null: not known. */
  get toolPoint(): Vector | null {
    return this.state === null ? null : compose(fromSeven(this.part.robot_T_base), this.state.base_T_tool).p;
  }

  /** The middle of what it reaches, in the robot's frame [m]. */
  get middle(): Vector {
    const [lower, upper] = this.part.workspace;
    const base = fromSeven(this.part.robot_T_base);
    const tool = this.state?.base_T_tool.p;
    // Reaches are wide and low; where the tool works is better, once it is known.
    const middle: Vector = tool ?? [(lower[0] + upper[0]) / 2, (lower[1] + upper[1]) / 2, (lower[2] + upper[2]) / 2];
    const [x, y, z] = rotate(base.q, [0.75 * middle[0], 0.75 * middle[1], Math.max(0.15, 0.8 * middle[2])]);
    return [base.p[0] + x, base.p[1] + y, base.p[2] + z];
  }

  dispose(): void {
    this.group.removeFromParent();
    this.group.traverse((each) => {
      if (each instanceof THREE.Mesh || each instanceof THREE.Line) (each.geometry as THREE.BufferGeometry).dispose();
    });
    for (const material of this.materials) material.dispose();
  }
}

/** Put an object where a pose says. */
export function place(object: THREE.Object3D, { p, q }: Pose): void {
  object.position.set(...p);
  object.quaternion.set(...q);
}

function isSame(a: ArmState, b: ArmState): boolean {
  const near = (x: readonly number[], y: readonly number[], within: number): boolean => x.every((value, index) => Math.abs(value - y[index]!) < within);
  return near(a.q, b.q, 2e-4) && near(a.base_T_target.p, b.base_T_target.p, 2e-4) && near(a.base_T_target.q, b.base_T_target.q, 5e-4) &&
    near(a.wrench, b.wrench, 0.3) && a.contact === b.contact && a.engaged === b.engaged && a.moved === b.moved;
}

function capsule(from: readonly number[], to: readonly number[], radius: number, material: THREE.Material): THREE.Mesh {
  const [a, b] = [new THREE.Vector3().fromArray(from), new THREE.Vector3().fromArray(to)];
  const length = a.distanceTo(b);
  const mesh = new THREE.Mesh(new THREE.CapsuleGeometry(radius, length, 6, 16), material);
  mesh.position.copy(a).lerp(b, 0.5);
  if (length > 1e-6) mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), b.clone().sub(a).divideScalar(length));
  return mesh;
}

/** Axes as three rods: x red, y green, z blue; `strength`: how solid. */
function frame(length: number, strength: number): THREE.Group {
  const group = new THREE.Group();
  const colours = [0xff5a4f, 0x57d98a, 0x5aa2ff];
  colours.forEach((color, index) => {
    const rod = new THREE.Mesh(
      new THREE.CylinderGeometry(0.004, 0.004, length, 8),
      new THREE.MeshBasicMaterial({ color, opacity: strength, transparent: strength < 1, depthTest: false }),
    );
    if (index === 0) rod.rotation.z = -Math.PI / 2;
    if (index === 2) rod.rotation.x = Math.PI / 2;
    rod.position.setComponent(index, length / 2);
    rod.renderOrder = 2;
    group.add(rod);
  });
  return group;
}
