"""One source of hands: what is read of each of its pictures, and whether it can be believed. Pure."""

from __future__ import annotations

import math
from typing import Final

from framework.errors import MalformedMessage
from resources.gestures.holding import RULES, Holding, HoldRules, Seen
from resources.gestures.reading import seen
from resources.types.gestures import (
    GestureKind,
    HandRead,
    HandsTrouble,
    Reading,
    TrackedHand,
    decode_hands,
)
from resources.types.whereabouts import Point

SILENT_S: Final = 1.0
"""A source that gives no picture for so long is silent [s]."""

FROZEN_S: Final = 0.5
"""One that gives the same hands again for so long is frozen [s]: no hand is ever seen twice the same."""

UNREADABLE_S: Final = 3.0
"""So long after something that was no hand it is still told [s]."""

SLOWEST_S: Final = 5.0
"""A source whose pictures are known to come slowly is silent only after so long [s]."""

_FAST: Final = 0.9
"""Whose pictures lag by less than this share of what is too slow is fast enough again."""


class _Pace:
    """Whether pictures come too slowly for any gesture to be held.

    A picture's lag is the time since the one before, or its age, whichever is longer. All that came for as
    long as `most_s` have to lag too much, or clearly not to: neither one pause nor some that were left to be
    read are slow.

    most_s: what `Holding` allows of either [s].
    """

    def __init__(self, most_s: float) -> None:
        self._most_s = most_s
        self._other_since_s = math.inf
        self.is_slow = False

    def came(self, lag_s: float, now_s: float) -> None:
        """The next picture lags by so much [s]."""
        if lag_s >= SLOWEST_S:  # it was silent
            self.is_slow, self._other_since_s = False, math.inf
            return
        is_other = lag_s <= _FAST * self._most_s if self.is_slow else lag_s > self._most_s
        self._other_since_s = min(self._other_since_s, now_s) if is_other else math.inf
        if now_s - self._other_since_s >= self._most_s:
            self.is_slow, self._other_since_s = not self.is_slow, math.inf

    def held(self) -> None:
        """A gesture was held: whatever was thought of them, pictures are fast enough."""
        self.is_slow, self._other_since_s = False, math.inf


class Watching:
    """The pictures of one source, in their order.

    up: what is up in their frame. now_s: when it begins, CLOCK_MONOTONIC [s], as all times here.
    is_placed: where that frame is can be known, so a hand that points has a ray.
    """

    def __init__(
        self, up: Point | None, now_s: float, rules: HoldRules = RULES, *, is_placed: bool = False
    ) -> None:
        self._up = up
        self._is_placed = is_placed
        self._holding = Holding(rules)
        self._pace = _Pace(rules.silent_s)
        self._has_begun = False
        self._came_s = now_s
        self._was_silent = False
        self._points: tuple[tuple[Point | None, ...], ...] = ()
        self._same_since_s = math.inf
        self._unreadable_s = -math.inf

    def picture(self, content: bytes | bytearray | memoryview, now_s: float) -> Reading:
        """One more picture, as it came. What is none is told, and changes nothing else."""
        try:
            hands = decode_hands(content)
        except MalformedMessage:
            self._unreadable_s = now_s
            return Reading(trouble=HandsTrouble.UNREADABLE)
        points = tuple(hand.points for hand in hands)
        self._keep_pace(hands, now_s, is_new=points != self._points)
        if not points or points != self._points:
            self._same_since_s = math.inf
        else:
            self._same_since_s = min(self._same_since_s, now_s)
        self._points = points
        every = [seen(hand, self._up) for hand in hands]
        gestures = self._holding.saw(every, now_s)
        if gestures:
            self._pace.held()
        trouble = self.trouble(now_s)
        counted = gestures if trouble is HandsTrouble.NONE else ()
        taken_s = hands[0].taken_s if hands else 0.0
        return Reading(tuple(map(self._read, every)), counted, trouble, taken_s)

    def _keep_pace(self, hands: tuple[TrackedHand, ...], now_s: float, *, is_new: bool) -> None:
        """One more picture came. is_new: not with the hands of the one before."""
        apart_s = now_s - self._came_s
        age_s = max(now_s - hands[0].taken_s, 0.0) if hands and is_new else 0.0
        # One picture after a silence does not say yet that more are coming.
        self._was_silent = apart_s >= SILENT_S
        self._pace.came(max(apart_s if self._has_begun else 0.0, age_s), now_s)
        self._has_begun, self._came_s = True, now_s

    def _read(self, each: Seen) -> HandRead:
        points = self._is_placed and each.kind is GestureKind.POINT
        share = self._holding.share(each.hand.side)
        return HandRead(each.hand.side, each.kind, each.confidence, share, each.hand.ray if points else None)

    def trouble(self, now_s: float) -> HandsTrouble:
        """Why nothing counts just now."""
        if now_s - self._unreadable_s < UNREADABLE_S:
            return HandsTrouble.UNREADABLE
        is_slow = self._pace.is_slow
        if now_s - self._came_s >= (SLOWEST_S if is_slow else SILENT_S):
            return HandsTrouble.SILENT
        if self._was_silent and not is_slow:
            return HandsTrouble.SILENT
        if now_s - self._same_since_s >= FROZEN_S:
            return HandsTrouble.FROZEN
        if is_slow:
            return HandsTrouble.TOO_SLOW
        return HandsTrouble.NONE
