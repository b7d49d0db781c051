// Bare hands before a headset: thumb and index finger together are the clutch, thumb and middle finger the gripper,
// thumb and ring finger change the scale, thumb and little finger hold the view. The wrist is what is followed: fingers
// move when they pinch.

import { NO_WISHES, type HandReading, type Master, type Moment, type Side, type Wishes } from "./master";
import { Presses } from "./presses";
import { poseOf } from "./xr_pose";
import { minus, norm, type Pose } from "../view/pose";

/** Finger tips nearer than the first are together, farther than the second apart [m]. */
const TOGETHER_M = 0.018;
const APART_M = 0.032;

type Finger = "index" | "middle" | "ring" | "pinky";

class OneHand {
  readonly grips = new Presses();
  readonly scales = new Presses();
  private readonly pinched = new Set<Finger>();

  /** Fingers that touch the thumb. `tip`: where the tip of a finger is; null while it is not seen. */
  look(tip: (name: Finger | "thumb") => Pose | null): ReadonlySet<Finger> {
    const thumb = tip("thumb");
    for (const finger of ["index", "middle", "ring", "pinky"] as const) {
      const at = tip(finger);
      const distance = thumb === null || at === null ? Infinity : norm(minus(at.p, thumb.p));
      if (distance < TOGETHER_M) this.pinched.add(finger);
      else if (distance > APART_M) this.pinched.delete(finger);
    }
    return this.pinched;
  }
}

export class BareHands implements Master {
  readonly name = "bare hand";
  readonly words = "the wrists, as the headset sees them (WebXR); nothing can be felt, no sticks";
  readonly begin = "put thumb and index finger together and move your hand";
  readonly carriesView = false;
  private readonly hands: Record<Side, OneHand> = { right: new OneHand(), left: new OneHand() };
  private seen = 0;
  private holder: Pose | null = null;
  private scale = false;

  sample({ now, xr }: Moment): readonly HandReading[] {
    const sources = [...(xr?.frame.session.inputSources ?? [])].filter((source) => source.hand != null && source.handedness !== "none");
    this.holder = null;
    const readings = sources.map((source): HandReading => {
      const side = source.handedness as Side;
      const joint = (name: XRHandJoint): Pose | null => {
        const space = source.hand!.get(name);
        const found = space ? xr!.frame.getJointPose?.(space, xr!.space) : undefined;
        return found ? poseOf(found).pose : null;
      };
      const hand = this.hands[side];
      const wrist = joint("wrist");
      const pinched = hand.look((finger) => joint(finger === "thumb" ? "thumb-tip" : `${finger}-finger-tip`));
      hand.grips.update(pinched.has("middle"));
      if (hand.scales.update(pinched.has("ring"))) this.scale = true;
      if (pinched.has("pinky")) this.holder ??= wrist;
      return {
        side, W_T_hand: wrist, taken: now, tracked: wrist !== null, clutch: pinched.has("index"), grips: hand.grips.count,
        stick: [0, 0, 0],
      };
    });
    this.seen = readings.filter((reading) => reading.tracked).length;
    return readings;
  }

  wishes(): Wishes {
    const nextScale = this.scale;
    this.scale = false;
    return { ...NO_WISHES, holdView: this.holder, nextScale };
  }

  feel(): boolean {
    return false;
  }

  health(): string {
    return this.seen > 0 ? "" : "the headset sees no hand";
  }

  close(): void {}
}
