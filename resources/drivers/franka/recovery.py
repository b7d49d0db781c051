"""`Recovery`: a recovery that was ordered, until it can be carried out. Pure.

An arm recovers only once its torques are given back, which may be a few turns after the order. What has
spoken against it by then counts: a person who confirmed it did not know of it.
"""

from __future__ import annotations

from resources.controllers.loop import MotionStop
from resources.types.motion import Orders


class Recovery:
    """At most one waits."""

    def __init__(self) -> None:
        self._number = 0
        self._token = 0
        self._withdrawn = 0

    def order(self, orders: Orders, stop: MotionStop) -> None:
        """These orders ask for one; `stop`: what forbade motion when they were read."""
        self._number, self._token = orders.recoveries, stop.token

    def is_dropped(self, orders: Orders | None, stop: MotionStop) -> bool:
        """Whether the one that waits is not to be carried out any more, which is told once.

        It is not if it was withdrawn, nor if there is an emergency stop or was one since, lifted or not.
        """
        if orders is not None:
            self._withdrawn = orders.withdrawn
        if not self._number:
            return False
        if stop.emergency or stop.token != self._token or self._number <= self._withdrawn:
            self._number = 0
            return True
        return False

    def take(self) -> bool:
        """Whether one waits; it counts as carried out."""
        number, self._number = self._number, 0
        return bool(number)
