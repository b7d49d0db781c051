"""The process of a scanner that sees points in space: `sensor_msgs/msg/PointCloud2` → our clouds."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import msgspec

from framework.errors import MalformedMessage
from framework.processes.child import Child
from framework.transport.ring import RingWriter
from framework.transport.run_directory import RunDirectory
from resources.children.turning import Turns
from resources.drivers.ros.arguments import RosCloudArguments
from resources.drivers.ros.clouds import CLOUD, points_of
from resources.drivers.ros.incoming import FIRST_WITHIN_S, Incoming
from resources.drivers.ros.placing import Placing, topics_of
from resources.ros.joining import joined
from resources.ros.qos import fitting
from resources.types.ros import SENSOR
from resources.types.sensors import CloudFeed
from resources.types.streams import SampleMeta, StreamFormat, StreamHandle, encode_meta


def main(child: Child, arguments: RosCloudArguments) -> None:
    """Pass clouds on. Raises PilothouseError if there are none to be had."""
    directory = RunDirectory.join(Path(arguments.run_directory))
    with joined(child, arguments.device, *topics_of(arguments)) as participant:
        since_s = time.monotonic()
        offers = participant.offered(arguments.topic, since_s + FIRST_WITHIN_S)
        clouds = Incoming(
            participant,
            arguments.topic,
            CLOUD,
            arguments.qos or (fitting(SENSOR, offers[0].qos) if offers else SENSOR),
            rate_hz=arguments.rate_hz,
            own_clock=arguments.own_clock,
        )
        placing: Placing[Any] = Placing(arguments, clouds.complaints, ros_s=participant.ros_s)
        placing.listen(participant)
        points_of(clouds.first(since_s), arguments.most_points)
        with RingWriter(
            directory.path, arguments.device, slot_bytes=12 * arguments.most_points, replace=True
        ) as writer:
            for now_s in Turns(child, arguments.rate_hz, writer, wait=participant.wait):
                if (taken := clouds.take(now_s)) is not None:
                    cloud, stamp_s = taken
                    placing.put(cloud, cloud.header.frame_id, stamp_s)
                if (placed := placing.take()) is None:
                    continue
                cloud = placed.made
                try:
                    points = points_of(cloud, arguments.most_points)
                except MalformedMessage as error:
                    clouds.complain(error, now_s)
                    continue
                stamp = cloud.header.stamp
                meta = SampleMeta(stamp.sec + 1e-9 * stamp.nanosec, placed.world_T_frame)
                writer.write(points, stamp_s=placed.stamp_s, meta=encode_meta(meta))
                child.sampled(arguments.device)
                if not child.is_ready:
                    child.ready(msgspec.json.encode(_feed(arguments, cloud.header.frame_id, writer)))
    directory.leave()


def _feed(arguments: RosCloudArguments, frame: str, writer: RingWriter) -> CloudFeed:
    stream = StreamHandle(
        arguments.device, str(writer.path), StreamFormat.CLOUD, frame or arguments.device, arguments.rate_hz
    )
    return CloudFeed(arguments.device, stream)
