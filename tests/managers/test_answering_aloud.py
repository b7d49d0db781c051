"""What is said aloud, by which loudspeaker, and what the robot knows of its own words."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import pytest

from framework.events import Event, EventBus, EventKind
from framework.status import Severity
from framework.supervisor import Question
from framework.transport.every_sample import EverySample
from framework.transport.ring import RingWriter
from managers.answering_aloud import AnsweringAloud
from managers.said_aloud import EMERGENCY
from resources.speech.own_words import ROOM_S, OwnWords
from resources.types.streams import StreamFormat, StreamHandle
from resources.types.voice import (
    Hush,
    LeaveOut,
    LoudspeakerFeed,
    Say,
    SayOrder,
    Spoken,
    SpokenPhase,
    Urgency,
    decode_say_order,
    encode_spoken,
)
from tests.faults.stage import Stage

Play = Callable[[Any], None]


class Supervisor:
    """Says what happens; its questions are the test's."""

    def __init__(self) -> None:
        self.events = EventBus()
        self.questions: tuple[Question, ...] = ()
        self.stops = 0

    def asks(self, text: str, who: str = "ann") -> Event:
        question = Question(text, who)
        question.id = f"q{len(self.questions) + 1}"
        self.questions += (question,)
        return Event(EventKind.ASKED, question.full_text, who=who, data=question.data)


class Held:
    """A lease as its holder sees it."""

    def __init__(self, feed: LoudspeakerFeed) -> None:
        self.value = feed
        self.severity = Severity.OK

    @property
    def status(self) -> Self:
        return self


class Loudspeaker:
    """One whose words the test tells by hand."""

    def __init__(self, folder: Path, device: str) -> None:
        self.ring = RingWriter(folder, f"spoken_{device}", slot_bytes=4096, slots=16)
        stream = StreamHandle(device, str(self.ring.path), StreamFormat.REPORT)
        self.feed = LoudspeakerFeed(device, stream)

    def tell(self, phase: SpokenPhase, said: Say, from_s: float, until_s: float, why: str = "") -> None:
        spoken = Spoken(phase, said.number, said.words, from_s, until_s, why)
        self.ring.write(encode_spoken(spoken), stamp_s=from_s)


class Scene:
    """A voice with one loudspeaker, and what was written for it."""

    def __init__(self, stage: Stage, voice: AnsweringAloud, supervisor: Supervisor) -> None:
        self.stage, self.voice, self.supervisor = stage, voice, supervisor
        self.loudspeaker = Loudspeaker(stage.folder, "mast")
        self.lease = Held(self.loudspeaker.feed)
        self._orders = EverySample(stage.folder / "answers.ring")

    @property
    def now_s(self) -> float:
        return self.stage.clock.now_s()

    def orders(self) -> list[SayOrder]:
        """Since the last look."""
        return [decode_say_order(sample.payload) for sample in self._orders.news()]

    def said(self) -> Say:
        (order,) = self.orders()
        assert isinstance(order, Say)
        return order

    def close(self) -> None:
        self._orders.close()
        self.loudspeaker.ring.close()


@pytest.fixture
def speaking(play: Play) -> Callable[[Any], None]:
    def run(scene: Any) -> None:
        async def main(stage: Stage) -> None:
            supervisor = Supervisor()
            with AnsweringAloud(stage.folder, supervisor, stage.clock, stage.clock.now_s) as voice:
                on = Scene(stage, voice, supervisor)
                lease: Any = on.lease
                holding = asyncio.create_task(voice.speak_by(lease))
                await asyncio.sleep(0.2)
                await scene(on)
                holding.cancel()
                await asyncio.gather(holding, return_exceptions=True)
                on.close()
            assert not list(stage.folder.glob("answers*"))

        play(main)

    return run


def test_what_comes_of_what_was_said_is_said_in_words_for_ears(speaking: Play) -> None:
    async def scene(on: Scene) -> None:
        on.voice.answer(Event(EventKind.ENDED, "Done: move up 5 cm."))
        assert on.said() == Say(1, "Done: move up five centimetres.", Urgency.ANSWER)
        on.voice.answer(on.supervisor.asks("Shall I go home?"))
        assert on.said() == Say(2, "Shall I go home?", Urgency.QUESTION)
        on.voice.answer(Event(EventKind.CANCELLED, "I stop: go home."))
        assert on.said() == Say(3, "I end: go home.", Urgency.URGENT)
        for kind in (EventKind.HEARD, EventKind.DOING, EventKind.STARTED, EventKind.HEARING):
            on.voice.answer(Event(kind, "go home"))
        on.voice.answer(Event(EventKind.ENDED, "Done.", aside=True))
        on.voice.answer(Event(EventKind.ENDED, "…"))
        assert on.orders() == []

    speaking(scene)


def test_of_what_happens_an_emergency_and_what_it_was_told_to_say_are_said(speaking: Play) -> None:
    async def scene(on: Scene) -> None:
        events = on.supervisor.events
        events.emit(EventKind.ENDED, "Done: go home.")
        events.emit(EventKind.DOING, "half of it", action="move")
        assert on.orders() == []
        hello = events.emit(EventKind.ANSWERED, "hello Ann", action="say")
        assert on.said() == Say(1, "hello Ann", Urgency.ANSWER)
        on.voice.answer(hello)  # whoever asked for it by voice hears it once
        events.emit(EventKind.EMERGENCY, "EMERGENCY STOP: by ann. Nothing moves until it is reset.")
        assert on.said() == Say(2, EMERGENCY, Urgency.URGENT)

    speaking(scene)


