"""The process that speaks, as it really runs: with espeak-ng, into a folder, told of before it is heard."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
import soundfile

from framework.errors import ProcessStartFailed
from framework.processes.child_events import LossReason
from framework.transport.every_sample import EverySample
from framework.transport.ring import RingWriter
from framework.unreadable import UNREADABLE
from resources.children.arguments import LoudspeakerArguments, LoudspeakerParameters, SoundFolderParameters
from resources.children.failing import FailMode, fail_command
from resources.children.specs import loudspeaker_spec
from resources.types.voice import (
    ANSWERS,
    Hush,
    LoudspeakerFeed,
    Say,
    SayOrder,
    Spoken,
    SpokenPhase,
    decode_spoken,
    encode_say_order,
)
from tests.framework.processes.family import until
from tests.resources.children.harness import Harness, harness

ROBOT = "The left arm moves up by five centimetres, and then it goes home."


class Mouth:
    """A loudspeaker that is a folder, what it is told, and what it says of that."""

    def __init__(self, home: Harness, folder: Path) -> None:
        self.home, self.folder = home, folder
        self._orders = RingWriter(home.directory.path, ANSWERS, slot_bytes=4096, slots=8)
        self.spoken: list[Spoken] = []

    async def begin(self, **changes: object) -> LoudspeakerFeed:
        arguments = LoudspeakerArguments(
            run_directory=str(self.home.directory.path),
            device="mast",
            folder=SoundFolderParameters(path=str(self.folder)),
        )
        spec = msgspec.structs.replace(loudspeaker_spec(arguments), **changes)
        feed = await self.home.start("loudspeaker", spec, LoudspeakerFeed)
        self._reading = EverySample(Path(feed.stream.ring))
        return feed

    def order(self, order: SayOrder) -> None:
        self._orders.write(encode_say_order(order), stamp_s=time.monotonic())

    def news(self, phase: SpokenPhase) -> Spoken | None:
        for sample in self._reading.news():
            try:
                self.spoken.append(decode_spoken(sample.payload))
            except UNREADABLE:
                continue
        return next((each for each in self.spoken if each.phase is phase), None)

    async def first(self, phase: SpokenPhase) -> Spoken:
        await until(lambda: self.news(phase) is not None)
        found = self.news(phase)
        assert found is not None
        return found

    def close(self) -> None:
        self._orders.close()

    def files(self) -> Iterator[Path]:
        return self.folder.glob("*.wav")


def test_it_says_what_it_is_told_and_is_silent_at_once_when_it_is_hushed(tmp_path: Path) -> None:
    async def main() -> None:
        async with harness() as home:
            mouth = Mouth(home, tmp_path / "answers")
            mouth.order(Say(1, "of before its time"))
            feed = await mouth.begin()
            assert feed.where == "the folder answers"
            mouth.order(Say(2, ROBOT))
            began = await mouth.first(SpokenPhase.BEGINS)
            assert began.words == ROBOT and began.until_s - began.from_s > 2.0
            await until(lambda: time.monotonic() > began.from_s + 0.5)
            mouth.order(Hush(2))
            cut = await mouth.first(SpokenPhase.CUT)
            assert began.from_s + 0.4 < cut.until_s < began.until_s
            (file,) = mouth.files()
            assert abs(soundfile.info(file).duration - (cut.until_s - cut.from_s)) < 0.2
            mouth.close()

    asyncio.run(main())


def test_one_that_babbles_is_found_out(tmp_path: Path) -> None:
    async def main() -> None:
        async with harness() as home:
            mouth = Mouth(home, tmp_path / "answers")
            await mouth.begin()
            home.children["loudspeaker"].send(fail_command(FailMode.GARBAGE))
            assert await home.lost("loudspeaker") is LossReason.GARBAGE
            mouth.close()

    asyncio.run(main())


def test_a_machine_without_loudspeaker_or_voice_says_so() -> None:
    async def main() -> None:
        async with harness() as home:
            for parameters, words in (
                (
                    LoudspeakerParameters(hardware="no such thing"),
                    r"no loudspeaker 'no such thing'|PortAudio",
                ),
                (LoudspeakerParameters(voice="klingon-xx"), "voice does not exist"),
            ):
                arguments = LoudspeakerArguments(
                    run_directory=str(home.directory.path), device="mast", loudspeaker=parameters
                )
                with pytest.raises(ProcessStartFailed, match=words):
                    await home.start("loudspeaker", loudspeaker_spec(arguments), LoudspeakerFeed)

    asyncio.run(main())
