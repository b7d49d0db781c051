"""Compliant arms sway when the base that carries them speeds up or brakes: by inertia, at nobody's command.

An arm under impedance control (400 N/m, some 5 kg at its tool) on a base that brakes with 2 m/s² goes 1 to
2 cm out of its way, and is back within a second. What is judged of it then is where its law steers it to.
"""

from __future__ import annotations

import math
from typing import Final

from msgspec.structs import replace

from framework.scenarios.stage import StageMotion

SETTLES_S: Final = 1.5
"""So long after its carrier has come to rest an arm may sway still: seven of its time constants (0.2 s)."""

SWAYS_AT_MOST_M: Final = 0.04
"""Further from where it is steered to nothing sways: that is motion."""


class Swaying:
    """Sees what moves, look by look, and says of what sways where it counts as being."""

    def __init__(self) -> None:
        self._shaken_until_s: dict[str, float] = {}
        self._steered: dict[str, tuple[float, ...]] = {}

    def steadied(self, motions: tuple[StageMotion, ...], now_s: float) -> tuple[StageMotion, ...]:
        """The same. `steered_to` stays where it counts instead of the place: of what is carried by something
        that moves, or did just now, and is as near to it as that can be. What is held so counts as resting.
        """
        for motion in motions:
            if not motion.is_at_rest:
                self._shaken_until_s[motion.device] = now_s + SETTLES_S
        return tuple(self._steadied(each, now_s) for each in motions)

    def _steadied(self, motion: StageMotion, now_s: float) -> StageMotion:
        steered = motion.steered_to
        if steered is None:
            self._steered.pop(motion.device, None)
            return motion
        is_held = self._steered.get(motion.device) == steered
        self._steered[motion.device] = steered
        is_shaken = now_s <= self._shaken_until_s.get(motion.carried_by, -math.inf)
        if not is_shaken or math.dist(motion.place, steered) > SWAYS_AT_MOST_M:
            return replace(motion, steered_to=None)
        return replace(motion, is_at_rest=motion.is_at_rest or is_held)
