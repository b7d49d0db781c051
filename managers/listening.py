"""What is said becomes instructions: transcripts → the supervisor, for as long as somebody has it listen.

Nothing that was said is carried out twice, whichever recogniser writes it again; nothing is carried out long
after it was said; and nothing is lost in silence: whoever spoke is told what was not understood in time.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from framework.clock import Clock
from framework.errors import StreamError
from framework.events import Event, EventKind
from framework.plan.instruction import Instruction, Pointing, Source, SpokenWord
from framework.registrar import Lease, ResourceRegistrar
from framework.status import Severity, Status
from framework.supervisor import EventBus, Reply
from framework.transport.every_sample import EverySample
from framework.transport.ring import Sample
from framework.unreadable import UNREADABLE
from managers.speech_manager import SPEECH_WITHIN_S
from resources.robots.description import SpeechDescription
from resources.speech.agreeing import agreed
from resources.speech.own_words import OwnWords, WhileSpeaking, heard_while_speaking
from resources.types.speech import (
    Phase,
    Speech,
    Transcript,
    TranscriptFeed,
    TranscriptKind,
    decode_mark,
    decode_transcript,
)

log = logging.getLogger("pilothouse.speech")

LOOK_S: Final = 0.05
"""So often it is looked for what was said [s]."""

MEANT_S: Final = 6.0
"""What somebody said is carried out within so long after its end, or not at all [s]: they wait no longer."""

ATTENDS_S: Final = 8.0
"""So long after the wake phrase alone whoever said it may begin to say what they want [s]."""

DOUBTED: Final = 0.8
"""The confidence in a reading that is not the likeliest one, but the first that can be said here."""

_TAKEN: Final = 200  # utterances that are remembered; those of the last minutes are enough

T = TypeVar("T")


class Listens(Protocol):
    """Of the supervisor, what listening needs."""

    events: EventBus

    def tell(self, instruction: Instruction) -> Reply: ...

    def understands(self, text: str) -> bool: ...

    def may_answer(self, text: str, who: str) -> bool: ...

    def is_stop(self, text: str) -> bool: ...

    def takes_back(self, text: str, who: str) -> bool: ...

    async def think(self, work: Callable[[], T], /) -> T: ...


class OwnVoice(Protocol):
    """Of the robot's own voice, what listening needs."""

    def own_words(self, from_s: float, until_s: float) -> OwnWords | None: ...

    def asks(self, who: str) -> bool: ...

    def hush(self) -> None: ...

    def answer(self, event: Event) -> None: ...


class Listening:
    """Has what is said carried out.

    Args:
        registrar: asks for `Speech`.
        supervisor: is told what was said.
        monotonic_s: reads CLOCK_MONOTONIC, with which sound is stamped.
        voice: says aloud what comes of what was said, and knows what of it can be heard; None: nobody does.
        wake: the phrase by which an open microphone of the robot is addressed.
    """

    def __init__(
        self,
        registrar: ResourceRegistrar,
        supervisor: Listens,
        clock: Clock,
        monotonic_s: Callable[[], float],
        voice: OwnVoice | None = None,
        wake: str = SpeechDescription().wake,
    ) -> None:
        self.registrar = registrar
        self.supervisor = supervisor
        self.clock = clock
        self.monotonic_s = monotonic_s
        self.voice = voice
        self.wake = wake
        self._taken: deque[tuple[str, int]] = deque(maxlen=_TAKEN)

    def takes(self, device: str, utterance: int) -> bool:
        """Whether nobody has had this one carried out yet: two may listen at one microphone."""
        is_new = (device, utterance) not in self._taken
        self._taken.append((device, utterance))
        return is_new

    def listen(
        self, speech: Speech, who: str, pointing: Callable[[], tuple[Pointing, ...]] = tuple
    ) -> Hearing:
        """Begins when somebody reads it. pointing: what whoever speaks has pointed at lately, and when."""
        return Hearing(self, speech, who, pointing)


