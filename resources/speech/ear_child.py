"""The process that hears "emergency stop" at one microphone, and stops everything by itself.

It sets the latch in shared memory, as every page and the command line do: nothing else has to run for that.
It says every half second how far it has come. Whoever is started in its place goes on from there: what was
said before, and has been reset since, must not stop anything again.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from framework.errors import StreamError
from framework.processes.child import Child
from framework.processes.emergency import EmergencyStop
from framework.transport.ring import RingReader, RingWriter
from framework.transport.run_directory import RunDirectory
from resources.audio.format import BLOCKS_HZ
from resources.audio.reading import AudioReading
from resources.children.complaints import Complaints
from resources.children.turning import Turns
from resources.speech.arguments import EarArguments
from resources.speech.detector import VoiceDetector
from resources.speech.spotting import EmergencySpotter
from resources.types.speech import EarHandle

_TOLD_EVERY_S = 0.5


def main(child: Child, arguments: EarArguments) -> None:
    """Listen. Raises SharedMemoryFull, StreamError, or InstallationError without a latch."""
    directory = RunDirectory.join(Path(arguments.run_directory))
    latch = EmergencyStop.attach(directory.path)
    audio = arguments.audio
    name = f"ear_{audio.device}"
    judged_s = _judged_until_s(directory.path / f"{name}.ring")
    reading = AudioReading(Path(audio.stream.ring), judged_s)
    spotter = EmergencySpotter(VoiceDetector())
    complaints = Complaints(child.status)
    where = audio.where or audio.device
    writer = RingWriter(directory.path, name, slot_bytes=64, slots=8, replace=True)
    told_s = float("-inf")
    for now_s in Turns(child, 2 * BLOCKS_HZ, writer):
        complaints.settle(now_s)
        for block in reading.news():
            judged_s = block.until_s
            if block.is_after_gap:
                spotter.forget()
            if spotter.block(block.samples):
                latch.latch(f"“emergency stop” was heard by {where}")
        if reading.unreadable:
            complaints.add(f"{audio.device}: {reading.unreadable} blocks were no sound", now_s)
            reading.unreadable = 0
        if now_s - told_s >= _TOLD_EVERY_S:
            told_s = now_s
            writer.write(b"", stamp_s=judged_s)
            child.sampled(name)
            if not child.is_ready:
                child.ready(msgspec.json.encode(EarHandle(audio.device)))
    writer.close()  # not after an error: whoever is started in its place looks how far it came
    reading.close()
    latch.close()
    directory.leave()


def _judged_until_s(ring: Path) -> float:
    """How far a predecessor came, if there was one that did not end in order."""
    try:
        with RingReader(ring) as reader:
            told = [sample.stamp_s for sample in reader.since(0) if not sample.payload.nbytes]
    except StreamError:
        return float("-inf")
    return max(told, default=float("-inf"))
