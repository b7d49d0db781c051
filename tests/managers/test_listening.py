"""What is said becomes instructions: once, in time, told if not; and a stop whenever it comes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from msgspec.structs import replace

from framework.events import Event, EventBus, EventKind
from framework.plan.instruction import Instruction, Source
from framework.registrar import ResourceRegistrar, Supply
from framework.supervisor import Reply
from framework.transport.ring import RingWriter
from managers.listening import DOUBTED, MEANT_S, Listening
from resources.speech.own_words import OwnWords
from resources.types.sensors import AudioFeed
from resources.types.speech import (
    Phase,
    Reading,
    Speech,
    SpeechMark,
    TimedWord,
    Transcript,
    TranscriptFeed,
    TranscriptKind,
    UtteranceFeed,
    encode_mark,
    encode_transcript,
)
from resources.types.streams import StreamFormat, StreamHandle
from tests.faults.stage import Stage

T = TypeVar("T")
Play = Callable[[Any], None]
KNOWN = ("go home", "show the environment")


class Supervisor:
    """Takes what it is told; each is settled at once."""

    def __init__(self) -> None:
        self.events = EventBus()
        self.told: list[Instruction] = []
        self.answer, self.answers = "", "ann"
        self.noes: tuple[str, ...] = ()

    def tell(self, instruction: Instruction) -> Reply:
        self.told.append(instruction)
        reply = Reply()
        reply.add(Event(EventKind.HEARD, instruction.text))
        reply.settle(True)
        return reply

    def understands(self, text: str) -> bool:
        return text in KNOWN

    def may_answer(self, text: str, who: str) -> bool:
        return text == self.answer and who == self.answers

    def is_stop(self, text: str) -> bool:
        return text == "stop"

    def takes_back(self, text: str, who: str) -> bool:
        return self.is_stop(text) or text in self.noes

    async def think(self, work: Callable[[], T], /) -> T:
        await asyncio.sleep(0.01)
        return work()


class Mouth:
    """One microphone whose marks and transcripts the test writes by hand."""

    def __init__(self, stage: Stage, device: str, until_s: float | None) -> None:
        self._stage, self.device = stage, device
        self.marks = self._ring(f"utterances_{device}")
        self.transcripts = self._ring(f"transcripts_{device}")
        audio = AudioFeed(device, self._handle(device), until_s=until_s)
        feed = UtteranceFeed(audio, self._handle(f"utterances_{device}"))
        self.feed = TranscriptFeed(feed, self._handle(f"transcripts_{device}"))

    def _ring(self, name: str) -> RingWriter:
        return RingWriter(self._stage.folder, name, slot_bytes=4096, slots=16, replace=True)

    def _handle(self, name: str) -> StreamHandle:
        return StreamHandle(name, str(self._stage.folder / f"{name}.ring"), StreamFormat.REPORT)

    def mark(self, phase: Phase, began_s: float, until_s: float) -> None:
        self.marks.write(
            encode_mark(SpeechMark(phase, round(began_s * 1e3), began_s, until_s)), stamp_s=until_s
        )

    def write(
        self, kind: TranscriptKind, began_s: float, until_s: float, text: str = "", **more: Any
    ) -> None:
        words = tuple(TimedWord(each, n * 0.4, n * 0.4 + 0.2) for n, each in enumerate(text.split()))
        transcript = Transcript(kind, round(began_s * 1e3), began_s, until_s, words, **more)
        self.transcripts.write(encode_transcript(transcript), stamp_s=until_s)

    def said(self, began_s: float, until_s: float, text: str, **more: Any) -> None:
        self.mark(Phase.BEGAN, began_s, began_s + 0.3)
        self.mark(Phase.ENDED, began_s, until_s)
        self.write(TranscriptKind.WRITTEN, began_s, until_s, text, **more)

    def recogniser_anew(self) -> None:
        """Another process writes the transcripts, into a ring of its own."""
        self.transcripts = self._ring(f"transcripts_{self.device}")


class Voice:
    """The robot's own, which says one thing from one moment to another."""

    def __init__(self) -> None:
        self.words, self.from_s, self.until_s = "", 0.0, 0.0
        self.is_asking = False
        self.hushed = 0
        self.answered: list[str] = []

    def says(self, words: str, from_s: float, until_s: float) -> None:
        self.words, self.from_s, self.until_s = words, from_s, until_s

    def own_words(self, from_s: float, until_s: float) -> OwnWords | None:
        is_heard = from_s <= self.until_s and self.from_s <= until_s
        return OwnWords(self.words, self.from_s, self.until_s) if is_heard else None

    def asks(self, who: str) -> bool:
        return self.is_asking and who == "ann"

    def hush(self) -> None:
        self.hushed += 1

    def answer(self, event: Event) -> None:
        self.answered.append(event.text)


