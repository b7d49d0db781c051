"""The process that hears "emergency stop" at one microphone, and stops everything by itself.

It sets the latch in shared memory, as every page and the command line do: nothing else has to run for that.
It says every half second how far it has come. Whoever is started in its place goes on a moment before that,
so that no cry falls between the two, and after the last one that was heard: a stop that a person has reset
must not come back.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from framework.errors import SoundError
from framework.processes.child import Child
from framework.processes.emergency import EmergencyStop
from framework.transport.ring import RingWriter
from framework.transport.run_directory import RunDirectory
from resources.audio.format import BLOCKS_HZ
from resources.audio.reading import AudioReading, Block
from resources.children.turning import Turns
from resources.speech.arguments import EarArguments
from resources.speech.detector import VoiceDetector
from resources.speech.predecessor import MOST_BLOCKS_A_TURN, left_by
from resources.speech.spotting import EmergencySpotter
from resources.types.speech import EarHandle

TOLD_EVERY_S: Final = 0.5

CRY_S: Final = 2.0
"""No cry is longer [s]."""

PAUSE_S: Final = 0.3
"""Where no sound comes for so long, the microphone may be gone [s]."""

MOST_UNREADABLE: Final = 64
"""Blocks that were no sound: an ear that cannot hear has to say so, and end."""


def main(child: Child, arguments: EarArguments) -> None:
    """Listen. Raises SoundError for what is no sound, SharedMemoryFull, StreamError, InstallationError."""
    directory = RunDirectory.join(Path(arguments.run_directory))
    latch = EmergencyStop.attach(directory.path)
    audio = arguments.audio
    name = f"ear_{audio.device}"
    told = [each.stamp_s for each in left_by(directory.path / f"{name}.ring") if not each.payload.nbytes]
    hearing = Hearing(EmergencySpotter(VoiceDetector()), max(told, default=float("-inf")))
    reading = AudioReading(Path(audio.stream.ring), hearing.goes_on_s)
    writer = RingWriter(directory.path, name, slot_bytes=64, slots=8, replace=True)

    def tell() -> None:
        writer.write(b"", stamp_s=hearing.goes_on_s)
        child.sampled(name)

    def stop() -> None:
        latch.latch(f"“emergency stop” was heard by {audio.where or audio.device}")
        tell()  # at once: whoever is started in our place must not hear this one again

    tell()
    told_s = came_s = float("-inf")
    for now_s in Turns(child, 2 * BLOCKS_HZ, writer):
        for block in reading.news(MOST_BLOCKS_A_TURN):
            came_s = now_s
            if hearing.block(block):
                stop()
        if now_s - came_s > PAUSE_S and hearing.silence():
            stop()
        if reading.unreadable > MOST_UNREADABLE:
            raise SoundError(f"{audio.device} gives what is no sound: {reading.unreadable} blocks of it")
        if now_s - told_s >= TOLD_EVERY_S:
            told_s = now_s
            tell()
            if not child.is_ready:
                child.ready(msgspec.json.encode(EarHandle(audio.device)))
    if hearing.silence():
        stop()
    writer.close()  # not after an error: whoever is started in our place looks how far we came
    reading.close()
    latch.close()
    directory.leave()


class Hearing:
    """Blocks → whether to stop; and where a successor has to go on. Pure but for the spotter's models.

    goes_on_s: from there, CLOCK_MONOTONIC [s]: far enough back for a cry that is being cried, and after one
        that was heard.
    """

    def __init__(self, spotter: EmergencySpotter, goes_on_s: float) -> None:
        self._spotter = spotter
        self.goes_on_s = goes_on_s
        self._until_s = goes_on_s

    def block(self, block: Block) -> bool:
        """One more block."""
        found = block.is_after_gap and self._spotter.forget()
        if found:
            self.goes_on_s = self._until_s
        self._until_s = block.until_s
        if self._spotter.block(block.samples):
            found, self.goes_on_s = True, block.until_s
        self.goes_on_s = max(self.goes_on_s, block.until_s - CRY_S)
        return found

    def silence(self) -> bool:
        """No more comes for now: what is not decided yet is decided."""
        if not (self._spotter.is_searching and self._spotter.forget()):
            return False
        self.goes_on_s = self._until_s
        return True
