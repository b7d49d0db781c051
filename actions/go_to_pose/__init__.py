"""Takes an arm to a pose that was remembered ("remember this pose as dock")."""

from __future__ import annotations

import pilothouse as ph
from resources.types.begun import SIDES, Begun, in_steps
from resources.types.memory import RememberedPose
from resources.types.motion_words import said_for_people
from resources.types.naming import plain, unknown


class GoToPose(ph.Action):
    """Move an arm to a pose that was remembered."""

    risk = ph.Risk.MOVES

    name: str = ph.param(doc="of the pose")
    side: str = ph.param(default="", one_of=SIDES, doc="of the arm; by default the one that was there")
    speed_fraction: float = ph.param(default=0.3, ge=0.02, le=1.0, doc="of the speed of the joints")

    store = ph.needs(ph.Memory)
    memory: Begun

    async def run(self) -> str:
        pose = self._meant()
        # Which arm it needs is known only now; one that was taken from it is waited for.
        is_again = bool(self.memory.device)
        async with self.use(ph.Arm(self.side or pose.side), exclusive=True, wait=is_again) as arm:
            name = self.memory.with_(arm)
            words = f"moving {name} to the pose {pose.name!r}"
            with said_for_people(arm), self.memory.moving(arm, await arm.state()):
                if self.memory.back:
                    await self.memory.go_back(arm, self.progress)
                    self.say(f"{name} is where it was")
                    return pose.name
                progress = in_steps(self.progress, words)
                await arm.move_joints(pose.joints, speed=self.speed_fraction, progress=progress)
        self.say(f"{name} is in the pose {pose.name!r}")
        return pose.name

    def _meant(self) -> RememberedPose:
        poses: tuple[RememberedPose, ...] = self.store.poses
        asked = plain(self.name)
        for pose in poses:
            if pose.name == asked:
                return pose
        raise ph.PilothouseError(unknown(asked, (pose.name for pose in poses), "poses that I remember are"))
