"""How old a streamed target may be, and what happens as it ages: hold, then damp, then finish."""

from __future__ import annotations

from enum import Enum

from resources.controllers.settings import ArmSettings


class Freshness(Enum):
    """What a target of some age is still good for."""

    FRESH = "follow it"
    HELD = "stop, and stay there"
    DAMPED = "stop holding: only damp"
    OVER = "it is over"


def freshness(age_s: float, settings: ArmSettings) -> Freshness:
    """Of a target that was given `age_s` ago."""
    if age_s <= settings.target_lapses_s:
        return Freshness.FRESH
    if age_s <= settings.target_damps_s:
        return Freshness.HELD
    return Freshness.DAMPED if age_s <= settings.target_ends_s else Freshness.OVER


def age(given_s: float, now_s: float) -> float:
    """Of a target [s]; a sender's clock that runs ahead makes nothing younger than new."""
    return max(0.0, now_s - given_s)
