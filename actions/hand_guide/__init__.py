"""Lets a person move an arm by hand, until stopped."""

from __future__ import annotations

import pilothouse as ph
from resources.types.begun import SIDES, Begun
from resources.types.motion_words import said_for_people


class HandGuide(ph.Action):
    """Let a person guide an arm by hand."""

    continuous = True
    retains = True
    risk = ph.Risk.MOVES

    side: str = ph.param(default="", one_of=SIDES, which="arms", doc="of the arm")

    arm = ph.needs(lambda given: ph.Arm(side=given.side), exclusive=True)
    memory: Begun

    async def run(self) -> None:
        name = self.memory.with_(self.arm)
        self.established(f'{name} can be guided by hand; say "stop" when you are done')
        with said_for_people(self.arm):
            await self.arm.guide()