ADDRESSED = Speech(recording="said.wav", is_addressed=True)
"""All that is said there is said to the robot."""


class Talk:
    """Somebody has it listen to one mouth."""

    def __init__(self, stage: Stage, until_s: float | None = None, speech: Speech = ADDRESSED) -> None:
        self.stage = stage
        self.speech = speech
        self.supervisor = Supervisor()
        self.mouth = Mouth(stage, "mast", until_s)
        self.supply: Supply | None = None
        self.voice = Voice()
        self.heard: list[Event] = []

    async def begin(self) -> asyncio.Task[None]:
        registrar = ResourceRegistrar("speech_manager", self.stage.transport)

        @registrar.provides(Speech)
        @asynccontextmanager
        async def speech(request: Speech, supply: Supply) -> Any:
            self.supply = supply
            yield self.mouth.feed

        await self.stage.enter(registrar)
        asks = await self.stage.enter(ResourceRegistrar("supervisor", self.stage.transport))
        self.listening = listening = Listening(
            asks, self.supervisor, self.stage.clock, self.stage.clock.now_s, self.voice
        )

        self.hearing = listening.listen(self.speech, "ann")

        async def listen() -> None:
            async for event in self.hearing:
                self.heard.append(event)

        task = asyncio.create_task(listen())
        await asyncio.sleep(0.2)
        return task

    @property
    def now_s(self) -> float:
        return self.stage.clock.now_s()

    @property
    def texts(self) -> list[str]:
        return [each.text for each in self.supervisor.told]

    def refused(self) -> list[str]:
        return [each.text for each in self.heard if each.kind is EventKind.REFUSED]


def talking(
    play: Play, scene: Callable[[Talk], Coroutine[Any, Any, None]], speech: Speech = ADDRESSED
) -> None:
    async def main(stage: Stage) -> None:
        talk = Talk(stage, speech=speech)
        task = await talk.begin()
        await scene(talk)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    play(main)


