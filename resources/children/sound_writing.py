"""The ring that a microphone's process writes: block after block, each with the moment at which it ended."""

from __future__ import annotations

from pathlib import Path

import msgspec

from framework.processes.child import Child
from framework.transport.ring import RingWriter
from resources.audio.blocks import Samples
from resources.audio.format import BLOCK_BYTES, BLOCKS_HZ, HISTORY_BLOCKS
from resources.types.sensors import AudioFeed
from resources.types.streams import SampleMeta, StreamFormat, StreamHandle, encode_meta

_META = encode_meta(SampleMeta())


class SoundWriter:
    """Writes a device's blocks; the first one makes the child ready."""

    def __init__(
        self, child: Child, directory: Path, device: str, where: str = "", until_s: float | None = None
    ) -> None:
        self._child = child
        self._device = device
        self._where = where
        self._until_s = until_s
        self.ring = RingWriter(directory, device, slot_bytes=BLOCK_BYTES, slots=HISTORY_BLOCKS, replace=True)

    def write(self, block: Samples, until_s: float) -> None:
        """One block, (512,) int16, which ended at `until_s` [CLOCK_MONOTONIC, s]."""
        self.ring.write(block, stamp_s=until_s, meta=_META)
        self._child.sampled(self._device)
        if not self._child.is_ready:
            stream = StreamHandle(
                self._device, str(self.ring.path), StreamFormat.AUDIO, self._device, BLOCKS_HZ
            )
            self._child.ready(
                msgspec.json.encode(AudioFeed(self._device, stream, self._where, self._until_s))
            )

    def lost(self, at_s: float) -> None:
        """Sound is missing here: whoever reads must not take what comes next for what follows."""
        self.ring.write(b"", stamp_s=at_s, meta=_META)

    def close(self) -> None:
        """The end of this stream."""
        self.ring.close()
