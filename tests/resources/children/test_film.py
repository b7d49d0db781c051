"""A film as a camera: what is none is refused in words, and from where it looks."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import pytest

from framework.errors import DescriptionError, StreamError
from framework.transport.ring import RingWriter
from resources.children.arguments import FilmArguments
from resources.children.film import _feed, pictures_of, played, pose_of
from resources.types.poses import position_of, rotation_of, turned
from resources.types.streams import CameraIntrinsics

COLOUR = (200, 40, 30)


def film(path: Path, count: int = 3, width: int = 64) -> Path:
    """Red pictures, as motion JPEG."""
    image = np.full((48, width, 3), COLOUR[::-1], np.uint8)
    path.write_bytes(count * cv2.imencode(".jpg", image)[1].tobytes())
    return path


def arguments(path: Path, **more: object) -> FilmArguments:
    return FilmArguments(path=str(path), run_directory="/nowhere", device="mast", **more)  # type: ignore[arg-type]


def test_its_pictures_are_red_green_blue_and_begin_again(tmp_path: Path) -> None:
    path = film(tmp_path / "red.mjpeg")
    pictures = list(pictures_of(path))
    assert len(pictures) == 3 and pictures[0].shape == (48, 64, 3)
    assert np.abs(pictures[0][24, 32].astype(int) - COLOUR).max() < 8
    assert len(list(islice(played(arguments(path), (48, 64, 3)), 10))) == 10
    assert len(list(played(arguments(path, again=False), (48, 64, 3)))) == 3


def test_what_is_no_film_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StreamError, match="there is no film"):
        next(pictures_of(tmp_path / "none.mp4"))
    text = tmp_path / "text.mp4"
    text.write_text("no film")
    with pytest.raises(StreamError, match="is no film that can be read"):
        next(pictures_of(text))


def test_a_film_that_is_exchanged_for_one_of_another_size_is_refused(tmp_path: Path) -> None:
    path = film(tmp_path / "red.mjpeg")
    playing = played(arguments(path), (48, 64, 3))
    next(playing)
    film(path, width=80)
    with pytest.raises(StreamError, match="80×48 came, 64×48 are played"):
        list(islice(playing, 10))


def test_the_camera_stands_where_it_is_said_and_looks_there_upright() -> None:
    pose = pose_of(arguments(Path("film"), at=(1.0, 2.0, 1.5), looks_at=(1.0, 5.0, 1.5)))
    assert position_of(pose) == pytest.approx((1.0, 2.0, 1.5))
    assert turned(rotation_of(pose), (0.0, 0.0, 1.0)) == pytest.approx((0.0, 1.0, 0.0))  # ahead
    assert turned(rotation_of(pose), (0.0, 1.0, 0.0)) == pytest.approx((0.0, 0.0, -1.0))  # down
    assert turned(rotation_of(pose), (1.0, 0.0, 0.0)) == pytest.approx((1.0, 0.0, 0.0))  # to the right


def test_a_camera_that_looks_straight_down_has_no_upright() -> None:
    with pytest.raises(DescriptionError, match="not straight up or down"):
        pose_of(arguments(Path("film"), at=(0.0, 0.0, 2.0), looks_at=(0.0, 0.0, 0.0)))


def test_it_is_known_where_the_camera_of_a_film_is(tmp_path: Path) -> None:
    with RingWriter(tmp_path, "mast", slot_bytes=8, slots=2) as writer:
        feed = _feed(arguments(Path("film")), writer, CameraIntrinsics(64, 48, 60.0, 60.0, 31.5, 23.5))
    assert feed.is_placed
