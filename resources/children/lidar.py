"""A simulated laser scanner's process: casts rays in its own copy of the model, publishes scans.

A scan carries the stamp of the world state it was taken in.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np

from framework.processes.child import Child
from framework.transport.ring import RingWriter
from framework.transport.run_directory import RunDirectory
from resources.arms.pose import Pose
from resources.children.arguments import LidarArguments, LidarKind
from resources.children.mirror import WorldView
from resources.children.turning import Turns
from resources.simulation.lidar import LMS511, UTM30LX, Lidar2D, Scan
from resources.types.sensors import ScanFeed
from resources.types.streams import SampleMeta, StreamFormat, StreamHandle, encode_meta

_MODELS = {LidarKind.LMS511: LMS511, LidarKind.UTM30LX: UTM30LX}


def main(child: Child, arguments: LidarArguments) -> None:
    """Scan `rate_hz` times a second. Raises SharedMemoryFull, StreamError or DescriptionError."""
    directory = RunDirectory.join(Path(arguments.run_directory))
    world = WorldView(child, arguments.simulation)
    lidar = Lidar2D(world.mirror.model, arguments.mount, _MODELS[arguments.model])
    random = np.random.default_rng(arguments.seed) if arguments.noise else None
    with RingWriter(
        directory.path, arguments.device, slot_bytes=4 * lidar.lidar.beams, slots=16, replace=True
    ) as writer:
        for now_s in Turns(child, arguments.rate_hz, writer):
            if not world.update(now_s):
                continue
            scan = lidar.scan(world.mirror.data, random)
            writer.write(scan.ranges, stamp_s=world.stamp_s, meta=_meta(scan, world.mirror.time_s))
            child.sampled(arguments.device)
            if writer.sequence == 1:
                child.ready(msgspec.json.encode(_feed(arguments, writer)))
    world.close()
    directory.leave()


def _meta(scan: Scan, time_s: float) -> bytes:
    pose = Pose.from_matrix(scan.world_T_lidar)
    return encode_meta(
        SampleMeta(
            time_s,
            (*pose.position, *pose.quaternion),
            angle_min=scan.angle_min,
            angle_increment=scan.angle_increment,
            range_max=scan.range_max_m,
        )
    )


def _feed(arguments: LidarArguments, writer: RingWriter) -> ScanFeed:
    stream = StreamHandle(
        arguments.device, str(writer.path), StreamFormat.SCAN, arguments.mount, arguments.rate_hz
    )
    return ScanFeed(arguments.device, stream)
