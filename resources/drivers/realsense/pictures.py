"""What is made of a RealSense camera's frames: filtered, depth aligned to colour, in our units.

Decimate first: at 848×480 the spatial filter alone takes longer than all filters together at half the size.
The order is the library's own advice: decimate → spatial → temporal → align.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from framework.errors import StreamError
from resources.arms.pose import Pose
from resources.drivers.realsense.library import library
from resources.drivers.realsense.sources import Profiles
from resources.types.sensors import CameraIntrinsics
from resources.types.streams import Pose7

rs = library()

Colour = NDArray[np.uint8]  # (height, width, 3)
Depth = NDArray[np.uint16]  # (height, width) [mm], 0 where nothing was measured


class Picture(NamedTuple):
    """Depth seen from where colour was taken."""

    colour: Colour
    depth: Depth


class Pictures:
    """The chain of filters of a streaming camera. The temporal one remembers: make a new one at each start.

    Args:
        decimate: each picture is made so many times smaller, both ways.
        spatial, temporal: smooth depth over neighbours, and over time.

    Attributes:
        rate_hz: of what goes in. intrinsics: of what comes out. colour_T_depth: where the depth imager sits.
    """

    def __init__(self, profiles: Profiles, *, decimate: int, spatial: bool, temporal: bool) -> None:
        depth, colour = profiles.depth, profiles.colour
        self.rate_hz = profiles.rate_hz
        self.intrinsics = decimated(intrinsics_of(colour.get_intrinsics()), decimate)
        offset = depth.get_extrinsics_to(colour)
        self.colour_T_depth = pose_of(offset)
        is_one = intrinsics_of(depth.get_intrinsics()) == intrinsics_of(colour.get_intrinsics())
        self._filters: list[Any] = []
        if decimate > 1:
            self._filters += [_decimation(decimate, rs.stream.depth, rs.format.z16)]
            self._filters += [_decimation(decimate, rs.stream.color, rs.format.rgb8)]
        self._filters += [rs.spatial_filter()] if spatial else []
        self._filters += [rs.temporal_filter()] if temporal else []
        # Of imagers that are one, aligning would only round: what was pushed in comes out as it was.
        if not (is_one and _is_no_offset(offset)):
            self._filters.append(rs.align(rs.stream.color))

    def of(self, frames: Any) -> Picture:
        """Of an `rs.composite_frame` with depth and colour. Raises StreamError if the library fails."""
        try:
            for each in self._filters:
                frames = each.process(frames).as_frameset()
            depth, colour = frames.get_depth_frame(), frames.get_color_frame()
            counts, unit_m = np.asanyarray(depth.get_data()), depth.get_units()
            rgb = np.asanyarray(colour.get_data())
        except RuntimeError as error:
            raise StreamError(f"its pictures cannot be filtered: {error}") from error
        rows, columns = self.intrinsics.height, self.intrinsics.width  # without what decimation filled up
        return Picture(rgb[:rows, :columns], to_millimetres(counts[:rows, :columns], unit_m))


def to_millimetres(counts: NDArray[np.uint16], unit_m: float) -> Depth:
    """Depth, one count being `unit_m` [m], as our streams have it. What 16 bits cannot hold is 0."""
    if not 1e-6 <= unit_m <= 0.1:
        raise StreamError(f"one count of depth is {unit_m} m, as it says; 0.000001 to 0.1 m is allowed")
    if abs(unit_m - 0.001) < 1e-9:
        return counts
    millimetres = np.rint(counts * np.float64(unit_m * 1000.0))
    millimetres[millimetres > 65535] = 0
    return millimetres.astype(np.uint16)


def intrinsics_of(lens: Any) -> CameraIntrinsics:
    """`rs.intrinsics` without its distortion. Both count from the middle of pixel (0, 0)."""
    return CameraIntrinsics(lens.width, lens.height, lens.fx, lens.fy, lens.ppx, lens.ppy)


def decimated(lens: CameraIntrinsics, factor: int) -> CameraIntrinsics:
    """The lens of a picture that is so many times smaller.

    A new pixel's middle is the middle of `factor` old ones. The library divides the principal point alone,
    which is a third of a new pixel too far to the right and below for a factor of three.
    """

    def middle(value: float) -> float:
        return (value + 0.5) / factor - 0.5

    return CameraIntrinsics(
        lens.width // factor,
        lens.height // factor,
        lens.fx / factor,
        lens.fy / factor,
        middle(lens.cx),
        middle(lens.cy),
    )


def pose_of(offset: Any) -> Pose7:
    """`a_T_b` of an `rs.extrinsics` of b to a, whose rotation is column by column."""
    transform = np.eye(4)
    transform[:3, :3] = np.array(offset.rotation).reshape(3, 3).T
    transform[:3, 3] = offset.translation
    pose = Pose.from_matrix(transform)
    return (*pose.position, *pose.quaternion)


def bent_px(lens: Any) -> float:
    """How far at most a corner of an `rs.intrinsics` is from where a pinhole would have it [px]."""
    if not any(lens.coeffs):
        return 0.0
    farthest = 0.0
    for column in (0.0, lens.width - 1.0):
        for row in (0.0, lens.height - 1.0):
            if lens.model == rs.distortion.modified_brown_conrady:  # known in this direction only
                ray = [(column - lens.ppx) / lens.fx, (row - lens.ppy) / lens.fy, 1.0]
                bent_column, bent_row = rs.rs2_project_point_to_pixel(lens, ray)
            else:
                right, down, _ = rs.rs2_deproject_pixel_to_point(lens, [column, row], 1.0)
                bent_column, bent_row = right * lens.fx + lens.ppx, down * lens.fy + lens.ppy
            farthest = max(farthest, abs(bent_column - column), abs(bent_row - row))
    return farthest


def _decimation(factor: int, stream: Any, pixel_format: Any) -> Any:
    decimation = rs.decimation_filter(factor)
    decimation.set_option(rs.option.stream_filter, float(int(stream)))
    decimation.set_option(rs.option.stream_format_filter, float(int(pixel_format)))
    return decimation


def _is_no_offset(offset: Any) -> bool:
    return bool(
        np.allclose(np.array(offset.rotation).reshape(3, 3), np.eye(3), atol=1e-9)
        and np.allclose(offset.translation, 0.0, atol=1e-9)
    )
