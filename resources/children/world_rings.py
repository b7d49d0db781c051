"""The streams that the world child publishes: state for mirrors, poses for pictures, a report for people."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec
import numpy as np

from framework.transport.ring import RingWriter
from resources.types.control import SimulationReport
from resources.types.streams import SampleMeta, StreamFormat, StreamHandle, encode_meta
from resources.worlds.scene_description import body_poses
from resources.worlds.state_vector import state_size
from resources.worlds.world import World

STATE_HZ, POSES_HZ, REPORT_HZ = 100.0, 30.0, 20.0
_REPORT_BYTES = 32 * 1024


class WorldRings:
    """Three rings in the run directory. Raises SharedMemoryFull."""

    def __init__(self, world: World, directory: Path) -> None:
        self._world = world
        state_bytes = 8 * state_size(world.model)
        self._rings: list[RingWriter] = []
        try:
            self._state = self._ring(directory, "world_state", state_bytes)
            self._poses = self._ring(directory, "world_poses", 28 * world.model.nbody)
            self._report = self._ring(directory, "world_report", _REPORT_BYTES)
        except BaseException:
            self.close()
            raise
        self._state_bytes = state_bytes
        self._poses_due_s = self._report_due_s = 0.0
        self.state = _handle(self._state, StreamFormat.STATE, STATE_HZ)
        self.poses = _handle(self._poses, StreamFormat.POSES, POSES_HZ)
        self.report = _handle(self._report, StreamFormat.REPORT, REPORT_HZ)

    def publish_state(self, now_s: float) -> None:
        """The world as it stands at `now_s` (CLOCK_MONOTONIC [s]); its poses too when they are due."""
        meta = encode_meta(SampleMeta(self._world.time_s))
        with self._state.slot(self._state_bytes, stamp_s=now_s, meta=meta) as view:
            self._world.state(np.frombuffer(view, np.float64))
        if now_s >= self._poses_due_s:
            self._poses_due_s = max(self._poses_due_s + 1 / POSES_HZ, now_s)
            self._poses.write(body_poses(self._world.data), stamp_s=now_s, meta=meta)

    def report_is_due(self, now_s: float) -> bool:
        """Whether it is time for a report; true once a period."""
        if now_s < self._report_due_s:
            return False
        self._report_due_s = max(self._report_due_s + 1 / REPORT_HZ, now_s)
        return True

    def publish_report(self, report: SimulationReport, now_s: float) -> None:
        """What the world says of itself."""
        meta = encode_meta(SampleMeta(report.time_s))
        self._report.write(msgspec.msgpack.encode(report), stamp_s=now_s, meta=meta)

    @property
    def states(self) -> RingWriter:
        """The writer of the states, which a failure by garbage spoils."""
        return self._state

    def close(self) -> None:
        """End the streams and remove them."""
        for ring in self._rings:
            ring.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ring(self, directory: Path, name: str, size: int) -> RingWriter:
        ring = RingWriter(directory, name, slot_bytes=size, slots=16, replace=True)
        self._rings.append(ring)
        return ring


def _handle(ring: RingWriter, format_: StreamFormat, rate_hz: float) -> StreamHandle:
    return StreamHandle(ring.path.stem, str(ring.path), format_, "world", rate_hz)
