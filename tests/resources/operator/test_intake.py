"""The gate between a link and the rings: order, engagement, lateness, floods; and hostile streams."""

from __future__ import annotations

import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resources.operator.bad_messages import MOST_INVALID
from resources.operator.intake import BURST, MOST_PER_S, HandIntake
from resources.operator.packets import HandPacket, encode_hand_packet, session_check
from resources.types.masters import SILENCE_S, HandSample, HandSide

SESSION = "7f3a9c0152ee4b8d"
PERIOD_S = 1 / 60


class Page:
    """A page whose clock is ours less 500 s, and the gate it sends to."""

    def __init__(self, intake: HandIntake | None = None, now_s: float = 1000.0) -> None:
        self.intake = intake or HandIntake(SESSION)
        self.now_s = now_s
        self.number = 0

    def packet(self, **fields: object) -> HandPacket:
        self.number += 1
        packet = HandPacket(
            side=HandSide.RIGHT,
            number=self.number,
            sent_ms=1e3 * (self.now_s - 500.0),
            check=session_check(SESSION),
        )
        return msgspec.structs.replace(packet, **fields)

    def send(self, delay_s: float = 0.01, **fields: object) -> HandSample | None:
        self.now_s += PERIOD_S
        return self.deliver(self.packet(**fields), self.now_s + delay_s)

    def deliver(self, packet: HandPacket, received_s: float) -> HandSample | None:
        taken = self.intake.take(encode_hand_packet(packet), received_s)
        return None if taken is None else taken[1]


def engaged(sample: HandSample | None) -> int:
    assert sample is not None
    return sample.engagement


def test_a_hand_becomes_a_sample_at_once() -> None:
    page = Page()
    pose = (0.5, -0.25, 1.0, 0.0, 0.0, 1.0, 0.0)
    sample = page.send(base_T_hand=pose, scale=0.5, stick=(0.5, 0.0, -1.0), age_ms=20.0)
    assert sample is not None
    assert (sample.session, sample.number, sample.base_T_hand, sample.scale) == (SESSION, 1, pose, 0.5)
    assert sample.stick == (0.5, 0.0, -1.0)
    assert sample.received_s - sample.taken_s == pytest.approx(0.02)


def test_numbers_go_on_from_where_the_session_was() -> None:
    page = Page(HandIntake(SESSION, number=70, engagement=4, grips={HandSide.RIGHT: 2}))
    sample = page.send()
    assert sample is not None
    assert (sample.number, sample.grips) == (71, 2)
    assert engaged(page.send(engagement=1)) == 5


def test_duplicates_replays_and_what_was_overtaken_are_dropped() -> None:
    page = Page()
    first, second = page.packet(), page.packet()
    assert page.deliver(second, 1000.01) is not None
    assert page.deliver(second, 1000.02) is None
    assert page.deliver(first, 1000.03) is None
    assert page.intake.counts.stale == 2


def test_each_hand_has_its_own_order() -> None:
    page = Page()
    right, left = page.packet(), page.packet(side=HandSide.LEFT)
    assert page.deliver(left, 1000.01) is not None
    assert page.deliver(right, 1000.02) is not None


def test_packets_of_another_session_move_nothing_and_are_no_flood() -> None:
    page = Page()
    page.send()
    page.send(engagement=1)
    for _ in range(2 * MOST_INVALID):
        assert page.send(check=session_check("other"), engagement=1) is None
    assert page.intake.counts.foreign == 2 * MOST_INVALID
    assert not page.intake.flooded
    assert engaged(page.send(engagement=1)) == 0


def test_late_poses_do_not_count_and_open_the_clutch() -> None:
    page = Page()
    page.send()
    assert engaged(page.send(engagement=1)) == 1
    assert page.send(engagement=1, delay_s=SILENCE_S + 0.02) is None
    assert page.intake.counts.late == 1
    assert "late" in page.intake.broken
    page.now_s += 0.2
    assert engaged(page.send(engagement=1)) == 0
    assert page.intake.broken
    assert engaged(page.send(engagement=0)) == 0
    assert engaged(page.send(engagement=2)) == 2
    assert not page.intake.broken


def test_a_pose_that_was_old_when_it_was_sent_is_late() -> None:
    assert Page().send(age_ms=150.0) is None


