"""Turns the base on the spot to face a thing or a place; what is in its way is waited for, and said."""

from __future__ import annotations

import math

import pilothouse as ph
from actions.drive.way import Way
from actions.known_things import one_called
from resources.types.begun import Begun, in_steps
from resources.types.motion_words import said_for_people

#: What is in the way may go away by itself: so long it is waited for [s].
_PATIENCE_S = 10.0

#: How fast it turns, where the base can [rad/s].
_TURNING = 0.6

#: Nearer than this to its middle, a thing is in no direction [m].
_NEAREST_M = 0.1


class Facing(Begun):
    """The direction that it is to have in the end, in the odometry frame [rad]."""

    yaw: float | None = None


class Face(ph.Action):
    """Turn the base on the spot to face something."""

    risk = ph.Risk.MOVES

    thing: str = ph.param(doc="name of a thing or place that is known")

    base = ph.needs(ph.Base, exclusive=True)
    known = ph.needs(ph.Known)
    memory: Facing

    async def run(self) -> str:
        name = self.memory.with_(self.base)
        thing = one_called(self.known.things, self.thing, "what I can turn to is")
        spoken = thing.with_article
        x, y, yaw = (await self.base.state()).odometry
        if self.memory.yaw is None:
            if thing.world_T_thing is None:
                raise ph.PilothouseError(f"I do not know where {spoken} is")
            to_x, to_y = thing.world_T_thing[0] - x, thing.world_T_thing[1] - y
            if math.hypot(to_x, to_y) < _NEAREST_M:
                raise ph.MotionFailed(f"I stand where {spoken} is: there is no direction to turn to")
            self.memory.yaw = math.atan2(to_y, to_x)
        words = f"turning to {spoken}"
        way = Way(self.base, _PATIENCE_S, self.say)
        tell = in_steps(self.progress, words)

        def progress(done: float) -> None:
            way.look()
            tell(done)

        aim = yaw + math.remainder(self.memory.yaw - yaw, 2 * math.pi)
        with said_for_people(self.base):
            await self.base.move_to(x, y, aim, turn=min(_TURNING, self.base.max_turn), progress=progress)
        self.say(f"{name} faces {spoken}")
        return thing.name
