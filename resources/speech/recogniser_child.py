"""The process that writes down what is said at a microphone: marks of utterances and their sound → words.

Names that become known meanwhile are taken up between two utterances. Whoever is started in its place reads
what it has written, and goes on with what is missing.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from framework.errors import SoundError
from framework.processes.child import Child
from framework.transport.every_sample import EverySample
from framework.transport.ring import RingWriter, Sample
from framework.transport.run_directory import RunDirectory
from framework.unreadable import UNREADABLE
from resources.audio.format import BLOCK_S
from resources.audio.reading import excerpt
from resources.children.complaints import Complaints
from resources.children.turning import Turns
from resources.speech.arguments import RecogniserArguments
from resources.speech.predecessor import left_by
from resources.speech.recognisers import Recognisers
from resources.speech.waking import WakePhrase
from resources.speech.writing_down import WritingDown
from resources.types.speech import (
    Phase,
    SpeechMark,
    Transcript,
    TranscriptFeed,
    decode_mark,
    decode_transcript,
    encode_transcript,
)
from resources.types.streams import SampleMeta, StreamFormat, StreamHandle, encode_meta

TURNS_HZ: Final = 12.0
"""So often it looks for marks, and shows how far it understands."""

WRITING_TAKES: Final = 3.0
"""Writing an utterance down takes at most so many times its length, and …"""

WRITING_TAKES_S: Final = 5.0
"""… so long besides; else the process hangs, and is started again [s]."""

_ALIVE_S: Final = 0.5  # so often it says in its stream that it goes on
_META = encode_meta(SampleMeta())
_SLOT_BYTES, _SLOTS = 32_768, 64


def main(child: Child, arguments: RecogniserArguments) -> None:
    """Write it down. Raises StreamError, SoundError for a model, names or a wake phrase that are none."""
    with Recognisers(arguments.language, arguments.wanted) as recognisers:
        _write_down(child, arguments, recognisers)


def _write_down(child: Child, arguments: RecogniserArguments, recognisers: Recognisers) -> None:
    directory = RunDirectory.join(Path(arguments.run_directory))
    audio, language = arguments.utterances.audio, arguments.language
    name = (
        f"{'all_' if arguments.is_addressed else ''}transcripts_{audio.device}"  # both may be wanted at once
    )
    told = [each for sample in left_by(directory.path / f"{name}.ring") if (each := _transcript(sample))]
    names = NamesFile(Path(language.names))
    sound = Path(audio.stream.ring)
    wake = None if arguments.is_addressed else WakePhrase(arguments.wanted.wake)
    writing = WritingDown(
        recognisers.now(), lambda since_s, until_s: excerpt(sound, since_s, until_s), told, wake
    )
    names.look()
    marks = EverySample(Path(arguments.utterances.marks.ring))
    writer = RingWriter(directory.path, name, slot_bytes=_SLOT_BYTES, slots=_SLOTS, replace=True)
    transcripts = StreamHandle(name, str(writer.path), StreamFormat.REPORT, audio.device, 1.0 / _ALIVE_S)
    complaints = Complaints(child.status)

    def tell(transcript: Transcript) -> None:
        writer.write(encode_transcript(transcript), stamp_s=time.monotonic(), meta=_META)
        child.sampled(name)

    if recognisers.trouble:
        complaints.add(recognisers.trouble, time.monotonic())
    for transcript in told:  # at once: whoever is started in our place has to know it too
        tell(transcript)
    for now_s in Turns(child, TURNS_HZ, writer):
        complaints.settle(now_s)
        recognisers.look()
        for sample in marks.news():
            mark = _mark(sample)
            if mark is None:
                complaints.add(f"{audio.device}: a mark of {sample.payload.nbytes} bytes is none", now_s)
                continue
            if mark.phase is Phase.ENDED:
                child.busy(WRITING_TAKES_S + WRITING_TAKES * (mark.until_s - mark.began_s))
            for transcript in writing.mark(mark):
                tell(transcript)
        if writing.is_listening:  # where a machine is busy, much may have been said since the last turn
            child.busy(WRITING_TAKES_S)
        if (shown := writing.so_far(now_s + BLOCK_S)) is not None:
            tell(shown)
        child.sampled(name)
        if not writing.is_listening and names.look():
            child.busy(WRITING_TAKES_S)
            try:
                writing.recogniser = recognisers.now()
            except SoundError as error:
                complaints.add(f"the names are those from before: {error}", now_s)
        if not child.is_ready:
            child.ready(msgspec.json.encode(TranscriptFeed(arguments.utterances, transcripts)))
    writer.close()  # not after an error: whoever is started in its place looks what it wrote
    marks.close()
    directory.leave()


class NamesFile:
    """A file of names that is replaced when they change."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._seen: tuple[int, int] | None = None

    def look(self) -> bool:
        """Whether it is another one than at the last look."""
        try:
            found = self._file.stat()
        except OSError:
            return False  # it is just not there; the names are those from before
        seen, self._seen = self._seen, (found.st_mtime_ns, found.st_ino)
        return seen != self._seen


def _mark(sample: Sample) -> SpeechMark | None:
    with suppress(*UNREADABLE):
        return decode_mark(sample.payload)
    return None


def _transcript(sample: Sample) -> Transcript | None:
    with suppress(*UNREADABLE):
        return decode_transcript(sample.payload)
    return None
