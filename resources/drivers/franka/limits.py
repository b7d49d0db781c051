"""What a Franka's control box takes of torques."""

from __future__ import annotations

from collections.abc import Sequence

from resources.arms.parameters import PANDA
from resources.controllers.settings import ArmLimits

_MOST_CHANGE_NM = 0.999 * ArmLimits.of(PANDA).effort_rate * 0.001  # in a period of the arm's controller


def followed(wanted: Sequence[float], heard: Sequence[float], sent: Sequence[float]) -> list[float]:
    """The torques (7,) nearest to those wanted that the arm takes whatever has become of the last command.

    The arm compares with the last command that it used. That is the one that it has told to have heard of, or
    the one sent since: two that arrive within a period are one, and one may be lost.
    """
    torques: list[float] = []
    for want, one, other in zip(wanted, heard, sent, strict=True):
        low, high = max(one, other) - _MOST_CHANGE_NM, min(one, other) + _MOST_CHANGE_NM
        if not low <= high:  # it has not heard of any of ours yet, or tells no number
            low, high = other - _MOST_CHANGE_NM, other + _MOST_CHANGE_NM
        torques.append(min(max(want, low), high))
    return torques
