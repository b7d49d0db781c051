"""What is made of reports about a stop: when it stood, how far it went."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from framework.errors import StreamError
from framework.transport.ring import RingWriter
from pilothouse.experiments.stopping.watch import Recorder, Track
from resources.types.motion import BaseSample, GripperSample, LoopState, encode_motion
from resources.types.streams import StreamFormat, StreamHandle

#: The world began when the clock showed this.
BEGAN_S = 1000.0


def braking(*, late_s: float = 0.0) -> Track:
    """1 m/s, braked from .5 s on with 5 m/s²: .2 s and .1 m; .01 m are given back. late_s: of each report."""
    times_s = np.arange(0.0, 1.5, 0.01)
    speeds = np.clip(1.0 - 5.0 * (times_s - 0.5), 0.0, 1.0)
    speeds[(times_s > 0.8) & (times_s < 0.9)] = -0.1
    places = np.cumsum(speeds) * 0.01
    return Track(BEGAN_S + times_s + late_s, times_s, places[:, None], speeds[:, None])


def test_it_stands_when_no_later_report_shows_any_speed() -> None:
    track = braking()
    stopped_s = BEGAN_S + 0.5
    assert track.stood_ms(stopped_s, share=0.2) == pytest.approx(170.0, abs=11.0)
    assert track.stood_ms(stopped_s) == pytest.approx(400.0, abs=11.0), "it gave way once more"
    assert track.speed_at(stopped_s) == pytest.approx(1.0)
    assert track.way(stopped_s) == pytest.approx(0.1, abs=0.01)
    assert track.overshoot(stopped_s) == pytest.approx(0.01, abs=0.002)


def test_what_never_stands_is_not_said_to() -> None:
    assert braking().between(0.0, BEGAN_S + 0.6).stood_ms(BEGAN_S + 0.5) is None


def test_what_stands_already_has_stood_at_once() -> None:
    assert braking().stood_ms(BEGAN_S + 1.2) == pytest.approx(0.0, abs=11.0)


def test_times_are_the_worlds_own() -> None:
    track = braking()
    slow = Track(BEGAN_S + 3.0 * track.times_s, track.times_s, track.places, track.speeds)
    assert slow.simulated_s(BEGAN_S + 1.5) == pytest.approx(0.5)
    assert slow.stood_ms(BEGAN_S + 1.5) == pytest.approx(400.0, abs=11.0)


def test_too_few_reports_and_those_of_a_gripper_are_refused() -> None:
    with pytest.raises(StreamError, match="reported 1 times"):
        Track.of([(0.0, BaseSample(0.0, LoopState()))])
    gripper = GripperSample(0.0, LoopState())
    with pytest.raises(StreamError, match="GripperSample is no report of an arm or a base"):
        Track.of([(0.0, gripper), (0.1, gripper)])


def test_every_report_is_kept_once_until_it_is_forgotten(tmp_path: Path) -> None:
    with RingWriter(tmp_path, "motion_base", slot_bytes=4096, slots=8) as ring:
        stream = StreamHandle("motion_base", str(ring.path), StreamFormat.BASE)
        with Recorder({"base": stream}) as recorder:
            for number in range(1, 4):
                sample = BaseSample(0.01 * number, LoopState(), (0.1 * number, 0.0, 0.0))
                ring.write(encode_motion(sample), stamp_s=number)
                while (latest := recorder.latest("base")) is None or latest.time_s < sample.time_s:
                    pass
            track = recorder.track("base")
            assert track.stamps_s.tolist() == [1.0, 2.0, 3.0]
            assert track.places[:, 0].tolist() == pytest.approx([0.1, 0.2, 0.3])
            recorder.begin()
            assert recorder.latest("base") is None
