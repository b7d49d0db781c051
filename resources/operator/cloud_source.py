"""The newest cloud of the cameras that are shown, in the robot's frame, as chunks for any page.

One for all pages of a process. What a camera measured becomes points in the encoder's process, which serves
the console as well (`resources.console.encoder`); here they are only thinned and moved into the robot's
frame, once a cloud, in a thread.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from framework.errors import StreamError
from framework.transport.ring import RingReader
from resources.operator.cloud import chunk_points, packed_points
from resources.simulation.point_cloud import moved
from resources.types.motion import BaseSample
from resources.types.poses import about, inverse, pose
from resources.types.sensors import CameraFeed
from resources.types.streams import IDENTITY, Pose7, StreamFormat, StreamHandle
from resources.web.samples import points_in

MOST_POINTS: Final = 8000

WORKS_S: Final = 1.0
"""A camera whose newest sample is not older than this works [s]."""

LOOK_EVERY_S: Final = 0.015

_decode_base = msgspec.msgpack.Decoder(BaseSample).decode


class SourcedCloud(msgspec.Struct, frozen=True, eq=False):
    """A cloud, of the camera with this index. stamp_s: of its sample, CLOCK_MONOTONIC [s].

    number: rises by one with each; chunks: their points, see cloud.py.
    """

    number: int
    camera: int
    stamp_s: float
    chunks: tuple[bytes, ...]


class CloudSource:
    """`show` says what is shown, `look` goes for what is new, `newest` is there for every page."""

    def __init__(self) -> None:
        self.newest: SourcedCloud | None = None
        self.failed = ""
        """Why there will be no cloud any more, in words."""
        self._what: tuple[tuple[CameraFeed, ...], StreamHandle | None, Pose7] = ((), None, IDENTITY)
        self._rings = CloudRings(*self._what)
        self._reading: asyncio.Task[SourcedCloud | None] | None = None
        self._number = 0
        self._looked_s = 0.0

    def show(
        self,
        cameras: tuple[CameraFeed, ...],
        base: StreamHandle | None = None,
        world_T_robot: Pose7 = IDENTITY,
    ) -> None:
        """What is shown from now on.

        Args:
            cameras: in order of preference, their streams encoded; the first that works is taken.
            base: ring of the base the robot stands on (`BaseSample`s), or None: it stands still.
            world_T_robot: where a robot stands that stands still.
        """
        what = cameras, base, world_T_robot
        if what != self._what:
            self._what = what
            self.newest = None
            if self._reading is None:
                self._rings.close()
            self._rings = CloudRings(*what)  # a thread that still reads the old ones lets go of them

    def look(self, now_s: float) -> None:
        """Take what was read, and read what is new; CLOCK_MONOTONIC [s]. Called by each page, often."""
        if self._reading is not None:
            if not self._reading.done():
                return
            done, self._reading = self._reading, None
            if (error := done.exception()) is not None:
                self.failed = f"the camera's cloud failed: {error!r}"
            elif (cloud := done.result()) is not None:
                self.newest = cloud
        if self.failed or now_s - self._looked_s < LOOK_EVERY_S:
            return
        self._looked_s = now_s
        if self._rings.has_news(now_s):
            self._reading = asyncio.ensure_future(self._read(self._rings, now_s))

    async def close(self) -> None:
        """Let go of all memory; at most a few milliseconds."""
        if self._reading is not None:
            await asyncio.wait({self._reading})
            self._reading.exception()
        self._rings.close()

    async def _read(self, rings: CloudRings, now_s: float) -> SourcedCloud | None:
        try:
            cloud = await asyncio.to_thread(rings.newest, now_s, self._number + 1)
        finally:
            if rings is not self._rings:
                rings.close()
        if cloud is None or rings is not self._rings:
            return None
        self._number = cloud.number
        return cloud


class CloudRings:
    """Of what is shown; read by one thread at a time."""

    def __init__(
        self, cameras: tuple[CameraFeed, ...], base: StreamHandle | None, world_T_robot: Pose7
    ) -> None:
        self._cameras = [
            (index, camera.stream)
            for index, camera in enumerate(cameras)
            if camera.kind == "rgbd" and camera.stream.format is StreamFormat.VIEW
        ]
        self._base = base
        self._standing_T_world = inverse(world_T_robot)
        self._readers: dict[str, RingReader] = {}
        self._taken: tuple[int, int] = (-1, 0)  # camera and sequence of the newest that was handed out
        self._newest_s = float("-inf")

    def has_news(self, now_s: float) -> bool:
        """Whether it is worth a thread: no camera is read yet, or one has something that was not read."""
        for _, stream in self._cameras:
            reader = self._reader(stream.ring)
            with suppress(StreamError):
                if reader is not None and now_s - reader.age_s(now_s) > self._newest_s:
                    return True
        return False

    def newest(self, now_s: float, number: int) -> SourcedCloud | None:
        """The newest cloud that was not handed out yet; None if there is none, or it makes no sense."""
        for index, stream in self._cameras:
            reader = self._reader(stream.ring)
            try:
                if reader is None or reader.age_s(now_s) > WORKS_S:
                    continue
                last_index, last = self._taken
                sample = reader.latest(last if last_index == index else 0)
                if sample is None:
                    return None
                self._taken, self._newest_s = (index, sample.sequence), sample.stamp_s
                points = points_in(sample.payload, sample.meta)
                points = points[:: max(1, -(-len(points) // MOST_POINTS))].copy()
                points[:, :3] = moved(points[:, :3], self._robot_T_world())
                return SourcedCloud(number, index, sample.stamp_s, tuple(chunk_points(packed_points(points))))
            except (StreamError, msgspec.MsgspecError):
                continue  # the next camera may make sense; the cloud's age tells of this one
        return None

    def close(self) -> None:
        """Let go of all memory; idempotent."""
        while self._readers:
            self._readers.popitem()[1].close()

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
                self._taken, self._newest_s = (-1, 0), float("-inf")
        except StreamError:
            return reader
        return reader
