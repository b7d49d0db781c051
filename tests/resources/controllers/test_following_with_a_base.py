"""A base that follows a person's stick, sample by sample, without physics; a gripper follows none."""

from __future__ import annotations

import pytest

from framework.errors import CommandRefused
from resources.controllers.following import Following
from resources.controllers.ideal import IdealBase, IdealGripper
from resources.types.masters import HandSample


def test_a_base_follows_the_stick_while_the_clutch_is_pressed() -> None:
    base = IdealBase()
    following = Following(base, "me")
    for step in range(60):
        now_s = 0.016 * step
        engagement = 1 if step >= 10 else 0
        stick = (0.5, 0.0, -0.25) if step >= 12 else (0.1, 0.0, 0.0)  # no stick rests in its middle
        following.hear(HandSample("me", step, now_s, now_s, engagement, stick=stick), now_s)
        following.look(now_s)
        base.tick(0.016, now_s)
        assert (base.velocity != (0.0, 0.0, 0.0)) == (step >= 10)
    for step in range(60, 68):
        following.look(0.016 * step)
        base.tick(0.016, 0.016 * step)
    assert base.velocity == (0.0, 0.0, 0.0)
    assert base.odometry[0] > 0.1


def test_a_stick_that_is_pushed_when_the_clutch_is_pressed_drives_nothing() -> None:
    """It may be stuck, or a thumb lies on it."""
    base = IdealBase()
    following = Following(base, "me")
    for step in range(60):
        now_s = 0.016 * step
        engagement = 0 if step < 10 or step in (40, 41) else 1 if step < 40 else 2
        stick = (0.0, 0.0, 0.0) if 30 <= step < 44 else (0.0, 0.0, 0.5)
        following.hear(HandSample("me", step, now_s, now_s, engagement, stick=stick), now_s)
        following.look(now_s)
        base.tick(0.016, now_s)
        if step == 20:
            assert "let it go" in following.clutch.disengaged
        assert (base.velocity != (0.0, 0.0, 0.0)) == (step >= 44)


def test_a_base_that_is_let_go_rests_at_once_also_if_it_is_pressed_anew_between_two_samples() -> None:
    base = IdealBase()
    following = Following(base, "me")
    for step, (engagement, engaged) in enumerate([(0, 0), (1, 1), (1, 1), (2, 0), (2, 2), (2, 2), (0, 0)]):
        now_s = 0.016 * step
        stick = (0.1, 0.0, 0.0)  # it drives, and counts as let go
        following.hear(HandSample("me", step, now_s, now_s, engagement, stick=stick), now_s)
        assert (following.clutch.engaged, base.is_at_rest) == (engaged, engaged == 0)
        base.tick(0.016, now_s)


def test_a_gripper_follows_no_hand() -> None:
    with pytest.raises(CommandRefused, match="an arm or a base does"):
        Following(IdealGripper(), "me")
