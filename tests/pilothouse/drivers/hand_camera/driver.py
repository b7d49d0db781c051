"""A depth camera before which somebody shows a hand: the pictures of a file, one after the other, for ever.

The file may be exchanged for another one meanwhile. As a plugin, as anybody's driver is.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import ClassVar

import msgspec
import numpy as np

from framework.plugins.driver import DeviceContext, Driver
from framework.plugins.parameters import Parameters, param
from framework.processes.child import Child
from framework.processes.spec import ProcessSpec, python_child
from framework.transport.ring import RingWriter
from framework.transport.run_directory import RunDirectory
from resources.children.starting import started
from resources.children.turning import Turns
from resources.types.sensors import CameraFeed, CameraIntrinsics
from resources.types.streams import Pose7, SampleMeta, StreamFormat, StreamHandle, encode_meta

RATE_HZ = 12.0
HERE = Path(__file__).resolve()


class Arguments(Parameters, frozen=True):
    """What its process is told. pose: world_T_camera."""

    file: str
    run_directory: str
    device: str
    intrinsics: CameraIntrinsics
    pose: Pose7


class HandCamera(Driver):
    """Shows the pictures of a file (`rgb`, `depth`, in this `order`) from where it is said to stand."""

    name: ClassVar[str] = "hand_camera"
    kind: ClassVar[str] = "rgbd"

    file: str = param(doc="an .npz file with the pictures")
    intrinsics: CameraIntrinsics = param(doc="of the camera")
    pose: Pose7 = param(doc="of the camera in the world")

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[CameraFeed]:
        """The pictures, from the first one on."""
        arguments = Arguments(self.file, str(device.directory), device.name, self.intrinsics, self.pose)
        argv = python_child(f"{HERE}:main", arguments)
        spec = ProcessSpec(argv, f"hand camera {device.name}", stale_after_s=2.0, restart=None)
        async with started(device, spec, CameraFeed) as feed:
            yield feed


def main(child: Child, arguments: Arguments) -> None:
    """Show them."""
    file, written = Path(arguments.file), 0
    directory = RunDirectory.join(Path(arguments.run_directory))
    width, height = arguments.intrinsics.width, arguments.intrinsics.height
    with RingWriter(directory.path, arguments.device, slot_bytes=5 * width * height, replace=True) as writer:
        stream = StreamHandle(
            arguments.device,
            str(writer.path),
            StreamFormat.RGBD,
            "hand_camera_optical",
            RATE_HZ,
            arguments.intrinsics,
        )
        for number, now_s in enumerate(Turns(child, RATE_HZ, writer)):
            if (now := file.stat().st_mtime_ns) != written:
                written = now
                with np.load(file) as pictures:
                    rgb, depth, order = pictures["rgb"], pictures["depth"], pictures["order"]
            meta = encode_meta(SampleMeta(now_s, arguments.pose, width=width, height=height))
            each = order[number % len(order)]
            writer.write(rgb[each].tobytes() + depth[each].tobytes(), stamp_s=now_s, meta=meta)
            child.sampled(arguments.device)
            if not child.is_ready:
                lens = arguments.intrinsics
                feed = CameraFeed(arguments.device, "rgbd", stream, lens, is_placed=True)
                child.ready(msgspec.json.encode(feed))
    directory.leave()
