"""`RosFingers`: the mechanism of a gripper that takes goals (GripperCommand). Pure.

    commands ─▶ RosFingers ── call: a width and a force ──▶ the action's client
                    └──────── wants_cancel ───────────────▶

What is held stays held: coming to rest, a stop, a lock and a change of holder cancel a goal on its way, and
nothing else.
"""

from __future__ import annotations

from typing import Final

from resources.controllers.goals import GripperMechanism
from resources.controllers.loop import Ended
from resources.types.motion import MotionCommand, MoveGripper

MOST_SPEED: Final = 0.2  # [m/s] of the width; the action takes none
NOTHING_M: Final = 0.002
"""Fingers that have closed as far as this hold nothing."""

_NEAR_M: Final = 0.003
_STANDS_M_S: Final = 0.002


class RosFingers(GripperMechanism):
    """See `resources.controllers.loop.Mechanism` and `GripperMechanism`."""

    def __init__(self, width_m: float, max_width_m: float, max_force_n: float) -> None:
        super().__init__(width_m, max_width_m)
        self._max_force_n = max_force_n
        self._force_n = 0.0
        self._stalled = False
        self._moves = False
        self._next: MoveGripper | None = None
        self._out = False
        self._cancel = False

    @property
    def holds(self) -> bool:
        """Whether something is between the fingers, and pressed."""
        return self._stalled and self.width_m > NOTHING_M

    @property
    def force_n(self) -> float:
        """With which something is held, as it was asked for [N]."""
        return self._force_n if self.holds else 0.0

    @property
    def is_at_rest(self) -> bool:
        """See `Mechanism.is_at_rest`."""
        return not self._out and self._next is None and not self._moves

    def begin(self, command: MotionCommand, given_s: float, now_s: float) -> None:
        """See `Mechanism.begin`."""
        self._next = self._set_goal(command, MOST_SPEED, self._max_force_n, closes_from_m=NOTHING_M)
        self._cancel = self._out

    def rest(self) -> None:
        """See `Mechanism.rest`; what is held stays held."""
        self._goal = self._ended = self._next = None
        self._cancel = self._out

    @property
    def wants_cancel(self) -> bool:
        """Whether what is under way has to be cancelled."""
        return self._cancel

    def call(self) -> MoveGripper | None:
        """What to ask for now; it counts as under way then."""
        if self._out or self._next is None:
            return None
        wanted, self._next = self._next, None
        self._out, self._stalled, self._force_n = True, False, wanted.force_n
        return wanted

    def measured(self, width_m: float, speed: float) -> None:
        """Where the fingers are [m], and how fast that changes [m/s]; both finite."""
        self.width_m = width_m
        self._moves = abs(speed) > _STANDS_M_S

    def answered(self, *, stalled: bool, problem: str) -> None:
        """What is under way has ended; stalled: they press on something. problem: why it failed, or ""."""
        was_cancelled, self._cancel = self._cancel, False
        self._out = False
        self._stalled = stalled
        goal = self._goal
        if goal is None or was_cancelled or self._next is not None:
            return
        self._goal = None
        if problem and not stalled:
            self._ended = Ended(f"the gripper gave up: {problem}")
        else:
            self._ended = Ended(self._why_missed(goal, _NEAR_M))
