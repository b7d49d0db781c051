"""Streams as data: what a handle says of one, and what each sample's meta says.

Payloads (little-endian, C order):

* RGBD: rgb (h, w, 3) uint8, then depth (h, w) uint16 [mm], 0 where nothing was measured.
* IMAGE: rgb (h, w, 3) uint8.
* SCAN: ranges (n,) float32 [m], infinite where nothing was hit.
* CLOUD: points (n, 3) float32 [m] in the sample's frame.
* POSES: (n, 7) float32, position [m] and quaternion x y z w.
* STATE: the simulated world's state vector; only its own mirrors read it.
* REPORT: one struct as msgpack; which one stands where the stream is handed out.
* ARM, GRIPPER, BASE: what a control loop reports, see `resources.types.motion`, as msgpack.
* HAND: a person's hand, see `resources.types.masters`, as msgpack.
* AUDIO: (512,) int16, one channel, 16 kHz; every sample counts, and the ring holds half a minute.
* ROS: one message as it came (CDR), or what is said of a question or goal, see `resources.types.ros_links`.
* VIEW: what a page draws, see `resources.web.samples`; only the console reads it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

import msgspec

Pose7 = tuple[float, float, float, float, float, float, float]
"""Position x y z [m], then quaternion x y z w."""

IDENTITY: Pose7 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)


class StreamFormat(StrEnum):
    """What a stream's payloads are."""

    RGBD = "rgbd"
    IMAGE = "image"
    SCAN = "scan"
    CLOUD = "cloud"
    POSES = "poses"
    STATE = "state"
    REPORT = "report"
    ARM = "arm"
    GRIPPER = "gripper"
    BASE = "base"
    VIEW = "view"
    HAND = "hand"
    AUDIO = "audio"
    ROS = "ros"


class CameraIntrinsics(msgspec.Struct, frozen=True):
    """Pinhole model without distortion [px]; pixel (0, 0) has its centre at (0.0, 0.0)."""

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float


class StreamHandle(msgspec.Struct, frozen=True):
    """Where a stream is and what it carries.

    name: unique in an installation; ring: path of its shared-memory ring;
    frame: the frame its samples are in; rate_hz: how often it should come;
    intrinsics: of a camera's stream, whose frame is the optical one (x right, y down, z ahead).
    """

    name: str
    ring: str
    format: StreamFormat
    frame: str = "base"
    rate_hz: float = 10.0
    intrinsics: CameraIntrinsics | None = None


class SampleMeta(msgspec.Struct, frozen=True, array_like=True):
    """Goes with every sample.

    world_T_frame: pose of the sample's frame in the fixed frame when it was taken
        (odometry; in simulation exact); None if nobody knows. time_s: the world's own time [s].
    world_T_sensor: of poses: the sensor that saw them, in its own frame (a camera's: z ahead).
    width, height [px] for pictures; angle_min, angle_increment [rad], range_max [m] for scans.
    """

    time_s: float = 0.0
    world_T_frame: Pose7 | None = IDENTITY
    width: int = 0
    height: int = 0
    angle_min: float = 0.0
    angle_increment: float = 0.0
    range_max: float = 0.0
    world_T_sensor: Pose7 | None = None


encode_meta = msgspec.msgpack.Encoder().encode
"""A sample's meta as it goes into the ring: msgpack."""

decode_meta = msgspec.msgpack.Decoder(SampleMeta).decode
"""The meta of a sample; raises msgspec.MsgspecError if it is none."""


class Stream(msgspec.Struct, frozen=True):
    """Ask the stream manager to watch over a stream: its rate, its age, who reads it."""

    handle_type: ClassVar[type] = StreamHandle

    source: StreamHandle

    def __str__(self) -> str:
        return f"stream {self.source.name}"
