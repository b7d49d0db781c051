"""What a person is told of the link, from what its gate counted."""

from __future__ import annotations

from resources.operator.intake import HandIntake
from resources.operator.link_health import BROKEN_S, RECENT_S, LinkHealth
from resources.operator.protocol import LinkQuality
from resources.types.masters import SILENCE_S
from tests.resources.operator.test_intake import PERIOD_S, Page


def test_a_good_link_has_nothing_to_say() -> None:
    page = Page()
    health = LinkHealth(page.intake)
    assert health.health(1000.0).offset_ms is None
    health.look(1000.0)
    for _ in range(50):
        page.send()
    health.look(1001.0)
    found = health.health(page.now_s)
    assert found.words == ""
    assert found.rtt_ms is None
    assert found.offset_ms is not None
    assert round(found.offset_ms) == 500_010


class FarPage(Page):
    """A page that answers what is sent to it: so it is known how long the way is, to it and back."""

    def far(self, way_s: float, **fields: object) -> bool:
        """Send, over a way that takes so long, and as long back. Whether it counted."""
        echo_s = self.now_s - way_s
        return self.send(way_s, echo_ms=1e3 * echo_s, held_ms=1e3 * PERIOD_S, **fields) is not None


def test_a_link_that_is_too_slow_to_drive_is_called_that_with_its_figure_until_it_is_well_below() -> None:
    page = FarPage()
    health = LinkHealth(page.intake)
    engaged = 0
    for press in range(1, 20):
        for _ in range(10):
            page.far(0.15, engagement=0)
            engaged += page.far(0.15, engagement=press) and not page.intake.broken
        health.look(page.now_s)
    assert engaged <= 1  # before the first answer nobody knows how long the way is
    found = health.health(page.now_s)
    assert found.quality is LinkQuality.TOO_SLOW
    assert found.pose_age_ms is not None
    assert round(found.pose_age_ms) == 150
    for drives in (True, False):  # who watches should know before they ask for the arm
        assert "150 ms late, at most 100 ms" in health.words(drives=drives)
    qualities = []
    for way_s in (0.97 * SILENCE_S, 0.5 * SILENCE_S, 0.97 * SILENCE_S):
        for _ in range(60 * 11):  # what was measured of the longer way is forgotten by then
            page.far(way_s)
        health.look(page.now_s)
        qualities.append(health.health(page.now_s).quality)
    assert qualities == [LinkQuality.TOO_SLOW, LinkQuality.GOOD, LinkQuality.GOOD]
    assert health.words() == ""


def test_what_goes_wrong_is_said_as_long_as_it_is_new() -> None:
    page = Page()
    health = LinkHealth(page.intake)
    health.look(1000.0)
    page.send()
    page.send(delay_s=0.3)
    page.intake.take(b"garbage", 1001.0)
    # The worst, and nothing besides.
    assert health.words() == "the link is slow: 1 pose came too late and moved nothing"
    # Who watches moves nothing: a late pose is none of their troubles.
    assert health.words(drives=False) == "1 message of the page made no sense"
    for tenths in range(10, 60):
        health.look(1000.0 + tenths / 10)
    assert 6.0 - RECENT_S > 1.0
    assert health.words() == ""


def test_a_clutch_that_was_opened_is_said_until_it_is_pressed_anew_or_that_is_old() -> None:
    page = Page(HandIntake("7f3a9c0152ee4b8d"))
    health = LinkHealth(page.intake)
    health.look(1000.0)
    page.send()
    page.send(engagement=1)
    page.intake.break_off("the page was hidden")
    assert health.broken() == "the page was hidden"
    assert health.words() == "", "the clutch's reason is no trouble of the link's besides"
    page.send(engagement=2)
    assert health.broken() == ""
    page.intake.break_off("the page was hidden")
    health.look(1001.0)
    assert health.broken() == "the page was hidden"
    health.look(1001.0 + BROKEN_S)
    assert health.broken() == ""
    page.send(engagement=3)
    page.intake.break_off("the page was hidden")  # between two looks: the same reason, and yet news
    health.look(1001.3 + BROKEN_S)
    found = health.health(page.now_s)
    assert (found.broken, found.breaks) == ("the page was hidden", 3)
