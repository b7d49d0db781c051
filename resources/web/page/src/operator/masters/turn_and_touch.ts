// A phone without WebXR (iOS): its gyroscope says how it turns; where it is, nobody knows, so that a finger on the
// pad says where the tool goes: across and up on the pad, nearer and farther with the strip beside it.

import { NO_WISHES, type HandReading, type Master, type Moment, type Wishes } from "./master";
import { heading, levelFrame } from "../view/place";
import { add, fromAxes, rotate, times, turned, unit, type Quaternion, type Vector } from "../view/pose";

export const TURN_AND_TOUCH = "orientation and touch";
/** What the tool goes for one centimetre of finger, about [m per CSS pixel]. */
const METRES_PER_PIXEL = 0.0006;
/** Without a new attitude for so long the gyroscope is silent [ms]. */
const SILENCE_MS = 250;
const REMEDY = typeof DeviceOrientationEvent !== "undefined" && "requestPermission" in DeviceOrientationEvent
  ? "tap “Turn and touch” again and allow it, or see Settings > Safari > Motion & Orientation"
  : "allow this page the motion sensors (the browser's settings of this site), then tap “Turn and touch” again";

export class TurnAndTouch implements Master {
  readonly name = TURN_AND_TOUCH;
  readonly words =
    "rotation from the gyroscope, position from a finger on the pad: walking and moving the phone do nothing here, and the view is moved by touch";
  readonly begin = "hold the clutch and slide on the pad";
  readonly carriesView = false;
  private attitude: Quaternion | null = null;
  private heard = -Infinity;
  private position: Vector = [0, 0, 0];
  private moved: [number, number, number] = [0, 0, 0];
  private align: Quaternion = [0, 0, 0, 1];
  private readonly end = new AbortController();

  /** `gyroscope`: it may be read (`allowGyroscope`). */
  constructor(private readonly gyroscope: boolean) {
    addEventListener("deviceorientation", (event) => this.read(event), { signal: this.end.signal });
  }

  /** A finger has moved: right, up and away from the operator [CSS px]. */
  drag(right: number, up: number, away: number): void {
    this.moved[0] += right;
    this.moved[1] += up;
    this.moved[2] -= away;
  }

  sample({ now, W_T_eye, page }: Moment): readonly HandReading[] {
    const level = levelFrame(W_T_eye.q);
    this.position = add(this.position, rotate(level, times(METRES_PER_PIXEL, this.moved)));
    this.moved = [0, 0, 0];
    const attitude = this.attitude ?? [0, 0, 0, 1];
    // Its compass knows nothing of the picture: while the clutch is open, where the phone points is ahead in it.
    if (!page.clutch) {
      const half = (heading(W_T_eye.q) - heading(attitude)) / 2;
      this.align = [0, Math.sin(half), 0, Math.cos(half)];
    }
    const silent = this.gyroscope && now - this.heard > SILENCE_MS;
    return [{
      side: "right", W_T_hand: { p: this.position, q: unit(turned(this.align, attitude)) }, taken: now, tracked: !silent,
      clutch: page.clutch, grips: page.grips, stick: [0, 0, 0],
    }];
  }

  wishes(): Wishes {
    return NO_WISHES;
  }

  feel(): boolean {
    return false;
  }

  health(): string {
    if (!this.gyroscope) return "the gyroscope may not be read: the finger moves, nothing turns";
    return performance.now() - this.heard > SILENCE_MS ? `the gyroscope is silent: ${REMEDY}` : "";
  }

  close(): void {
    this.end.abort();
  }

  private read({ alpha, beta, gamma }: DeviceOrientationEvent): void {
    if (alpha === null || beta === null || gamma === null) return;
    this.heard = performance.now();
    this.attitude = attitudeOf(alpha, beta, gamma, screen.orientation?.angle ?? 0);
  }
}

/** The earth's axes (x east, y north, z up) in ours (y up, z south). */
const EARTH: Quaternion = fromAxes([1, 0, 0], [0, 0, -1], [0, 1, 0]);

/** Attitude of the picture on a phone's screen, y up, from the angles of a DeviceOrientationEvent [degrees]. */
export function attitudeOf(alpha: number, beta: number, gamma: number, screenAngle: number): Quaternion {
  const about = (axis: Vector, degrees: number): Quaternion => {
    const half = (degrees * Math.PI) / 360;
    return [...times(Math.sin(half), axis), Math.cos(half)];
  };
  const device = turned(turned(about([0, 0, 1], alpha), about([1, 0, 0], beta)), about([0, 1, 0], gamma));
  return unit(turned(turned(EARTH, device), about([0, 0, 1], -screenAngle)));
}

/** Ask for the gyroscope (iOS wants a tap for that). False: refused, or there is none. */
export async function allowGyroscope(): Promise<boolean> {
  if (typeof DeviceOrientationEvent === "undefined") return false;
  const ask = (DeviceOrientationEvent as unknown as { requestPermission?: () => Promise<string> }).requestPermission;
  try {
    return ask === undefined ? true : (await ask()) === "granted";
  } catch {
    return false;
  }
}
