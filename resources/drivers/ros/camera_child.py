"""A camera's process: `sensor_msgs/msg/Image` or `CompressedImage`, depth, `CameraInfo` → our pictures."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np

from framework.errors import MalformedMessage, StreamError
from framework.processes.child import Child
from framework.status import Severity
from framework.transport.ring import RingWriter
from framework.transport.run_directory import RunDirectory
from resources.children.complaints import Complaints
from resources.children.turning import Turns
from resources.drivers.ros.arguments import RosCameraArguments
from resources.drivers.ros.incoming import FIRST_WITHIN_S, Incoming
from resources.drivers.ros.lens import CAMERA_INFO, Lens, info_topic, is_rectified, lens_of
from resources.drivers.ros.pairing import Pairs
from resources.drivers.ros.pictures import (
    COMPRESSED,
    IMAGE,
    Colour,
    Size,
    fill_colour,
    fill_depth,
    size_of,
    unpacked,
)
from resources.drivers.ros.placing import Placed, Placing, topics_of
from resources.ros.joining import joined
from resources.ros.participant import Participant
from resources.ros.qos import fitting
from resources.types.poses import pose, product, rotation_of
from resources.types.ros import SENSOR, Durability, Qos
from resources.types.sensors import CameraFeed
from resources.types.streams import Pose7, SampleMeta, StreamFormat, StreamHandle, encode_meta

MOST_BENT_PX: Final = 3.0
"""A picture whose corners are further than that from a pinhole's is said to be bent."""

_PICTURE: Final = Qos(SENSOR.reliability, depth=2)
"""Of large messages not many are kept."""


class Taken(NamedTuple):
    """Messages of one moment. stamp_s: CLOCK_MONOTONIC [s]. depth: None of a colour camera."""

    colour: Any
    stamp_s: float
    depth: Any = None


def main(child: Child, arguments: RosCameraArguments) -> None:
    """Pass pictures on. Raises PilothouseError if there are none to be had."""
    directory = RunDirectory.join(Path(arguments.run_directory))
    with joined(child, arguments.device, *topics_of(arguments)) as participant:
        camera = Camera(child, participant, arguments)
        size = camera.slot_bytes
        with RingWriter(directory.path, arguments.device, slot_bytes=size, replace=True) as writer:
            for now_s in Turns(child, arguments.rate_hz, writer, wait=participant.wait):
                if camera.has_another_lens:
                    words = "its CameraInfo has changed: another lens, or size; it is to be started anew"
                    child.status(Severity.FATAL, words)
                    break
                camera.look(now_s)
                if (placed := camera.take()) is None:
                    continue
                try:
                    camera.write(placed, writer)
                except MalformedMessage as error:
                    camera.complain(error, now_s)
                    continue
                child.sampled(arguments.device)
                if not child.is_ready:
                    child.ready(msgspec.json.encode(camera.feed(placed, writer)))
    directory.leave()


