"""One source of hands: what is read of each of its pictures, and whether it can be believed. Pure."""

from __future__ import annotations

import math
from typing import Final

from framework.errors import MalformedMessage
from resources.gestures.holding import RULES, Holding, HoldRules, Seen
from resources.gestures.reading import seen
from resources.types.gestures import GestureKind, HandRead, HandsTrouble, Reading, decode_hands
from resources.types.whereabouts import Point

SILENT_S: Final = 1.0
"""A source that gives no picture for so long is silent [s]."""

FROZEN_S: Final = 0.5
"""One that gives the same hands again for so long is frozen [s]: no hand is ever seen twice the same."""

UNREADABLE_S: Final = 3.0
"""So long after something that was no hand it is still told [s]."""


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
        self._came_s = now_s
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
        self._came_s = now_s
        points = tuple(hand.points for hand in hands)
        if not points or points != self._points:
            self._same_since_s = math.inf
        else:
            self._same_since_s = min(self._same_since_s, now_s)
        self._points = points
        every = [seen(hand, self._up) for hand in hands]
        gestures = self._holding.saw(every, now_s)
        trouble = self.trouble(now_s)
        counted = gestures if trouble is HandsTrouble.NONE else ()
        return Reading(tuple(map(self._read, every)), counted, trouble)

    def _read(self, each: Seen) -> HandRead:
        points = self._is_placed and each.kind is GestureKind.POINT
        share = self._holding.share(each.hand.side)
        return HandRead(each.hand.side, each.kind, each.confidence, share, each.hand.ray if points else None)

    def trouble(self, now_s: float) -> HandsTrouble:
        """Why nothing counts just now."""
        if now_s - self._unreadable_s < UNREADABLE_S:
            return HandsTrouble.UNREADABLE
        if now_s - self._came_s >= SILENT_S:
            return HandsTrouble.SILENT
        if now_s - self._same_since_s >= FROZEN_S:
            return HandsTrouble.FROZEN
        return HandsTrouble.NONE
