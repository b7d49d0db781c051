"""Frames become our pictures: units, decimation and its lens, alignment; with the genuine library."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("pyrealsense2")

from framework.errors import StreamError
from resources.drivers.realsense.pictures import (
    Picture,
    Pictures,
    bent_px,
    decimated,
    pose_of,
    to_millimetres,
)
from resources.drivers.realsense.software_device import SoftwareDevice, lens_of
from resources.drivers.realsense.sources import Profiles
from resources.types.sensors import CameraIntrinsics
from tests.resources.drivers.realsense.rig import (
    HEIGHT,
    LENS,
    RATE_HZ,
    WIDTH,
    Pair,
    frames_of,
    offset,
    pairs,
    rs,
    software,
)


def picture_of(
    device: SoftwareDevice, pair: Pair, decimate: int = 1, spatial: bool = False, temporal: bool = False
) -> tuple[Pictures, Picture]:
    """What one pair becomes."""
    profiles = Profiles(device.depth, device.colour, RATE_HZ)
    pictures = Pictures(profiles, decimate=decimate, spatial=spatial, temporal=temporal)
    colour, depth = pictures.of(frames_of(device, pair))
    return pictures, Picture(colour.copy(), depth.copy())


def flat(depth: int) -> Pair:
    """Everything at one depth [counts], all grey."""
    return np.full((HEIGHT, WIDTH), depth, np.uint16), np.full((HEIGHT, WIDTH, 3), 99, np.uint8)


# ---------------------------------------------------------------- units


@pytest.mark.parametrize("unit_m", [0.0, -0.001, float("nan"), float("inf"), 1.0])
def test_a_unit_that_makes_no_sense_is_refused(unit_m: float) -> None:
    with pytest.raises(StreamError, match="one count of depth is"):
        to_millimetres(np.ones((2, 2), np.uint16), unit_m)


def test_depth_becomes_millimetres_and_what_does_not_fit_is_not_measured() -> None:
    counts = np.array([[0, 4, 5, 15, 65535]], np.uint16)
    assert to_millimetres(counts, 0.0001).tolist() == [[0, 0, 0, 2, 6554]]
    assert to_millimetres(counts, 0.001) is counts
    assert to_millimetres(np.array([[0, 1, 32767, 32768]], np.uint16), 0.002).tolist() == [[0, 2, 65534, 0]]


def test_the_units_of_the_camera_itself_are_used() -> None:
    _, picture = picture_of(software(unit_m=0.00025), flat(8000))
    assert (picture.depth == 2000).all()


# ---------------------------------------------------------------- imagers that are one


def test_without_filters_what_comes_out_is_what_went_in() -> None:
    (pair,) = pairs(1)
    pictures, picture = picture_of(software(), pair)
    assert np.array_equal(picture.depth, pair[0])
    assert np.array_equal(picture.colour, pair[1])
    assert pictures.intrinsics == LENS
    assert pictures.colour_T_depth == (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    assert pictures.rate_hz == RATE_HZ


@pytest.mark.parametrize("factor", [2, 3, 4, 7, 8])
def test_a_decimated_picture_has_the_size_and_the_lens_that_it_says(factor: int) -> None:
    """A plane that leans to the right: where each pixel's depth is, is where the lens has it."""
    columns = np.arange(WIDTH, dtype=np.float64)
    depth = np.broadcast_to(1000 + 10 * columns, (HEIGHT, WIDTH)).astype(np.uint16)
    colour = np.repeat(np.broadcast_to(columns, (HEIGHT, WIDTH)).astype(np.uint8)[..., None], 3, axis=2)
    pictures, picture = picture_of(software(), (depth, colour), decimate=factor)
    lens = pictures.intrinsics
    assert (lens.width, lens.height) == (WIDTH // factor, HEIGHT // factor)
    assert picture.depth.shape == (lens.height, lens.width)
    assert picture.colour.shape == (lens.height, lens.width, 3)
    assert (picture.depth > 0).all()
    # The ray through a decimated pixel hits what is in the middle of the pixels that it stands for.
    rays = (np.arange(lens.width) - lens.cx) / lens.fx
    seen_at = rays * LENS.fx + LENS.cx  # [px of the whole picture]
    seen = (picture.depth[5].astype(np.float64) - 1000) / 10
    # A median of an even number takes the nearer one of the middle two: half a pixel.
    assert np.abs(seen - seen_at).max() <= (0.51 if factor % 2 == 0 else 0.01)
    assert np.abs(picture.colour[5, :, 0] - seen_at).max() <= 1.0


def test_a_decimated_lens_keeps_the_field_of_view() -> None:
    lens = decimated(CameraIntrinsics(848, 480, 424.0, 424.0, 423.5, 239.5), 2)
    assert lens == CameraIntrinsics(424, 240, 212.0, 212.0, 211.5, 119.5)
    assert decimated(lens, 1) == lens


@pytest.mark.parametrize(("spatial", "temporal"), [(True, False), (False, True), (True, True)])
def test_smoothing_leaves_a_flat_wall_and_the_colours_alone(spatial: bool, temporal: bool) -> None:
    _, picture = picture_of(software(), flat(1500), decimate=2, spatial=spatial, temporal=temporal)
    assert (np.abs(picture.depth.astype(int) - 1500) <= 1).all()
    assert (picture.colour == 99).all()


def test_smoothing_smooths() -> None:
    chance = np.random.default_rng(0)
    depth = (1500 + chance.normal(0, 8, (HEIGHT, WIDTH))).astype(np.uint16)
    rough = depth, flat(0)[1]
    noise = {
        spatial: picture_of(software(), rough, spatial=spatial)[1].depth.astype(float).std()
        for spatial in (False, True)
    }
    assert noise[True] < 0.8 * noise[False]


# ---------------------------------------------------------------- imagers beside each other


@pytest.mark.parametrize("factor", [1, 2])
def test_depth_is_moved_to_where_colour_sees_it(factor: int) -> None:
    """A near block before a wall, seen by a depth imager 50 mm to the right of the colour imager."""
    near, far, beside_m = 500, 2000, 0.05
    depth = np.full((HEIGHT, WIDTH), far, np.uint16)
    depth[40:80, 60:100] = near
    device = software(right_m=beside_m)
    pictures, picture = picture_of(device, (depth, flat(0)[1]), decimate=factor)
    assert pictures.colour_T_depth[:3] == pytest.approx((beside_m, 0.0, 0.0))
    shift_px = LENS.fx * beside_m / (near / 1000)  # to the right, as much as near things shift
    row: NDArray[np.uint16] = picture.depth[60 // factor]
    seen = np.flatnonzero(np.abs(row.astype(int) - near) < 5) * factor
    assert seen.min() == pytest.approx(60 + shift_px, abs=2 * factor)
    assert seen.max() == pytest.approx(99 + shift_px, abs=2 * factor)


def test_depth_takes_the_size_of_colour() -> None:
    wide = CameraIntrinsics(320, 240, 200.0, 200.0, 159.5, 119.5)
    device = software(colour=wide, right_m=0.015)
    depth = np.full((HEIGHT, WIDTH), 1000, np.uint16)
    colour = np.zeros((240, 320, 3), np.uint8)
    pictures, picture = picture_of(device, (depth, colour))
    assert pictures.intrinsics == wide
    assert picture.depth.shape == (240, 320)
    assert (picture.depth[20:-20, 40:-40] == 1000).mean() > 0.99


def test_a_turned_imager_is_turned_the_right_way_round() -> None:
    turned = offset(0.1)
    # A quarter turn about the optical axis: what is right in depth is below in colour; column by column.
    turned.rotation = [0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    pose = pose_of(turned)
    assert pose[:3] == pytest.approx((0.1, 0.0, 0.0))
    assert pose[3:] == pytest.approx((0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)))
    assert rs.rs2_transform_point_to_point(turned, [1.0, 0.0, 0.0]) == pytest.approx([0.1, 1.0, 0.0])


# ---------------------------------------------------------------- lenses that bend


def test_how_much_a_lens_bends_is_measured() -> None:
    lens = lens_of(LENS)
    assert bent_px(lens) == 0.0
    for model in (rs.distortion.brown_conrady, rs.distortion.inverse_brown_conrady):
        lens.model, lens.coeffs = model, [0.05, 0.0, 0.0, 0.0, 0.0]
        # k1 of a corner at radius² r²: r² k1 of its way from the middle, of which the larger part is across.
        radius_2 = (79.5 / 100) ** 2 + (59.5 / 100) ** 2
        assert bent_px(lens) == pytest.approx(79.5 * 0.05 * radius_2, rel=0.2)
