"""Recordings with the genuine library: equal in each pixel, and everything that can be wrong with a file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("pyrealsense2")

from framework.errors import DescriptionError, StreamError
from resources.drivers.realsense.recorded_camera import Recording, checked_recording
from resources.drivers.realsense.recorder import Recorder, new_recording
from resources.drivers.realsense.sources import taken_at_s
from tests.resources.drivers.realsense.rig import (
    HEIGHT,
    LENS,
    RATE_HZ,
    WIDTH,
    Pair,
    frames_of,
    pairs,
    record,
    software,
)

# ---------------------------------------------------------------- what is wrong with a file


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("old.bag", r"old\.bag is a recording of the older kind; \.db3 is read.*convert_bag_to_db3"),
        ("film.mp4", r"film\.mp4 is no recording of a RealSense camera: its name must end in \.db3"),
        ("there_is_none.db3", r"there_is_none\.db3 does not exist"),
    ],
)
def test_a_file_that_is_no_recording_is_refused_before_it_is_opened(
    tmp_path: Path, name: str, words: str
) -> None:
    if name != "there_is_none.db3":
        (tmp_path / name).write_bytes(b"#ROSBAG V2.0\n")
    with pytest.raises(DescriptionError, match=words):
        checked_recording(str(tmp_path / name))


def _whole(path: Path) -> bytes:
    return record(path.with_name("whole.db3"), pairs(5)).read_bytes()


def _other_database(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("create table songs (name text)")
    database.close()


SPOILT: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "no database": lambda path: path.write_bytes(b"hello" * 1000),
    "another database": _other_database,
    "its first page": lambda path: path.write_bytes(_whole(path)[:4096]),
    "half of it": lambda path: path.write_bytes(_whole(path)[: len(_whole(path)) // 2]),
    "without its end": lambda path: path.write_bytes(_whole(path)[:-5000]),
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_spoilt_recording_is_refused_in_words(tmp_path: Path, how: str) -> None:
    path = tmp_path / "spoilt.db3"
    SPOILT[how](path)
    with pytest.raises(StreamError, match="it cannot be read; is it whole"):
        Recording(checked_recording(str(path))).start()


def test_another_cameras_recording_is_refused(tmp_path: Path) -> None:
    path = record(tmp_path / "seven.db3", pairs(2), "7")
    with pytest.raises(DescriptionError, match=r"seven\.db3 was recorded by 7; 8 was asked for"):
        Recording(path, serial="8").start()


# ---------------------------------------------------------------- playing


class Played(NamedTuple):
    """What one frame said. Frames themselves are not kept: the library has few, and then gives none."""

    depth: NDArray[np.uint16]
    colour: NDArray[np.uint8]
    numbers: tuple[int, int]
    time_s: float
    unit_m: float


def _played(
    recording: Recording, most: int = 100, each: Callable[[Any], None] = lambda frames: None
) -> list[Played]:
    played: list[Played] = []
    looks = 0
    try:
        while len(played) < most and not recording.ended:
            taken = recording.next(0.05)
            if taken is None:
                looks += 1
                assert looks < 200
                continue
            depth, colour = taken.frames.get_depth_frame(), taken.frames.get_color_frame()
            pictures = np.array(depth.get_data()), np.array(colour.get_data())
            numbers = depth.get_frame_number(), colour.get_frame_number()
            played.append(Played(*pictures, numbers, taken.meta.time_s, depth.get_units()))
            each(taken.frames)
    finally:
        recording.stop()
    return played


def _equal(played: list[Played], given: list[Pair]) -> bool:
    return len(played) == len(given) and all(
        np.array_equal(each.depth, depth) and np.array_equal(each.colour, colour)
        for each, (depth, colour) in zip(played, given, strict=True)
    )


def test_as_fast_as_it_is_read_nothing_is_lost_and_each_pixel_is_what_it_was(tmp_path: Path) -> None:
    given = pairs(25)
    recording = Recording(record(tmp_path / "a.db3", given), serial="7", repeat=False, real_time=False)
    profiles = recording.start()
    assert profiles.rate_hz == RATE_HZ
    taken = _played(recording)
    assert _equal(taken, given)
    assert recording.ended == f"the recording {tmp_path / 'a.db3'} is over after 25 pictures"
    assert [round(RATE_HZ * each.time_s) for each in taken] == list(range(1, 26))
    lens = profiles.depth.get_intrinsics()
    assert (lens.width, lens.height, lens.fx, lens.ppx) == (WIDTH, HEIGHT, LENS.fx, LENS.cx)


def test_a_repeated_recording_has_no_end_and_pairs_nothing_of_two_rounds(tmp_path: Path) -> None:
    recording = Recording(record(tmp_path / "a.db3", pairs(6)), real_time=False)
    recording.start()
    taken = _played(recording, 30)
    assert len(taken) == 30
    assert all(of_depth == of_colour for of_depth, of_colour in (each.numbers for each in taken))
    assert max(each.numbers[0] for each in taken[:6]) == 6


def test_who_starts_it_does_not_wait_until_somebody_fetches_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library's call waited ten seconds for that, one time in eight on a busy machine."""
    is_fetched = Event()
    went_on: list[bool] = []

    def resume(recording: Recording) -> None:
        went_on.append(is_fetched.wait(2.0))
        recording._playback.resume()

    monkeypatch.setattr(Recording, "_resume", resume)
    recording = Recording(record(tmp_path / "a.db3", pairs(3)), real_time=False)
    recording.start()
    is_fetched.set()
    recording.stop()
    assert went_on == [True]


