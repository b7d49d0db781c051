"""Turns an arm's wrist, with the tool and the camera on it, towards a thing; the tool stays where it is."""

from __future__ import annotations

import math

import pilothouse as ph
from actions.known_things import one_called, place_seen
from resources.types.begun import SIDES, Begun, in_steps
from resources.types.motion_words import length_in_words, said_for_people
from resources.types.poses import (
    Vector3,
    between,
    chained,
    inverse,
    pose,
    position_of,
    product,
    rotation_of,
    turned,
    unit,
)
from resources.types.streams import Pose7
from resources.types.whereabouts import robot_among

#: Nearer than this to the tool, a thing is in no direction [m].
_NEAREST_M = 0.03

#: How fast the tool turns [rad/s].
_TURNING = 0.6


class LookAt(ph.Action):
    """Turn the wrist towards a thing that is known."""

    risk = ph.Risk.MOVES

    thing: str = ph.param(doc="name of a thing that is known")
    side: str = ph.param(default="", one_of=SIDES, doc="of the arm; whichever is free by default")

    arm = ph.needs(lambda given: ph.Arm(side=given.side), exclusive=True)
    known = ph.needs(ph.Known)
    memory: Begun

    async def run(self) -> str:
        name = self.memory.with_(self.arm)
        thing = one_called(self.known.things, self.thing, "what I know is")
        world_T_thing = await self._place_of(thing)
        base_T_thing = chained(
            inverse(chained(robot_among(self.known.things), self.arm.robot_T_base)), world_T_thing
        )
        state = await self.arm.state()
        goal, far_m = facing(state.base_T_tool, position_of(base_T_thing))
        words = f"turning the wrist of {name} towards {thing.with_article}"
        with said_for_people(self.arm):
            await self.arm.move_to(goal, turn=_TURNING, progress=in_steps(self.progress, words))
        self.say(f"the wrist of {name} looks at {thing.with_article}, {length_in_words(far_m)} away")
        return thing.name

    async def _place_of(self, thing: ph.KnownThing) -> Pose7:
        if thing.marker is None:
            if thing.world_T_thing is None:
                raise ph.PilothouseError(f"I do not know where {thing.with_article} is")
            return thing.world_T_thing
        return await place_seen(self, thing, "I cannot look at it")


def facing(base_T_tool: Pose7, point: Vector3) -> tuple[Pose7, float]:
    """The tool turned where it is, the shortest way, so that its axis points at a point; how far that is [m].

    Raises MotionFailed if the point is where the tool is.
    """
    tool = position_of(base_T_tool)
    x, y, z = (there - here for there, here in zip(point, tool, strict=True))
    far_m = math.hypot(x, y, z)
    if far_m < _NEAREST_M:
        raise ph.MotionFailed("that is where the tool is: there is no direction to look in")
    now = rotation_of(base_T_tool)
    turn = between(turned(now, (0.0, 0.0, 1.0)), (x, y, z))
    return pose(tool, unit(product(turn, now))), far_m
