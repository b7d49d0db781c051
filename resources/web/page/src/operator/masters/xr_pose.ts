// Poses as WebXR says them.

import { fromSeven, type Pose } from "../view/pose";

/** An XR pose, and whether it is really tracked: an emulated position is a guess. */
export function poseOf(found: XRPose): { readonly pose: Pose; readonly tracked: boolean } {
  const { position: p, orientation: q } = found.transform;
  return { pose: fromSeven([p.x, p.y, p.z, q.x, q.y, q.z, q.w]), tracked: !found.emulatedPosition };
}
