"""Push-to-talk: what is said at a page while its button is held becomes that page's instructions.

A page's microphone is opened with the first talk and stays open for a while, so that the next talk finds its
recogniser ready. Whatever ends a talk but the letting go of the button ends it as lost: of half a sentence
nothing is done.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from typing import Any, Final, cast

from framework.clock import Clock
from framework.errors import PilothouseError, ResourceUnavailable, SoundError
from framework.events import Event, EventKind
from framework.plan.instruction import Pointing
from managers.listening import Hearing, Listening
from managers.page_sounds import PageSound, PageSounds
from resources.audio.talk import LONGEST_TALK_S, Talk
from resources.types.speech import Speech
from resources.web.protocol import Heard, TalkState
from resources.web.sound_packets import SoundPacket

log = logging.getLogger("pilothouse.speech")

MOST_PAGES: Final = 4
"""Pages whose microphones may be open at once: each has an ear, a detector and a recogniser of its own."""

RESTS_S: Final = 120.0
"""A page's microphone is closed so long after its last talk [s]."""

SILENT_S: Final = 3.0
"""A talk of which nothing comes for so long has ended [s]."""

NOBODY_S: Final = 2.0
"""So long after a talk in which nobody was heard to speak that is told [s]."""

NOBODY: Final = "nobody was heard to speak: hold the button while you speak, and speak up"

LOOK_S: Final = 0.1
"""So often it is looked where whoever talks points [s]."""

_POINTINGS: Final = round(LONGEST_TALK_S / LOOK_S)

Tell = Callable[[Heard], None]


