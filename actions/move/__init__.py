"""Moves an arm a little way from where it is: along an axis of the robot, along its tool, or turns its wrist.

Up, forward and left are the robot's own, however its arms are mounted. Clockwise is as seen along the tool,
from the wrist, as one turns a screwdriver.
"""

from __future__ import annotations

import math
from typing import cast

import pilothouse as ph
from actions.move.goals import AXES, OPPOSITES, TURNS, Goal, moved, turned_wrist
from resources.types.begun import SIDES, Begun, Stood, in_steps
from resources.types.motion import Joints7
from resources.types.motion_words import angle_in_words, length_in_words, said_for_people
from resources.types.streams import Pose7

#: Share of the joints' speed at which the wrist turns when the tool would move so fast [m/s].
_TURNING, _USUAL_MPS = 0.2, 0.1


class Aim(Begun):
    """Where it is to end; what was asked for counts from where the arm was at first."""

    goal: Goal | None = None


class Move(ph.Action):
    """Move an arm a little way from where it is, or turn its wrist."""

    risk = ph.Risk.MOVES

    direction: str = ph.param(
        one_of=(*AXES, *TURNS), opposites=OPPOSITES, doc="in the robot's frame; out and in are along the tool"
    )
    distance_m: float = ph.param(default=0.05, gt=0.0, le=1.0, doc="how far")
    angle_rad: float = ph.param(default=math.pi / 2, gt=0.0, le=2 * math.pi, doc="how far the wrist turns")
    side: str = ph.param(default="", one_of=SIDES, which="arms", doc="of the arm")
    speed_mps: float = ph.param(
        default=_USUAL_MPS, gt=0.0, le=0.5, doc="of the tool, at most; the wrist turns as much slower"
    )

    arm = ph.needs(lambda given: ph.Arm(side=given.side), exclusive=True)
    memory: Aim

    async def run(self) -> None:
        name = self.memory.with_(self.arm)
        is_resumed = self.memory.goal is not None
        with self.memory.moving(self.arm, await self.arm.state()) as start:
            if self.memory.goal is None:
                self.memory.goal = self._goal(start)
            await self._move(name, self.memory.goal, is_resumed)

    def _goal(self, start: Stood) -> Goal:
        """From where it began; that itself, if what was done is taken back."""
        if self.direction in TURNS:
            angle = 0.0 if self.memory.back else TURNS[self.direction] * self.angle_rad
            return turned_wrist(cast(Joints7, start.joints), angle, self.arm.handle)
        distance_m = 0.0 if self.memory.back else self.distance_m
        return moved(cast(Pose7, start.place), self.direction, distance_m, self.arm.robot_T_base)

    async def _move(self, name: str, goal: Goal, is_resumed: bool) -> None:
        is_turn = self.direction in TURNS
        far = angle_in_words(self.angle_rad) if is_turn else length_in_words(self.distance_m)
        words = f"{far} {_SAID.get(self.direction, self.direction)}"
        doing = f"{'turning the wrist of' if is_turn else 'moving'} {name}"
        if is_resumed:
            words = f"{words} from where it was at first"
            doing = f"{doing} on to where it was to end:"
        if self.memory.back:
            words, doing = "back to where it was", f"moving {name}"
        elif self.memory.is_corrected and not is_resumed:
            words = f"{words} from where it was before"
        progress = in_steps(self.progress, f"{doing} {words}")
        with said_for_people(self.arm):
            if goal.joints is not None:
                turning = min(_TURNING * self.speed_mps / _USUAL_MPS, 1.0)
                await self.arm.move_joints(goal.joints, speed=turning, progress=progress)
            elif goal.base_T_tool is not None:
                await self.arm.move_to(goal.base_T_tool, speed=self.speed_mps, progress=progress)
        moved_or_turned = "turned its wrist" if is_turn and not self.memory.back else "moved"
        self.say(f"{name} has {moved_or_turned} {words}")


_SAID = {
    "left": "to the left",
    "right": "to the right",
    "out": "along its tool",
    "in": "back along its tool",
}
