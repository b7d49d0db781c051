"""A simulated camera made into a RealSense: its pictures go through the library's software device and syncer,
and from there the same way as a real camera's. Stamps and poses stay those of the simulated pictures.
"""

from __future__ import annotations

import time
from collections import OrderedDict

import numpy as np

from framework.errors import DescriptionError, MalformedMessage, StreamError
from framework.processes.child import Child
from framework.transport.ring import Sample
from resources.children.newest_sample import Follower, meta_of
from resources.drivers.realsense.library import library
from resources.drivers.realsense.software_device import Make, SoftwareDevice, lens_of, no_offset
from resources.drivers.realsense.sources import Profiles, Taken, are_of_one_moment
from resources.types.sensors import CameraFeed
from resources.types.streams import SampleMeta, StreamFormat

rs = library()

_REMEMBERED = 16  # pictures on their way through the library


class SimulatedSource:
    """A RealSense whose imagers are an RGB-D stream. Raises DescriptionError for another stream."""

    can_reset = False
    ended = ""

    def __init__(self, child: Child, feed: CameraFeed) -> None:
        if feed.stream.format is not StreamFormat.RGBD:
            raise DescriptionError(
                f"{feed.device} gives {feed.stream.format}; a software RealSense is fed from rgbd"
            )
        self.what = f"the software RealSense of {feed.device}"
        self.serial = feed.device
        self._child = child
        self._feed = feed
        self._device: SoftwareDevice | None = None
        self._syncer = rs.syncer(_REMEMBERED)
        self._pictures: Follower | None = None
        self._number = 0
        self._on_their_way: OrderedDict[int, tuple[float, SampleMeta]] = OrderedDict()

    def start(self) -> Profiles:
        """Waits for a first picture."""
        lens = lens_of(self._feed.intrinsics)
        rate_hz = self._feed.stream.rate_hz
        make = Make("Pilothouse software camera", self._feed.device, lens, lens, no_offset(), rate_hz=rate_hz)
        self._pictures = Follower(self._child, self._feed.stream)
        first = self._pictures.first()
        device = self._device = SoftwareDevice(make)
        device.start(self._syncer)
        self._push(device, first)
        return Profiles(device.depth, device.colour, rate_hz)

    def next(self, timeout_s: float) -> Taken | None:
        """As `Source` says. A picture that makes no sense is told to the owner and passed over."""
        if self._device is None or self._pictures is None:
            raise StreamError(f"{self.what} was not started")
        now_s = time.monotonic()
        sample = self._pictures.newest(now_s)
        if sample is not None:
            try:
                self._push(self._device, sample)
            except MalformedMessage as error:
                self._pictures.complaints.add(str(error), now_s)
        came, frames = self._syncer.try_wait_for_frames(max(1, round(1000 * timeout_s)))
        if not came:
            return None
        while newer := self._syncer.poll_for_frames():  # never an old one, though we may be slow
            frames = newer
        if not are_of_one_moment(frames):
            return None
        known = self._on_their_way.get(frames.get_depth_frame().get_frame_number())
        return Taken(frames, *known) if known is not None else None

    def stop(self) -> None:
        """As `Source` says."""
        if self._device is not None:
            self._device.stop()
            self._device = None
        if self._pictures is not None:
            self._pictures.close()
            self._pictures = None

    def reset(self) -> None:
        """Never asked for."""
        raise StreamError(f"{self.what} has no hardware to reset")

    def is_present(self) -> bool:
        """It is software."""
        return True

    def _push(self, device: SoftwareDevice, sample: Sample) -> None:
        meta = meta_of(sample)
        width, height = self._feed.intrinsics.width, self._feed.intrinsics.height
        size = 5 * width * height
        if (meta.width, meta.height) != (width, height) or sample.payload.nbytes != size:
            raise MalformedMessage(
                f"picture {sample.sequence} is {meta.width}×{meta.height} in {sample.payload.nbytes} bytes; "
                f"this camera's are {width}×{height} in {size}"
            )
        colour = np.frombuffer(sample.payload, np.uint8, count=3 * width * height)
        depth = np.frombuffer(sample.payload, np.uint16, offset=colour.nbytes)
        self._number += 1
        self._on_their_way[self._number] = (sample.stamp_s, meta)
        if len(self._on_their_way) > _REMEMBERED:
            self._on_their_way.popitem(last=False)
        device.push(
            depth.reshape(height, width),
            colour.reshape(height, width, 3),
            self._number,
            1000.0 * sample.stamp_s,
        )
