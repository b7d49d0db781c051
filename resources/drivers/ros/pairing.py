"""Colour and depth of one moment, by their stamps. Pure."""

from __future__ import annotations

from collections import deque
from typing import Final, Generic, TypeVar

Made = TypeVar("Made")

_KEPT: Final = 3
"""So many of each wait for the other: enough for one that comes late, and not much memory."""

_SAME_S: Final = 0.001


class Pairs(Generic[Made]):
    """Each picture is in one pair at most; what is older than a pair is left out.

    apart_s: so far may the two be apart [s]. Of several depths the nearest is taken, so one waits until a
    depth of that time or later has come.
    """

    def __init__(self, apart_s: float) -> None:
        self._apart_s = apart_s
        self._colours: deque[tuple[float, Made]] = deque(maxlen=_KEPT)
        self._depths: deque[tuple[float, Made]] = deque(maxlen=_KEPT)

    def colour(self, stamp_s: float, made: Made) -> None:
        """One has come; in the order of their stamps."""
        self._colours.append((stamp_s, made))

    def depth(self, stamp_s: float, made: Made) -> None:
        """One has come; in the order of their stamps."""
        self._depths.append((stamp_s, made))

    def take(self) -> tuple[float, Made, Made] | None:
        """The newest pair: colour's stamp, colour, depth; None if there is none yet."""
        if not self._depths:
            return None
        newest_s = self._depths[-1][0]
        for stamp_s, colour in reversed(self._colours):
            if newest_s < stamp_s - _SAME_S:
                continue  # a nearer one may come
            depth_s, depth = min(self._depths, key=lambda each: abs(each[0] - stamp_s))
            if abs(depth_s - stamp_s) <= self._apart_s:
                self._drop(stamp_s, depth_s)
                return stamp_s, colour, depth
        return None

    def _drop(self, colour_s: float, depth_s: float) -> None:
        """These and all before."""
        while self._colours and self._colours[0][0] <= colour_s:
            self._colours.popleft()
        while self._depths and self._depths[0][0] <= depth_s:
            self._depths.popleft()
