"""The process that looks for a marker in a camera's pictures and publishes where it is, in the world frame.

Each picture looked at gives a sample: one pose, or none while the marker is not seen.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from framework.errors import DescriptionError, MalformedMessage
from framework.processes.child import Child
from framework.transport.ring import RingWriter, Sample
from framework.transport.run_directory import RunDirectory
from resources.arms.pose import Pose
from resources.children.arguments import DetectorArguments
from resources.children.newest_sample import Follower, meta_of, world_T_frame
from resources.children.turning import Turns
from resources.detectors.fiducial import detect_markers
from resources.simulation.intrinsics import Intrinsics
from resources.types.context import TrackedFeed
from resources.types.sensors import CameraIntrinsics
from resources.types.streams import SampleMeta, StreamFormat, StreamHandle, encode_meta

_BYTES_A_PIXEL = {StreamFormat.RGBD: 5, StreamFormat.IMAGE: 3}
_MOST_SEEN = 8  # of one marker in one picture; more are copies or mirrors of it


def main(child: Child, arguments: DetectorArguments) -> None:
    """Look at each new picture. Raises SharedMemoryFull, StreamError or DescriptionError."""
    cv2.setNumThreads(1)  # a second core for a third of the time is no bargain where two are shared by all
    source, seen_by = arguments.source, arguments.intrinsics
    if source.format not in _BYTES_A_PIXEL:
        raise DescriptionError(
            f"a detector looks at rgbd or image streams; {source.name!r} is {source.format}"
        )
    size = _BYTES_A_PIXEL[source.format] * seen_by.width * seen_by.height
    directory = RunDirectory.join(Path(arguments.run_directory))
    pictures = Follower(child, source)
    pictures.first()
    intrinsics = Intrinsics(**msgspec.structs.asdict(seen_by))
    name = f"track.{arguments.thing}.{arguments.camera}".replace(" ", "_")
    with RingWriter(directory.path, name, slot_bytes=28 * _MOST_SEEN, slots=16, replace=True) as writer:
        # Thrice the pictures' rate: each is looked at soon after it came.
        for now_s in Turns(child, min(3 * source.rate_hz, 100.0), writer):
            sample = pictures.newest(now_s)
            if sample is None:
                continue
            try:
                meta = meta_of(sample)
                rgb = _picture(sample, meta, seen_by, size)
                poses = _world_poses(rgb, intrinsics, meta, arguments)
            except MalformedMessage as error:
                pictures.complaints.add(str(error), now_s)
                continue
            writer.write(poses, stamp_s=sample.stamp_s, meta=_meta(meta))
            child.sampled(name)
            if writer.sequence == 1:
                stream = StreamHandle(name, str(writer.path), StreamFormat.POSES, "world", source.rate_hz)
                child.ready(msgspec.json.encode(TrackedFeed(arguments.thing, arguments.camera, stream)))
    pictures.close()
    directory.leave()


def _meta(picture: SampleMeta) -> bytes:
    """Of the poses in a picture: they are in the world frame, seen from where the camera was."""
    return encode_meta(SampleMeta(picture.time_s, world_T_sensor=picture.world_T_frame))


def _picture(sample: Sample, meta: SampleMeta, camera: CameraIntrinsics, size: int) -> NDArray[np.uint8]:
    """The colours of a sample, (height, width, 3). Raises MalformedMessage."""
    shape = (camera.height, camera.width)
    if (meta.height, meta.width) != shape or sample.payload.nbytes != size:
        raise MalformedMessage(
            f"picture {sample.sequence} is {meta.width}×{meta.height} in {sample.payload.nbytes} bytes; "
            f"this camera's are {camera.width}×{camera.height} in {size}"
        )
    return np.frombuffer(sample.payload, np.uint8, count=shape[0] * shape[1] * 3).reshape(*shape, 3)


def _world_poses(
    rgb: NDArray[np.uint8], intrinsics: Intrinsics, meta: SampleMeta, arguments: DetectorArguments
) -> NDArray[np.float32]:
    """Poses of the marker, (n, 7). Raises MalformedMessage if nobody knows where the camera was."""
    world_T_camera = world_T_frame(meta)
    poses = [
        Pose.from_matrix(world_T_camera @ sighting.camera_T_marker)
        for sighting in detect_markers(rgb, intrinsics, arguments.marker_m)
        if sighting.marker_id == arguments.marker_id
    ][:_MOST_SEEN]
    return np.array([(*pose.position, *pose.quaternion) for pose in poses], np.float32).reshape(-1, 7)
