"""A room's microphones on the virtual clock, with who hears "emergency stop", who speaks when, and what.

What decides is real (`Endpointer`, `WritingDown`, rings and marks); a detector's probability, the ear and the
recogniser are played: each block of sound is the number of its sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from framework.errors import StreamError
from framework.processes.emergency import EmergencyStop
from framework.transport.every_sample import EverySample
from framework.transport.ring import RingReader, RingWriter, Sample
from pilothouse.testbed.room import Room, RoomMicrophoneArguments, Sentence
from resources.audio.blocks import Samples
from resources.audio.format import BLOCK, BLOCK_BYTES, BLOCK_S, BLOCKS_HZ, HISTORY_BLOCKS, RATE_HZ
from resources.audio.reading import AudioReading, excerpt
from resources.speech.arguments import EarArguments, EndpointArguments, RecogniserArguments
from resources.speech.endpointing import Edge, Endpointer
from resources.speech.recognising import ALONE, Recognised
from resources.speech.writing_down import WritingDown
from resources.types.sensors import AudioFeed
from resources.types.speech import (
    EarHandle,
    Phase,
    SpeechMark,
    SpokenModel,
    TimedWord,
    Transcript,
    TranscriptFeed,
    UtteranceFeed,
    decode_mark,
    decode_transcript,
    encode_mark,
    encode_transcript,
)
from resources.types.streams import SampleMeta, StreamFormat, StreamHandle, encode_meta

WORD_S: Final = 0.35
"""A word lasts so long [s]."""

EMERGENCY: Final = "emergency stop"
SURE: Final = ALONE

_META: Final = encode_meta(SampleMeta())
_BEAT_S: Final = 0.5


def length_s(words: str) -> float:
    """How long it takes to say."""
    return WORD_S * len(words.split())


class Hearing:
    """One life of a process of the room. handle: what it says of itself; write: what is due until now."""

    handle: object

    def __init__(self, directory: Path, name: str, slot_bytes: int, slots: int) -> None:
        self.directory = directory
        self.ring = RingWriter(directory, name, slot_bytes=slot_bytes, slots=slots, replace=True)
        self.stream = StreamHandle(name, str(self.ring.path), StreamFormat.REPORT, name, 1.0 / _BEAT_S)
        self.room = Room(directory)
        self._told_s = float("-inf")

    def write(self, now_s: float) -> None:
        """What is due."""
        raise NotImplementedError

    def is_due(self, now_s: float) -> bool:
        """Whether it has to say again that it goes on."""
        is_due = now_s - self._told_s >= _BEAT_S
        if is_due:
            self._told_s = now_s
        return is_due

    def close(self) -> None:
        """Orderly; idempotent."""
        self.ring.close()


class RoomMicrophone(Hearing):
    """Gives the number of the sentence that is being said, or 0."""

    def __init__(self, text: str) -> None:
        arguments = msgspec.json.decode(text, type=RoomMicrophoneArguments)
        super().__init__(Path(arguments.run_directory), arguments.device, BLOCK_BYTES, HISTORY_BLOCKS)
        stream = msgspec.structs.replace(self.stream, format=StreamFormat.AUDIO, rate_hz=BLOCKS_HZ)
        self.handle = AudioFeed(arguments.device, stream, arguments.device)
        self._due_s: float | None = None

    def write(self, now_s: float) -> None:
        """The blocks until now."""
        self._due_s = now_s if self._due_s is None else self._due_s
        while self._due_s <= now_s:
            block = np.full(BLOCK, self._said(self._due_s), np.int16)
            self.ring.write(block, stamp_s=self._due_s, meta=_META)
            self._due_s += BLOCK_S

    def _said(self, at_s: float) -> int:
        for sentence in reversed(self.room.said()):
            if sentence.from_s <= at_s - BLOCK_S / 2 < sentence.from_s + length_s(sentence.words):
                return sentence.number
        return 0


class RoomEar(Hearing):
    """Sets the latch as soon as the words were said."""

    def __init__(self, text: str) -> None:
        arguments = msgspec.json.decode(text, type=EarArguments)
        audio = arguments.audio
        super().__init__(Path(arguments.run_directory), f"ear_{audio.device}", 64, 8)
        self.handle = EarHandle(audio.device)
        self._where = audio.where or audio.device
        self._reading = AudioReading(Path(audio.stream.ring))
        self._before = 0

    def write(self, now_s: float) -> None:
        """Listen to what is new."""
        with suppress(StreamError):  # its microphone is just gone
            for block in self._reading.news():
                number, before = int(block.samples[0]), self._before
                self._before = number
                if before and number != before and EMERGENCY in _sentence(self.room, before).words.lower():
                    latch = EmergencyStop.attach(self.directory)
                    latch.latch(f"“{EMERGENCY}” was heard by {self._where}")
                    latch.close()
        if self.is_due(now_s):
            self.ring.write(b"", stamp_s=now_s, meta=_META)

    def close(self) -> None:
        """See there."""
        self._reading.close()
        super().close()


class RoomEndpoint(Hearing):
    """When somebody speaks."""

    def __init__(self, text: str) -> None:
        arguments = msgspec.json.decode(text, type=EndpointArguments)
        audio = arguments.audio
        super().__init__(Path(arguments.run_directory), f"utterances_{audio.device}", 1024, 64)
        self.handle = UtteranceFeed(audio, self.stream)
        self._reading = AudioReading(Path(audio.stream.ring), arguments.since_s)
        self._endpointer = Endpointer(arguments.settings)
        if audio.since_s is None:
            self._endpointer.begins(arguments.since_s)
        self._until_s = arguments.since_s

    def write(self, now_s: float) -> None:
        """Judge what is new."""
        edges: list[Edge | None] = []
        with suppress(StreamError):
            for block in self._reading.news():
                if block.is_after_gap:
                    edges.append(self._endpointer.interrupted(block.until_s - BLOCK_S))
                edges.append(self._endpointer.block(block.until_s, float(block.samples[0] != 0)))
                self._until_s = block.until_s
        for edge in filter(None, edges):
            self._tell(SpeechMark(edge.phase, round(edge.began_s * 1e3), edge.began_s, edge.until_s), now_s)
        if self.is_due(now_s):
            began_s = self._endpointer.began_s if self._endpointer.is_speaking else self._until_s
            self._tell(SpeechMark(Phase.PROGRESS, 0, began_s, self._until_s), now_s)

    def _tell(self, mark: SpeechMark, now_s: float) -> None:
        self.ring.write(encode_mark(mark), stamp_s=now_s, meta=_META)

    def close(self) -> None:
        """See there."""
        self._reading.close()
        super().close()


class RoomRecogniser(Hearing):
    """What is said, word by word."""

    def __init__(self, text: str) -> None:
        arguments = msgspec.json.decode(text, type=RecogniserArguments)
        feed = arguments.utterances
        directory = Path(arguments.run_directory)
        told = list(_left_by(directory / f"transcripts_{feed.audio.device}.ring"))
        super().__init__(directory, f"transcripts_{feed.audio.device}", 32_768, 64)
        self.handle = TranscriptFeed(feed, self.stream)
        sound = Path(feed.audio.stream.ring)
        wake = None if arguments.is_addressed else _Wake(self.room, arguments.wanted.wake)
        self._writing = WritingDown(
            _Recogniser(self.room), lambda from_s, until_s: excerpt(sound, from_s, until_s), told, wake
        )
        self._marks = EverySample(Path(feed.marks.ring))
        for transcript in told:
            self.ring.write(encode_transcript(transcript), stamp_s=0.0, meta=_META)

    def write(self, now_s: float) -> None:
        """Write down what is new."""
        found: list[Transcript] = []
        with suppress(StreamError):
            for sample in self._marks.news():
                found += self._writing.mark(decode_mark(sample.payload))
        if (shown := self._writing.so_far(now_s)) is not None:
            found.append(shown)
        for transcript in found:
            self.ring.write(encode_transcript(transcript), stamp_s=now_s, meta=_META)

    def close(self) -> None:
        """See there."""
        self._marks.close()
        super().close()


class LanguageModel(Hearing):
    """Nobody asks what is in it."""

    def __init__(self, text: str) -> None:
        self.handle = SpokenModel("", "")

    def write(self, now_s: float) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""


class _Recogniser:
    """Knows the words of a sentence by its number: those whose sound was there."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._begun: list[Samples] = []

    def recognised(self, sound: Samples) -> Recognised | None:
        words = _heard(self._room, sound)
        timed = tuple(TimedWord(word, WORD_S * n, WORD_S * (n + 1)) for n, word in enumerate(words))
        return Recognised(timed, confidence=SURE) if timed else None

    def begins(self) -> None:
        self._begun = []

    def goes_on(self, sound: Samples) -> str:
        self._begun.append(sound)
        return " ".join(_heard(self._room, np.concatenate(self._begun)))

    def forgets(self) -> None:
        self._begun = []


