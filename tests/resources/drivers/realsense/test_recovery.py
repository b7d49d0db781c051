"""What is done about a camera without pictures: each way it can go, and a mad camera's 64 000 steps."""

from __future__ import annotations

import math
import random

import pytest

from framework.errors import DescriptionError
from framework.status import Severity
from resources.drivers.realsense.recovery import (
    Broken,
    Do,
    Effect,
    Ended,
    Event,
    Patience,
    Phase,
    Recovery,
    Say,
    Seen,
)
from tests.effort import seeds

PATIENCE = Patience(
    timeout_s=1.0, timeouts=3, first_picture_s=5.0, resets=1, settle_s=2.0, return_s=12.0, healthy_s=30.0
)


class Camera:
    """A recovery, the time, and what came out."""

    def __init__(self, patience: Patience = PATIENCE, *, can_reset: bool = True) -> None:
        self.recovery = Recovery("camera 7", patience, can_reset=can_reset)
        self.now_s = 100.0
        self.said: list[Say] = []
        self.did: list[Do] = []
        self.gave_up = ""
        self._take(self.recovery.begin(self.now_s))

    def see(self, event: Event, after_s: float = 0.125) -> tuple[Effect, ...]:
        """An event a little later."""
        self.now_s += after_s
        return self._take(self.recovery.on(event, self.now_s))

    def silent(self, for_s: float) -> None:
        """Look again and again, and see nothing."""
        for _ in range(round(8 * for_s)):
            self.see(Seen.SILENCE)

    def streaming(self, for_s: float = 1.0) -> Camera:
        """Pictures, eight a second."""
        for _ in range(round(8 * for_s)):
            self.see(Seen.PICTURE)
        return self

    def reset(self) -> Camera:
        """A working one that fell silent and has just been told to reset."""
        self.streaming().silent(3.0)
        assert self.did[-2:] == [Do.STOP, Do.RESET]
        return self

    def _take(self, effects: tuple[Effect, ...]) -> tuple[Effect, ...]:
        for effect in effects:
            if isinstance(effect, Do):
                self.did.append(effect)
            elif isinstance(effect, Say):
                self.said.append(effect)
            else:
                self.gave_up = effect.words
        return effects


# ---------------------------------------------------------------- time-outs


def test_each_time_out_is_told_once_and_the_last_one_resets() -> None:
    camera = Camera().streaming()
    camera.silent(0.875)
    assert camera.said == []
    camera.silent(1.5)
    assert [say.severity for say in camera.said] == [Severity.WARNING] * 2
    assert camera.said[1].words == "camera 7 has given no picture for 2.0 s (time-out 2 of 3)"
    assert camera.did == [Do.START]
    camera.silent(0.625)
    assert camera.said[2] == Say(
        Severity.ERROR, "camera 7 has given no picture for 3.0 s; it is reset (1 of 1)"
    )
    assert camera.did == [Do.START, Do.STOP, Do.RESET]
    assert camera.recovery.phase is Phase.AWAITING


def test_a_picture_ends_a_row_of_time_outs() -> None:
    camera = Camera().streaming()
    for _ in range(20):
        camera.silent(2.5)
        camera.see(Seen.PICTURE)
        assert camera.said[-1] == Say(Severity.OK, "camera 7 gives pictures again")
    assert camera.did == [Do.START]
    assert len(camera.said) == 20 * 3


def test_a_camera_that_never_gave_a_picture_is_reset_too() -> None:
    camera = Camera()
    camera.silent(4.875)
    assert camera.did == [Do.START]
    camera.silent(0.125)
    assert camera.did == [Do.START, Do.STOP, Do.RESET]
    assert "gave no picture within 5 s of its start; it is reset" in camera.said[0].words


def test_a_long_sleep_of_ours_counts_as_all_its_time_outs_at_once() -> None:
    camera = Camera().streaming()
    camera.see(Seen.SILENCE, 60.0)
    assert camera.did == [Do.START, Do.STOP, Do.RESET]


def test_what_cannot_be_reset_is_given_up_in_words() -> None:
    recording = Camera(can_reset=False).streaming()
    recording.silent(3.0)
    assert recording.did == [Do.START, Do.STOP]
    assert recording.gave_up == "camera 7 has given no picture for 3.0 s"
    impatient = Camera(Patience(timeouts=1, resets=0)).streaming()
    impatient.silent(1.0)
    assert impatient.gave_up == "camera 7 has given no picture for 1.0 s"


# ---------------------------------------------------------------- reset and return


def test_it_comes_back_after_a_reset_and_is_well_again() -> None:
    camera = Camera().reset()
    camera.see(Seen.PRESENT)  # not gone yet: that is not being back
    assert camera.did[-1] is Do.RESET
    camera.see(Seen.GONE)
    camera.see(Seen.PRESENT)
    assert camera.did[-1:] == [Do.START]
    camera.see(Seen.PICTURE)
    assert camera.said[-1] == Say(Severity.OK, "camera 7 gives pictures again")
    assert camera.recovery.phase is Phase.STREAMING
    assert camera.gave_up == ""


