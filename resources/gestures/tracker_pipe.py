"""The hand tracker at the end of a pipe, for experiments: pictures come in, the hands in them go out.

It runs in MediaPipe's environment. First a line of JSON (`PipeArguments`); then for each picture a byte (ANEW
or GOES_ON), red green blue (height, width, 3), depth (height, width) of uint16 [mm]. Of each go back: the
seconds that it took (float64), the length of what follows (uint32), `encode_hands`. Little-endian.
`TrackerAtWork` is the other end.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import IO, Final, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from framework.errors import StreamError
from resources.gestures.placing import Depth
from resources.gestures.tracker import Tracker
from resources.gestures.tracker_library import python
from resources.types.gestures import TrackedHand, decode_hands, encode_hands
from resources.types.streams import CameraIntrinsics

ANEW, GOES_ON = b"n", b"g"
"""Another hand's first picture; the next one of the same."""

_HEAD: Final = struct.Struct("<dI")
_ENDS_WITHIN_S: Final = 5.0
_LAST_WORDS_BYTES: Final = 2000


class PipeArguments(msgspec.Struct, frozen=True):
    """What comes first. follows: as of `Tracker`."""

    camera: CameraIntrinsics
    follows: bool


class TrackerAtWork:
    """The tracker in a process of its own; a context manager. Raises PluginUnavailable without MediaPipe."""

    def __init__(self, camera: CameraIntrinsics, *, follows: bool) -> None:
        command = [python(), "-P", "-m", "resources.gestures.tracker_pipe"]
        # A file, not a pipe: nobody reads it while the tracker works, and MediaPipe writes a lot.
        with ExitStack() as stack:
            self._errors = stack.enter_context(tempfile.TemporaryFile())
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
            )
            stack.pop_all()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._back = self._process.stdin, self._process.stdout
        self._to.write(msgspec.json.encode(PipeArguments(camera, follows)) + b"\n")

    @property
    def pid(self) -> int:
        """Of its process."""
        return self._process.pid

    def hands(
        self, rgb: NDArray[np.uint8], depth: Depth, *, anew: bool
    ) -> tuple[tuple[TrackedHand, ...], float]:
        """What is seen in a picture, and how long that took [s]. Raises StreamError if it has died."""
        try:
            self._to.write((ANEW if anew else GOES_ON) + rgb.tobytes() + depth.tobytes())
            self._to.flush()
        except BrokenPipeError as error:
            raise self._died() from error
        took_s, length = _HEAD.unpack(self._read(_HEAD.size))
        return decode_hands(self._read(length)), took_s

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # what it has not read any more
            self._to.close()
        try:
            self._process.wait(_ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._back.close()
        self._errors.close()

    def _read(self, count: int) -> bytes:
        content = self._back.read(count)
        if len(content) < count:
            raise self._died()
        return content

    def _died(self) -> StreamError:
        with suppress(subprocess.TimeoutExpired):  # its last words are written by then
            self._process.wait(_ENDS_WITHIN_S)
        self._errors.seek(max(self._errors.seek(0, os.SEEK_END) - _LAST_WORDS_BYTES, 0))
        last_words = self._errors.read().decode(errors="replace").strip() or "nothing"
        return StreamError(
            f"the hand tracker has ended in the middle (exit code {self._process.poll()}); `pilothouse "
            f"doctor` says whether it works. Its last words: {last_words}"
        )


def main(pictures: IO[bytes], hands: IO[bytes]) -> None:
    """Until no picture comes any more."""
    arguments = msgspec.json.decode(pictures.readline(), type=PipeArguments)
    camera = arguments.camera
    pixels = camera.width * camera.height
    tracker: Tracker | None = None
    number = 0
    while how := pictures.read(1):
        rgb = np.frombuffer(pictures.read(3 * pixels), np.uint8).reshape(camera.height, camera.width, 3)
        depth = np.frombuffer(pictures.read(2 * pixels), np.uint16).reshape(camera.height, camera.width)
        if tracker is None or (how == ANEW and arguments.follows):
            if tracker is not None:
                tracker.close()
            tracker = Tracker(camera, "camera", follows=arguments.follows)
        number += 1
        began_s = time.perf_counter()
        found = encode_hands(tracker.hands(rgb, depth, float(number)))
        hands.write(_HEAD.pack(time.perf_counter() - began_s, len(found)) + found)
        hands.flush()


if __name__ == "__main__":
    main(sys.stdin.buffer, sys.stdout.buffer)