class Talking:
    """Everybody who talks.

    Args:
        sounds: where microphones are opened.
        pointing: what somebody of this name points at now, the likeliest first.
    """

    def __init__(
        self, sounds: PageSounds, listening: Listening, pointing: Callable[[str], tuple[Pointing, ...]]
    ) -> None:
        self.sounds = sounds
        self.listening = listening
        self.pointing = pointing
        self._open: list[Voice] = []  # who has not talked for longest comes first
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Talking:
        return self

    async def __aexit__(self, *error: Any) -> None:
        for voice in tuple(self._open):
            voice.close()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def begin(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        """Have something go on beside the rest; it is waited for at the end."""
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def voice(self, who: str, tell: Tell) -> Voice:
        """Of one page, for as long as it is there. tell: is told how far it is heard."""
        return Voice(self, who, tell)

    def makes_room(self, voice: Voice) -> None:
        """Another microphone is opened. Raises ResourceUnavailable if all that may be are talked into."""
        if len(self._open) >= MOST_PAGES:
            resting = [each for each in self._open if not each.is_talking]
            if not resting:
                raise ResourceUnavailable(
                    f"{MOST_PAGES} people talk at once already, which is all that are listened to; "
                    "wait for one to end, or type it"
                )
            resting[0].shut()
        self._open.append(voice)

    def ended(self, voice: Voice) -> None:
        """Its microphone is closed; idempotent."""
        if voice in self._open:
            self._open.remove(voice)

    def rests(self, voice: Voice) -> None:
        """Its talk is over; who has rested for longest gives way first."""
        if voice in self._open:
            self._open.remove(voice)
            self._open.append(voice)


class Voice:
    """One page's talks (`resources.console.backend.Voice`)."""

    def __init__(self, of: Talking, who: str, tell: Tell) -> None:
        self._of = of
        self._who = who
        self._tell = tell
        self._talk: Talk | None = None
        self._opening: _Opening | None = None
        self._came_s = 0.0
        self._shown = TalkState.OVER
        self._text = ""
        self._is_silent = False
        self._over_s = 0.0

    @property
    def is_talking(self) -> bool:
        """Whether its button is held."""
        return self._talk is not None and not self._talk.is_over

    def begin(self, number: int) -> None:
        """The button is pressed. Raises ResourceUnavailable, SharedMemoryFull, StreamError."""
        self._break_off("another talk has begun")
        if self._opening is None:
            self._of.makes_room(self)
            try:
                self._opening = _Opening(self, self._of, self._who)
            except PilothouseError:
                self._of.ended(self)
                raise
        self._talk = Talk(number, self._talk.until_s if self._talk is not None else None)
        self._came_s = self._now_s()
        self._text, self._is_silent = "", True
        self._opening.wakes()
        self._show()

    def take(self, packet: SoundPacket) -> None:
        """Sound of it. Raises SoundError if it is none of this talk; nothing has changed then."""
        talk, opening, now_s = self._talk, self._opening, self._now_s()
        if talk is None or opening is None or talk.number != packet.talk or talk.is_over:
            raise SoundError(f"talk {packet.talk} is not under way; hold the button and say it again")
        if packet.is_broken_off:
            self._break_off("")
            return
        opening.sound.write(talk.take(packet.sequence, packet.sound, now_s, is_last=packet.is_last))
        self._came_s = now_s
        if talk.is_over:
            self._is_over("")
        elif talk.is_too_long:
            self._break_off(
                f"this has gone on for {LONGEST_TALK_S:.0f} s, and is no instruction any more: "
                "say it in shorter ones"
            )

    def close(self) -> None:
        """The page has gone: of what it was saying nothing is done. Idempotent."""
        self._talk = None
        self.shut()

    def shut(self) -> None:
        """Its microphone is closed; the next talk opens another one. Idempotent."""
        self._break_off("")
        self.is_shut("")

    # -- of its opening

    def look(self) -> None:
        """Ten times a second: does sound come still, has the recogniser come, was nothing heard?"""
        now_s, opening = self._now_s(), self._opening
        if opening is None:
            return
        self._is_silent = self._is_silent and not opening.hearing.is_spoken_to
        if not self.is_talking:
            if self._is_silent and opening.hearing.is_open and now_s - self._over_s > NOBODY_S:
                self._is_silent = False
                self._show(words=NOBODY)
        elif now_s - self._came_s > SILENT_S:
            self._break_off(f"no sound has come from the page for {SILENT_S:.0f} s: say it again")
        elif self._shown is TalkState.STARTING and self._state is TalkState.LISTENING:
            self._show()

    def heard(self, text: str) -> None:
        """How far is understood what is being said; "" if that is over, and has become something."""
        self._text, self._is_silent = text, False
        self._show()

    def is_shut(self, why: str) -> None:
        """Its microphone is closed. why: in words, if that is no end in order. Idempotent."""
        opening, self._opening = self._opening, None
        if opening is None:
            return
        opening.close()
        self._of.ended(self)
        talk, self._talk = self._talk, None
        if talk is not None and (why or not talk.is_over):
            self._tell(Heard(talk.number, TalkState.OVER, words=why))

    def _break_off(self, why: str) -> None:
        if self._opening is not None and self._talk is not None and not self._talk.is_over:
            self._opening.sound.write(self._talk.break_off(self._now_s()))
            self._is_over(why)

    def _is_over(self, why: str) -> None:
        self._over_s = self._now_s()
        self._show(words=why)
        self._of.rests(self)

    def _show(self, words: str = "") -> None:
        if self._talk is not None:
            self._shown = self._state
            self._tell(Heard(self._talk.number, self._shown, self._text, words))

    @property
    def _state(self) -> TalkState:
        if not self.is_talking or self._opening is None:
            return TalkState.OVER
        return TalkState.LISTENING if self._opening.hearing.is_open else TalkState.STARTING

    def _now_s(self) -> float:
        return self._of.listening.monotonic_s()


class _Opening:
    """One opening of a page's microphone, with who listens there. Raises SharedMemoryFull or StreamError."""

    def __init__(self, voice: Voice, of: Talking, who: str) -> None:
        self._voice = voice
        self._of = of
        self._who = who
        self._pointings: deque[tuple[Pointing, ...]] = deque(maxlen=_POINTINGS)
        self._talked_s = of.listening.clock.now_s()
        self.sound: PageSound = of.sounds.open(who)
        speech = Speech(page=self.sound.request)
        self.hearing: Hearing = of.listening.listen(speech, who, self._pointed_at)
        self._tasks = [
            of.begin(self._listen(), f"listening to {who}"),
            of.begin(self._attend(of.listening.clock), f"the talks of {who}"),
        ]

    def wakes(self) -> None:
        """Another talk begins."""
        self._talked_s = self._of.listening.clock.now_s()

    def close(self) -> None:
        """Nobody listens any more; what has become an instruction goes on. Idempotent."""
        for task in self._tasks:
            task.cancel()
        self._of.sounds.close(self.sound)

    async def _listen(self) -> None:
        why = "nobody listens any more"
        try:
            async with aclosing(cast("Any", aiter(self.hearing))) as events:
                async for event in events:
                    self._take(event)
        except PilothouseError as error:
            why = error.why
        except Exception as error:  # whoever talks must not believe that somebody listens
            log.exception("listening to %s ended", self._who)
            why = f"an error in the program, which is in the log: {type(error).__name__}"
        self._voice.is_shut(f"you are not heard: {why}")

    def _take(self, event: Event) -> None:
        if event.kind is not EventKind.HEARING:
            self._voice.heard("")
        elif self.hearing.is_open:  # before that it says that the recogniser starts, as the state does
            self._voice.heard(event.text)

    async def _attend(self, clock: Clock) -> None:
        while clock.now_s() - self._talked_s < RESTS_S:
            if self._voice.is_talking:
                self._talked_s = clock.now_s()
                self._pointings.append(self._of.pointing(self._who))
            self._voice.look()
            await clock.sleep(LOOK_S)
        self._voice.is_shut("")

    def _pointed_at(self) -> tuple[Pointing, ...]:
        return tuple(each for at_once in self._pointings for each in at_once)