def test_it_can_be_stopped_twice_and_started_again(tmp_path: Path) -> None:
    recording = Recording(record(tmp_path / "a.db3", pairs(3)), repeat=False, real_time=False)
    for _ in range(2):
        recording.start()
        assert recording.next(2.0) is not None
        recording.stop()
        recording.stop()


# ---------------------------------------------------------------- recording


def test_what_is_recorded_from_a_recording_is_equal_in_each_pixel(tmp_path: Path) -> None:
    given = pairs(12)
    first = Recording(record(tmp_path / "a.db3", given), repeat=False, real_time=False)
    first.start()
    recorders: list[Recorder] = []

    def add(frames: Any) -> None:
        if not recorders:
            recorders.append(Recorder(tmp_path / "b.db3", frames, "7"))
        recorders[0].add(frames)

    taken = _played(first, each=add)
    recorders[0].close()
    recorders[0].close()
    second = Recording(tmp_path / "b.db3", serial="7", repeat=False, real_time=False)
    second.start()
    again = _played(second)
    assert _equal(again, given)
    assert [each.time_s for each in again] == [each.time_s for each in taken]


def test_units_and_offset_survive_a_recording(tmp_path: Path) -> None:
    device = software("9", unit_m=0.0001, right_m=0.015)
    frames = frames_of(device, pairs(1)[0])
    recorder = Recorder(tmp_path / "a.db3", frames, "9")
    recorder.add(frames)
    recorder.close()
    recording = Recording(tmp_path / "a.db3", serial="9", repeat=False, real_time=False)
    profiles = recording.start()
    (taken,) = _played(recording)
    assert taken.unit_m == pytest.approx(0.0001)
    assert profiles.depth.get_extrinsics_to(profiles.colour).translation[0] == pytest.approx(0.015)


def test_recordings_do_not_overwrite_each_other(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "down"
    names = set()
    for _ in range(3):
        path = new_recording(folder, "eye")
        path.write_bytes(b"")
        names.add(path.name)
    assert len(names) == 3


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StreamError, match=r"recordings cannot be written to .*file/there: Not a directory"):
        new_recording(tmp_path / "file" / "there", "eye")
    with pytest.raises(StreamError, match=r"eye\.db3 cannot be recorded"):
        Recorder(tmp_path / "no" / "eye.db3", frames_of(software(), pairs(1)[0]), "7")


# ---------------------------------------------------------------- stamps


@pytest.mark.parametrize(
    ("time_ms", "on_wall_clock", "expected_s"),
    [
        (999_960.0, True, 49.96),  # 40 ms old
        (999_960.0, False, 50.0),  # on the camera's own clock, whatever that is
        (1_000_500.0, True, 50.0),  # from the future
        (900_000.0, True, 50.0),  # the clocks have nothing to do with each other
    ],
)
def test_a_frame_is_stamped_with_when_it_was_taken(
    time_ms: float, on_wall_clock: bool, expected_s: float
) -> None:
    assert taken_at_s(time_ms, on_wall_clock, wall_s=1000.0, now_s=50.0) == pytest.approx(expected_s)
