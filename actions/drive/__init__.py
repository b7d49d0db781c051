"""Drives the base so far, or turns it; what is in its way is waited for, and said."""

from __future__ import annotations

import math
from typing import cast

import pilothouse as ph
from actions.drive.way import Way
from resources.types.begun import Begun, in_steps
from resources.types.motion_words import angle_in_words, length_in_words, said_for_people

#: The most at once: what drives or turns "until I say stop" does so much, if nobody says it [m], [rad].
_FARTHEST_M, _MOST_TURN = 20.0, 4 * math.pi

#: Directions of the base itself: forward, left.
_WAYS = {"forward": (1.0, 0.0), "back": (-1.0, 0.0), "left": (0.0, 1.0), "right": (0.0, -1.0)}
_TURNS = {"turn_left": 1.0, "turn_right": -1.0}

_OPPOSITES = {
    "forward": "back",
    "back": "forward",
    "left": "right",
    "right": "left",
    "turn_left": "turn_right",
    "turn_right": "turn_left",
}

#: What is in the way may go away by itself: so long it is waited for [s].
_PATIENCE_S = 10.0

#: How fast it turns, where the base can [rad/s], when it would drive so fast [m/s].
_TURNING, _USUAL_MPS = 0.6, 0.4

Goal = tuple[float, float, float]


class Aim(Begun):
    """Where it is to end, in the odometry frame: x, y [m], yaw [rad]."""

    goal: Goal | None = None


class Drive(ph.Action):
    """Drive the base so far, or turn it."""

    risk = ph.Risk.MOVES

    direction: str = ph.param(
        one_of=(*_WAYS, *_TURNS), opposites=_OPPOSITES, doc="as the base stands at first"
    )
    distance_m: float = ph.param(default=0.5, gt=0.0, le=_FARTHEST_M, doc="how far it drives")
    angle_rad: float = ph.param(default=math.pi / 2, gt=0.0, le=_MOST_TURN, doc="how far it turns")
    speed_mps: float = ph.param(default=_USUAL_MPS, gt=0.0, le=2.0, doc="at most; it turns as much slower")

    base = ph.needs(ph.Base, exclusive=True)
    memory: Aim

    async def run(self) -> None:
        name = self.memory.with_(self.base)
        state = await self.base.state()
        with self.memory.moving(self.base, state) as start:
            if self.memory.goal is None:
                self.memory.goal = self._goal(*cast(Goal, start.place))
                self._say_bound()
            await self._drive(name, self.memory.goal)

    async def _drive(self, name: str, goal: Goal) -> None:
        words = "driving back to where it was" if self.memory.back else self._words()
        way = Way(self.base, _PATIENCE_S, self.say)
        tell = in_steps(self.progress, words)

        def progress(done: float) -> None:
            way.look()
            tell(done)

        x, y, yaw = goal
        with said_for_people(self.base):
            await self.base.move_to(
                x,
                y,
                yaw,
                speed=min(self.speed_mps, self.base.max_speed),
                turn=min(_TURNING * self.speed_mps / _USUAL_MPS, self.base.max_turn),
                progress=progress,
            )
        self.say(f"{name} has arrived after {words}")

    def _goal(self, x: float, y: float, yaw: float) -> Goal:
        if self.memory.back:
            return x, y, yaw
        if self.direction in _TURNS:
            return x, y, yaw + _TURNS[self.direction] * self.angle_rad
        forward, left = (part * self.distance_m for part in _WAYS[self.direction])
        cos, sin = math.cos(yaw), math.sin(yaw)
        return x + forward * cos - left * sin, y + forward * sin + left * cos, yaw

    def _say_bound(self) -> None:
        """Whoever asked for no distance has to know that there is one."""
        if self.direction in _TURNS and self.angle_rad >= _MOST_TURN:
            self.say(f'I turn {angle_in_words(_MOST_TURN)} at most: say "stop" to end it before')
        elif self.direction in _WAYS and self.distance_m >= _FARTHEST_M:
            self.say(f'I drive {length_in_words(_FARTHEST_M)} at most: say "stop" to end it before')

    def _words(self) -> str:
        if self.direction in _TURNS:
            return f"turning {angle_in_words(self.angle_rad)} to the {self.direction.removeprefix('turn_')}"
        aside = "to the " if self.direction in ("left", "right") else ""
        return f"driving {length_in_words(self.distance_m)} {aside}{self.direction}"
