"""What a mechanism does while a person's hand is followed: the hand's samples in, targets out, by its clutch.

An arm follows the pose, a base the sticks. What leaves the clutch goes the way of every streamed target:
through the mechanism's own checks, gates and limits.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from framework.errors import CommandRefused
from resources.controllers.clutch import Clutch
from resources.types.masters import HandSample
from resources.types.motion import Drive, MotionCommand
from resources.types.streams import Pose7

STICK_AT_REST = 0.15
"""A stick that is pushed no further when the clutch is pressed counts as let go: none rests in its middle."""

_STICK_PUSHED = "the stick was pushed when the clutch was pressed: let it go, and press the clutch anew"


class Followable(Protocol):
    """What every mechanism has that follows a hand; see `resources.controllers.loop.Mechanism`."""

    @property
    def is_at_rest(self) -> bool: ...
    def begin(self, command: MotionCommand, given_s: float, now_s: float) -> None: ...
    def rest(self) -> None: ...


@runtime_checkable
class HasTool(Protocol):
    """An arm: base_T_tool is where its tool is, measured."""

    @property
    def base_T_tool(self) -> Pose7: ...


@runtime_checkable
class HasStick(Protocol):
    """A base: greatest speed [m/s] and turn [rad/s] that a stick at its end asks for."""

    @property
    def stick_bounds(self) -> tuple[float, float]: ...


class Following:
    """One hand, and the mechanism that follows it. Raises CommandRefused if that one cannot."""

    def __init__(self, mechanism: Followable, session: str) -> None:
        if not isinstance(mechanism, HasTool | HasStick):
            raise CommandRefused(f"{type(mechanism).__name__} follows no hand: an arm or a base does")
        self._mechanism = mechanism
        self.clutch = Clutch(session)

    def hear(self, sample: HandSample, now_s: float) -> None:
        """A new sample of the ring."""
        mechanism, clutch = self._mechanism, self.clutch
        was = clutch.engaged
        moves = clutch.hear(sample, now_s, at_rest=mechanism.is_at_rest)
        if was and clutch.engaged != was:
            mechanism.rest()
            if clutch.engaged:  # pressed anew between two samples: that one has to wait for the rest, too
                clutch.give_up("pressed anew while it moved")
                return
        if not moves:
            return
        try:
            if isinstance(mechanism, HasTool):
                track, given_s = clutch.target(mechanism.base_T_tool)
                mechanism.begin(track, given_s, now_s)
            else:
                assert isinstance(mechanism, HasStick)
                if not was and max(map(abs, sample.stick)) > STICK_AT_REST:
                    # It may be stuck: as with any lever that drives, neutral comes first.
                    self._let_go(_STICK_PUSHED)
                    return
                speed, turn = mechanism.stick_bounds
                ahead, left, round_ = sample.stick
                mechanism.begin(Drive(speed * ahead, speed * left, turn * round_), sample.received_s, now_s)
        except CommandRefused as error:
            self._let_go(str(error))

    def look(self, now_s: float) -> None:
        """Every tick."""
        if self.clutch.look(now_s):
            self._mechanism.rest()

    def ended(self, why: str) -> None:
        """The mechanism has given up its target by itself."""
        self._let_go(why)

    def _let_go(self, why: str) -> None:
        self.clutch.give_up(why)
        self._mechanism.rest()
