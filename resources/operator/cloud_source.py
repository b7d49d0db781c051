"""The newest picture with depth of the cameras that are shown, as points in the robot's frame.

Runs in a thread for the few milliseconds it takes; never two at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from framework.errors import StreamError
from framework.transport.ring import RingReader, Sample
from resources.operator.cloud import packed_points
from resources.types.motion import BaseSample
from resources.types.poses import about, chained, inverse, pose
from resources.types.samples import Frame, decode
from resources.types.sensors import CameraFeed
from resources.types.streams import IDENTITY, Pose7, StreamHandle
from resources.web.encoding import rgbd_points

WORKS_S: Final = 1.0
"""A camera whose newest sample is not older than this works [s]."""

_decode_base = msgspec.msgpack.Decoder(BaseSample).decode


class SourcedCloud(msgspec.Struct, frozen=True, eq=False):
    """A cloud, of the camera with this index. stamp_s: of its sample, CLOCK_MONOTONIC [s]."""

    camera: int
    stamp_s: float
    packed: NDArray[np.uint8]  # (n, 8), see cloud.py


class CloudSource:
    """Cameras in order of preference; the first that works is taken.

    Parameters
        cameras: of kind "rgbd"; others are skipped.
        base: ring of the base the robot stands on (`BaseSample`s), or None: it stands still.
        most_points: of a cloud.
        world_T_robot: where a robot stands that stands still.
    """

    def __init__(
        self,
        cameras: tuple[CameraFeed, ...],
        base: StreamHandle | None,
        most_points: int,
        world_T_robot: Pose7 = IDENTITY,
    ) -> None:
        self._cameras = [(index, camera) for index, camera in enumerate(cameras) if camera.kind == "rgbd"]
        self._base = base
        self._standing_T_world = inverse(world_T_robot)
        self._most_points = most_points
        self._readers: dict[str, RingReader] = {}
        self._taken: tuple[int, int] = (-1, 0)  # camera and sequence of the newest that was handed out

    def newest(self, now_s: float) -> SourcedCloud | None:
        """The newest cloud that was not handed out yet; None if there is none, or it makes no sense."""
        for index, camera in self._cameras:
            reader = self._reader(camera.stream.ring)
            try:
                if reader is None or reader.age_s(now_s) > WORKS_S:
                    continue
                last_index, last = self._taken
                sample = reader.latest(last if last_index == index else 0)
                if sample is None:
                    return None
                self._taken = index, sample.sequence
                return SourcedCloud(index, sample.stamp_s, self._points(camera, sample))
            except (StreamError, msgspec.MsgspecError):
                continue  # the next camera may make sense; the cloud's age tells of this one
        return None

    def close(self) -> None:
        """Let go of all memory; idempotent."""
        while self._readers:
            self._readers.popitem()[1].close()

    def _points(self, camera: CameraFeed, sample: Sample) -> NDArray[np.uint8]:
        frame = decode(sample, camera.stream.format)
        if not isinstance(frame, Frame) or frame.depth_mm is None:
            raise StreamError(f"stream {camera.stream.name!r} carries no depth")
        robot_T_camera = chained(self._robot_T_world(), frame.meta.world_T_frame)
        return packed_points(
            rgbd_points(frame.rgb, frame.depth_mm, camera.intrinsics, robot_T_camera, self._most_points)
        )

    def _robot_T_world(self) -> Pose7:
        reader = None if self._base is None else self._reader(self._base.ring)
        sample = None if reader is None else reader.latest()
        if sample is None:
            return self._standing_T_world
        x, y, yaw = _decode_base(sample.payload).odometry
        return inverse(pose((x, y, 0.0), about((0.0, 0.0, 1.0), yaw)))

    def _reader(self, ring: str) -> RingReader | None:
        """The reader of a ring, of the one that is there now."""
        reader = self._readers.get(ring)
        try:
            if reader is None:
                reader = self._readers[ring] = RingReader(Path(ring))
            elif reader.replaced():
                reader.reopen()
                self._taken = (-1, 0)
        except StreamError:
            return reader
        return reader
