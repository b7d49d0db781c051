"""Keeps an arm where it is, and everybody with no more right from moving it, until stopped."""

from __future__ import annotations

import pilothouse as ph
from resources.types.begun import SIDES, Begun
from resources.types.motion_words import said_for_people


class HoldStill(ph.Action):
    """Hold an arm still where it is."""

    continuous = True
    retains = True
    risk = ph.Risk.MOVES

    side: str = ph.param(default="", one_of=SIDES, doc="of the arm; whichever is free by default")

    arm = ph.needs(lambda given: ph.Arm(side=given.side), exclusive=True)
    memory: Begun

    async def run(self) -> None:
        name = self.memory.with_(self.arm)
        self.established(f"holding {name} still")
        with said_for_people(self.arm):
            await self.arm.hold()
