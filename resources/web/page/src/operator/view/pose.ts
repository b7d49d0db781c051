// Rotations and poses as plain numbers: what the masters, the view and the packets are computed with.
// Quaternions are x y z w, unit; a pose `X_T_Y` maps coordinates of frame Y to frame X. Has no three.js, no page.

export type Vector = readonly [number, number, number];
export type Quaternion = readonly [number, number, number, number];

/** X_T_Y: position of Y's origin [m] and rotation of Y, both in X. */
export interface Pose {
  readonly p: Vector;
  readonly q: Quaternion;
}

export const ORIGIN: Vector = [0, 0, 0];
export const NO_TURN: Quaternion = [0, 0, 0, 1];
export const IDENTITY: Pose = { p: ORIGIN, q: NO_TURN };

export function add(a: Vector, b: Vector): Vector {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

export function minus(a: Vector, b: Vector): Vector {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

export function times(s: number, a: Vector): Vector {
  return [s * a[0], s * a[1], s * a[2]];
}

export function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

export function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function norm(a: Vector): number {
  return Math.hypot(...a);
}

/** A turn after another: `b` first, in `a`'s frame. */
export function turned(a: Quaternion, b: Quaternion): Quaternion {
  const [ax, ay, az, aw] = a;
  const [bx, by, bz, bw] = b;
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

export function back(q: Quaternion): Quaternion {
  return [-q[0], -q[1], -q[2], q[3]];
}

/** Unit again, after many products; no turn for what has no length. */
export function unit(q: Quaternion): Quaternion {
  const length = Math.hypot(...q);
  return length > 1e-9 ? [q[0] / length, q[1] / length, q[2] / length, q[3] / length] : NO_TURN;
}

/** A vector of the turned frame, in the frame it was turned in. */
export function rotate(q: Quaternion, v: Vector): Vector {
  const u: Vector = [q[0], q[1], q[2]];
  const t = times(2, cross(u, v));
  return add(add(v, times(q[3], t)), cross(u, t));
}

/** The turn by |r| [rad] about r. */
export function fromRotationVector(r: Vector): Quaternion {
  const angle = norm(r);
  const s = angle > 1e-9 ? Math.sin(angle / 2) / angle : 0.5;
  return [s * r[0], s * r[1], s * r[2], Math.cos(angle / 2)];
}

/** Its rotation vector [rad], the shorter way round. */
export function rotationVector(q: Quaternion): Vector {
  const sign = q[3] < 0 ? -1 : 1;
  const s = Math.hypot(q[0], q[1], q[2]);
  const k = s > 1e-9 ? (2 * sign * Math.atan2(s, Math.abs(q[3]))) / s : 2 * sign;
  return [k * q[0], k * q[1], k * q[2]];
}

/** The turn whose columns are these axes: right-handed, unit, at right angles. */
export function fromAxes(x: Vector, y: Vector, z: Vector): Quaternion {
  const trace = x[0] + y[1] + z[2];
  if (trace > 0) {
    const s = 2 * Math.sqrt(trace + 1);
    return unit([(y[2] - z[1]) / s, (z[0] - x[2]) / s, (x[1] - y[0]) / s, s / 4]);
  }
  if (x[0] >= y[1] && x[0] >= z[2]) {
    const s = 2 * Math.sqrt(1 + x[0] - y[1] - z[2]);
    return unit([s / 4, (y[0] + x[1]) / s, (z[0] + x[2]) / s, (y[2] - z[1]) / s]);
  }
  if (y[1] >= z[2]) {
    const s = 2 * Math.sqrt(1 + y[1] - x[0] - z[2]);
    return unit([(y[0] + x[1]) / s, s / 4, (z[1] + y[2]) / s, (z[0] - x[2]) / s]);
  }
  const s = 2 * Math.sqrt(1 + z[2] - x[0] - y[1]);
  return unit([(z[0] + x[2]) / s, (z[1] + y[2]) / s, s / 4, (x[1] - y[0]) / s]);
}

/** X_T_Y · Y_T_Z. */
export function compose(a: Pose, b: Pose): Pose {
  return { p: add(a.p, rotate(a.q, b.p)), q: unit(turned(a.q, b.q)) };
}

/** Y_T_X of X_T_Y. */
export function inverse(a: Pose): Pose {
  const q = back(a.q);
  return { p: times(-1, rotate(q, a.p)), q };
}

/** Seven numbers, as they stand in messages: position, quaternion x y z w. */
export function fromSeven(seven: ArrayLike<number>): Pose {
  const [x, y, z, qx, qy, qz, qw] = Array.from(seven) as [number, number, number, number, number, number, number];
  return { p: [x, y, z], q: unit([qx, qy, qz, qw]) };
}

export function isFinitePose(pose: Pose): boolean {
  return [...pose.p, ...pose.q].every(Number.isFinite);
}

export function isSamePose(a: Pose, b: Pose): boolean {
  return a.p.every((value, index) => value === b.p[index]) && a.q.every((value, index) => value === b.q[index]);
}
