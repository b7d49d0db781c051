"""The parts of the process that looks for hands that need no tracker: what a picture is, whether it is known
where that was taken, and how fast they have to be looked at."""

from __future__ import annotations

import numpy as np
import pytest

from framework.errors import MalformedMessage
from framework.transport.ring import Sample
from resources.gestures.arguments import TrackerArguments
from resources.gestures.holding import RULES
from resources.gestures.tracker_child import SLOW_S, _feed, _Pace, _picture
from resources.types.sensors import CameraFeed
from resources.types.streams import CameraIntrinsics, SampleMeta, StreamFormat, StreamHandle

LENS = CameraIntrinsics(4, 2, 4.0, 4.0, 1.5, 0.5)
RGB = np.arange(24, dtype=np.uint8)
DEPTH = np.arange(1000, 1008, dtype=np.uint16)


def sample(content: bytes) -> Sample:
    return Sample(7, 1.0, b"", memoryview(content))


def meta(width: int = 4, height: int = 2) -> SampleMeta:
    return SampleMeta(width=width, height=height)


@pytest.mark.parametrize("is_placed", [True, False])
def test_where_hands_are_is_known_only_of_a_camera_that_is_placed(is_placed: bool) -> None:
    pictures = StreamHandle("mast", "/nowhere/mast.ring", StreamFormat.RGBD, "mast_optical", 15.0)
    camera = CameraFeed("mast", "rgbd", pictures, LENS, is_placed=is_placed)
    hands = StreamHandle("hands_1", "/nowhere/hands_1.ring", StreamFormat.REPORT, "mast_optical", 15.0)
    feed = _feed(TrackerArguments("/nowhere", "mast", "hands_1", camera), hands)
    assert (feed.source, feed.stream, feed.is_placed) == ("mast", hands, is_placed)
    assert not CameraFeed("mast", "rgbd", pictures, LENS).is_placed, "nobody knows unless it is said"


def test_a_picture_is_colours_and_depth_if_there_is_any() -> None:
    rgb, depth = _picture(sample(RGB.tobytes() + DEPTH.tobytes()), meta(), LENS, StreamFormat.RGBD)
    assert rgb.shape == (2, 4, 3) and (rgb.ravel() == RGB).all()
    assert depth is not None and depth.shape == (2, 4) and (depth.ravel() == DEPTH).all()
    rgb, depth = _picture(sample(RGB.tobytes()), meta(), LENS, StreamFormat.IMAGE)
    assert (rgb.ravel() == RGB).all() and depth is None


@pytest.mark.parametrize(
    ("size", "width", "height", "form"),
    [
        (24, 4, 2, StreamFormat.RGBD),
        (40, 4, 2, StreamFormat.IMAGE),
        (0, 4, 2, StreamFormat.IMAGE),
        (24, 2, 4, StreamFormat.IMAGE),
        (24, 0, 0, StreamFormat.IMAGE),
    ],
)
def test_a_picture_that_is_not_this_cameras_is_refused(
    size: int, width: int, height: int, form: StreamFormat
) -> None:
    words = rf"picture 7 is {width}×{height} in {size} bytes; this camera's are 4×2 in"
    with pytest.raises(MalformedMessage, match=words):
        _picture(sample(bytes(size)), meta(width, height), LENS, form)


def said(pace: _Pace, picture_s: float, pictures: int = 30) -> list[str]:
    return [words for _ in range(pictures) if (words := pace.took(picture_s))]


def test_slow_pictures_are_told_once_and_those_of_which_none_counts_as_that() -> None:
    pace = _Pace()
    assert said(pace, 0.8 * SLOW_S) == []
    (slow,) = said(pace, 1.2 * SLOW_S)
    assert "300 ms: gestures have to be held for longer" in slow and pace.is_slow
    (too_slow,) = said(pace, 1.2 * RULES.silent_s)
    assert "600 ms, 500 are most: no gesture counts; close other programs" in too_slow and pace.is_slow
    (again,) = said(pace, 0.5 * SLOW_S)
    assert "fast enough again" in again and not pace.is_slow


@pytest.mark.parametrize("limit_s", [SLOW_S, RULES.silent_s])
def test_pictures_on_a_limit_are_told_once(limit_s: float) -> None:
    pace = _Pace()
    first = said(pace, 1.05 * limit_s)
    assert len(first) == 1
    assert [said(pace, share * limit_s) for share in (0.95, 1.05, 0.95)] == [[], [], []]
