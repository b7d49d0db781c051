"""The process that speaks: sentences that are to be said → sound, and who listens is told of each before.

What is to be said comes by a ring of the run directory, which is there before or after it, and may be made
anew. What stood in it before this process began is not for it: whoever writes it repeats what was not said.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

import msgspec

from framework.errors import SoundError, StreamError
from framework.processes.child import Child
from framework.status import Severity
from framework.transport.every_sample import EverySample
from framework.transport.ring import RingWriter
from framework.transport.run_directory import RunDirectory
from framework.unreadable import UNREADABLE
from resources.children.arguments import LoudspeakerArguments
from resources.children.complaints import Complaints
from resources.children.sounding import Folder, LocalLoudspeaker, Output
from resources.children.turning import Turns
from resources.types.streams import SampleMeta, StreamFormat, StreamHandle, encode_meta
from resources.types.voice import (
    ANSWERS,
    LoudspeakerFeed,
    SayOrder,
    Spoken,
    SpokenPhase,
    decode_say_order,
    encode_spoken,
)
from resources.voice.engines import Engine, Making, engine_of
from resources.voice.saying import Cut, Effect, Make, Saying, Tell

TURNS_HZ: Final = 50.0
PROGRESS_S: Final = 0.5
"""How often it says that it works [s]."""

_META: Final = encode_meta(SampleMeta())
_SLOT_BYTES, _SLOTS = 4096, 256


def main(child: Child, arguments: LoudspeakerArguments) -> None:
    """Speak. Raises SoundError without voice or loudspeaker, SharedMemoryFull, StreamError."""
    directory = RunDirectory.join(Path(arguments.run_directory))
    since_s = time.monotonic()
    parameters = arguments.loudspeaker or arguments.folder
    if parameters is None:
        raise SoundError("neither a loudspeaker nor a folder was named: one of them is wanted")
    with ExitStack() as stack:
        stack.callback(directory.leave)
        engine = engine_of(parameters, directory.path)
        output = _output(arguments)
        stack.callback(output.close)
        name = f"spoken_{arguments.device}"
        writer = RingWriter(directory.path, name, slot_bytes=_SLOT_BYTES, slots=_SLOTS, replace=True)
        stack.callback(writer.close)
        speaking = Speaking(engine, output, writer, directory.path, Complaints(child.status))
        stack.callback(speaking.close)
        orders = Orders(directory.path / f"{ANSWERS}.ring", since_s)
        stack.callback(orders.close)
        stream = StreamHandle(name, str(writer.path), StreamFormat.REPORT, arguments.device, 1 / PROGRESS_S)
        told_s = float("-inf")
        for now_s in Turns(child, TURNS_HZ, writer):
            speaking.turn(orders.news(), now_s)
            if now_s - told_s >= PROGRESS_S:
                told_s = now_s
                speaking.tell(Spoken(SpokenPhase.PROGRESS, 0, "", now_s, now_s))
                child.sampled(name)
                if not child.is_ready:
                    feed = LoudspeakerFeed(arguments.device, stream, output.where)
                    child.ready(msgspec.json.encode(feed))
                    child.status(Severity.OK, f"{engine.name} speaks by {output.where}")


def _output(arguments: LoudspeakerArguments) -> Output:
    if arguments.folder is not None:
        return Folder(Path(arguments.folder.path), arguments.folder.keeps)
    assert arguments.loudspeaker is not None
    return LocalLoudspeaker(arguments.loudspeaker.hardware, arguments.loudspeaker.delay_s)


class Orders:
    """What is to be said, as it comes; nothing as long as there is no such ring."""

    def __init__(self, ring: Path, since_s: float) -> None:
        self._ring = ring
        self._since_s = since_s
        self._reading: EverySample | None = None

    def news(self) -> list[SayOrder]:
        """What has come since the last look, in its order; what is none is passed over."""
        try:
            if self._reading is None:
                self._reading = EverySample(self._ring)
            samples = self._reading.news()
        except StreamError:  # it is not there yet, or broken
            self.close()
            return []
        found = []
        for sample in samples:
            with suppress(*UNREADABLE):
                if sample.stamp_s >= self._since_s:
                    found.append(decode_say_order(sample.payload))
        return found

    def close(self) -> None:
        """Let go of the memory; idempotent."""
        if self._reading is not None:
            self._reading.close()
            self._reading = None


class Speaking:
    """Carries out what `Saying` decides: has sound made, played and told."""

    def __init__(
        self, engine: Engine, output: Output, writer: RingWriter, directory: Path, complaints: Complaints
    ) -> None:
        self._engine = engine
        self._output = output
        self._writer = writer
        self._directory = directory
        self._complaints = complaints
        self._saying = Saying(output.latency_s)
        self._making: tuple[int, Making] | None = None

    def turn(self, orders: Iterable[SayOrder], now_s: float) -> None:
        """Orders, and whatever is due. Raises SoundError if the loudspeaker is gone."""
        self._complaints.settle(now_s)
        for order in orders:
            self._do(self._saying.order(order, now_s), now_s)
        if trouble := self._output.look(now_s):
            self._complaints.add(trouble, now_s)
        self._do(self._saying.turn(now_s), now_s)
        self._look_at_engine(now_s)

    def tell(self, spoken: Spoken) -> None:
        """To whoever listens."""
        self._writer.write(encode_spoken(spoken), stamp_s=time.monotonic(), meta=_META)

    def close(self) -> None:
        """Nothing is made any more; idempotent."""
        if self._making is not None:
            self._making[1].close()
            self._making = None

    def _look_at_engine(self, now_s: float) -> None:
        if self._making is None:
            return
        number, making = self._making
        try:
            sound = making.sound()
        except SoundError as error:
            self.close()
            self._complain(number, error, now_s)
            return
        if sound is None:
            return
        self.close()
        now_s = time.monotonic()
        is_wanted, effects = self._saying.made(number, sound.length_s, now_s)
        self._do(effects, now_s)  # told first: nobody may hear what nobody was told of
        if is_wanted:
            self._output.play(number, sound)

    def _complain(self, number: int, error: SoundError, now_s: float) -> None:
        self._complaints.add(str(error), now_s)
        self._do(self._saying.not_made(number, str(error), now_s), now_s)

    def _do(self, effects: Iterable[Effect], now_s: float) -> None:
        for effect in effects:
            match effect:
                case Tell(spoken=spoken):
                    self.tell(spoken)
                case Cut():
                    self.close()
                    self._output.cut()
                case Make(number=number, words=words):
                    try:
                        self._making = (number, self._engine.begin(words, self._directory))
                    except SoundError as error:
                        self._complain(number, error, now_s)
