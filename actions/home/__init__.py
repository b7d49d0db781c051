"""Brings an arm to its home posture. Of two arms one: whose it is, and what to say for the other, is said."""

from __future__ import annotations

import pilothouse as ph
from resources.types.begun import SIDES, Begun, in_steps
from resources.types.motion_words import said_for_people

#: An arm further from its home posture than this is not there [rad].
_THERE = 0.05

_OTHER = {"left": "right", "right": "left"}


class Home(ph.Action):
    """Move an arm to its home posture."""

    risk = ph.Risk.MOVES

    side: str = ph.param(default="", one_of=SIDES, doc="of the arm; whichever is free by default")
    speed_fraction: float = ph.param(default=0.3, ge=0.02, le=1.0, doc="of the speed of the joints")

    arm = ph.needs(lambda given: ph.Arm(side=given.side), exclusive=True)
    memory: Begun

    async def run(self) -> None:
        name = self.memory.with_(self.arm)
        with said_for_people(self.arm), self.memory.moving(self.arm, await self.arm.state()):
            if self.memory.back:
                await self.memory.go_back(self.arm, self.progress)
                self.say(f"{name} is where it was")
                return
            await self.arm.move_joints(
                self.arm.home,
                speed=self.speed_fraction,
                progress=in_steps(self.progress, f"moving {name} to its home posture"),
            )
        self.say(f"{name} is at home")
        if not self.side:
            await self._tell_of_the_other()

    async def _tell_of_the_other(self) -> None:
        """Whoever named no arm may have meant both: the other one does not move unasked, and is named."""
        side = _OTHER.get(self.arm.side)
        if side is None:
            return
        try:
            async with self.use(ph.ArmState(side)) as other:
                q = (await other.first()).q
                away = max(abs(one - home) for one, home in zip(q, other.home, strict=True))
        except (ph.ResourceUnavailable, ph.ResourceFailed, ph.MotionFailed):
            return  # there is none, or nothing is known of it
        if away > _THERE:
            words = f'say "move the {side} arm home" if it is to go there, too'
            self.say(f"the {side} arm stays where it is: {words}")
