"""Push-to-talk: a page's sound becomes its instructions, and nothing is done of what was broken off."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from framework.errors import ResourceUnavailable, SoundError
from framework.plan.instruction import Pointing
from framework.registrar import ResourceRegistrar, Supply
from managers.listening import Listening
from managers.page_sounds import PageSounds
from managers.talking import MOST_PAGES, NOBODY, NOBODY_S, RESTS_S, SILENT_S, Talking, Voice
from resources.audio.format import BLOCK_BYTES, BLOCK_S
from resources.audio.reading import AudioReading, Block
from resources.audio.talk import LONGEST_TALK_S, MOST_BLOCKS
from resources.types.sensors import AudioFeed
from resources.types.speech import Phase, Speech, TranscriptFeed, TranscriptKind
from resources.web.protocol import Heard, TalkState
from resources.web.sound_packets import SoundPacket
from tests.faults.stage import Stage
from tests.managers.test_listening import Mouth, Supervisor

Play = Callable[[Any], None]
SOUND = bytes(BLOCK_BYTES)
STARTS_S = 1.0  # until a recogniser listens


class House:
    """Everybody who talks in one installation. Its recognisers are the test's: it writes what they hear."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.sounds = PageSounds(stage.folder, stage.clock.now_s)
        self.supervisor = Supervisor()
        self.mouths: dict[str, Mouth] = {}
        self.supplies: list[Supply] = []
        self.pointed: tuple[str, ...] = ()

    async def open(self) -> None:
        stage = self.stage
        registrar = ResourceRegistrar("speech_manager", stage.transport)

        @registrar.provides(Speech)
        @asynccontextmanager
        async def speech(request: Speech, supply: Supply) -> Any:
            assert request.page is not None
            feed = self.sounds.feed(request.page)
            await asyncio.sleep(STARTS_S)
            mouth = self.mouths[request.page.page] = Mouth(stage, request.page.device, None)
            self.supplies.append(supply)
            yield TranscriptFeed(self._of(mouth.feed, feed), mouth.feed.transcripts)
            del self.mouths[request.page.page]

        await stage.enter(registrar)
        asks = await stage.enter(ResourceRegistrar("supervisor", stage.transport))
        listening = Listening(asks, self.supervisor, stage.clock, stage.clock.now_s)
        self.talking = Talking(self.sounds, listening, self.points)

    def _of(self, feed: TranscriptFeed, audio: AudioFeed) -> Any:
        return type(feed.utterances)(audio, feed.utterances.marks)

    def points(self, who: str) -> tuple[Pointing, ...]:
        now_s = self.stage.clock.now_s()
        return tuple(Pointing(f"{each} of {who}", now_s) for each in self.pointed)


class Page:
    """One page; what it is told of its talks."""

    def __init__(self, house: House, who: str = "console page 1") -> None:
        self.house = house
        self.told: list[Heard] = []
        self.voice: Voice = house.talking.voice(who, self.told.append)
        self.number = self.sent = 0
        self.who = who

    def press(self) -> None:
        self.number += 1
        self.sent = 0
        self.voice.begin(self.number)

    async def speak(self, seconds: float) -> None:
        for _ in range(round(seconds / BLOCK_S)):
            self.send()
            await asyncio.sleep(BLOCK_S)

    def send(self, *, is_last: bool = False, is_broken_off: bool = False) -> None:
        self.voice.take(SoundPacket(self.number, self.sent, SOUND, is_last, is_broken_off))
        self.sent += 1

    def let_go(self) -> None:
        self.send(is_last=True)

    @property
    def mouth(self) -> Mouth:
        return self.house.mouths[self.who]

    @property
    def rings(self) -> list[Path]:
        return sorted(self.house.stage.folder.glob("page_*.ring"))

    def heard(self) -> list[Block]:
        """All that its microphone's readers find."""
        reading = AudioReading(self.rings[-1])
        try:
            return reading.news()
        finally:
            reading.close()


def talking(play: Play, scene: Callable[[House], Coroutine[Any, Any, None]]) -> None:
    async def main(stage: Stage) -> None:
        house = House(stage)
        await house.open()
        async with house.talking:
            await scene(house)
        assert house.mouths == {} and not list(stage.folder.glob("page_*.ring"))

    play(main)


def test_what_is_said_is_the_pages_own_instruction_with_what_it_pointed_at_meanwhile(play: Play) -> None:
    async def scene(house: House) -> None:
        page = Page(house, "phone of ann")
        page.press()
        house.pointed = ("cup",)
        await page.speak(1.5)
        house.pointed = ("door",)
        now_s = house.stage.clock.now_s()
        page.mouth.mark(Phase.BEGAN, now_s - 0.5, now_s)
        page.mouth.write(TranscriptKind.PARTIAL, now_s - 0.5, now_s, partial="go")
        await page.speak(0.5)
        page.let_go()
        assert [each.state for each in page.told][:2] == [TalkState.STARTING, TalkState.LISTENING]
        assert page.told[-1] == Heard(1, TalkState.OVER, "go")
        page.mouth.said(now_s - 0.5, now_s + 0.5, "go home", confidence=0.9)
        await asyncio.sleep(0.2)
        (told,) = house.supervisor.told
        assert (told.text, told.who) == ("go home", "phone of ann")
        pointed = [each.thing for each in told.pointing]
        assert pointed[0] == "cup of phone of ann" and pointed[-1] == "door of phone of ann"
        assert told.pointing[-1].t_s > told.pointing[0].t_s + 1.0
        assert page.told[-1] == Heard(1, TalkState.OVER)  # nothing stands in grey any more

    talking(play, scene)


