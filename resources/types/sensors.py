"""Requests for sensors, and what comes back. A request says what is needed, not which device.

Different requests may mean one device: each is its own resource and takes the
sub-resource `Device(name)`, which is where sharing and failure live.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from resources.types.clients import CameraClient, CloudClient, LidarClient, StreamClient
from resources.types.streams import CameraIntrinsics as CameraIntrinsics
from resources.types.streams import Pose7, StreamHandle
from resources.types.voice import LoudspeakerFeed


class CameraFeed(msgspec.Struct, frozen=True):
    """A working camera. `kind` is "rgbd" or "rgb"; `device` its name in the robot description.

    colour_T_depth: where the depth imager sits, whose pictures are aligned to colour; None if not known.
    is_placed: each sample's `world_T_frame` says where it was when it was taken, as far as was known when it
        came up; else nobody knows that.
    """

    device: str
    kind: str
    stream: StreamHandle
    intrinsics: CameraIntrinsics
    colour_T_depth: Pose7 | None = None
    is_placed: bool = False


class ScanFeed(msgspec.Struct, frozen=True):
    """A working planar laser scanner."""

    device: str
    stream: StreamHandle


class CloudFeed(msgspec.Struct, frozen=True):
    """A three-dimensional point cloud, however it was made."""

    device: str
    stream: StreamHandle


class AudioFeed(msgspec.Struct, frozen=True):
    """An open microphone, or what stands in for one.

    where: how people call it ("headset of Ann"). until_s: where the last sound of a recording ends,
    CLOCK_MONOTONIC [s]; None where nobody knows, or there is no end. since_s: from then on all counts that
    was said there, however long it takes until somebody listens; None: what is said from that moment on.
    """

    device: str
    stream: StreamHandle
    where: str = ""
    until_s: float | None = None
    since_s: float | None = None


DeviceFeed = CameraFeed | ScanFeed | CloudFeed | AudioFeed | LoudspeakerFeed

_KINDS = {"rgbd": "RGB-D", "rgb": "colour"}


class Camera(msgspec.Struct, frozen=True):
    """A camera that looks from `mount` ("" from anywhere) and gives at least `kind`.

    kind: "rgbd", "rgb" (which an RGB-D camera gives too), or "" for either.
    return_to_preferred: go back to the better device once that works again.
    """

    handle_type: ClassVar[type] = CameraFeed
    client_type: ClassVar[type] = CameraClient

    mount: str = ""
    kind: str = ""
    return_to_preferred: bool = True

    def __str__(self) -> str:
        return " ".join(filter(None, (self.mount, _KINDS.get(self.kind, self.kind), "camera")))


class Lidar(msgspec.Struct, frozen=True):
    """A planar laser scanner at `mount`; fields as for Camera."""

    handle_type: ClassVar[type] = ScanFeed
    client_type: ClassVar[type] = LidarClient

    mount: str = ""
    return_to_preferred: bool = True

    def __str__(self) -> str:
        return f"{self.mount} lidar".strip()


class SweptLidar(msgspec.Struct, frozen=True):
    """A cloud stitched from a planar scanner that an arm sweeps; takes that arm's wrist exclusively."""

    handle_type: ClassVar[type] = CloudFeed
    client_type: ClassVar[type] = CloudClient

    mount: str = ""
    return_to_preferred: bool = True

    def __str__(self) -> str:
        return f"{self.mount} swept lidar".strip()


class Microphone(msgspec.Struct, frozen=True):
    """What is to be heard at `mount` ("" anywhere on the robot); fields as for Camera."""

    handle_type: ClassVar[type] = AudioFeed
    client_type: ClassVar[type] = StreamClient

    mount: str = ""
    return_to_preferred: bool = True

    def __str__(self) -> str:
        return f"{self.mount} microphone".strip()


class Device(msgspec.Struct, frozen=True):
    """One device of the robot description, by name. Managers ask for this; actions rarely should."""

    handle_type: ClassVar[object] = DeviceFeed
    client_type: ClassVar[type] = StreamClient

    name: str

    def __str__(self) -> str:
        return f"device {self.name}"
