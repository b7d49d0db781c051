"""Asks for help, as an action does that cannot go on by itself, and goes on from wherever it was led."""

from __future__ import annotations

import msgspec

import pilothouse as ph


class Asked(msgspec.Struct):
    """Whether it has asked already: whoever takes the arm ends the run that asks."""

    for_help: bool = False


class Fetch(ph.Action):
    """Fetch something that it cannot grasp by itself."""

    risk = ph.Risk.MOVES

    thing: str = ph.param(doc="what is to be fetched")

    arm = ph.needs(ph.Arm, exclusive=True)
    memory: Asked

    async def run(self) -> None:
        if not self.memory.for_help:
            self.memory.for_help = True
            await self.ask(f"I cannot grasp the {self.thing}: take the arm?")
        y = (await self.arm.state()).base_T_tool[1]
        self.say(f"going on with the {self.thing} from {round(100 * y)} cm to the left")
        await self.arm.move_joints(self.arm.home)
        self.say(f"the {self.thing} is fetched")
