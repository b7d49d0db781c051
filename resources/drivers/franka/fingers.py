"""`Fingers`: the mechanism of a real gripper, whose every call blocks until the fingers stand. Pure.

    commands ─▶ Fingers ── calls, one at a time ──▶ the helper process that makes them
                   └────── stops, at any time ────▶ the loop's own connection

The loop asks for `call` and `wants_stop`, and tells what became of them with `answered` and `stopped`. A
grasp is kept whatever happens: coming to rest, a stop, a lock and a change of holder drop nothing.
"""

from __future__ import annotations

import math
from enum import Enum

import msgspec

from resources.controllers.goals import GripperMechanism
from resources.controllers.loop import Ended
from resources.types.motion import MotionCommand, MoveGripper

MOST_SPEED: float = 0.1  # [m/s] of the width
MOST_FORCE_N: float = 70.0  # continuous

_NOTHING_M = 0.002  # fingers that have closed as far as this hold nothing
_NEAR_M = 0.003  # a width that is missed by less counts as reached
_FINGERS_TAKE_S = 5.0  # beside the way at its speed, a call may take so long
_LONGEST_WAY_M = 0.1


class What(Enum):
    """Which call of pylibfranka's."""

    HOMING = "homing"
    MOVE = "move"
    GRASP = "grasp"


class Call(msgspec.Struct, frozen=True):
    """One call that blocks. outer_m: of a grasp, how much wider than `width_m` what is held may be."""

    what: What
    width_m: float = 0.0
    speed: float = MOST_SPEED
    force_n: float = 0.0
    outer_m: float = 0.0

    @property
    def longest_s(self) -> float:
        """Nothing is heard of the gripper any more if this takes longer."""
        return _FINGERS_TAKE_S + _LONGEST_WAY_M / self.speed


class Answer(msgspec.Struct, frozen=True):
    """What became of a call.

    ok: pylibfranka's answer. problem: its exception in words, "" if there was none. is_lost: there is no
    connection any more.
    """

    ok: bool = False
    problem: str = ""
    is_lost: bool = False


class Fingers(GripperMechanism):
    """See `resources.controllers.loop.Mechanism`. homing: before the first motion, unless something is held.

    See `GripperMechanism` for its attributes.
    """

    def __init__(
        self, width_m: float, max_width_m: float, *, holds: bool = False, homing: bool = False
    ) -> None:
        super().__init__(width_m, max_width_m)
        self._is_grasped = holds
        self._force_n = 0.0
        self._homing = homing
        self._out: Call | None = None  # under way
        self._next: list[Call] = []
        self._stop = False  # is wanted
        self._was_stopped = False  # the call under way, by us
        self._answer: Answer | None = None  # waits for the measurement that belongs to it

    # ------------------------------------------------------------ what the loop core sees

    @property
    def holds(self) -> bool:
        """Whether something is between the fingers, and pressed."""
        return self._is_grasped and self.width_m > _NOTHING_M

    @property
    def force_n(self) -> float:
        """With which something is held: as it was asked for, since the gripper measures none [N]."""
        return self._force_n if self.holds else 0.0

    @property
    def mode(self) -> str:
        """See `Mechanism.mode`."""
        is_homing = self._out is not None and self._out.what is What.HOMING
        return "find the end stops" if is_homing and not self._is_locked else super().mode

    @property
    def is_at_rest(self) -> bool:
        """See `Mechanism.is_at_rest`."""
        return self._out is None and not self._next and not self._stop

    def begin(self, command: MotionCommand, given_s: float, now_s: float) -> None:
        """See `Mechanism.begin`."""
        goal = self._set_goal(command, MOST_SPEED, MOST_FORCE_N, closes_from_m=_NOTHING_M)
        self._answer = None
        self._next = [Call(What.HOMING)] if self._homing and not self.holds else []
        self._next.append(self._call_for(goal))
        self._stop = self._out is not None

    def rest(self) -> None:
        """See `Mechanism.rest`; what is held stays held."""
        self._goal = self._ended = self._answer = None
        self._next.clear()
        if self._out is not None and not self._was_stopped and not self.holds:
            self._stop = True

    # ------------------------------------------------------------ what the loop does

    @property
    def wants_stop(self) -> bool:
        """Whether the fingers have to be stopped now; then call `stopped`."""
        return self._stop

    def stopped(self) -> None:
        """They have been."""
        self._stop = False
        self._was_stopped = self._out is not None

    def call(self) -> Call | None:
        """The next call to make, if none is under way; it counts as made."""
        if self._out is not None or self._stop or not self._next:
            return None
        self._out = self._next.pop(0)
        self._was_stopped = False
        return self._out

    def answered(self, answer: Answer) -> None:
        """The call under way has ended; the next measurement tells what that means."""
        call, self._out = self._out, None
        was_stopped, self._was_stopped = self._was_stopped, False
        self._stop = False  # what was to be stopped stands
        if call is None or self._goal is None or was_stopped:
            return
        if call.what is What.HOMING:
            if answer.ok:
                self._homing = False
            else:
                self._next.clear()
                self._finish(
                    f"the gripper did not find its end stops: {answer.problem or 'something is in its way'}"
                )
            return
        self._answer = answer

    def measured(self, width_m: float, is_grasped: bool) -> None:
        """A new state of the gripper; one that is no number changes nothing."""
        if not math.isfinite(width_m):
            return
        self.width_m, self._is_grasped = width_m, is_grasped
        answer, self._answer = self._answer, None
        if answer is not None and self._goal is not None:
            self._finish(self._outcome(self._goal, answer))

    def _call_for(self, command: MoveGripper) -> Call:
        """To close on whatever is there is a grasp without an opinion about its size; all else is a move."""
        self._force_n = command.force_n
        if command.grasp or command.width_m <= _NOTHING_M:
            return Call(What.GRASP, 0.0, command.speed, command.force_n, self.max_width_m)
        return Call(What.MOVE, command.width_m, command.speed)

    def _outcome(self, goal: MoveGripper, answer: Answer) -> str:
        """Why the goal was missed, or ""."""
        if answer.problem:
            return f"the gripper gave up: {answer.problem}"
        if goal.grasp and not self.holds:
            self._stop = self._is_grasped  # fingers that press on each other need not
        return self._why_missed(goal, _NEAR_M)

    def _finish(self, why: str) -> None:
        self._goal = None
        self._ended = Ended(why)