class Camera:
    """Its topics, and what is made of their messages.

    Raises StreamError if there are no pictures, no CameraInfo, or no depth of their size; MalformedMessage
    for what is none; DescriptionError for topics that ROS does not take.
    """

    def __init__(self, child: Child, participant: Participant, arguments: RosCameraArguments) -> None:
        self._child = child
        self._participant = participant
        self._arguments = arguments
        self._complaints = Complaints(child.status)
        self._info: Any = None
        self._seen_info: tuple[Any, ...] = ()
        rectified = arguments.rectified
        self._is_rectified = is_rectified(arguments.topic) if rectified is None else rectified
        self._placing: Placing[Taken] = Placing(arguments, self._complaints, ros_s=participant.ros_s)
        self._placing.listen(participant)
        since_s = time.monotonic()
        self._is_compressed, self._colours = self._pictures(arguments.topic, since_s, arguments.compressed)
        self._depths = self._pictures(arguments.depth, since_s, False)[1] if self._has_depth else None
        self._pairs: Pairs[Taken] = Pairs(0.5 / arguments.rate_hz)
        self.lens = self._lens_of_first(since_s)
        self._check_first(since_s)

    @property
    def _has_depth(self) -> bool:
        return self._arguments.kind == "rgbd"

    @property
    def slot_bytes(self) -> int:
        """Of a sample."""
        return (5 if self._has_depth else 3) * self.lens.size.width * self.lens.size.height

    # ------------------------------------------------------------ what comes

    def look(self, now_s: float) -> None:
        """Take what has come."""
        if (taken := self._colours.take(now_s)) is not None:
            colour = Taken(*taken)
            if self._depths is None:
                self._placing.put(colour, colour.colour.header.frame_id, colour.stamp_s)
            else:
                self._pairs.colour(_stamp_of(colour.colour), colour)
        if self._depths is None:
            return
        if (taken := self._depths.take(now_s)) is not None:
            self._pairs.depth(_stamp_of(taken[0]), Taken(*taken))
        if (pair := self._pairs.take()) is not None:
            _, colour, depth = pair
            self._placing.put(
                colour._replace(depth=depth.colour), colour.colour.header.frame_id, colour.stamp_s
            )

    def take(self) -> Placed[Taken] | None:
        """What is to be passed on."""
        return self._placing.take()

    def complain(self, error: MalformedMessage, now_s: float) -> None:
        """What was taken will not do."""
        self._complaints.add(f"{self._arguments.topic}: {error}", now_s)

    def _pictures(self, topic: str, since_s: float, compressed: bool | None) -> tuple[bool, Incoming]:
        """Whether a topic's are compressed, and its reader."""
        offers = self._participant.offered(topic, since_s + FIRST_WITHIN_S)
        if compressed is None:
            compressed = bool(offers) and all(offer.type_name == COMPRESSED for offer in offers)
        qos = self._arguments.qos or (fitting(_PICTURE, offers[0].qos) if offers else _PICTURE)
        incoming = Incoming(
            self._participant,
            topic,
            COMPRESSED if compressed else IMAGE,
            qos,
            rate_hz=self._arguments.rate_hz,
            own_clock=self._arguments.own_clock,
            complaints=self._complaints,
        )
        if not offers:
            raise StreamError(f"{incoming.connection.why_silent()}; it was waited for {FIRST_WITHIN_S:g} s")
        return compressed, incoming

    # ------------------------------------------------------------ before the first picture

    def _lens_of_first(self, since_s: float) -> Lens:
        """Wait for the CameraInfo."""
        topic = self._arguments.info or info_topic(self._arguments.topic)
        offers = self._participant.offered(topic, since_s + FIRST_WITHIN_S)
        qos = SENSOR
        if offers and offers[0].qos.durability is Durability.TRANSIENT_LOCAL:  # it may be said only once
            qos = msgspec.structs.replace(fitting(qos, offers[0].qos), durability=Durability.TRANSIENT_LOCAL)
        connection = self._participant.subscribe(topic, CAMERA_INFO, qos, self._info_came)
        until_s = since_s + FIRST_WITHIN_S
        while self._info is None and (left_s := until_s - time.monotonic()) > 0.0:
            if self._participant.wait(left_s):
                break
        if self._info is None:
            raise StreamError(
                f"{connection.why_silent()}. Without its CameraInfo no pixel of a camera means a direction: "
                "have its driver publish it, or name its topic (info: …)"
            )
        self._seen_info = _content_of(self._info)
        lens = lens_of(self._info, is_rectified=self._is_rectified)
        if lens.bent_px > MOST_BENT_PX:
            far = f"{lens.bent_px:.0f} px" if math.isfinite(lens.bent_px) else "nobody knows how far"
            self._complaints.add(
                f"{self._arguments.topic} is not rectified, and taken for a pinhole's; its corners are {far} "
                "from there. Name the rectified topic (image_proc makes one, image_rect)",
                time.monotonic(),
            )
        return lens

    def _check_first(self, since_s: float) -> None:
        """Wait for the first pictures; refuse those of other sizes."""
        colour = self._colours.first(_or_half_of_it_left(since_s))
        rgb = self._colours_of(colour)
        size = Size(rgb.shape[1], rgb.shape[0])
        if size != self.lens.size:
            raise StreamError(
                f"the pictures of {self._arguments.topic} are {size}, its CameraInfo is of {self.lens.size}: "
                "they have to belong together (info: …)"
            )
        if self._depths is None:
            return
        depth = self._depths.first(_or_half_of_it_left(since_s))
        self._check_depth(size_of(depth))
        fill_depth(depth, np.empty((size.height, size.width), np.uint16))
        frames = colour.header.frame_id, depth.header.frame_id
        if frames[0] != frames[1]:
            words = f"depth of {self._arguments.depth} is in frame {frames[1]!r}, colour in {frames[0]!r}"
            self._complaints.add(
                f"{words}: is it aligned to colour? If not, points have wrong colours and directions",
                time.monotonic(),
            )

    def _colours_of(self, message: Any) -> Colour:
        if self._is_compressed:
            return unpacked(message)
        size = size_of(message)
        rgb: Colour = np.empty((size.height, size.width, 3), np.uint8)
        fill_colour(message, rgb)
        return rgb

    def _check_depth(self, size: Size) -> None:
        if size != self.lens.size:
            raise MalformedMessage(
                f"the depth of {self._arguments.depth} is {size}, colour is {self.lens.size}: it has to be "
                "aligned to colour (of a RealSense align_depth.enable, else depth_image_proc's register)"
            )

    # ------------------------------------------------------------ the lens, later

    def _info_came(self, info: Any) -> None:
        self._info = info

    @property
    def has_another_lens(self) -> bool:
        """Whether the CameraInfo that came last says something else than the first."""
        return _content_of(self._info) != self._seen_info

    # ------------------------------------------------------------ what goes out

    def write(self, placed: Placed[Taken], writer: RingWriter) -> None:
        """Copy colour, and depth, once, to where readers find them. Raises MalformedMessage."""
        taken, size = placed.made, self.lens.size
        packed = unpacked(taken.colour) if self._is_compressed else None
        came = size_of(taken.colour) if packed is None else Size(packed.shape[1], packed.shape[0])
        if came != size:
            raise MalformedMessage(
                f"a picture of {came} came; this camera's are {size}, since it was started"
            )
        if taken.depth is not None:
            self._check_depth(size_of(taken.depth))
        meta = encode_meta(
            SampleMeta(
                _stamp_of(taken.colour),
                self._optical(placed.world_T_frame),
                width=size.width,
                height=size.height,
            )
        )
        with writer.slot(self.slot_bytes, stamp_s=placed.stamp_s, meta=meta) as view:
            rgb: Colour = np.frombuffer(view, np.uint8, 3 * size.width * size.height)
            rgb = rgb.reshape(size.height, size.width, 3)
            if packed is None:
                fill_colour(taken.colour, rgb)
            else:
                rgb[...] = packed
            if taken.depth is not None:
                fill_depth(
                    taken.depth, np.frombuffer(view, np.uint16, offset=rgb.size).reshape(rgb.shape[:2])
                )

    def _optical(self, world_T_frame: Pose7 | None) -> Pose7 | None:
        """Where the rectified picture's frame is."""
        if world_T_frame is None:
            return None
        turn = product(rotation_of(world_T_frame), self.lens.frame_T_optical)
        return pose(world_T_frame[:3], turn)

    def feed(self, placed: Placed[Taken], writer: RingWriter) -> CameraFeed:
        """What the camera is ready with."""
        device, lens = self._arguments.device, self.lens.intrinsics
        stream = StreamHandle(
            device,
            str(writer.path),
            StreamFormat.RGBD if self._has_depth else StreamFormat.IMAGE,
            placed.made.colour.header.frame_id or f"{device}_optical",
            self._arguments.rate_hz,
            lens,
        )
        is_placed = placed.world_T_frame is not None
        return CameraFeed(device, self._arguments.kind, stream, lens, is_placed=is_placed)


def _or_half_of_it_left(since_s: float) -> float:
    """From when on a first message is waited for: what others took of the time does not take it all."""
    return max(since_s, time.monotonic() - FIRST_WITHIN_S / 2)


def _stamp_of(message: Any) -> float:
    stamp = message.header.stamp
    return float(stamp.sec + 1e-9 * stamp.nanosec)


def _content_of(info: Any) -> tuple[Any, ...]:
    """What tells one lens from another; as bytes, since what is no number is not equal to itself."""
    roi = info.roi
    part = (roi.x_offset, roi.y_offset, roi.width, roi.height, info.binning_x, info.binning_y)
    numbers = (info.k.tobytes(), info.p.tobytes(), info.r.tobytes(), info.d.tobytes())
    return (info.width, info.height, info.distortion_model, numbers, part)
