"""Opens a gripper, all the way or to a width."""

from __future__ import annotations

import pilothouse as ph
from resources.types.begun import SIDES, Begun, in_steps
from resources.types.motion_words import length_in_words, said_for_people


class OpenGripper(ph.Action):
    """Open a gripper."""

    risk = ph.Risk.MOVES

    side: str = ph.param(default="", one_of=SIDES, which="grippers", doc="of the gripper")
    width_m: float = ph.param(default=0.0, ge=0.0, le=0.5, doc="how wide; all the way by default")

    gripper = ph.needs(lambda given: ph.Gripper(side=given.side), exclusive=True)
    memory: Begun

    async def run(self) -> None:
        name = self.memory.with_(self.gripper)
        widest_m: float = self.gripper.max_width_m
        width_m = self.width_m or widest_m
        if width_m > widest_m:
            raise ph.MotionFailed(
                f"{name} opens to {length_in_words(widest_m)} at most, not to {length_in_words(width_m)}"
            )
        with said_for_people(self.gripper), self.memory.moving(self.gripper, await self.gripper.state()):
            if self.memory.back:
                await self.memory.go_back(self.gripper, self.progress)
                self.say(f"{name} is as it was")
                return
            await self.gripper.open(width_m, progress=in_steps(self.progress, f"opening {name}"))
        self.say(f"{name} is open, {length_in_words(width_m)} wide")
