"""Closes a gripper: until its fingers meet, or to keep hold of something. Says which of both it came to."""

from __future__ import annotations

import pilothouse as ph
from resources.types.begun import SIDES, Begun, in_steps
from resources.types.motion_words import length_in_words, said_for_people


class CloseGripper(ph.Action):
    """Close a gripper, or grasp with it what is between its fingers."""

    risk = ph.Risk.MOVES

    side: str = ph.param(default="", one_of=SIDES, which="grippers", doc="of the gripper")
    grasp: bool = ph.param(default=False, doc="there has to be something to keep hold of")
    force_n: float = ph.param(default=20.0, gt=0.0, le=200.0, doc="of the fingers, at most")

    gripper = ph.needs(lambda given: ph.Gripper(side=given.side), exclusive=True)
    memory: Begun

    async def run(self) -> None:
        name = self.memory.with_(self.gripper)
        strongest_n: float = self.gripper.max_force_n
        if self.force_n > strongest_n:
            raise ph.MotionFailed(
                f"{name} presses with {strongest_n:g} N at most, not with {self.force_n:g} N"
            )
        progress = in_steps(self.progress, f"{'grasping with' if self.grasp else 'closing'} {name}")
        with said_for_people(self.gripper), self.memory.moving(self.gripper, await self.gripper.state()):
            if self.memory.back:
                await self.memory.go_back(self.gripper, self.progress)
                self.say(f"{name} is as it was")
                return
            if self.grasp:
                await self.gripper.grasp(force_n=self.force_n, progress=progress)
            else:
                await self.gripper.close(force_n=self.force_n, progress=progress)
            state = await self.gripper.state()
        if state.holds:
            self.say(f"{name} holds something {length_in_words(state.width_m)} wide")
        else:
            self.say(f"{name} is closed; there was nothing between its fingers")
