"""A RealSense device that is software: who has depth and colour pushes them in.

Two use it: a simulated camera becomes a RealSense (`simulated_camera`), and what any camera gives goes
into a recording (`recorder`).
"""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from resources.drivers.realsense.library import library
from resources.types.sensors import CameraIntrinsics

rs = library()


class Make(msgspec.Struct, frozen=True):
    """What a software device says of itself.

    depth, colour: lenses [px], `rs.intrinsics`; colour_T_depth: `rs.extrinsics`.
    depth_unit_m: what one count of depth is [m]. rate_hz: its frames' rate.
    """

    name: str
    serial: str
    depth: Any
    colour: Any
    colour_T_depth: Any
    depth_unit_m: float = 0.001
    rate_hz: float = 30.0


class SoftwareDevice:
    """One depth sensor and one colour sensor; `start` them, then `push`."""

    def __init__(self, make: Make) -> None:
        self._make = make
        self.device = rs.software_device()
        self.device.register_info(rs.camera_info.name, make.name)
        self.device.register_info(rs.camera_info.serial_number, make.serial)
        self._depth = self.device.add_sensor("Stereo Module")
        self._colour = self.device.add_sensor("RGB Camera")
        self._depth.add_read_only_option(rs.option.depth_units, make.depth_unit_m)
        self.depth = self._stream(self._depth, rs.stream.depth, rs.format.z16, make.depth)
        self.colour = self._stream(self._colour, rs.stream.color, rs.format.rgb8, make.colour)
        self.depth.register_extrinsics_to(self.colour, make.colour_T_depth)
        for sensor in (self._depth, self._colour):
            # The library pairs by the rate that frames themselves tell; of its own it makes up another one.
            sensor.set_metadata(rs.frame_metadata_value.actual_fps, round(1000 * make.rate_hz))
        self.device.create_matcher(rs.matchers.default)
        self._is_streaming = False

    def start(self, target: Any) -> None:
        """Let frames go to an `rs.syncer` or an `rs.frame_queue`."""
        for sensor, profile in ((self._depth, self.depth), (self._colour, self.colour)):
            sensor.open(profile)
            sensor.start(target)
        self._is_streaming = True

    def stop(self) -> None:
        """Idempotent."""
        if self._is_streaming:
            self._is_streaming = False
            for sensor in (self._depth, self._colour):
                sensor.stop()
                sensor.close()

    def push(
        self,
        depth: NDArray[np.uint16],  # (height, width) [counts of depth_unit_m]
        colour: NDArray[np.uint8],  # (height, width, 3)
        number: int,
        time_ms: float,
        clock: Any = None,
    ) -> None:
        """A pair of pictures of one moment, which are copied. clock: `rs.timestamp_domain` of `time_ms`."""
        clock = rs.timestamp_domain.hardware_clock if clock is None else clock
        pushed = (
            (self._depth, self.depth, np.ascontiguousarray(depth), 2),
            (self._colour, self.colour, np.ascontiguousarray(colour), 3),
        )
        for sensor, profile, pixels, bytes_a_pixel in pushed:
            frame = rs.software_video_frame()
            frame.pixels = pixels
            frame.stride = pixels.strides[0]
            frame.bpp = bytes_a_pixel
            frame.timestamp = time_ms
            frame.domain = clock
            frame.frame_number = number
            frame.profile = profile
            if sensor is self._depth:
                frame.depth_units = self._make.depth_unit_m
            sensor.on_video_frame(frame)

    def _stream(self, sensor: Any, kind: Any, pixel_format: Any, lens: Any) -> Any:
        stream = rs.video_stream()
        stream.type, stream.fmt, stream.index = kind, pixel_format, 0
        stream.uid = 1 if kind == rs.stream.depth else 2
        stream.width, stream.height = lens.width, lens.height
        stream.fps = max(1, round(self._make.rate_hz))
        stream.bpp = 2 if kind == rs.stream.depth else 3
        stream.intrinsics = lens
        return sensor.add_video_stream(stream, True).as_video_stream_profile()


def lens_of(intrinsics: CameraIntrinsics) -> Any:
    """Our pinhole model as `rs.intrinsics`; both count from the middle of pixel (0, 0)."""
    lens = rs.intrinsics()
    lens.width, lens.height = intrinsics.width, intrinsics.height
    lens.fx, lens.fy, lens.ppx, lens.ppy = intrinsics.fx, intrinsics.fy, intrinsics.cx, intrinsics.cy
    lens.model, lens.coeffs = rs.distortion.none, [0.0] * 5
    return lens


def no_offset() -> Any:
    """The `rs.extrinsics` of two imagers that are one."""
    same = rs.extrinsics()
    same.rotation, same.translation = [1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0], [0.0] * 3
    return same
