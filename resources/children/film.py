"""The process that plays a film as if a colour camera saw that now, from where it is said to stand."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from framework.errors import DescriptionError, StreamError
from framework.processes.child import Child
from framework.transport.ring import RingWriter
from framework.transport.run_directory import RunDirectory
from resources.arms.pose import Pose
from resources.children.arguments import FilmArguments
from resources.children.turning import Turns
from resources.simulation.intrinsics import Intrinsics
from resources.types.sensors import CameraFeed, CameraIntrinsics
from resources.types.streams import Pose7, SampleMeta, StreamFormat, StreamHandle, encode_meta

Picture = NDArray[np.uint8]

_MOST_PX: Final = 4096


def main(child: Child, arguments: FilmArguments) -> None:
    """Play it. Raises StreamError for what is no film, DescriptionError, SharedMemoryFull."""
    cv2.setNumThreads(1)
    directory = RunDirectory.join(Path(arguments.run_directory))
    pose = pose_of(arguments)
    first = next(pictures_of(Path(arguments.path)))
    height, width = first.shape[:2]
    half_angle = math.radians(arguments.field_of_view_deg) / 2
    intrinsics = CameraIntrinsics(
        **msgspec.structs.asdict(Intrinsics.symmetric(width, height, width / 2 / math.tan(half_angle)))
    )
    pictures = played(arguments, first.shape)
    with RingWriter(directory.path, arguments.device, slot_bytes=first.nbytes, replace=True) as writer:
        for now_s in Turns(child, arguments.rate_hz, writer):
            picture = next(pictures, None)
            if picture is None:
                raise StreamError(f"the film {arguments.path} is over")
            writer.write(
                picture, stamp_s=now_s, meta=encode_meta(SampleMeta(now_s, pose, width=width, height=height))
            )
            child.sampled(arguments.device)
            if not child.is_ready:
                child.ready(msgspec.json.encode(_feed(arguments, writer, intrinsics)))
    directory.leave()


def played(arguments: FilmArguments, shape: tuple[int, ...]) -> Iterator[Picture]:
    """Its pictures; from the first one again if that is wanted. The file may be another one by then."""
    while True:
        for picture in pictures_of(Path(arguments.path)):
            if picture.shape != shape:
                words = f"{picture.shape[1]}×{picture.shape[0]} came, {shape[1]}×{shape[0]} are played"
                raise StreamError(f"the film {arguments.path} has pictures of several sizes: {words}")
            yield picture
        if not arguments.again:
            return


def pictures_of(path: Path) -> Iterator[Picture]:
    """Those of a file, each (height, width, 3) red green blue; one at least. Raises StreamError."""
    if not path.is_file():
        raise StreamError(f"there is no film {path}; a file of moving pictures is wanted")
    film = cv2.VideoCapture(str(path))
    try:
        count = 0
        while (read := film.read())[0]:
            picture = cv2.cvtColor(read[1], cv2.COLOR_BGR2RGB)
            if max(picture.shape) > _MOST_PX:
                raise StreamError(
                    f"the film {path} is {picture.shape[1]}×{picture.shape[0]}: {_MOST_PX} are most"
                )
            count += 1
            yield np.asarray(picture, np.uint8)
        if not count:
            raise StreamError(f"{path} is no film that can be read: MP4, AVI, motion JPEG … are wanted")
    finally:
        film.release()


def pose_of(arguments: FilmArguments) -> Pose7:
    """world_T_camera, upright: x right, y down, z ahead. Raises DescriptionError if it looks nowhere."""
    ahead = np.subtract(arguments.looks_at, arguments.at)
    right = np.cross(ahead, (0.0, 0.0, 1.0))
    if not np.linalg.norm(right) > 1e-6:
        raise DescriptionError(
            f"the camera of the film stands at {arguments.at} and looks at {arguments.looks_at}: it has to "
            "look ahead, not straight up or down"
        )
    matrix = np.eye(4)
    ahead = ahead / np.linalg.norm(ahead)
    right = right / np.linalg.norm(right)
    matrix[:3, 0], matrix[:3, 1], matrix[:3, 2] = right, np.cross(ahead, right), ahead
    matrix[:3, 3] = arguments.at
    found = Pose.from_matrix(matrix)
    x, y, z = found.position
    qx, qy, qz, qw = found.quaternion
    return (x, y, z, qx, qy, qz, qw)


def _feed(arguments: FilmArguments, writer: RingWriter, intrinsics: CameraIntrinsics) -> CameraFeed:
    stream = StreamHandle(
        arguments.device,
        str(writer.path),
        StreamFormat.IMAGE,
        frame=f"{arguments.device}_optical",
        rate_hz=arguments.rate_hz,
        intrinsics=intrinsics,
    )
    return CameraFeed(arguments.device, "rgb", stream, intrinsics, is_placed=True)
