"""Recording what a camera gives, from whatever source, into a `.db3` file that the library plays again.

Frames go in as they came, before any filter; what comes out of the file is equal in each pixel.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from framework.errors import StreamError
from resources.drivers.realsense.library import library
from resources.drivers.realsense.recorded_camera import ENDING
from resources.drivers.realsense.software_device import Make, SoftwareDevice

rs = library()


def new_recording(folder: Path, name: str) -> Path:
    """A file that does not exist yet, named after a camera and the time. Raises StreamError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StreamError(f"recordings cannot be written to {folder}: {error.strerror}") from error
    stem = f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    names = (f"{stem}{f'-{number}' if number else ''}{ENDING}" for number in range(1000))
    return next(path for each in names if not (path := folder / each).exists())


class Recorder:
    """Writes one file. Close it: the library writes the rest then.

    like: an `rs.composite_frame` such as will come. serial: whose. Raises StreamError if no file can be made.
    """

    def __init__(self, path: Path, like: Any, serial: str) -> None:
        self.path = path
        depth = like.get_depth_frame().get_profile().as_video_stream_profile()
        colour = like.get_color_frame().get_profile().as_video_stream_profile()
        make = Make(
            "recorded by Pilothouse",
            serial,
            depth.get_intrinsics(),
            colour.get_intrinsics(),
            depth.get_extrinsics_to(colour),
            like.get_depth_frame().get_units(),
            depth.fps(),
        )
        self._device = SoftwareDevice(make)
        try:
            self._file: Any = rs.recorder(str(path), self._device.device)
        except RuntimeError as error:
            raise StreamError(f"{path} cannot be recorded: {error}") from error
        self._device.start(rs.frame_queue(1))
        self._number = 0

    def add(self, frames: Any) -> None:
        """One `rs.composite_frame` with depth and colour. Raises StreamError if it cannot be written."""
        depth, colour = frames.get_depth_frame(), frames.get_color_frame()
        self._number += 1
        try:
            self._device.push(
                np.asanyarray(depth.get_data()),
                np.asanyarray(colour.get_data()),
                self._number,
                depth.get_timestamp(),
                depth.get_frame_timestamp_domain(),
            )
        except RuntimeError as error:
            raise StreamError(f"{self.path} cannot be written any further: {error}") from error

    def close(self) -> None:
        """The file is whole after this; idempotent."""
        self._device.stop()
        self._file = None  # the library finishes it when nobody holds it any more
