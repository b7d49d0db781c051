"""Which of a message's joints are ours, in our order; and whether they are numbers. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from framework.errors import MalformedMessage
from resources.drivers.ros.joint_link import JointsSeen
from resources.types.motion import REST7

_MOST_RAD: Final = 100.0


class JointNames:
    """Of one arm's seven joints; names: base first."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._known: Sequence[str] = ()
        self._places: tuple[int, ...] = ()

    def missing(self, names: Sequence[str]) -> tuple[str, ...]:
        """Which of ours are not among a message's; () if it is a message of ours."""
        if names == self._known:
            return ()
        places = {name: place for place, name in enumerate(names)}
        missing = tuple(name for name in self.names if name not in places)
        if not missing:
            self._known, self._places = list(names), tuple(places[name] for name in self.names)
        return missing

    def wrong(self, names: Sequence[str]) -> MalformedMessage:
        """What is wrong with a message of such joints, if some of ours are missing."""
        return MalformedMessage(
            f"there is no {', '.join(self.missing(names))} among its joints {', '.join(names) or '(none)'}: "
            "correct `joints` in the robot description"
        )

    def joints(
        self, names: Sequence[str], positions: Sequence[float], velocities: Sequence[float]
    ) -> JointsSeen:
        """Ours of a message; velocities may be left out, and count as none.

        Raises MalformedMessage for what lacks one, has too few numbers, or is none.
        """
        if self.missing(names):
            raise self.wrong(names)
        places = self._places
        if len(positions) != len(names) or len(velocities) not in (0, len(names)):
            raise MalformedMessage(
                f"{len(names)} joints came with {len(positions)} positions and {len(velocities)} velocities"
            )
        q = [float(positions[place]) for place in places]
        dq = [float(velocities[place]) for place in places] if len(velocities) else list(REST7)
        for name, at, rate in zip(self.names, q, dq, strict=True):
            if not abs(at) < _MOST_RAD or not math.isfinite(rate):
                raise MalformedMessage(f"{name} is at {at:g} rad, {rate:g} rad/s: it is not steered by that")
        q1, q2, q3, q4, q5, q6, q7 = q
        d1, d2, d3, d4, d5, d6, d7 = dq
        return JointsSeen((q1, q2, q3, q4, q5, q6, q7), (d1, d2, d3, d4, d5, d6, d7))
