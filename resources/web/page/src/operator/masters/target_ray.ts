// Where a hand in a session points: the target ray of a controller, or of a bare hand, as the browser says it.

import { poseOf } from "./xr_pose";
import type { Pose } from "../view/pose";

/** Of the right hand, else of the left one, in W, along its own -z; null: none is there, or nobody knows where it is. */
export function targetRay(frame: XRFrame, space: XRReferenceSpace): Pose | null {
  for (const side of ["right", "left"] as const) {
    for (const source of frame.session.inputSources) {
      if (source.handedness !== side || source.targetRayMode !== "tracked-pointer") continue;
      const found = frame.getPose(source.targetRaySpace, space);
      const seen = found ? poseOf(found) : null;
      if (seen?.tracked === true) return seen.pose;
    }
  }
  return null;
}
