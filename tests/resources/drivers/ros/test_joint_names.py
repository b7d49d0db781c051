"""Which joints of a message are an arm's, and what is no state of them."""

from __future__ import annotations

import math

import pytest

from framework.errors import MalformedMessage
from resources.drivers.ros.joint_names import JointNames

OURS = tuple(f"joint{number}" for number in range(1, 8))
THEIRS = ["finger", *reversed(OURS)]


def test_names_count_not_places() -> None:
    names = JointNames(OURS)
    seen = names.joints(THEIRS, [9.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0], [0.0] * 7 + [0.5])
    assert seen.q == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0)
    assert seen.dq == (0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    assert names.joints(list(OURS), [0.0] * 7, []).dq == (0.0,) * 7


def test_others_joints_are_told_from_ours() -> None:
    names = JointNames(OURS)
    assert names.missing(["finger"]) == OURS
    assert names.missing(THEIRS) == ()
    assert names.missing(THEIRS[:-1]) == ("joint1",)
    with pytest.raises(MalformedMessage, match="there is no joint1 among its joints finger, joint7"):
        names.joints(THEIRS[:-1], [0.0] * 7, [])


@pytest.mark.parametrize(
    ("positions", "velocities", "words"),
    [
        ([0.0] * 7, [], "8 joints came with 7 positions and 0 velocities"),
        ([0.0] * 8, [0.0], "8 joints came with 8 positions and 1 velocities"),
        ([0.0, 0.0, math.nan, *[0.0] * 5], [], "joint6 is at nan rad, 0 rad/s: it is not steered by that"),
        ([0.0] * 8, [0.0, math.inf, *[0.0] * 6], "joint7 is at 0 rad, inf rad/s"),
        ([0.0] * 7 + [400.0], [], "joint1 is at 400 rad"),
    ],
)
def test_what_is_no_state_is_refused(positions: list[float], velocities: list[float], words: str) -> None:
    with pytest.raises(MalformedMessage, match=words):
        JointNames(OURS).joints(THEIRS, positions, velocities)
