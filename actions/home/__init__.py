"""Brings an arm to its home posture."""

from __future__ import annotations

import pilothouse as ph
from resources.types.begun import SIDES, Begun, in_steps
from resources.types.motion_words import said_for_people


class Home(ph.Action):
    """Move an arm to its home posture."""

    risk = ph.Risk.MOVES

    side: str = ph.param(default="", one_of=SIDES, doc="of the arm; whichever is free by default")

    arm = ph.needs(lambda given: ph.Arm(side=given.side), exclusive=True)
    memory: Begun

    async def run(self) -> None:
        name = self.memory.with_(self.arm)
        with said_for_people(self.arm):
            await self.arm.move_joints(
                self.arm.home, progress=in_steps(self.progress, f"moving {name} to its home posture")
            )
        self.say(f"{name} is at home")
