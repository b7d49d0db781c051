"""What an action that moves something remembers of its first run, and what it reports on the way. Pure.

A run may be interrupted (somebody took the arm, or it paused) and called again: it goes on from where the arm
is then, to what was meant at first, with the same arm. What was corrected counts from where it began, and
what is taken back goes there (`framework.plugins.begun`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Self

import msgspec

from framework.errors import LeaseError, MotionFailed
from resources.types.motion import ArmSample, BaseSample, MotionSample
from resources.types.motion_clients import ArmClient, BaseClient, GripperClient, MotionClient
from resources.types.motion_words import named
from resources.types.naming import plain

SIDES = ("", "left", "right")
"""What may be said of which arm or gripper is meant: "" is any."""

BOTH = "both"
"""What is said of two arms at once."""

#: So much further, and there is something to report.
_STEP = 0.25


#: What stands so far from where it was left has been moved since by somebody else [m], [rad].
_AWAY_M, _AWAY_RAD = 0.05, 0.35

#: How fast an arm and the base go back to where they began: share of the joints' speed, [m/s], [rad/s].
_BACK, _BACK_MPS, _BACK_RADPS = 0.2, 0.3, 0.5


class Stood(msgspec.Struct, frozen=True):
    """Where a device stood.

    place: of an arm its tool in its base frame (x, y, z, and a quaternion) [m]; of the base x, y [m] and yaw
    [rad] in its odometry's frame; of a gripper its width [m].
    joints: of an arm [rad]. holds: whether a gripper held something.
    """

    place: tuple[float, ...]
    joints: tuple[float, ...] = ()
    holds: bool = False

    def is_near(self, other: Stood) -> bool:
        """Whether nobody else has moved it from the one place to the other."""
        if self.joints:
            pairs = zip(self.joints, other.joints, strict=True)
            return math.dist(self.place[:3], other.place[:3]) <= _AWAY_M and all(
                abs(one - two) <= _AWAY_RAD for one, two in pairs
            )
        if len(self.place) == 1:
            return True  # its fingers are nobody's to move but an action's, and may meet something
        turned = math.remainder(self.place[2] - other.place[2], 2 * math.pi)
        return math.dist(self.place[:2], other.place[:2]) <= 2 * _AWAY_M and abs(turned) <= _AWAY_RAD


def stood(sample: MotionSample) -> Stood:
    """Where a device stands by its own report."""
    if isinstance(sample, ArmSample):
        return Stood(tuple(sample.base_T_tool), tuple(sample.q))
    if isinstance(sample, BaseSample):
        return Stood(tuple(sample.odometry))
    return Stood((sample.width_m,), holds=sample.holds)


class Begun(msgspec.Struct):
    """With which device an action has begun, and from where; "" and None before that.

    left: where it was when the action ended, or was interrupted.
    takes_over_at: where the action before, whose place this one takes, has left it; None if there was none,
    or it was looked at. is_corrected: there was one. back: this one goes back to where that has begun.
    """

    device: str = ""
    start: Stood | None = None
    left: Stood | None = None
    takes_over_at: Stood | None = None
    is_corrected: bool = False
    back: bool = False

    def handed_on(self, *, back: bool) -> Self | None:
        """See `framework.plugins.begun.HandsOn`."""
        if self.start is None:
            return None
        return type(self)(
            device=self.device, start=self.start, takes_over_at=self.left, is_corrected=True, back=back
        )

    @contextmanager
    def moving(self, mover: MotionClient, sample: MotionSample) -> Iterator[Stood]:
        """While it moves; where it has begun. sample: of where it is now.

        Raises MotionFailed if what this takes the place of has left it somewhere else.
        """
        here = stood(sample)
        expected, self.takes_over_at = self.takes_over_at, None
        if expected is not None and not expected.is_near(here):
            raise MotionFailed(
                f"{named(mover)} was moved by somebody else since, so this does not count from where it "
                "began: say where it is to go from here"
            )
        self.start = self.start or here
        try:
            yield self.start
        finally:
            with suppress(LeaseError):
                if (last := mover.latest_motion()) is not None:
                    self.left = stood(last)

    async def go_back(self, mover: MotionClient, tell: Callable[[float, str], None]) -> None:
        """Take a device to where it began. Raises MotionFailed."""
        start = self.start
        assert start is not None
        progress = in_steps(tell, f"taking {named(mover)} back to where it was")
        match mover:
            case ArmClient():
                await mover.move_joints(start.joints, speed=_BACK, progress=progress)
            case BaseClient():
                speed, turn = min(_BACK_MPS, mover.max_speed), min(_BACK_RADPS, mover.max_turn)
                await mover.move_to(*start.place, speed=speed, turn=turn, progress=progress)
            case GripperClient():
                if start.holds:
                    raise MotionFailed(f"what {named(mover)} has held it does not take again by itself")
                await mover.open(start.place[0], progress=progress)

    def with_(self, mover: MotionClient) -> str:
        """It is begun, or goes on, with this; its name for people.

        Raises MotionFailed if it was begun with another one: what one arm began, another must not go on with.
        """
        if self.device and mover.device != self.device:
            raise MotionFailed(
                f"this was begun with the {plain(self.device)}, which is not to be had now; "
                f"to do it with {named(mover)}, say so"
            )
        self.device = mover.device
        return named(mover)


def in_steps(tell: Callable[[float, str], None], text: str) -> Callable[[float], None]:
    """Progress for people: `tell` is called with `text` at the start and each time a quarter more is done."""
    told = -1.0

    def progress(done: float) -> None:
        nonlocal told
        if done >= told + _STEP or (done >= 1.0 > told):
            told = done
            tell(done, text)

    return progress
