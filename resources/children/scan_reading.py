"""The scans that guard a base, read where it is moved: from the rings that its orders name."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from framework.errors import MalformedMessage, StreamError
from resources.children.complaints import Complaints
from resources.children.newest_sample import meta_of, world_T_frame
from resources.children.ring_news import RingNews
from resources.controllers.base_guard import ScanSeen
from resources.types.samples import Scan, decode
from resources.types.streams import StreamFormat

Source = tuple[str, str]
"""A scanner's name, and the path of its ring."""


class ScanReading:
    """New scans of whoever guards now. A scanner that is gone or talks nonsense gives none."""

    def __init__(self, complaints: Complaints) -> None:
        self._complaints = complaints
        self._rings: dict[Source, RingNews] = {}

    def news(self, sources: tuple[Source, ...], now_s: float) -> Iterator[tuple[str, ScanSeen]]:
        """What the scanners have seen since the last look."""
        for source in set(self._rings) - set(sources):
            self._rings.pop(source).close()
        for source in sources:
            ring = self._rings.setdefault(source, RingNews(Path(source[1])))
            try:
                scan = _newest(ring)
            except (StreamError, MalformedMessage) as error:
                self._complaints.add(f"scan of {source[0]}: {error}", now_s)
                continue
            if scan is not None:
                yield source[0], scan

    def close(self) -> None:
        """Let go of all streams."""
        for ring in self._rings.values():
            ring.close()
        self._rings.clear()


def _newest(ring: RingNews) -> ScanSeen | None:
    """Raises StreamError if there is no such stream, MalformedMessage for what is no scan."""
    sample = ring.newest()
    if sample is None:
        return None
    meta_of(sample)
    scan = decode(sample, StreamFormat.SCAN)
    assert isinstance(scan, Scan)
    return seen(scan)


def seen(scan: Scan) -> ScanSeen:
    """A scan as points. Raises MalformedMessage if its ranges are not numbers, or its angles no turn."""
    ranges, meta = scan.ranges_m, scan.meta
    turn = meta.angle_increment * max(len(ranges) - 1, 0)
    if not math.isfinite(meta.angle_min) or not 0.0 < turn <= 2 * math.pi + 0.1 or np.isnan(ranges).any():
        raise MalformedMessage(
            f"scan {scan.sequence} begins at {meta.angle_min} rad and goes on for {turn} rad, in "
            f"{len(ranges)} ranges; finite angles, at most one turn, and ranges that are numbers are allowed"
        )
    hit = np.flatnonzero(np.isfinite(ranges))
    angles = meta.angle_min + meta.angle_increment * hit
    far = ranges[hit].astype(np.float64)
    pose = world_T_frame(meta)
    points = np.column_stack([far * np.cos(angles), far * np.sin(angles), np.zeros_like(far)])
    return ScanSeen(
        stamp_s=scan.stamp_s,
        points=points @ pose[:3, :3].T + pose[:3, 3],
        odometry_T_scanner=pose,
        angle_min=meta.angle_min,
        angle_max=meta.angle_min + turn,
    )
