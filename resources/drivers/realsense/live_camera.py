"""A RealSense camera that is plugged in: found by its serial number, opened, watched, reset."""

from __future__ import annotations

import threading
import time
from typing import Any

import msgspec

from framework.errors import ResourceUnavailable, StreamError
from resources.drivers.realsense.library import library
from resources.drivers.realsense.sources import PipelineSource, Profiles, taken_at_s

rs = library()

_LOOK = "lsusb shows what the system sees; udev rules must let this user open it"


class PluggedIn(msgspec.Struct, frozen=True):
    """A camera as it is enumerated."""

    serial: str
    name: str = ""
    usb: str = ""
    firmware: str = ""

    def __str__(self) -> str:
        usb = f", USB {self.usb}" if self.usb else ""
        return f"{self.name or 'a camera'} (serial {self.serial}{usb})"


def plugged_in(context: Any) -> tuple[PluggedIn, ...]:
    """The cameras that are enumerated now, by serial number."""
    return tuple(sorted((_described(device) for device in context.query_devices()), key=lambda c: c.serial))


def chosen(serial: str, there: tuple[PluggedIn, ...]) -> PluggedIn:
    """The camera that is meant; "" means the only one. Raises ResourceUnavailable."""
    listed = "; ".join(map(str, there)) or "no RealSense camera"
    if serial:
        for camera in there:
            if camera.serial == serial:
                return camera
        raise ResourceUnavailable(
            f"the RealSense camera {serial} was asked for; plugged in: {listed}. {_LOOK}"
        )
    if len(there) == 1:
        return there[0]
    if there:
        raise ResourceUnavailable(
            f"several RealSense cameras are plugged in: {listed}. Say in the robot description which one is "
            f"meant: parameters: {{serial: {there[0].serial!r}}}"
        )
    raise ResourceUnavailable(f"no RealSense camera is plugged in. {_LOOK}")


class LiveCamera(PipelineSource):
    """The camera `serial`, or the only one that there is; pictures of width × height [px] at `rate_hz`.

    context: an `rs.context`, by default a new one, which sees this machine's cameras.
    """

    can_reset = True
    ended = ""

    def __init__(self, serial: str, width: int, height: int, rate_hz: float, context: Any = None) -> None:
        super().__init__()
        self._context = rs.context() if context is None else context
        self._serial = serial
        self._size = (width, height)
        self._rate_hz = rate_hz
        self._changed = threading.Event()
        self._context.set_devices_changed_callback(lambda _: self._changed.set())

    @property
    def what(self) -> str:
        """How people call it."""
        return f"the RealSense camera {self._serial}".strip()

    @property
    def serial(self) -> str:
        """Its serial number. Raises ResourceUnavailable if it is not there, or it is not said which."""
        self._serial = chosen(self._serial, plugged_in(self._context)).serial
        return self._serial

    def rank(self) -> int:
        """How many cameras with a smaller serial number are plugged in."""
        serial = self.serial
        return sum(camera.serial < serial for camera in plugged_in(self._context))

    def start(self) -> Profiles:
        """As `Source` says."""
        camera = chosen(self.serial, plugged_in(self._context))
        config = rs.config()
        config.enable_device(camera.serial)
        (width, height), rate_hz = self._size, round(self._rate_hz)
        config.enable_stream(rs.stream.depth, width, height, rs.format.z16, rate_hz)
        config.enable_stream(rs.stream.color, width, height, rs.format.rgb8, rate_hz)
        print(f"opening {camera}, firmware {camera.firmware or 'unknown'}")
        try:
            return self.start_pipeline(self._context, config)
        except StreamError as error:
            if "resolve" not in str(error):
                raise
            raise StreamError(
                f"{camera} has no {width}×{height} at {rate_hz} Hz of both depth and colour ({error}); its "
                f"depth has {self._depth_modes()}. On USB 2 there are fewer than on USB 3"
            ) from error

    def stamp_s(self, depth: Any) -> float:
        """By its own time stamp, where that is on this machine's clock."""
        clocks = (rs.timestamp_domain.global_time, rs.timestamp_domain.system_time)
        on_wall_clock = depth.get_frame_timestamp_domain() in clocks
        return taken_at_s(depth.get_timestamp(), on_wall_clock, time.time(), time.monotonic())

    def reset(self) -> None:
        """As `Source` says."""
        try:
            self._device().hardware_reset()
        except RuntimeError as error:
            raise StreamError(str(error)) from error

    def is_present(self) -> bool:
        """Whether it is enumerated now."""
        return any(camera.serial == self._serial for camera in plugged_in(self._context))

    def was_changed(self) -> bool:
        """Whether something was plugged in or unplugged since the last call."""
        changed = self._changed.is_set()
        self._changed.clear()
        return changed

    def _device(self) -> Any:
        for device in self._context.query_devices():
            if _described(device).serial == self._serial:
                return device
        raise StreamError(f"{self.what} is not there")

    def _depth_modes(self) -> str:
        modes = {
            f"{profile.width()}×{profile.height()} at {profile.fps()} Hz"
            for sensor in self._device().query_sensors()
            for profile in (each.as_video_stream_profile() for each in _video_of(sensor))
            if profile.stream_type() == rs.stream.depth
        }
        return ", ".join(sorted(modes)) or "no mode at all"


def _video_of(sensor: Any) -> list[Any]:
    return [profile for profile in sensor.get_stream_profiles() if profile.is_video_stream_profile()]


def _described(device: Any) -> PluggedIn:
    def info(field: Any) -> str:
        return str(device.get_info(field)) if device.supports(field) else ""

    fields = rs.camera_info
    return PluggedIn(
        info(fields.serial_number),
        info(fields.name),
        info(fields.usb_type_descriptor),
        info(fields.firmware_version),
    )