class Hearing:
    """What is said while somebody listens, from now on, and what comes of it: read once, as a `Reply`.

    Until a recording has ended and all that was said in it is over or stands; else for ever. Gives how far is
    understood what is being said (HEARING), and the events of all instructions. Raises a PilothouseError if
    nothing can be heard. Leaving it ends no instruction.

    Where the wake phrase is needed (`Speech.needs_wake`), what is said without it is nobody's: it is neither
    done nor shown nor kept. What stops or says no counts all the same; an answer needs the phrase as well,
    since nobody knows to whom it was said.
    """

    plan = ""

    def __init__(
        self, of: Listening, speech: Speech, who: str, pointing: Callable[[], tuple[Pointing, ...]]
    ) -> None:
        self._of = of
        self._speech = speech
        self._who = who
        self._pointing = pointing
        self._since_s = of.monotonic_s()
        self._coming: asyncio.Queue[Event | None] = asyncio.Queue()
        self._following: set[asyncio.Task[None]] = set()
        self._thinking: asyncio.Task[None] | None = None
        self._begun: dict[int, str] = {}  # the words so far
        self._done: deque[int] = deque(maxlen=_TAKEN)
        self._meant: deque[int] = deque(maxlen=_TAKEN)
        self._attends_until_s = float("-inf")
        self._device = ""
        self._is_anothers = False
        self._last: Reply | None = None
        self.is_open = False
        """Whether a recogniser listens by now: what is said is shown as it is said."""

    @property
    def is_spoken_to(self) -> bool:
        """Whether somebody speaks, or has spoken and it is not written down yet."""
        return bool(self._begun)

    @property
    def succeeded(self) -> bool:
        """Whether the last instruction was done, or stands."""
        return self._last is not None and bool(self._last.succeeded)

    async def __aiter__(self) -> AsyncIterator[Event]:
        starts = (
            "The recogniser starts; the first time that takes half a minute. Nothing said meanwhile is lost."
        )
        yield self.hearing(f'{starts} Say "{self._of.wake}" first.' if self._speech.needs_wake else starts)
        work = asyncio.create_task(self._run(), name=f"listening for {self._who}")
        try:
            while (event := await self._coming.get()) is not None:
                yield event
            await work
        finally:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
            for task in self._following:
                task.cancel()

    def hearing(self, text: str) -> Event:
        """How far it is understood what is being said."""
        return Event(EventKind.HEARING, text, who=self._who, t_s=self._of.clock.now_s())

    async def _run(self) -> None:
        """Raises PilothouseError if nothing can be heard, or not any more."""
        who = self._who or "somebody who listens"
        try:
            async with self._of.registrar.request(self._speech, who=who, timeout_s=SPEECH_WITHIN_S) as lease:
                attending = asyncio.create_task(
                    self._attend(lease.statuses()), name=f"how well {who} is heard"
                )
                try:
                    while not await self._read(lease):
                        pass
                finally:
                    attending.cancel()
                    await asyncio.gather(attending, return_exceptions=True)
            while self._following:
                await asyncio.wait(tuple(self._following))
        finally:
            self._coming.put_nowait(None)

    async def _attend(self, statuses: AsyncIterator[Status]) -> None:
        """What becomes of the microphone is told to everybody: who speaks may be another than who listens."""
        async for status in statuses:
            if status.severity in (Severity.UPDATE, Severity.WARNING) and status.message:
                words = f"Listening: {status.message}."
                self._coming.put_nowait(self._of.supervisor.events.emit(EventKind.DEVICE, words))

    async def _read(self, lease: Lease) -> bool:
        """Until another microphone is heard, or (True) a recording has ended and is written down."""
        feed: TranscriptFeed = lease.value
        self._device = feed.utterances.audio.device
        # A page's talks are its own instructions, also while they stand in for the robot's microphone.
        self._is_anothers = self._speech.page is None and feed.is_page
        marks = EverySample(Path(feed.utterances.marks.ring))
        transcripts = EverySample(Path(feed.transcripts.ring))
        end_s, judged_s = feed.utterances.audio.until_s, 0.0
        self.is_open = True
        try:
            while lease.value is feed:
                with suppress(StreamError):  # of a process that has just died; the lease will tell
                    for sample in marks.news():
                        judged_s = self._marked(sample, judged_s)
                    for sample in transcripts.news():
                        await self._written(sample)
                if end_s is not None and judged_s >= end_s and not self._begun:
                    return True
                await self._of.clock.sleep(LOOK_S)
        finally:
            marks.close()
            transcripts.close()
            for utterance in tuple(self._begun):
                self._lost(utterance, "its microphone is not heard any more", is_heard_out=False)
        return False

    def _marked(self, sample: Sample, judged_s: float) -> float:
        """Take in one mark. Up to where nobody speaks."""
        with suppress(*UNREADABLE):
            mark = decode_mark(sample.payload)
            if mark.phase is Phase.PROGRESS:
                return mark.began_s  # where somebody speaks now, that is where they began
            if mark.until_s > self._since_s and mark.utterance not in self._done:
                self._begun.setdefault(mark.utterance, "")
        return judged_s

    async def _written(self, sample: Sample) -> None:
        try:
            transcript = decode_transcript(sample.payload)
        except UNREADABLE:
            return
        utterance = transcript.utterance
        if transcript.until_s <= self._since_s or utterance in self._done:
            return
        match transcript.kind:
            case TranscriptKind.PARTIAL:
                if utterance in self._begun:
                    self._begun[utterance] = transcript.partial
                is_meant = self._is_meant(transcript)
                if (
                    not self._is_own(transcript)
                    and is_meant
                    and (transcript.partial or not transcript.is_woken)
                ):
                    self._coming.put_nowait(self.hearing(transcript.partial))
            case TranscriptKind.LOST:
                self._is_meant(transcript)
                is_aloud = not self._is_spoken_over(transcript)
                self._lost(utterance, transcript.why, is_aloud=is_aloud, is_heard_out=not transcript.is_cut)
            case TranscriptKind.WRITTEN:
                self._done.append(utterance)
                self._begun.pop(utterance, None)
                if self._is_anothers:
                    return
                if self._is_own(transcript):
                    return
                if self._is_for_us(transcript) and self._of.takes(self._device, utterance):
                    self._hear(transcript)
            case TranscriptKind.TRIED:
                pass

    def _is_meant(self, transcript: Transcript) -> bool:
        """Whether whoever speaks speaks to the robot, as far as the wake phrase tells."""
        is_attended = transcript.began_s <= self._attends_until_s
        if not self._speech.needs_wake or self._is_anothers or transcript.is_woken or is_attended:
            self._meant.append(transcript.utterance)
        return transcript.utterance in self._meant

    def _is_for_us(self, transcript: Transcript) -> bool:
        """Whether it counts for whoever listens here: another one may be asked what this one is not."""
        return self._is_meant(transcript) or bool(self._taken_back(transcript))

    def _taken_back(self, transcript: Transcript) -> str:
        """The words in it that stop, or say no to what is done or asked; "" if there are none."""
        supervisor = self._of.supervisor
        ways = tuple(_heard_as(transcript))
        stops = (text for text in ways if supervisor.is_stop(text))
        return next(stops, "") or next((text for text in ways if supervisor.takes_back(text, self._who)), "")

    def _is_spoken_over(self, transcript: Transcript) -> bool:
        """Whether the robot spoke meanwhile."""
        voice = self._of.voice
        return voice is not None and voice.own_words(transcript.began_s, transcript.until_s) is not None

    def _is_own(self, transcript: Transcript) -> bool:
        """Whether the robot spoke meanwhile; if so, what is to be done about it is done.

        Nothing of that is answered aloud: the robot would hear its answer, and answer that.
        """
        voice = self._of.voice
        own = voice.own_words(transcript.began_s, transcript.until_s) if voice is not None else None
        if voice is None or own is None:
            return False
        is_over = transcript.kind is TranscriptKind.WRITTEN
        texts = (*_heard_as(transcript), transcript.heard) if is_over else (transcript.partial,)
        # A page may be where nobody hears the robot: its talks are not judged by their length.
        is_all_own = self._speech.page is None and own.is_all_of(transcript.began_s, transcript.until_s)
        is_stop = self._of.supervisor.is_stop
        what, words = heard_while_speaking(texts, own.words, is_stop, is_all_own=is_all_own)
        if what in (WhileSpeaking.STOP, WhileSpeaking.NO):
            voice.hush()
        if not is_over:
            return True
        log.info("heard while speaking: %s", what)
        is_ours = what is WhileSpeaking.STOP or (what is WhileSpeaking.NO and voice.asks(self._who))
        is_unclear = what is WhileSpeaking.UNCLEAR and self._is_meant(transcript)
        if not (is_ours or is_unclear) or not self._of.takes(self._device, transcript.utterance):
            return True
        if is_ours:
            self._tell(words, transcript.confidence, transcript, is_aloud=False)
        else:
            self._not_done(f'I was talking, and have not done it: "{words}". Say it again.', is_aloud=False)
        return True

    def _hear(self, transcript: Transcript) -> None:
        """A stop at once, whichever recogniser heard it; all else after what was said before.

        Of what was said to nobody only the words that take something back are told.
        """
        stop = next(filter(self._of.supervisor.is_stop, _heard_as(transcript)), "")
        if words := stop or ("" if self._is_meant(transcript) else self._taken_back(transcript)):
            self._tell(words, transcript.confidence, transcript)
            return
        self._attends_until_s = float("-inf")
        if transcript.is_woken and not transcript.text:
            self._attends_until_s = transcript.until_s + ATTENDS_S
            self._coming.put_nowait(self.hearing("Yes?"))
            return
        work = self._in_order(self._thinking, transcript)
        self._thinking = self._follows(work, f"understanding what {self._who} said")

    def _follows(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        task = asyncio.create_task(work, name=name)
        self._following.add(task)
        task.add_done_callback(self._following.discard)
        return task

    async def _in_order(self, before: asyncio.Task[None] | None, transcript: Transcript) -> None:
        if before is not None:
            await asyncio.wait((before,))
        try:
            await self._said(transcript)
        except Exception as error:  # one sentence must not end the listening to all
            log.exception("understanding %r", transcript.text)
            name = type(error).__name__
            self._not_done(f"That could not be understood: an error in the program ({name}), see the log.")

    async def _said(self, transcript: Transcript) -> None:
        supervisor, text = self._of.supervisor, transcript.text
        if not text:
            # Not aloud: where people talk, or something hums, the robot would never be silent.
            self._not_done("I heard somebody speak, and no words that I know.", is_aloud=False)
            return
        if self._is_late(transcript):
            return
        sure = transcript.confidence
        others: tuple[str, ...] = ()
        understands = self._understands((text, *transcript.others))
        if transcript.readings:
            taken = await supervisor.think(partial(agreed, transcript.readings, understands))
            if taken is None:
                self._not_done(f'I heard "{transcript.heard}", and that is nothing that I can do.')
                return
            text, sure, others = taken.text, taken.confidence, taken.others
        elif transcript.others:
            ways = (text, *transcript.others)
            first = await supervisor.think(partial(_first, ways, understands))
            if first:
                text, sure = ways[first], min(sure, DOUBTED)
        if not self._is_late(transcript):  # others may have had the language in between
            self._tell(text, sure, transcript, others)

    def _is_late(self, transcript: Transcript) -> bool:
        """Whether it was said too long ago to be done; then that is told."""
        is_late = self._of.monotonic_s() - transcript.until_s > MEANT_S
        if is_late:
            text = transcript.text
            self._not_done(f'I understood it too late, and have not done it: "{text}". Say it again.')
        return is_late

    def _understands(self, ways: Sequence[str]) -> Callable[[str], bool]:
        """Whether one of these means anything here, to be thought; what it may answer is looked up now."""
        supervisor = self._of.supervisor
        answers = {text for text in ways if supervisor.may_answer(text, self._who)}
        return lambda text: text in answers or supervisor.understands(text)

    def _tell(
        self,
        text: str,
        sure: float,
        transcript: Transcript,
        others: tuple[str, ...] = (),
        *,
        is_aloud: bool = True,
    ) -> None:
        """To the supervisor; what comes of it is followed."""
        behind_s = self._of.clock.now_s() - self._of.monotonic_s()
        words = tuple(
            SpokenWord(each.word, transcript.began_s + (each.began_s + each.until_s) / 2 + behind_s)
            for each in transcript.words
            if text == transcript.text  # of another reading nobody knows when its words were said
        )
        said_s = transcript.began_s + behind_s
        reply = self._of.supervisor.tell(
            Instruction(
                text,
                Source.SPEECH,
                self._who,
                said_s,
                sure,
                self._pointing(),
                words,
                alternatives=others,
            )
        )
        self._last = reply
        self._follows(self._follow(reply, is_aloud), f"what comes of {text!r}")

    async def _follow(self, reply: Reply, is_aloud: bool) -> None:
        async for event in reply:
            if is_aloud and self._of.voice is not None:
                self._of.voice.answer(event)
            self._coming.put_nowait(event)

    def _lost(self, utterance: int, why: str, *, is_aloud: bool = True, is_heard_out: bool = True) -> None:
        """is_heard_out: as it was without the wake phrase, it was for nobody here; else that is not known."""
        self._done.append(utterance)
        words = self._begun.pop(utterance, "")
        if self._is_anothers:
            return  # who talks at a page is told there
        if not self._speech.needs_wake or utterance in self._meant:
            what = f'What you said just now ("{words} …")' if words else "What you said just now"
            self._not_done(f"{what} was not understood: {why}. Say it again.", is_aloud=is_aloud)
        elif not is_heard_out:
            self._not_done(
                f"Somebody spoke just now, perhaps to me: {why}. Say it again if it was.", is_aloud=False
            )

    def _not_done(self, words: str, *, is_aloud: bool = True) -> None:
        event = self._of.supervisor.events.emit(EventKind.REFUSED, words, who=self._who)
        if is_aloud and self._of.voice is not None:
            self._of.voice.answer(event)
        self._coming.put_nowait(event)


def _heard_as(transcript: Transcript) -> Iterator[str]:
    """What it is likeliest, what each recogniser heard, and what it was with the wake phrase in it."""
    yield transcript.text
    for reading in transcript.readings:
        if reading.from_grammar == 0.0 or reading.from_free == 0.0:
            yield reading.text
    yield from transcript.whole


def _first(ways: Sequence[str], understands: Callable[[str], bool]) -> int:
    """The first of the readings that can be said here; the likeliest if none can."""
    return next((n for n, way in enumerate(ways) if understands(way)), 0)
