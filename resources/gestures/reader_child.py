"""The process that reads what hands show: pictures of a source's ring → a `Reading` each, in its own ring.

A process, because a picture of two hands takes one to two milliseconds, thirty times a second, which is no
work for the main loop. While nothing comes it writes a reading twice a second that says so. A reading of a
source whose place is known goes on with where that was: its picture's `world_T_frame`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from framework.processes.child import Child
from framework.status import Severity
from framework.transport.every_sample import EverySample
from framework.transport.ring import RingWriter
from framework.transport.run_directory import RunDirectory
from resources.children.turning import Turns
from resources.gestures.arguments import ReaderArguments
from resources.gestures.holding import RULES
from resources.gestures.watching import Watching
from resources.types.gestures import MOST_BYTES, GesturesFeed, HandsTrouble, Reading, encode_reading
from resources.types.streams import SampleMeta, StreamFormat, StreamHandle, encode_meta

TURNS_HZ: Final = 60.0
PROGRESS_S: Final = 0.5
"""It says at least so often that nothing came [s]."""

SLOTS: Final = 64
"""Readings that are kept: two seconds of the fastest source."""

_MOST_A_TURN: Final = 8
_META: Final = encode_meta(SampleMeta(world_T_frame=None))

_IN_WORDS: Final = {
    HandsTrouble.SILENT: "gives no pictures; no gesture counts. Is its page in the background?",
    HandsTrouble.FROZEN: "gives the same picture again and again; no gesture counts. Switch it off and on",
    HandsTrouble.TOO_SLOW: f"gives pictures more than {RULES.silent_s:g} s apart, or so late; no gesture "
    "counts. Close other programs, or have its camera give more pictures a second, or smaller ones",
    HandsTrouble.UNREADABLE: "gives what are no hands; no gesture counts. Switch it off and on again",
}


def main(child: Child, arguments: ReaderArguments) -> None:
    """Read each picture once. Raises SharedMemoryFull or StreamError."""
    directory = RunDirectory.join(Path(arguments.run_directory))
    hands = arguments.hands
    pictures = EverySample(Path(hands.stream.ring))
    name = f"gestures_{hands.stream.name}"
    writer = RingWriter(directory.path, name, slot_bytes=MOST_BYTES, slots=SLOTS, replace=True)
    readings = StreamHandle(name, str(writer.path), StreamFormat.REPORT, hands.stream.frame, 1 / PROGRESS_S)
    watching: Watching | None = None
    told = HandsTrouble.NONE
    written_s = float("-inf")
    for now_s in Turns(child, TURNS_HZ, writer):
        if watching is None:
            watching = Watching(hands.up, now_s, is_placed=hands.is_placed)
        made = [
            (watching.picture(sample.payload, now_s), sample.meta if hands.is_placed else _META)
            for sample in pictures.news(_MOST_A_TURN)
        ]
        if not made and now_s - written_s >= PROGRESS_S:
            made = [(Reading(trouble=watching.trouble(now_s)), _META)]
        for reading, meta in made:
            writer.write(encode_reading(reading), stamp_s=now_s, meta=meta)
            written_s = now_s
            child.sampled(name)
        told = _tell(child, hands.source, told, watching.trouble(now_s))
        if made and not child.is_ready:
            child.ready(msgspec.json.encode(GesturesFeed(hands, readings)))
    writer.close()
    pictures.close()
    directory.leave()


def _tell(child: Child, source: str, told: HandsTrouble, now: HandsTrouble) -> HandsTrouble:
    """Say what is wrong with a source, and when it is well again, once each."""
    if now is not told:
        if now is HandsTrouble.NONE:
            child.status(Severity.OK, f"{source} gives hands again")
        else:
            child.status(Severity.WARNING, f"{source} {_IN_WORDS[now]}")
    return now
