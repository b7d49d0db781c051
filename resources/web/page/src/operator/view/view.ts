// The operator's view: where the tracked thing is in the scene, and holding the view (paper 000, eq 1 to 3).
//
//   W  the browser's space: y up, at rest in the operator's room         P  what is tracked: phone, controller, hand
//   R  the robot: z up, x ahead; what the scene is drawn in              A  the base of the arm that is driven, in R
//
// The paper's A_T_W is R_T_W here, because one page may show two arms: A_T_P = A_T_R · R_T_P, and A_T_R never changes.

import { compose, IDENTITY, inverse, isFinitePose, type Pose } from "./pose";

export class View {
  private place: Pose = IDENTITY; // R_T_W
  private held: Pose | null = null; // R_T_H

  /** R_T_W. */
  get R_T_W(): Pose {
    return this.place;
  }

  get isHolding(): boolean {
    return this.held !== null;
  }

  /** Put the scene elsewhere at once: at the start, or when asked to; clutches have to be open. */
  put(R_T_W: Pose): void {
    this.place = R_T_W;
    this.held = null;
  }

  /**
   * The picture stands still from now on, however `W_T_P` moves (eq 3: A_T_H stays).
   * `W_T_P`: of what holds it: a phone itself, a controller of a headset.
   */
  hold(W_T_P: Pose): void {
    this.held ??= compose(this.place, W_T_P);
  }

  /** While it is held, with each new pose: A_T_W = A_T_H · P_T_W (eq 2). Else nothing changes. */
  follow(W_T_P: Pose): void {
    if (this.held !== null && isFinitePose(W_T_P)) this.place = compose(this.held, inverse(W_T_P));
  }

  /** Free again; the view goes on from where it stood. */
  release(): void {
    this.held = null;
  }

  /** R_T_P of anything in W (eq 1). */
  inScene(W_T_P: Pose): Pose {
    return compose(this.place, W_T_P);
  }
}