def test_its_microphone_gives_what_came_and_where_each_talk_ends(play: Play) -> None:
    async def scene(house: House) -> None:
        page = Page(house)
        for _ in range(2):
            page.press()
            await page.speak(0.5)
            page.let_go()
            await asyncio.sleep(5.0)
        blocks = page.heard()
        assert [n for n, block in enumerate(blocks) if block.is_last] == [page.sent - 1, 2 * page.sent - 1]
        assert not any(block.is_after_gap for block in blocks) and len(page.rings) == 1

    talking(play, scene)


@pytest.mark.parametrize("how", ["by the page", "by the page's silence", "by another talk", "by its length"])
def test_a_talk_that_is_broken_off_ends_as_lost_sound(play: Play, how: str) -> None:
    async def scene(house: House) -> None:
        page = Page(house)
        page.press()
        await page.speak(0.5)
        before = len(page.heard())
        if how == "by the page":
            page.send(is_broken_off=True)
        elif how == "by another talk":
            page.press()
        elif how == "by its length":
            page.sent = MOST_BLOCKS - 1
            page.send()
            assert f"{LONGEST_TALK_S:.0f} s" in page.told[-1].words
            before += 1
        else:
            await asyncio.sleep(SILENT_S + 0.3)
            assert "no sound has come" in page.told[-1].words
        last = page.heard()[before]
        assert last.is_last and last.is_after_gap
        if how != "by another talk":
            assert page.told[-1].state is TalkState.OVER
            with pytest.raises(SoundError, match="is not under way"):
                page.send()

    talking(play, scene)


def test_a_page_that_goes_while_it_talks_is_forgotten_and_nothing_is_done(play: Play) -> None:
    async def scene(house: House) -> None:
        page = Page(house)
        page.press()
        await page.speak(1.5)
        now_s = house.stage.clock.now_s()
        page.mouth.mark(Phase.BEGAN, now_s - 0.5, now_s)
        await asyncio.sleep(0.2)
        page.voice.close()
        page.voice.close()
        await asyncio.sleep(1.0)
        assert house.supervisor.told == [] and page.rings == [] and house.mouths == {}
        (lost,) = house.supervisor.events.history()
        assert "was not understood: its microphone is not heard any more" in lost.text

    talking(play, scene)


def test_what_is_none_of_its_talks_is_refused(play: Play) -> None:
    async def scene(house: House) -> None:
        page = Page(house)
        with pytest.raises(SoundError, match="talk 0 is not under way; hold the button"):
            page.send()
        page.press()
        page.number = 9
        with pytest.raises(SoundError, match="talk 9 is not under way"):
            page.send()

    talking(play, scene)


def test_its_microphone_closes_after_a_while_and_opens_anew(play: Play) -> None:
    async def scene(house: House) -> None:
        page = Page(house)
        page.press()
        await page.speak(2.0)
        page.let_go()
        await asyncio.sleep(RESTS_S - 5.0)
        assert house.mouths and len(page.rings) == 1
        await asyncio.sleep(10.0)
        assert house.mouths == {} and page.rings == []
        page.press()
        await page.speak(1.5)
        assert page.rings[0].name == "page_2.ring" and house.mouths

    talking(play, scene)


def test_so_many_are_listened_to_and_who_rests_gives_way(play: Play) -> None:
    async def scene(house: House) -> None:
        pages = [Page(house, f"console page {n}") for n in range(MOST_PAGES + 1)]
        *those, last = pages
        for page in those:
            page.press()
        with pytest.raises(ResourceUnavailable, match="4 people talk at once already"):
            last.press()
        for page in those[:2]:
            page.let_go()
        those[0].press()  # who has just talked is not the one that has rested for longest
        those[0].let_go()
        last.press()
        await last.speak(1.5)
        assert those[1].who not in house.mouths and {those[0].who, last.who} < set(house.mouths)

    talking(play, scene)


def test_who_is_not_heard_is_told_why_and_may_try_again(play: Play) -> None:
    async def scene(house: House) -> None:
        page = Page(house)
        page.press()
        await page.speak(1.5)
        house.supplies[0].fail("nobody listens for “emergency stop” there")
        await asyncio.sleep(0.5)
        assert page.told[-1].state is TalkState.OVER
        assert "you are not heard: " in page.told[-1].words and "emergency stop" in page.told[-1].words
        page.press()
        await page.speak(1.5)
        assert [each.state for each in page.told][-1:] == [TalkState.LISTENING]

    talking(play, scene)


def test_who_held_the_button_and_was_not_heard_to_speak_is_told(play: Play) -> None:
    async def scene(house: House) -> None:
        page = Page(house)
        page.press()
        await page.speak(1.5)
        page.let_go()
        await asyncio.sleep(NOBODY_S + 0.3)
        assert page.told[-1].words == NOBODY
        # Who speaks is not told that.
        page.press()
        now_s = house.stage.clock.now_s()
        page.mouth.mark(Phase.BEGAN, now_s, now_s + 0.3)
        await page.speak(0.5)
        page.let_go()
        await asyncio.sleep(NOBODY_S + 0.3)
        assert page.told[-1].words == ""

    talking(play, scene)
