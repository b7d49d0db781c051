"""Moves an arm a little way from where it is: along an axis of the robot, along its tool, or turns its wrist.

Up, forward and left are the robot's own, however its arms are mounted. Clockwise is as seen along the tool,
from the wrist, as one turns a screwdriver.
"""

from __future__ import annotations

import math

import pilothouse as ph
from actions.move.goals import AXES, TURNS, Goal, moved, turned_wrist
from resources.types.begun import SIDES, Begun, in_steps
from resources.types.motion_words import angle_in_words, length_in_words, said_for_people

#: Share of the joints' speed at which the wrist turns when the tool would move so fast [m/s].
_TURNING, _USUAL_MPS = 0.2, 0.1


class Aim(Begun):
    """Where it is to end; what was asked for counts from where the arm was at first."""

    goal: Goal | None = None


class Move(ph.Action):
    """Move an arm a little way from where it is, or turn its wrist."""

    risk = ph.Risk.MOVES

    direction: str = ph.param(
        one_of=(*AXES, *TURNS), doc="in the robot's frame; out and in are along the tool"
    )
    distance_m: float = ph.param(default=0.05, gt=0.0, le=1.0, doc="how far")
    angle_rad: float = ph.param(default=math.pi / 2, gt=0.0, le=2 * math.pi, doc="how far the wrist turns")
    side: str = ph.param(default="", one_of=SIDES, doc="of the arm; whichever is free by default")
    speed_mps: float = ph.param(
        default=_USUAL_MPS, gt=0.0, le=0.5, doc="of the tool, at most; the wrist turns as much slower"
    )

    arm = ph.needs(lambda given: ph.Arm(side=given.side), exclusive=True)
    memory: Aim

    async def run(self) -> None:
        name = self.memory.with_(self.arm)
        is_turn = self.direction in TURNS
        is_resumed = self.memory.goal is not None
        if self.memory.goal is None:
            state = await self.arm.state()
            self.memory.goal = (
                turned_wrist(state.q, TURNS[self.direction] * self.angle_rad, self.arm.handle)
                if is_turn
                else moved(state.base_T_tool, self.direction, self.distance_m, self.arm.robot_T_base)
            )
        far = angle_in_words(self.angle_rad) if is_turn else length_in_words(self.distance_m)
        words = f"{far} {_SAID.get(self.direction, self.direction)}"
        doing = f"{'turning the wrist of' if is_turn else 'moving'} {name}"
        if is_resumed:
            words = f"{words} from where it was at first"
            doing = f"{doing} on to where it was to end:"
        progress = in_steps(self.progress, f"{doing} {words}")
        goal = self.memory.goal
        with said_for_people(self.arm):
            if goal.joints is not None:
                turning = min(_TURNING * self.speed_mps / _USUAL_MPS, 1.0)
                await self.arm.move_joints(goal.joints, speed=turning, progress=progress)
            elif goal.base_T_tool is not None:
                await self.arm.move_to(goal.base_T_tool, speed=self.speed_mps, progress=progress)
        self.say(f"{name} has {'turned its wrist' if is_turn else 'moved'} {words}")


_SAID = {
    "left": "to the left",
    "right": "to the right",
    "out": "along its tool",
    "in": "back along its tool",
}
