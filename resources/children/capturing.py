"""Draws the world as the camera's own copy of the model shows it, and publishes the pictures.

A picture carries the stamp of the world state it was drawn from, so an old state can never pass
for a new picture. To be imported only after `choose_gl`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import msgspec
import mujoco
import numpy as np
from numpy.typing import NDArray

from framework.errors import DescriptionError
from framework.processes.child import Child
from framework.transport.ring import RingWriter
from framework.transport.run_directory import RunDirectory
from resources.arms.pose import Pose
from resources.children.arguments import CameraArguments
from resources.children.mirror import WorldView
from resources.children.turning import Turns
from resources.simulation.intrinsics import Intrinsics
from resources.simulation.rgbd_camera import Frame, RgbdCamera, depth_to_millimetres
from resources.types.sensors import CameraFeed, CameraIntrinsics
from resources.types.streams import SampleMeta, StreamFormat, StreamHandle, encode_meta

Depth = NDArray[np.float32]  # (height, width) [m], 0 where nothing was measured
Noise = Callable[[Depth], Depth]


def capture(child: Child, arguments: CameraArguments) -> None:
    """Capture `rate_hz` times a second until told to stop."""
    directory = RunDirectory.join(Path(arguments.run_directory))
    world = WorldView(child, arguments.simulation)
    intrinsics = _intrinsics(world.mirror.model, arguments)
    noise = _noise(intrinsics, arguments.seed) if arguments.noise else None
    size = intrinsics.width * intrinsics.height * (5 if arguments.kind == "rgbd" else 3)
    with (
        RingWriter(directory.path, arguments.device, slot_bytes=size, replace=True) as writer,
        RgbdCamera(world.mirror.model, arguments.mount, intrinsics) as camera,
    ):
        for now_s in Turns(child, arguments.rate_hz, writer):
            if not world.update(now_s):
                continue
            frame = camera.capture(world.mirror.data)
            with writer.slot(size, stamp_s=world.stamp_s, meta=_meta(frame, world.mirror.time_s)) as view:
                _fill(view, frame, noise)
            child.sampled(arguments.device)
            if writer.sequence == 1:
                child.ready(msgspec.json.encode(_feed(arguments, writer, intrinsics)))
    world.close()
    directory.leave()


def _fill(view: memoryview, frame: Frame, noise: Noise | None) -> None:
    """Colour, then depth if there is room for it."""
    colour_bytes = frame.rgb.nbytes
    view[:colour_bytes] = frame.rgb.data.cast("B")
    if len(view) > colour_bytes:
        depth = frame.depth if noise is None else noise(frame.depth)
        view[colour_bytes:] = depth_to_millimetres(depth).data.cast("B")


def _meta(frame: Frame, time_s: float) -> bytes:
    pose = Pose.from_matrix(frame.world_T_camera)
    height, width = frame.depth.shape
    return encode_meta(SampleMeta(time_s, (*pose.position, *pose.quaternion), width=width, height=height))


def _intrinsics(model: mujoco.MjModel, arguments: CameraArguments) -> Intrinsics:
    """Square pixels, and the field of view that the model's camera has."""
    fields_of_view = {model.camera(number).name: model.cam_fovy[number] for number in range(model.ncam)}
    if arguments.mount not in fields_of_view:
        names = ", ".join(sorted(fields_of_view))
        raise DescriptionError(f"the world has no camera {arguments.mount!r}; it has: {names}")
    half_angle = math.radians(float(fields_of_view[arguments.mount])) / 2
    return Intrinsics.symmetric(
        arguments.width, arguments.height, arguments.height / 2 / math.tan(half_angle)
    )


def _noise(intrinsics: Intrinsics, seed: int) -> Noise:
    # It brings OpenCV with it: 80 ms that a camera without noise does not pay.
    from resources.simulation.depth_noise import stereo_noise

    random = np.random.default_rng(seed)
    return lambda depth: stereo_noise(depth, intrinsics, random)


def _feed(arguments: CameraArguments, writer: RingWriter, intrinsics: Intrinsics) -> CameraFeed:
    as_data = CameraIntrinsics(**msgspec.structs.asdict(intrinsics))
    stream = StreamHandle(
        name=arguments.device,
        ring=str(writer.path),
        format=StreamFormat.RGBD if arguments.kind == "rgbd" else StreamFormat.IMAGE,
        frame=f"{arguments.mount}_optical",
        rate_hz=arguments.rate_hz,
        intrinsics=as_data,
    )
    return CameraFeed(arguments.device, arguments.kind, stream, as_data, is_placed=True)