def test_what_is_said_is_an_instruction_of_whoever_listens_with_its_words_and_their_times(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        began_s = talk.now_s
        talk.mouth.said(began_s, began_s + 1.0, "go home", confidence=0.95)
        await asyncio.sleep(0.2)
        (told,) = talk.supervisor.told
        assert (told.text, told.source, told.who, told.confidence) == ("go home", Source.SPEECH, "ann", 0.95)
        assert [word.word for word in told.words] == ["go", "home"]
        assert abs(told.words[1].t_s - (began_s + 0.5)) < 1e-6
        assert [event.text for event in talk.heard if event.kind is EventKind.HEARD] == ["go home"]

    talking(play, scene)


def test_what_another_recogniser_writes_again_is_not_done_again(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        began_s = talk.now_s
        talk.mouth.said(began_s, began_s + 1.0, "go home")
        await asyncio.sleep(0.2)
        talk.mouth.recogniser_anew()
        talk.mouth.write(TranscriptKind.WRITTEN, began_s, began_s + 1.0, "go home")
        await asyncio.sleep(0.2)
        assert talk.texts == ["go home"]

    talking(play, scene)


def test_of_two_who_listen_at_one_microphone_one_has_it_carried_out(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        async def listens_too() -> None:
            async for _ in talk.listening.listen(ADDRESSED, "bob"):
                pass

        other = asyncio.create_task(listens_too())
        await asyncio.sleep(0.2)
        talk.mouth.said(talk.now_s, talk.now_s + 1.0, "go home")
        await asyncio.sleep(0.3)
        assert talk.texts == ["go home"]
        other.cancel()
        await asyncio.gather(other, return_exceptions=True)

    talking(play, scene)


def test_what_was_said_before_anybody_listened_is_not_done(play: Play) -> None:
    async def main(stage: Stage) -> None:
        talk = Talk(stage)
        await asyncio.sleep(5.0)
        talk.mouth.said(1.0, 2.0, "go home")
        task = await talk.begin()
        await asyncio.sleep(0.5)
        assert talk.texts == [] and not talk.refused()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    play(main)


def test_what_is_understood_too_late_is_told_and_not_done_but_a_stop_is_never_too_late(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        began_s = talk.now_s
        await asyncio.sleep(MEANT_S + 2.0)
        talk.mouth.said(began_s, began_s + 1.0, "go home")
        talk.mouth.said(began_s + 1.1, began_s + 1.5, "stop")
        await asyncio.sleep(0.2)
        assert talk.texts == ["stop"]
        assert talk.refused() == ['I understood it too late, and have not done it: "go home". Say it again.']

    talking(play, scene)


def test_the_first_reading_that_can_be_said_here_is_taken_and_is_doubted(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        began_s = talk.now_s
        others = ("go gnome", "go home", "show the environment")
        talk.mouth.said(began_s, began_s + 1.0, "goat foam", others=others, confidence=0.99)
        await asyncio.sleep(0.2)
        (told,) = talk.supervisor.told
        assert (told.text, told.confidence, told.words) == ("go home", DOUBTED, ())

    talking(play, scene)


def test_where_no_reading_can_be_said_here_the_likeliest_is_told_to_the_supervisor(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        began_s = talk.now_s
        talk.mouth.said(began_s, began_s + 1.0, "goat foam", others=("go gnome",), confidence=0.5)
        await asyncio.sleep(0.2)
        assert [(each.text, each.confidence) for each in talk.supervisor.told] == [("goat foam", 0.5)]

    talking(play, scene)


def test_nothing_is_lost_in_silence(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        began_s = talk.now_s
        talk.mouth.write(TranscriptKind.LOST, began_s, began_s + 1.0, why="sound is missing from it")
        talk.mouth.said(began_s + 2.0, began_s + 3.0, "")
        await asyncio.sleep(0.2)
        assert talk.refused() == [
            "What you said just now was not understood: sound is missing from it. Say it again.",
            "I heard somebody speak, and no words that I know.",
        ]

    talking(play, scene)


def test_how_far_it_is_understood_is_shown_and_is_no_instruction(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        began_s = talk.now_s
        talk.mouth.write(TranscriptKind.PARTIAL, began_s, began_s + 0.5, partial="go")
        await asyncio.sleep(0.2)
        assert [each.text for each in talk.heard if each.kind is EventKind.HEARING][1:] == ["go"]
        assert talk.texts == []

    talking(play, scene)


def test_who_spoke_into_a_microphone_that_is_replaced_is_told_and_the_new_one_is_heard(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        began_s = talk.now_s
        talk.mouth.mark(Phase.BEGAN, began_s, began_s + 0.3)
        await asyncio.sleep(0.2)
        talk.mouth = Mouth(talk.stage, "phone", None)
        assert talk.supply is not None
        talk.supply.update(talk.mouth.feed, "it is heard by phone now")
        await asyncio.sleep(0.2)
        assert len(talk.refused()) == 1 and "its microphone is not heard any more" in talk.refused()[0]
        talk.mouth.said(talk.now_s, talk.now_s + 1.0, "go home")
        await asyncio.sleep(0.2)
        assert talk.texts == ["go home"]

    talking(play, scene)


def test_garbage_in_the_streams_is_passed_over(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        for ring in (talk.mouth.marks, talk.mouth.transcripts):
            ring.write(b"\xc1nonsense", stamp_s=talk.now_s)
        talk.mouth.said(talk.now_s, talk.now_s + 1.0, "go home")
        await asyncio.sleep(0.2)
        assert talk.texts == ["go home"]

    talking(play, scene)


def test_a_recording_is_over_when_all_of_it_is_judged_and_written_down(play: Play) -> None:
    async def main(stage: Stage) -> None:
        talk = Talk(stage, until_s=stage.clock.now_s() + 3.0)
        task = await talk.begin()
        began_s = talk.now_s
        talk.mouth.mark(Phase.BEGAN, began_s, began_s + 0.3)
        talk.mouth.mark(Phase.PROGRESS, began_s + 9.0, began_s + 9.0)
        await asyncio.sleep(1.0)
        assert not task.done() and not talk.hearing.succeeded  # what was begun is not written down yet
        talk.mouth.write(TranscriptKind.WRITTEN, began_s, began_s + 1.0, "go home")
        await asyncio.sleep(0.5)
        assert task.done() and talk.texts == ["go home"] and talk.hearing.succeeded

    play(main)


def test_what_both_recognisers_heard_is_said_and_what_else_it_may_have_been_goes_with_it(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        both = Reading("go home", 0.02, 0.0, cost=1.0, is_of_both=True)
        for first, others in ((both, ()), (replace(both, is_of_both=False), ("show the environment",))):
            other = Reading("show the environment", 0.06, 0.03, cost=2.0)
            readings = (Reading("gohome", 0.0, 0.02), first, other, Reading("go on", 0.7, 0.7, cost=90.0))
            talk.mouth.said(
                talk.now_s, talk.now_s + 1.0, "gohome", confidence=1.0, readings=readings, heard="gohome"
            )
            await asyncio.sleep(2.0)
            told = talk.supervisor.told[-1]
            assert (told.text, told.alternatives) == ("go home", others)
            assert (told.confidence == 0.98) is not bool(others)

    talking(play, scene)


def test_what_is_said_beside_the_robot_is_not_for_it_and_whoever_speaks_is_told(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        readings = (Reading("order a taxi", 0.0, 0.5), Reading("go home", 0.6, 0.0, unlike=5.0))
        talk.mouth.said(talk.now_s, talk.now_s + 1.0, "order a taxi", readings=readings, heard="order a taxi")
        await asyncio.sleep(0.3)
        assert talk.texts == []
        assert talk.refused() == ['I heard "order a taxi", and that is nothing that I can do.']

    talking(play, scene)


def test_what_answers_an_open_question_counts_although_it_is_no_instruction(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        said, readings = "the shelf one", (Reading("the shelf one", 0.0, 0.0, is_of_both=True),)
        for _ in range(2):
            await asyncio.sleep(2.0)
            talk.mouth.said(talk.now_s, talk.now_s + 1.0, said, readings=readings, heard=said)
            await asyncio.sleep(0.3)
            talk.supervisor.answer = said
        assert talk.texts == [said]
        assert len(talk.refused()) == 1

    talking(play, scene)


def test_a_stop_counts_whichever_recogniser_heard_it(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        for readings in (
            (Reading("top", 0.0, 0.3), Reading("stop", 0.4, 0.0)),
            (Reading("go home", 0.3, 0.0), Reading("stop", 0.0, 0.6)),
        ):
            await asyncio.sleep(2.0)
            likeliest = readings[0].text
            talk.mouth.said(talk.now_s, talk.now_s + 1.0, likeliest, readings=readings, heard=likeliest)
        await asyncio.sleep(0.3)
        assert talk.texts == ["stop", "stop"]

    talking(play, scene)


OWN = "Say yes if the way is clear"


async def said_meanwhile(talk: Talk, text: str, **more: Any) -> None:
    """Somebody says this while the robot speaks."""
    began_s = talk.now_s
    talk.voice.says(OWN, began_s - 1.0, began_s + 0.5)
    talk.mouth.said(began_s, began_s + 1.0, text, confidence=0.99, **more)
    await asyncio.sleep(0.2)


def test_what_comes_of_what_was_said_is_answered_aloud(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        talk.mouth.said(talk.now_s, talk.now_s + 1.0, "go home")
        talk.mouth.said(talk.now_s + 2.0, talk.now_s + 3.0, "")
        await asyncio.sleep(0.2)
        talk.mouth.write(TranscriptKind.LOST, talk.now_s, talk.now_s + 1.0, why="it was too long")
        await asyncio.sleep(0.2)
        lost = "What you said just now was not understood: it was too long. Say it again."
        assert talk.voice.answered == ["go home", lost]

    talking(play, scene)


def test_what_is_heard_while_the_robot_speaks_begins_nothing_and_confirms_nothing(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        talk.voice.is_asking = True
        for text in ("yes", "go home", "say yes if the way is clear", "carry on", "number one", ""):
            await said_meanwhile(talk, text)
            await asyncio.sleep(2.0)
        assert talk.texts == [] and talk.voice.hushed == 0
        # Nothing of it is answered aloud: the robot would hear that, and go on for ever.
        assert [text.split('"')[1] for text in talk.refused()] == ["go home", "carry on", "number one"]
        assert talk.voice.answered == []
        talk.mouth.said(talk.now_s, talk.now_s + 1.0, "go home")
        await asyncio.sleep(0.2)
        assert talk.texts == ["go home"]

    talking(play, scene)


def test_what_has_the_length_of_its_own_words_are_its_own_however_they_were_heard(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        began_s = talk.now_s
        talk.voice.says(OWN, began_s + 0.3, began_s + 2.0)
        talk.mouth.said(began_s, began_s + 2.4, "open the gripper")
        await asyncio.sleep(0.2)
        assert talk.texts == talk.refused() == []

    talking(play, scene)


def test_a_stop_while_the_robot_speaks_silences_it_and_stops(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        await said_meanwhile(talk, "the way stop is clear")
        assert talk.texts == ["stop"] and talk.voice.hushed == 1
        assert talk.voice.answered == []

    talking(play, scene)


def test_it_is_silent_before_the_sentence_is_over_in_which_somebody_says_stop(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        began_s = talk.now_s
        talk.voice.says(OWN, began_s - 1.0, began_s + 9.0)
        talk.mouth.write(TranscriptKind.PARTIAL, began_s, began_s + 0.5, partial="if the way")
        await asyncio.sleep(0.2)
        assert talk.voice.hushed == 0
        talk.mouth.write(TranscriptKind.PARTIAL, began_s, began_s + 1.0, partial="if the way stop")
        await asyncio.sleep(0.2)
        assert talk.voice.hushed == 1 and talk.texts == []
        shown = [each.text for each in talk.heard if each.kind is EventKind.HEARING]
        assert len(shown) == 1  # its own words are nobody's hypothesis

    talking(play, scene)


def test_a_no_while_the_robot_asks_answers_it_and_otherwise_only_silences_it(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        await said_meanwhile(talk, "no")
        assert talk.texts == [] and talk.voice.hushed == 1
        talk.voice.is_asking = True
        await asyncio.sleep(2.0)
        await said_meanwhile(talk, "no")
        assert talk.texts == ["no"] and talk.voice.hushed == 2

    talking(play, scene)


def test_what_is_lost_while_the_robot_speaks_is_told_and_not_aloud(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        began_s = talk.now_s
        talk.voice.says(OWN, began_s, began_s + 0.5)
        talk.mouth.write(TranscriptKind.LOST, began_s, began_s + 1.0, why="it was too long")
        await asyncio.sleep(0.2)
        assert len(talk.refused()) == 1 and talk.voice.answered == []

    talking(play, scene)


def test_a_stop_waits_for_no_thought_and_what_was_thought_about_for_too_long_is_not_done(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        thought = asyncio.Event()

        async def think(work: Callable[[], Any], /) -> Any:
            await thought.wait()
            return work()

        talk.supervisor.think = think  # type: ignore[method-assign]
        began_s = talk.now_s
        talk.mouth.said(began_s, began_s + 1.0, "go home", others=("go on",), confidence=0.95)
        await asyncio.sleep(1.5)
        talk.mouth.said(began_s + 1.2, began_s + 1.6, "stop")
        await asyncio.sleep(0.3)
        assert talk.texts == ["stop"]
        await asyncio.sleep(MEANT_S)
        thought.set()
        await asyncio.sleep(0.3)
        assert talk.texts == ["stop"]
        assert "too late" in talk.refused()[-1]

    talking(play, scene)


def test_a_sentence_that_breaks_the_language_ends_the_listening_to_no_other_one(play: Play) -> None:
    async def scene(talk: Talk) -> None:
        async def think(work: Callable[[], Any], /) -> Any:
            raise ZeroDivisionError

        before, talk.supervisor.think = talk.supervisor.think, think  # type: ignore[method-assign]
        talk.mouth.said(talk.now_s, talk.now_s + 1.0, "go home", others=("go on",))
        await asyncio.sleep(2.0)
        assert "ZeroDivisionError" in talk.refused()[-1]
        talk.supervisor.think = before  # type: ignore[method-assign]
        talk.mouth.said(talk.now_s, talk.now_s + 1.0, "go home", others=("go on",))
        await asyncio.sleep(0.3)
        assert talk.texts == ["go home"]

    talking(play, scene)
