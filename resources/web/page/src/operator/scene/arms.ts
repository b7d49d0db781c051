// All arms that are shown.

import type { ArmState } from "../link/packets";
import type { ArmPart } from "../link/protocol";
import { fromSeven, IDENTITY, type Pose, type Vector } from "../view/pose";
import { ArmFigure } from "./arm_figure";
import type { Picture } from "./picture";

/** Where to look as long as no arm is known, in R [m]. */
const SOMEWHERE: Vector = [0.35, 0, 0.3];

export class Arms {
  private figures = new Map<number, ArmFigure>();
  private readonly states = new Map<number, { readonly state: ArmState; readonly at: number }>();

  constructor(private readonly picture: Picture) {}

  show(parts: readonly ArmPart[]): void {
    for (const figure of this.figures.values()) figure.dispose();
    this.states.clear();
    this.figures = new Map(parts.map((part) => [part.index, new ArmFigure(part)]));
    for (const figure of this.figures.values()) this.picture.robot.add(figure.group);
    this.picture.invalidate();
  }

  /** Older states than the last are passed over. Returns whether it was taken. */
  take(state: ArmState, now: number): boolean {
    const last = this.states.get(state.index);
    if (last !== undefined && last.state.now >= state.now) return false;
    this.states.set(state.index, { state, at: now });
    if (this.figures.get(state.index)?.show(state, now) === true) this.picture.invalidate();
    return true;
  }

  /** Another link counts its times anew. */
  forget(): void {
    this.states.clear();
  }

  refresh(now: number): void {
    for (const figure of this.figures.values()) if (figure.refresh(now)) this.picture.invalidate();
  }

  /** The arm of this device name; with "", the first. */
  find(device: string): ArmPart | null {
    for (const { part } of this.figures.values()) if (device === "" || part.device === device) return part;
    return null;
  }

  /** The last state of an arm, and how old it is [ms]. */
  state(part: ArmPart | null, now: number): { readonly state: ArmState; readonly age: number } | null {
    const last = part === null ? undefined : this.states.get(part.index);
    return last === undefined ? null : { state: last.state, age: now - last.at };
  }

  base(part: ArmPart | null): Pose {
    return part === null ? IDENTITY : fromSeven(part.robot_T_base);
  }

  /** Where an arm's tool is, in the robot's frame [m]; null: not known. */
  tool(part: ArmPart | null): Vector | null {
    return (part === null ? undefined : this.figures.get(part.index))?.toolPoint ?? null;
  }

  middle(part: ArmPart | null): Vector {
    return (part === null ? undefined : this.figures.get(part.index))?.middle ?? SOMEWHERE;
  }
}
