"""The process that stitches the scans of a moving scanner into a cloud in the world frame.

Knows nothing of how the scanner moves: each scan says where it was taken.
"""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from framework.errors import MalformedMessage
from framework.processes.child import Child
from framework.transport.ring import RingWriter, Sample
from framework.transport.run_directory import RunDirectory
from resources.children.arguments import StitcherArguments
from resources.children.newest_sample import Follower, meta_of, world_T_frame
from resources.children.turning import Turns
from resources.simulation.lidar import Scan
from resources.simulation.sweep import SweepCloud
from resources.types.sensors import CloudFeed
from resources.types.streams import SampleMeta, StreamFormat, StreamHandle, encode_meta


def main(child: Child, arguments: StitcherArguments) -> None:
    """Publish the cloud of the last scans, while new ones come. Raises SharedMemoryFull or StreamError."""
    directory = RunDirectory.join(Path(arguments.run_directory))
    scans = Follower(child, arguments.source)
    scans.first()
    cloud = SweepCloud(arguments.scans)
    world_T_world = np.eye(4)
    period_s, due_s = 1 / arguments.rate_hz, 0.0
    with RingWriter(
        directory.path, arguments.device, slot_bytes=12 * arguments.max_points, replace=True
    ) as writer:
        # Faster than the scans come, or some would be overlooked.
        for now_s in Turns(child, max(arguments.rate_hz, 1.5 * arguments.source.rate_hz), writer):
            sample = scans.newest(now_s)
            if sample is None:
                continue
            try:
                meta = meta_of(sample)
                cloud.add(scan_of(sample, meta))
            except MalformedMessage as error:
                scans.complaints.add(str(error), now_s)
                continue
            if now_s < due_s:
                continue
            due_s = max(due_s + period_s, now_s)
            points = thinned(cloud.cloud(world_T_world), arguments.max_points)
            writer.write(points, stamp_s=sample.stamp_s, meta=encode_meta(SampleMeta(meta.time_s)))
            child.sampled(arguments.device)
            if writer.sequence == 1:
                child.ready(msgspec.json.encode(_feed(arguments, writer)))
    scans.close()
    directory.leave()


def scan_of(sample: Sample, meta: SampleMeta) -> Scan:
    """A sample of a SCAN stream as a scan. Raises MalformedMessage."""
    if sample.payload.nbytes % 4 or not sample.payload.nbytes:
        raise MalformedMessage(
            f"scan {sample.sequence} of {sample.payload.nbytes} bytes; float32 are allowed"
        )
    ranges = np.frombuffer(sample.payload, np.float32)
    # Infinity means: nothing seen.
    if not ((ranges > 0) & ((ranges <= meta.range_max) | np.isinf(ranges))).all():
        raise MalformedMessage(
            f"scan {sample.sequence} has ranges outside of 0 to {meta.range_max:g} m, its greatest"
        )
    angles = (meta.angle_min, meta.angle_increment)
    if not all(map(math.isfinite, angles)) or not 0 < abs(meta.angle_increment) * len(ranges) < 7:
        raise MalformedMessage(
            f"scan {sample.sequence}: {len(ranges)} beams each {meta.angle_increment} rad from "
            f"{meta.angle_min} rad; a planar scan turns once at most"
        )
    return Scan(ranges, *angles, meta.range_max, world_T_frame(meta))


def thinned(points: NDArray[np.float32], most: int) -> NDArray[np.float32]:
    """At most `most` of the points (n, 3), every k-th, so that no region is favoured."""
    step = -(-len(points) // most) or 1
    return np.ascontiguousarray(points[::step])


def _feed(arguments: StitcherArguments, writer: RingWriter) -> CloudFeed:
    stream = StreamHandle(arguments.device, str(writer.path), StreamFormat.CLOUD, "world", arguments.rate_hz)
    return CloudFeed(arguments.device, stream)
