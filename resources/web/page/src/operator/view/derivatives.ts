// Velocity and acceleration of a pose from its last samples: browsers do not always say them (linearVelocity may be
// null). A parabola is laid through a short window by least squares; it says both at the newest sample, without lag
// for steady acceleration.

import { back, minus, ORIGIN, rotationVector, turned, type Pose, type Vector } from "./pose";

/** How far back it looks [ms]. */
const WINDOW_MS = 110;
/** Fewer samples, or a shorter time, say nothing. */
const LEAST_SAMPLES = 4;
const LEAST_MS = 25;
/** A hand does not accelerate more: what is beyond is noise [m/s², rad/s²]. */
const MOST_LINEAR = 20;
const MOST_TURNING = 100;

export type Six = readonly [number, number, number, number, number, number];
const REST: Six = [0, 0, 0, 0, 0, 0];

export interface Motion {
  /** Linear [m/s], then angular [rad/s], in the axes of the poses' frame. */
  readonly twist: Six;
  /** [m/s², rad/s²], the same axes. */
  readonly acceleration: Six;
}

export class Derivatives {
  private samples: { readonly t: number; readonly pose: Pose }[] = [];

  /** Forget all: what comes now does not continue what was. */
  reset(): void {
    this.samples = [];
  }

  /** Take a pose of time `t_ms`; times must rise, an equal or earlier one is passed over. */
  add(t_ms: number, pose: Pose): Motion {
    const newest = this.samples.at(-1);
    if (newest === undefined || t_ms > newest.t) this.samples.push({ t: t_ms, pose });
    const now = this.samples.at(-1)!;
    this.samples = this.samples.filter((each) => each.t >= now.t - WINDOW_MS);
    const span = now.t - this.samples[0]!.t;
    if (this.samples.length < LEAST_SAMPLES || span < LEAST_MS) return { twist: REST, acceleration: REST };
    const times = this.samples.map((each) => (each.t - now.t) / 1000);
    const linear = parabola(times, this.samples.map((each) => minus(each.pose.p, now.pose.p)));
    // Turns about the newest attitude, in the frame's axes: small, so that their rates are angular velocities.
    const turning = parabola(times, this.samples.map((each) => rotationVector(turned(each.pose.q, back(now.pose.q)))));
    return {
      twist: [...linear.first, ...turning.first],
      acceleration: [...capped(linear.second, MOST_LINEAR), ...capped(turning.second, MOST_TURNING)],
    };
  }
}

/** First and second derivative at 0 of the parabolas through (t, y), least squares. */
function parabola(t: readonly number[], y: readonly Vector[]): { first: Vector; second: Vector } {
  const s = [0, 1, 2, 3, 4].map((power) => t.reduce((sum, each) => sum + each ** power, 0)) as [number, number, number, number, number];
  const [s0, s1, s2, s3, s4] = s;
  const determinant = s0 * (s2 * s4 - s3 * s3) - s1 * (s1 * s4 - s3 * s2) + s2 * (s1 * s3 - s2 * s2);
  if (Math.abs(determinant) < 1e-18) return { first: ORIGIN, second: ORIGIN };
  const axis = (index: 0 | 1 | 2): readonly [number, number] => {
    const [b0, b1, b2] = [0, 1, 2].map((power) => t.reduce((sum, each, i) => sum + each ** power * y[i]![index], 0)) as [number, number, number];
    const slope = (s0 * (b1 * s4 - b2 * s3) - b0 * (s1 * s4 - s3 * s2) + s2 * (s1 * b2 - s2 * b1)) / determinant;
    const bend = (s0 * (s2 * b2 - s3 * b1) - s1 * (s1 * b2 - s2 * b1) + b0 * (s1 * s3 - s2 * s2)) / determinant;
    return [slope, 2 * bend];
  };
  const [x, yy, z] = [axis(0), axis(1), axis(2)];
  return { first: [x[0], yy[0], z[0]], second: [x[1], yy[1], z[1]] };
}

function capped(v: Vector, most: number): Vector {
  const size = Math.hypot(...v);
  return size > most ? [(v[0] * most) / size, (v[1] * most) / size, (v[2] * most) / size] : v;
}
