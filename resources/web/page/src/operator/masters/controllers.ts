// A headset's two controllers: squeeze is the clutch, trigger the gripper, thumb-stick the base, the lower face button
// (A, X) holds the view, the upper one (B, Y), held for a second, is the emergency stop; pressing a stick changes the scale.

import { deadZone } from "./rate";
import { type Feeling, type HandReading, type Master, type Moment, type Side, type Wishes } from "./master";
import { LongPress, Presses } from "./presses";
import { poseOf } from "./xr_pose";
import type { Pose } from "../view/pose";

/** Buttons and axes of the profile "xr-standard". */
const TRIGGER = 0;
const SQUEEZE = 1;
const STICK = 3;
const LOWER = 4;
const UPPER = 5;
const STICK_X = 2;
const STICK_Y = 3;
const DEAD = 0.15;
const PRESSED = 0.5;
const STOP_AFTER_MS = 1000;
/** A pulse of the continuous pattern, and what may pass until the next [ms]. */
const PULSE_MS = 30;
const EVERY_MS = 25;

/** `controllers`: of the running session, not its hands. */
export class Controllers implements Master {
  readonly name = "headset";
  readonly words = "position and rotation of the controllers (WebXR)";
  readonly begin = "squeeze the grip and move your hand";
  readonly carriesView = false;
  private readonly triggers: Record<Side, Presses> = { right: new Presses(), left: new Presses() };
  private readonly scales = new Presses();
  private readonly stops = new LongPress(STOP_AFTER_MS);
  private sources: readonly XRInputSource[] = [];
  private pulsedAt = -Infinity;

  sample({ now, xr }: Moment): readonly HandReading[] {
    this.sources = [...(xr?.frame.session.inputSources ?? [])].filter((source) => source.hand == null && source.gripSpace != null);
    const right = this.axes("right");
    const left = this.axes("left");
    // One stick drives ahead and turns; with two, the left one also drives sideways and the right one turns.
    const stick: HandReading["stick"] = right !== null && left !== null
      ? [clamped(-left[1] - right[1]), -left[0], -right[0]]
      : [-(right ?? left ?? [0, 0])[1], 0, -(right ?? left ?? [0, 0])[0]];
    return this.sources.flatMap((source) => {
      if (source.handedness === "none") return [];
      const side = source.handedness;
      const found = xr!.frame.getPose(source.gripSpace!, xr!.space);
      const presses = this.triggers[side];
      presses.update(pressed(source, TRIGGER));
      const { pose, tracked } = found ? poseOf(found) : { pose: null, tracked: false };
      return [{
        side, W_T_hand: pose, taken: now, tracked, clutch: pressed(source, SQUEEZE), grips: presses.count, stick,
      }];
    });
  }

  wishes({ now, xr }: Moment): Wishes {
    const any = (button: number): boolean => this.sources.some((source) => pressed(source, button));
    return { holdView: this.holder(xr), stop: this.stops.update(any(UPPER), now), nextScale: this.scales.update(any(STICK)) };
  }

  feel({ knock, press }: Feeling, now: number): boolean {
    const intensity = Math.max(knock, press);
    if (intensity > 0 && (knock > 0 || now - this.pulsedAt >= EVERY_MS)) {
      this.pulsedAt = now;
      for (const source of this.sources) pulse(source, intensity, knock > 0 ? 2 * PULSE_MS : PULSE_MS);
    }
    return this.sources.some((source) => actuators(source).length > 0);
  }

  health(): string {
    return this.sources.length > 0 ? "" : "no controller is there: switch one on, or show bare hands";
  }

  close(): void {}

  private axes(side: Side): readonly [number, number] | null {
    const axes = this.sources.find((source) => source.handedness === side)?.gamepad?.axes;
    return axes ? [deadZone(axes[STICK_X] ?? 0, DEAD), deadZone(axes[STICK_Y] ?? 0, DEAD)] : null;
  }

  private holder(xr: Moment["xr"]): Pose | null {
    const source = this.sources.find((each) => pressed(each, LOWER));
    const found = source === undefined ? null : xr?.frame.getPose(source.gripSpace!, xr.space);
    return found ? poseOf(found).pose : null;
  }
}

function pressed(source: XRInputSource, button: number): boolean {
  return (source.gamepad?.buttons[button]?.value ?? 0) > PRESSED;
}

function clamped(value: number): number {
  return Math.max(-1, Math.min(1, value));
}

interface Actuator {
  pulse?: (intensity: number, ms: number) => Promise<boolean>;
}

function actuators(source: XRInputSource): readonly Actuator[] {
  return (source.gamepad as { hapticActuators?: readonly Actuator[] } | undefined)?.hapticActuators ?? [];
}

function pulse(source: XRInputSource, intensity: number, ms: number): void {
  for (const actuator of actuators(source)) void actuator.pulse?.(Math.min(1, intensity), ms)?.catch(() => undefined);
}
