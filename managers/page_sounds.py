"""The open microphones of pages: what their talks give goes into a ring each, as any microphone's does.

Only bytes are carried here; nobody looks at the sound in this process.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from framework.errors import ResourceUnavailable
from framework.transport.ring import RingWriter
from resources.audio.format import BLOCK_BYTES, BLOCKS_HZ, HISTORY_BLOCKS, OVER
from resources.audio.talk import Written
from resources.types.sensors import AudioFeed
from resources.types.speech import PageMicrophone
from resources.types.streams import SampleMeta, StreamFormat, StreamHandle, encode_meta

_META = encode_meta(SampleMeta())
_EARLIER_S = 1.0  # sound is older than its coming


class PageSound:
    """One open microphone. Raises SharedMemoryFull or StreamError."""

    def __init__(self, directory: Path, request: PageMicrophone, now_s: float) -> None:
        self.request = request
        name = request.device
        self._ring = RingWriter(directory, name, slot_bytes=BLOCK_BYTES, slots=HISTORY_BLOCKS, replace=True)
        stream = StreamHandle(name, str(self._ring.path), StreamFormat.AUDIO, name, BLOCKS_HZ)
        self.feed = AudioFeed(name, stream, str(request), since_s=now_s - _EARLIER_S)

    def write(self, samples: Iterable[Written]) -> None:
        """What a talk gave."""
        for each in samples:
            self._ring.write(each.sound, stamp_s=each.until_s, meta=OVER if each.is_last else _META)

    def close(self) -> None:
        """The end of this stream; its memory is gone. Idempotent."""
        self._ring.close()


class PageSounds:
    """All of them, by the request for them.

    Args:
        directory: the run directory.
        monotonic_s: reads CLOCK_MONOTONIC [s].
    """

    def __init__(self, directory: Path, monotonic_s: Callable[[], float] = time.monotonic) -> None:
        self._directory = directory
        self._monotonic_s = monotonic_s
        self._so_far = 0
        self._open: dict[PageMicrophone, PageSound] = {}

    def open(self, page: str) -> PageSound:
        """Another one, for a page of this name. Raises SharedMemoryFull or StreamError."""
        self._so_far += 1
        request = PageMicrophone(page, f"page_{self._so_far}")
        sound = self._open[request] = PageSound(self._directory, request, self._monotonic_s())
        return sound

    @property
    def talked_into(self) -> PageMicrophone | None:
        """The one that was opened last, if any is open."""
        return next(reversed(self._open), None)

    def feed(self, request: PageMicrophone) -> AudioFeed:
        """Its sound. Raises ResourceUnavailable if it is not open."""
        if request not in self._open:
            raise ResourceUnavailable(f"the {request} is not open; hold the button of that page")
        return self._open[request].feed

    def close(self, sound: PageSound) -> None:
        """Idempotent."""
        self._open.pop(sound.request, None)
        sound.close()
