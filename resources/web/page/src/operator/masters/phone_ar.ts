// A phone in an AR session: it is itself the hand, and the window into the scene. The clutch is the page's own button.

import { NO_WISHES, type HandReading, type Master, type Moment, type Wishes } from "./master";
import { poseOf } from "./xr_pose";

export class PhoneAr implements Master {
  readonly name = "phone";
  readonly words = "position and rotation from the phone's camera (WebXR)";
  readonly begin = "hold the clutch and move the phone";
  readonly carriesView = true;
  private trouble = "the phone has not found itself yet: show it the room, slowly";

  sample({ now, xr, page }: Moment): readonly HandReading[] {
    const viewer = xr?.frame.getViewerPose(xr.space);
    const found = viewer ? poseOf(viewer) : { pose: null, tracked: false };
    this.trouble = found.tracked ? "" : "the phone does not know where it is: more light, more of the room, slower";
    return [{
      side: "right", W_T_hand: found.pose, taken: now, tracked: found.tracked, clutch: page.clutch,
      grips: page.grips, stick: [0, 0, 0],
    }];
  }

  wishes(): Wishes {
    return NO_WISHES;
  }

  feel(): boolean {
    return false;
  }

  health(): string {
    return this.trouble;
  }

  close(): void {}
}