@pytest.mark.parametrize("ahead_s", [0.1, 5.0, 1e6])
def test_future_dated_poses_do_not_count(ahead_s: float) -> None:
    page = Page()
    for _ in range(30):  # our packets come back to it: both ways are known
        now_ms = 1e3 * (page.now_s + PERIOD_S)
        assert page.send(echo_ms=now_ms - 20.0, held_ms=10.0) is not None
    page.now_s += PERIOD_S
    assert page.deliver(page.packet(sent_ms=1e3 * (page.now_s - 500.0 + ahead_s)), page.now_s) is None
    assert page.intake.counts.mistimed == 1
    assert page.send() is not None


def test_a_predicted_pose_is_no_later_than_now() -> None:
    page = Page()
    sample = page.send(age_ms=-16.0)
    assert sample is not None
    assert sample.taken_s == sample.received_s


def test_a_clutch_that_was_held_when_the_link_began_is_open() -> None:
    page = Page()
    assert [engaged(page.send(engagement=1)) for _ in range(5)] == [0] * 5
    assert engaged(page.send()) == 0
    assert engaged(page.send(engagement=2)) == 1


def test_a_page_loaded_anew_with_the_clutch_held_moves_nothing() -> None:
    before = Page()
    before.send()
    sample = before.send(engagement=1)
    assert engaged(sample) == 1
    after = Page(HandIntake(SESSION, number=2, engagement=1), before.now_s)
    assert [engaged(after.send(engagement=1)) for _ in range(5)] == [0] * 5


def test_letting_go_and_pressing_between_two_packets_is_a_new_engagement() -> None:
    page = Page()
    page.send()
    assert engaged(page.send(engagement=1)) == 1
    assert engaged(page.send(engagement=2)) == 2


def test_a_number_that_falls_never_engages() -> None:
    page = Page()
    page.send()
    assert engaged(page.send(engagement=5)) == 1
    page.send()
    assert engaged(page.send(engagement=5)) == 0
    page.send()
    assert engaged(page.send(engagement=4)) == 0
    page.send()
    assert engaged(page.send(engagement=6)) == 2


@pytest.mark.parametrize("field", ["number", "engagement"])
def test_a_wrong_bit_does_not_end_the_order_for_good(field: str) -> None:
    page = Page()
    page.send()
    assert engaged(page.send(engagement=1)) == 1
    assert page.send(**{field: 2**31}) is None
    page.send()
    assert engaged(page.send(engagement=2)) == 2


def test_two_hands_have_engagements_of_their_own() -> None:
    page = Page()
    page.send()
    page.send(side=HandSide.LEFT)
    assert engaged(page.send(engagement=1)) == 1
    assert engaged(page.send(side=HandSide.LEFT, engagement=2)) == 2
    assert engaged(page.send(engagement=1)) == 1
    assert (page.intake.page_engagement(1), page.intake.page_engagement(2)) == (1, 2)
    assert page.intake.page_engagement(0) == page.intake.page_engagement(9) == 0


def test_a_hidden_page_has_opened_its_clutch() -> None:
    page = Page()
    page.send()
    page.send(engagement=1)
    page.intake.break_off("the page was hidden")
    assert page.intake.broken == "the page was hidden"
    assert engaged(page.send(engagement=1)) == 0
    assert engaged(page.send(engagement=2)) == 2


def test_breaking_off_what_is_open_says_nothing() -> None:
    page = Page()
    page.send()
    page.intake.break_off("the page was hidden")
    assert page.intake.broken == ""


def test_garbage_opens_the_clutch() -> None:
    page = Page()
    page.send()
    page.send(engagement=1)
    page.intake.take(b"garbage", page.now_s)
    assert engaged(page.send(engagement=1)) == 0


def test_lost_tracking_is_passed_on() -> None:
    page = Page()
    page.send()
    page.send(engagement=1)
    sample = page.send(engagement=1, tracked=False)
    assert sample is not None
    assert (sample.engagement, sample.tracked) == (1, False)


def test_grips_are_counted_over_losses_but_not_over_gaps() -> None:
    page = Page()
    page.send(grips=7)  # of a time before this link
    counted = [page.send(grips=grips) for grips in (7, 8, 10, 10)]
    assert [sample.grips for sample in counted if sample] == [0, 1, 3, 3]
    page.now_s += 2.0
    late, next_one = page.send(grips=12), page.send(grips=13)
    assert late is not None
    assert next_one is not None
    assert (late.grips, next_one.grips) == (3, 4)
    impossible = page.send(grips=4000)
    assert impossible is not None
    assert impossible.grips == 4