def test_whose_leaving_was_missed_counts_as_back_after_a_while() -> None:
    camera = Camera().reset()
    for _ in range(15):
        camera.see(Seen.PRESENT)
    assert camera.did[-1] is Do.RESET
    camera.see(Seen.PRESENT)
    assert camera.did[-1:] == [Do.START]


def test_a_late_picture_of_before_the_reset_means_nothing() -> None:
    camera = Camera().reset()
    assert camera.see(Seen.PICTURE) == ()
    assert camera.recovery.phase is Phase.AWAITING


def test_it_does_not_come_back() -> None:
    camera = Camera().reset()
    for _ in range(95):
        camera.see(Seen.GONE)
    assert camera.gave_up == ""
    camera.see(Seen.GONE)
    assert "camera 7 did not come back within 12 s of its reset; unplug it" in camera.gave_up
    assert camera.recovery.phase is Phase.OVER


def test_it_comes_back_too_late() -> None:
    camera = Camera().reset()
    camera.see(Seen.GONE)
    camera.see(Seen.PRESENT, 12.0)
    assert "did not come back within 12 s" in camera.gave_up


def test_it_cannot_even_be_told_to_reset() -> None:
    camera = Camera().reset()
    camera.see(Broken("no such device"))
    assert camera.gave_up == "camera 7 cannot be reset: no such device"


def test_it_is_enumerated_before_it_can_be_started() -> None:
    camera = Camera().reset()
    camera.see(Seen.GONE)
    for _ in range(5):
        camera.see(Seen.PRESENT)
        assert camera.did[-1] is Do.START
        camera.see(Broken("failed to set power state"))
        assert camera.did[-1:] == [Do.STOP]
    camera.see(Seen.PRESENT)
    camera.see(Seen.PICTURE)
    assert camera.recovery.phase is Phase.STREAMING


def test_it_enumerates_twice() -> None:
    camera = Camera().reset()
    for _ in range(2):
        camera.see(Seen.GONE)
        camera.see(Seen.PRESENT)
        assert camera.recovery.phase is Phase.STARTING
    camera.see(Seen.PICTURE)
    assert camera.gave_up == ""


def test_it_is_still_broken_when_it_is_too_late() -> None:
    camera = Camera().reset()
    camera.see(Seen.GONE)
    camera.see(Seen.PRESENT)
    camera.see(Broken("busy"), 12.0)
    assert "did not come back within 12 s of its reset (busy)" in camera.gave_up


def test_it_never_starts_again_although_it_is_there() -> None:
    camera = Camera().reset()
    camera.see(Seen.GONE)
    while not camera.gave_up and camera.now_s < 1000.0:
        camera.see(Seen.PRESENT)
        camera.see(Broken("busy"))
    assert "did not come back within 12 s of its reset (busy); unplug it" in camera.gave_up
    assert camera.now_s < 120.0


def test_a_reset_that_did_not_help_is_the_last() -> None:
    camera = Camera().reset()
    camera.see(Seen.GONE)
    camera.see(Seen.PRESENT)
    camera.silent(5.0)
    assert camera.gave_up == "camera 7 gave no picture within 5 s of its start, 1 × reset"


def test_a_camera_that_falls_silent_again_and_again_is_given_up() -> None:
    camera = Camera().reset()
    camera.see(Seen.GONE)
    camera.see(Seen.PRESENT)
    camera.streaming(29.0).silent(3.0)
    assert camera.gave_up == "camera 7 has given no picture for 3.0 s, 1 × reset"


def test_half_a_minute_of_pictures_makes_up_for_a_reset() -> None:
    camera = Camera()
    for _ in range(5):
        camera.reset()
        camera.see(Seen.GONE)
        camera.see(Seen.PRESENT)
        camera.streaming(31.0)
    assert camera.gave_up == ""
    assert camera.did.count(Do.RESET) == 5


def test_time_outs_in_between_are_no_good_health() -> None:
    camera = Camera().reset()
    camera.see(Seen.GONE)
    camera.see(Seen.PRESENT)
    camera.streaming(20.0).silent(2.0)
    camera.streaming(20.0)
    assert camera.recovery.resets == 1
    camera.streaming(11.0)
    assert camera.recovery.resets == 0


# ---------------------------------------------------------------- unplugged, broken, over


@pytest.mark.parametrize("pictures", [0, 10])
def test_unplugged_is_known_at_once(pictures: int) -> None:
    camera = Camera().streaming(pictures / 8)
    camera.see(Seen.GONE)
    assert camera.gave_up == "camera 7 was unplugged"
    assert camera.did == [Do.START, Do.STOP]


def test_a_camera_that_is_in_use_elsewhere_is_not_reset() -> None:
    camera = Camera()
    camera.see(Broken("Device or resource busy"))
    assert camera.gave_up == "camera 7 does not start: Device or resource busy"
    assert Do.RESET not in camera.did


