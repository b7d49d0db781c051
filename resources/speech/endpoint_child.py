"""The process that tells when somebody speaks: blocks of a microphone → marks of utterances.

It says every half second how far it has come. Whoever is started in its place goes on from there, or from
the beginning of the utterance that was being spoken, so nothing of it is lost.
"""

from __future__ import annotations

import time
from collections import deque
from contextlib import suppress
from pathlib import Path

import msgspec
import numpy as np

from framework.processes.child import Child
from framework.transport.ring import RingWriter
from framework.transport.run_directory import RunDirectory
from framework.unreadable import UNREADABLE
from resources.audio.blocks import Samples, clipped_fraction, level_dbfs
from resources.audio.format import BLOCK_S, BLOCKS_HZ, HISTORY_BLOCKS
from resources.audio.reading import AudioReading, Block
from resources.children.complaints import Complaints
from resources.children.turning import Turns
from resources.speech.arguments import EndpointArguments
from resources.speech.detector import VoiceDetector
from resources.speech.endpointing import Edge, Endpointer
from resources.speech.predecessor import MOST_BLOCKS_A_TURN, left_by
from resources.types.speech import Phase, SpeechMark, UtteranceFeed, decode_mark, encode_mark
from resources.types.streams import SampleMeta, StreamFormat, StreamHandle, encode_meta

PROGRESS_S = 0.5
"""How often it says how far it has come [s]."""

_SAME_S = 0.25  # who begins to listen in the middle hears a beginning a little later

_META = encode_meta(SampleMeta())
_SLOT_BYTES, _SLOTS = 1024, 64


def main(child: Child, arguments: EndpointArguments) -> None:
    """Judge each block. Raises SharedMemoryFull or StreamError."""
    directory = RunDirectory.join(Path(arguments.run_directory))
    audio = arguments.audio
    name = f"utterances_{audio.device}"
    judged_s = _judged_until_s(directory.path / f"{name}.ring")
    since_s = max(arguments.since_s, judged_s)
    reading = AudioReading(Path(audio.stream.ring), since_s)
    endpointer = Endpointer(arguments.settings)
    if audio.since_s is None and judged_s < arguments.since_s:
        endpointer.begins(since_s)  # nobody knows how what is being said now began: "do not …"
    listening = Listening(endpointer, VoiceDetector(), since_s)
    complaints = Complaints(child.status)
    writer = RingWriter(directory.path, name, slot_bytes=_SLOT_BYTES, slots=_SLOTS, replace=True)
    marks = StreamHandle(name, str(writer.path), StreamFormat.REPORT, audio.device, 1 / PROGRESS_S)
    # At once: whoever is started in our place goes on from here, however soon that is.
    inherited = SpeechMark(Phase.PROGRESS, 0, since_s, since_s)
    writer.write(encode_mark(inherited), stamp_s=time.monotonic(), meta=_META)
    told_s = float("-inf")
    for now_s in Turns(child, 2 * BLOCKS_HZ, writer):
        complaints.settle(now_s)
        for block in reading.news(MOST_BLOCKS_A_TURN):
            for mark in listening.block(block):
                writer.write(encode_mark(mark), stamp_s=now_s, meta=_META)
        if reading.unreadable:
            complaints.add(f"{audio.device}: {reading.unreadable} blocks were no sound", now_s)
            reading.unreadable = 0
        if now_s - told_s >= PROGRESS_S:
            told_s = now_s
            writer.write(encode_mark(listening.progress(now_s)), stamp_s=now_s, meta=_META)
            child.sampled(name)
            if not child.is_ready:
                child.ready(msgspec.json.encode(UtteranceFeed(audio, marks)))
    writer.close()  # not after an error: whoever is started in its place looks how far it came
    reading.close()
    directory.leave()


class Listening:
    """Blocks → marks. Pure but for the detector's model.

    since_s: where it goes on. What begins there is what was being said there: it keeps its name.
    """

    def __init__(
        self, endpointer: Endpointer, detector: VoiceDetector, since_s: float = float("-inf")
    ) -> None:
        self._endpointer = endpointer
        self._detector = detector
        self._since_s = since_s
        self._recent: deque[Block] = deque(maxlen=HISTORY_BLOCKS)
        self._until_s: float | None = None

    def block(self, block: Block) -> list[SpeechMark]:
        """What becomes known with one more block, in order."""
        edges = []
        if block.is_after_gap:
            self._detector.forget()
            edges.append(self._endpointer.interrupted(block.until_s - BLOCK_S))
        self._until_s = block.until_s
        self._recent.append(block)
        edges.append(self._endpointer.block(block.until_s, self._detector.probability(block.samples)))
        if block.is_last:
            self._detector.forget()
            edges.append(self._endpointer.over(block.until_s))
        return [self._mark(edge) for edge in edges if edge is not None]

    def progress(self, now_s: float) -> SpeechMark:
        """How far all is judged, and in `began_s` where whoever takes over has to go on.

        While somebody speaks that is before what was judged already.
        """
        until_s = self._until_s if self._until_s is not None else now_s
        began_s = self._endpointer.began_s if self._endpointer.is_speaking else until_s
        return SpeechMark(Phase.PROGRESS, 0, began_s, until_s)

    def _mark(self, edge: Edge) -> SpeechMark:
        goes_on = abs(edge.began_s - self._since_s) < _SAME_S
        began_s = self._since_s if goes_on else edge.began_s
        own = [each.samples for each in self._recent if began_s < each.until_s <= edge.until_s]
        sound: Samples = np.concatenate(own) if own else np.zeros(0, np.int16)
        level = max(level_dbfs(sound), -200.0)
        name = round(began_s * 1e3)
        return SpeechMark(edge.phase, name, began_s, edge.until_s, level, clipped_fraction(sound))


def _judged_until_s(ring: Path) -> float:
    """How far a predecessor came, if there was one that did not end in order."""
    judged_s = float("-inf")
    for sample in left_by(ring):
        with suppress(*UNREADABLE):
            mark = decode_mark(sample.payload)
            if mark.phase is Phase.PROGRESS:
                judged_s = mark.began_s  # of the last one, which may be before an earlier one: see `progress`
    return judged_s