def test_each_hand_has_a_gripper_of_its_own() -> None:
    page = Page()
    page.send(grips=5)
    page.send(side=HandSide.LEFT)
    right, left = page.send(grips=6), page.send(side=HandSide.LEFT, grips=0)
    assert right is not None
    assert left is not None
    assert (right.grips, left.grips) == (1, 0)


def test_twenty_invalid_packets_in_a_second_are_a_flood() -> None:
    page = Page()
    for number in range(MOST_INVALID - 1):
        page.intake.take(b"garbage", 1000.0 + number / 30)
    assert not page.intake.flooded
    page.intake.take(b"garbage", 1000.8)
    assert "20" in page.intake.flooded


def test_twenty_invalid_packets_in_longer_are_none() -> None:
    page = Page()
    for number in range(100):
        page.intake.take(b"garbage", 1000.0 + number / 15)
    assert not page.intake.flooded


def test_a_thousand_packets_a_second_are_a_flood_whatever_they_are() -> None:
    page = Page()
    packet = page.packet()
    for number in range(2500):
        page.deliver(packet, 1000.0 + number / 2000)
    assert "1000" in page.intake.flooded


def test_too_many_valid_packets_are_thinned() -> None:
    page = Page()
    taken = 0
    for _ in range(2000):
        page.now_s += 1e-3
        taken += page.deliver(page.packet(), page.now_s) is not None
    assert taken == pytest.approx(2.0 * MOST_PER_S + BURST, abs=3)
    assert page.intake.counts.thinned == 2000 - taken
    assert not page.intake.flooded


@given(st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_whatever_a_hostile_network_and_page_do(seed: int) -> None:
    """Numbers rise, engagements never come back, nothing is old or of the future, and nothing waits."""
    chance = random.Random(seed)
    page = Page(HandIntake(SESSION, number=9, engagement=3))
    sent: list[tuple[float, bytes]] = []
    engagement = pressings = 0
    for count in range(300):
        page.now_s += PERIOD_S
        if chance.random() < 0.05:
            pressings += 1
            engagement = 0 if engagement else pressings
        now_ms = 1e3 * page.now_s
        fields: dict[str, object] = {"engagement": engagement, "echo_ms": now_ms - 15.0, "held_ms": 10.0}
        if count > 10 and chance.random() < 0.1:
            fields |= chance.choice(
                [
                    {"age_ms": 500.0},
                    {"sent_ms": 1e3 * page.now_s},
                    {"echo_ms": 1e12},
                    {"base_T_hand": (0.0,) * 7},
                    {"engagement": chance.randrange(2**32)},
                    {"grips": chance.randrange(2**32)},
                    {"number": chance.randrange(2**32)},
                    {"tracked": False},
                    {"check": 5},
                    {"scale": 9.0},
                ]
            )
        packed = bytearray(encode_hand_packet(page.packet(**fields)))
        if count > 10 and chance.random() < 0.05:
            # Not in its number: what that does has a test of its own.
            packed[chance.choice([*range(16), *range(20, len(packed))])] ^= 1 << chance.randrange(8)
        delay_s = chance.choice([0.005, 0.01, 0.05, 0.3]) * chance.random()
        sent.append((page.now_s + delay_s, bytes(packed)))
        if chance.random() < 0.1:
            sent.append((page.now_s + 3 * chance.random(), bytes(packed)))  # replayed
    sent.sort()
    numbers: list[int] = []
    last, over = dict.fromkeys(HandSide, 0), 3
    for received_s, payload in sent:
        taken = page.intake.take(payload, received_s)
        if taken is None:
            continue
        side, sample = taken
        numbers.append(sample.number)
        assert 0.0 <= sample.received_s - sample.taken_s <= SILENCE_S
        assert sample.received_s == received_s
        if sample.engagement != last[side]:
            assert sample.engagement == 0 or sample.engagement > over
            over = max(over, sample.engagement)
            last[side] = sample.engagement
    assert numbers == list(range(10, 10 + len(numbers)))
    assert len(numbers) > 50
    assert over > 3
