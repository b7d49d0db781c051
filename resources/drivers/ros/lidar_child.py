"""A planar scanner's process: `sensor_msgs/msg/LaserScan` → our scans."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from framework.errors import MalformedMessage
from framework.processes.child import Child
from framework.transport.ring import RingWriter
from framework.transport.run_directory import RunDirectory
from resources.children.turning import Turns
from resources.drivers.ros.arguments import RosLidarArguments
from resources.drivers.ros.incoming import Incoming
from resources.drivers.ros.placing import Placing, topics_of
from resources.ros.joining import joined
from resources.types.ros import SENSOR
from resources.types.sensors import ScanFeed
from resources.types.streams import Pose7, SampleMeta, StreamFormat, StreamHandle, encode_meta

TYPE: Final = "sensor_msgs/msg/LaserScan"

MOST_BEAMS: Final = 100_000
_SLOTS: Final = 16


def main(child: Child, arguments: RosLidarArguments) -> None:
    """Pass scans on. Raises PilothouseError if there are none to be had."""
    directory = RunDirectory.join(Path(arguments.run_directory))
    with joined(child, arguments.device, *topics_of(arguments)) as participant:
        scans = Incoming(
            participant,
            arguments.topic,
            TYPE,
            arguments.qos or SENSOR,
            rate_hz=arguments.rate_hz,
            own_clock=arguments.own_clock,
        )
        placing: Placing[Any] = Placing(arguments, scans.complaints, ros_s=participant.ros_s)
        placing.listen(participant)
        beams = len(ranges_of(scans.first()))
        with RingWriter(
            directory.path, arguments.device, slot_bytes=4 * beams, slots=_SLOTS, replace=True
        ) as writer:
            for now_s in Turns(child, arguments.rate_hz, writer, wait=participant.wait):
                if (taken := scans.take(now_s)) is not None:
                    scan, stamp_s = taken
                    placing.put(scan, scan.header.frame_id, stamp_s)
                if (placed := placing.take()) is None:
                    continue
                scan = placed.made
                try:
                    ranges = ranges_of(scan, most=beams)
                except MalformedMessage as error:
                    scans.complain(error, now_s)
                    continue
                meta = meta_of(scan, placed.world_T_frame)
                writer.write(ranges, stamp_s=placed.stamp_s, meta=encode_meta(meta))
                child.sampled(arguments.device)
                if not child.is_ready:
                    child.ready(msgspec.json.encode(_feed(arguments, writer)))
    directory.leave()


def ranges_of(scan: Any, most: int = MOST_BEAMS) -> NDArray[np.float32]:
    """The distances (n,) [m]; infinite where nothing was hit, or what came is no distance within its limits.

    Raises MalformedMessage for a scan without beams, with more than `most`, or with angles that are none.
    """
    ranges = np.asarray(scan.ranges, np.float32)
    if not 0 < len(ranges) <= most:
        raise MalformedMessage(f"a scan of {len(ranges)} beams came; 1 to {most} are allowed")
    limits = (scan.angle_min, scan.angle_increment, scan.range_min, scan.range_max)
    if not all(map(math.isfinite, limits[:2])) or math.isnan(limits[2]) or math.isnan(limits[3]):
        raise MalformedMessage(f"a scan came with angle_min, angle_increment, range_min, range_max {limits}")
    return np.where((ranges >= scan.range_min) & (ranges <= scan.range_max), ranges, np.float32(np.inf))


def meta_of(scan: Any, world_T_frame: Pose7 | None) -> SampleMeta:
    """What goes with it. world_T_frame: None if nobody knows where it was."""
    stamp = scan.header.stamp
    return SampleMeta(
        stamp.sec + 1e-9 * stamp.nanosec,
        world_T_frame,
        angle_min=scan.angle_min,
        angle_increment=scan.angle_increment,
        range_max=scan.range_max,
    )


def _feed(arguments: RosLidarArguments, writer: RingWriter) -> ScanFeed:
    stream = StreamHandle(
        arguments.device,
        str(writer.path),
        StreamFormat.SCAN,
        arguments.mount or arguments.device,
        arguments.rate_hz,
    )
    return ScanFeed(arguments.device, stream)