class _Wake:
    """Hears the phrase at the beginning of a sentence."""

    def __init__(self, room: Room, phrase: str) -> None:
        self._room = room
        self._phrase = phrase.lower().split()
        self._begun: list[Samples] = []

    def begins(self) -> None:
        self._begun = []

    def goes_on(self, sound: Samples) -> float | None:
        self._begun.append(sound)
        return self.ends_in(np.concatenate(self._begun))

    def forgets(self) -> None:
        self._begun = []

    def ends_in(self, sound: Samples) -> float | None:
        if _heard(self._room, sound)[: len(self._phrase)] != self._phrase:
            return None
        return float(np.flatnonzero(sound)[0]) / RATE_HZ + WORD_S * len(self._phrase)


def _heard(room: Room, sound: Samples) -> list[str]:
    """The last words of the sentence that most of it is, or its first where the sentence goes on."""
    numbers = Counter(sound[sound != 0].tolist())
    if not numbers:
        return []
    (number, samples), *_ = numbers.most_common(1)
    words = _plain(_sentence(room, number).words)
    count = min(round(samples / RATE_HZ / WORD_S), len(words))
    is_over = not sound[-1]
    return words[len(words) - count :] if is_over else words[:count]


def _plain(words: str) -> list[str]:
    return [word.strip(",.!?") for word in words.lower().split()]


def _sentence(room: Room, number: int) -> Sentence:
    return next(each for each in room.said() if each.number == number)


def _left_by(ring: Path) -> Iterable[Transcript]:
    samples: list[Sample] = []
    with suppress(StreamError), RingReader(ring) as reader:
        samples = reader.since(0)
    return [decode_transcript(sample.payload) for sample in samples]


PROCESSES: Final[dict[str, Callable[[str], Hearing]]] = {
    "pilothouse.testbed.room_microphone:main": RoomMicrophone,
    "resources.speech.ear_child:main": RoomEar,
    "resources.speech.endpoint_child:main": RoomEndpoint,
    "resources.speech.recogniser_child:main": RoomRecogniser,
    "pilothouse.spoken_language:main": LanguageModel,
}
"""By what a real one begins with."""