def test_a_stop_by_anybody_cuts_what_is_said(speaking: Play) -> None:
    async def scene(on: Scene) -> None:
        on.voice.answer(Event(EventKind.ANSWERED, "This is a long story."))
        on.orders()
        on.supervisor.stops += 1
        on.supervisor.events.emit(EventKind.CANCELLED, "I stop: go home.")
        assert on.orders() == [Hush(1)]

    speaking(scene)


def test_a_question_that_is_answered_is_not_asked_any_more(speaking: Play) -> None:
    async def scene(on: Scene) -> None:
        on.voice.answer(on.supervisor.asks("Shall I go home?"))
        await asyncio.sleep(0.5)
        assert on.said().urgency is Urgency.QUESTION
        assert on.voice.asks("ann") and not on.voice.asks("bob")
        on.supervisor.questions = ()
        await asyncio.sleep(0.2)
        assert on.orders() == [LeaveOut(1)]

    speaking(scene)


def test_its_own_words_are_known_from_their_beginning_to_the_end_of_the_echo(speaking: Play) -> None:
    async def scene(on: Scene) -> None:
        on.voice.answer(Event(EventKind.ENDED, "Done: go home."))
        said, from_s = on.said(), on.now_s
        until_s = from_s + 2.0
        assert on.voice.own_words(from_s, until_s) is None
        on.loudspeaker.tell(SpokenPhase.BEGINS, said, from_s, until_s)
        own = on.voice.own_words  # at once: nobody waits for a look
        spoken = OwnWords(said.words, from_s, until_s)
        assert own(from_s - 1.0, from_s + 0.1) == own(until_s + ROOM_S - 0.1, until_s + 3.0) == spoken
        assert own(from_s - 1.0, from_s - 0.1) is own(until_s + ROOM_S + 0.1, until_s + 3.0) is None
        on.loudspeaker.tell(SpokenPhase.CUT, said, from_s, from_s + 1.0, "it was taken back")
        assert own(from_s + 1.0 + ROOM_S + 0.1, until_s) is None

    speaking(scene)


def test_a_question_that_is_asked_again_was_heard_both_times(speaking: Play) -> None:
    async def scene(on: Scene) -> None:
        on.voice.answer(on.supervisor.asks("Shall I go home?"))
        said, first_s = on.said(), on.now_s
        on.loudspeaker.tell(SpokenPhase.BEGINS, said, first_s, first_s + 2.0)
        on.loudspeaker.tell(SpokenPhase.CUT, said, first_s, first_s + 1.0)
        on.loudspeaker.tell(SpokenPhase.BEGINS, said, first_s + 5.0, first_s + 7.0)
        own = on.voice.own_words
        assert own(first_s, first_s + 0.5) is not None and own(first_s + 6.0, first_s + 6.5) is not None
        assert own(first_s + 2.0, first_s + 4.0) is None

    speaking(scene)


def test_what_a_loudspeaker_could_not_say_the_next_one_says(speaking: Play) -> None:
    async def scene(on: Scene) -> None:
        on.voice.answer(Event(EventKind.ENDED, "Done: one."))
        on.voice.answer(Event(EventKind.ENDED, "Done: two."))
        one, two = on.orders()
        assert isinstance(one, Say) and isinstance(two, Say)
        on.loudspeaker.tell(SpokenPhase.ENDED, one, on.now_s, on.now_s + 1.0)
        on.loudspeaker.tell(SpokenPhase.BEGINS, two, on.now_s, on.now_s + 1.0)
        on.lease.value = Loudspeaker(on.stage.folder, "head").feed
        await asyncio.sleep(0.2)
        assert on.orders() == [two]
        own = on.voice.own_words(on.now_s, on.now_s)
        assert own is not None and own.words == f"{one.words} {two.words}"

    speaking(scene)


def test_old_answers_are_not_said_by_a_loudspeaker_that_comes_late_but_open_questions_are(
    play: Play,
) -> None:
    async def main(stage: Stage) -> None:
        supervisor = Supervisor()
        with AnsweringAloud(stage.folder, supervisor, stage.clock, stage.clock.now_s) as voice:
            on = Scene(stage, voice, supervisor)
            voice.answer(Event(EventKind.ENDED, "Done: one."))
            voice.answer(supervisor.asks("Shall I go home?"))
            _, asked = on.orders()
            await asyncio.sleep(20.0)
            lease: Any = on.lease
            holding = asyncio.create_task(voice.speak_by(lease))
            await asyncio.sleep(0.2)
            assert on.orders() == [asked]
            on.lease.severity = Severity.FATAL
            await asyncio.wait_for(holding, 1.0)
            on.close()

    play(main)


def test_a_robot_without_a_loudspeaker_says_nothing(play: Play) -> None:
    async def main(stage: Stage) -> None:
        supervisor = Supervisor()
        with AnsweringAloud(
            stage.folder, supervisor, stage.clock, stage.clock.now_s, is_there=False
        ) as voice:
            voice.answer(Event(EventKind.ENDED, "Done: one."))
            voice.hush()
            assert voice.own_words(0.0, 1e9) is None
            assert not list(stage.folder.glob("answers*"))

    play(main)


def test_garbage_of_a_loudspeaker_is_passed_over(speaking: Play) -> None:
    async def scene(on: Scene) -> None:
        on.loudspeaker.ring.write(b"\xc1nonsense", stamp_s=on.now_s)
        on.loudspeaker.tell(SpokenPhase.BEGINS, Say(1, "hello"), on.now_s, on.now_s + 1.0)
        own = on.voice.own_words(on.now_s, on.now_s)
        assert own is not None and own.words == "hello"

    speaking(scene)