def test_a_library_that_stumbles_in_the_middle_leads_to_a_reset() -> None:
    camera = Camera().streaming()
    camera.see(Broken("xioctl failed"))
    assert camera.did[-2:] == [Do.STOP, Do.RESET]
    assert "camera 7 failed: xioctl failed; it is reset" in camera.said[-1].words


def test_the_end_of_a_recording_is_not_a_failure_to_reset() -> None:
    camera = Camera().streaming()
    camera.see(Ended("the recording is over"))
    assert camera.gave_up == "the recording is over"
    assert camera.did == [Do.START, Do.STOP]


def test_what_is_over_stays_over() -> None:
    camera = Camera().streaming()
    camera.see(Seen.GONE)
    for event in (*Seen, Broken("x"), Ended("y")):
        assert camera.see(event, 100.0) == ()


def test_nothing_follows_before_it_has_begun() -> None:
    recovery = Recovery("camera 7", PATIENCE, can_reset=True)
    for event in (*Seen, Broken("x"), Ended("y")):
        assert recovery.on(event, 5.0) == ()


def test_a_clock_that_goes_back_resets_nothing() -> None:
    camera = Camera().streaming()
    for _ in range(1000):
        assert camera.see(Seen.SILENCE, -1.0) == ()


# ---------------------------------------------------------------- patience


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"timeout_s": 0.0}, "timeout_s is 0.0; above 0 s"),
        ({"return_s": math.nan}, "return_s is nan"),
        ({"healthy_s": math.inf}, "healthy_s is inf"),
        ({"settle_s": -1.0}, r"settle_s is -1\.0"),
        ({"timeouts": 0}, "timeouts is 0"),
        ({"resets": -1}, "resets is -1"),
    ],
)
def test_patience_that_makes_no_sense(wrong: dict[str, float], words: str) -> None:
    with pytest.raises(DescriptionError, match=words):
        Patience(**wrong)  # type: ignore[arg-type]  # that is the point


# ---------------------------------------------------------------- a mad camera


def _mad_event(chance: random.Random) -> Event:
    weights = (60, 30, 3, 3, 2, 0.2)
    events: tuple[Event, ...] = (
        Seen.PICTURE,
        Seen.SILENCE,
        Seen.GONE,
        Seen.PRESENT,
        Broken("mad"),
        Ended("done"),
    )
    return chance.choices(events, weights)[0]


@seeds("seed", 16)
def test_whatever_happens_it_is_started_and_stopped_in_turn_and_reset_in_measure(seed: int) -> None:
    chance = random.Random(seed)
    patience = Patience(timeouts=chance.randint(1, 4), resets=chance.randint(0, 3), healthy_s=2.0)
    camera = Camera(patience)
    is_on, resets, healthy_since_s = True, 0, math.inf
    for _ in range(4_000):
        if camera.recovery.phase is Phase.OVER:
            assert camera.gave_up
            assert not is_on
            camera = Camera(patience)
            is_on, resets, healthy_since_s = True, 0, math.inf
        event = _mad_event(chance)
        effects = camera.see(event, chance.choice((0.0, 0.01, 0.1, 0.1, 1.0, chance.expovariate(0.5))))
        if event is Seen.PICTURE and camera.recovery.phase is Phase.STREAMING:
            healthy_since_s = min(healthy_since_s, camera.now_s)
        for effect in effects:
            if effect is Do.START:
                assert not is_on
                is_on, healthy_since_s = True, math.inf
            elif effect is Do.STOP:
                is_on = False
            elif effect is Do.RESET:
                assert not is_on
                resets = 1 if camera.now_s - healthy_since_s >= patience.healthy_s else resets + 1
                assert resets <= patience.resets


@seeds("seed", 20)
def test_without_pictures_it_is_given_up_in_bounded_time(seed: int) -> None:
    chance = random.Random(seed)
    patience = Patience(timeouts=chance.randint(1, 5), resets=chance.randint(0, 3))
    camera = Camera(patience)
    if chance.random() < 0.5:
        camera.streaming()
    began_s = camera.now_s
    while not camera.gave_up:
        choices = (Seen.SILENCE, Seen.SILENCE, Seen.PRESENT, Seen.PRESENT)
        camera.see(chance.choice(choices), chance.uniform(0.01, 0.3))
        assert camera.now_s - began_s <= patience.longest_silence_s + 1.0


@seeds("seed", 5)
def test_a_camera_with_pictures_is_left_alone(seed: int) -> None:
    chance = random.Random(seed)
    camera = Camera()
    for _ in range(5_000):
        camera.see(chance.choice((Seen.PICTURE, Seen.SILENCE, Seen.PRESENT)), chance.uniform(0.0, 0.04))
        if camera.now_s - 100.0 > 1.0 and chance.random() < 0.2:
            camera.see(Seen.PICTURE, 0.0)
    assert camera.did == [Do.START]
    assert camera.gave_up == ""
