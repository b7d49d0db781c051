"""What people point at in the console's scene with their mouse: the newest of each page, while it counts.

A page's ray is that page's only: what somebody else says is never about it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from framework.clock import Clock
from framework.errors import PilothouseError
from framework.plan.instruction import Pointing
from managers.pointing import pointed_at_in_scene, undecided
from resources.types.context import KnownThing
from resources.types.whereabouts import POINTS_FOR_S
from resources.web.page_messages import PagePoint
from resources.web.protocol import PointedAt

#: A direction's length differs from 1 by so much at most.
_UNIT = 0.01


class ConsolePointing:
    """Of all pages. things: all that are known, as they are now."""

    def __init__(self, things: Callable[[], tuple[KnownThing, ...]], clock: Clock) -> None:
        self._things = things
        self._clock = clock
        self._newest: dict[str, tuple[float, tuple[Pointing, ...]]] = {}

    def point(self, who: str, at: PagePoint | None) -> PointedAt:
        """A page points there now, or nowhere. What that is; several if that is not clear.

        Raises PilothouseError if it is no direction; then it points nowhere.
        """
        self._newest.pop(who, None)
        if at is None:
            return PointedAt()
        if abs(math.hypot(*at.direction) - 1.0) > _UNIT:
            raise PilothouseError(
                f"a page points along {at.direction}, which is no direction; one of length 1 is wanted"
            )
        now_s, things = self._clock.now_s(), self._things()
        pointings = pointed_at_in_scene(at.origin, at.direction, at.meets_m, things, now_s)
        self._newest[who] = now_s, pointings
        spoken = {thing.name: thing.spoken for thing in things}
        return PointedAt(tuple(spoken[each.thing] for each in undecided(pointings)))

    def now(self, who: str) -> tuple[Pointing, ...]:
        """What this page points at, the likeliest first; nothing if it has not said so for a second."""
        told_s, pointings = self._newest.get(who, (-math.inf, ()))
        return pointings if self._clock.now_s() - told_s <= POINTS_FOR_S else ()
