"""From the marks of utterances to what was said. Pure but for the recogniser.

What it dies of is tried twice and then given up, and whoever spoke is told: so it says what it is about to
try before it tries it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Final, Protocol

from framework.errors import StreamError
from resources.audio.blocks import Samples
from resources.audio.format import RATE_HZ
from resources.audio.reading import Excerpt
from resources.speech.recognising import Recogniser
from resources.speech.waking import is_something_said
from resources.types.speech import Phase, SpeechMark, Transcript, TranscriptKind

MOST_TRIES: Final = 2

_LITTLE_S: Final = 2.0
"""Where less sound comes after the wake phrase it is also heard as a whole: "hey pilot house stop" in one
breath may be taken for the phrase alone [s]."""

_WHY_NOT: Final = {
    Phase.TOO_LONG: "it went on for longer than an instruction is",
    Phase.LOST: "sound is missing from it: the microphone stopped, or could not keep up",
}


class Wakes(Protocol):
    """Hears the wake phrase (`waking.WakePhrase`)."""

    def begins(self) -> None: ...

    def goes_on(self, sound: Samples) -> float | None: ...

    def forgets(self) -> None: ...

    def ends_in(self, sound: Samples) -> float | None: ...


class WritingDown:
    """Marks → transcripts.

    sound: what was heard between two moments, CLOCK_MONOTONIC [s]; raises StreamError if that is gone.
    told: what the one before it wrote, if there was one. wake: the phrase after which the words for the
    robot come; None: all that is said is for it.
    """

    def __init__(
        self,
        recogniser: Recogniser,
        sound: Callable[[float, float], Excerpt],
        told: Iterable[Transcript] = (),
        wake: Wakes | None = None,
    ) -> None:
        self.recogniser = recogniser
        self._sound = sound
        self._wake = wake
        self._tries: Counter[int] = Counter()
        self._done: set[int] = set()
        for each in told:
            if each.kind is TranscriptKind.TRIED:
                self._tries[each.utterance] += 1
            elif each.kind is not TranscriptKind.PARTIAL:
                self._done.add(each.utterance)
        self._current: SpeechMark | None = None
        self._shown_until_s = 0.0
        self._shown = ""
        self._woken_s: float | None = None  # where the phrase ended in what is being said

    @property
    def is_listening(self) -> bool:
        """Whether somebody speaks whose words are not written down yet."""
        return self._current is not None

    def mark(self, mark: SpeechMark) -> Iterator[Transcript]:
        """What becomes known with one more mark; each is to be told before the next is asked for."""
        if mark.phase is Phase.PROGRESS or mark.utterance in self._done:
            return
        before = self._current
        if before is not None and before.utterance != mark.utterance:
            yield self._lost(before, "nobody told where it ended")
        if mark.phase is Phase.BEGAN:
            if self._current is None:
                self._current, self._shown_until_s, self._shown = mark, mark.began_s, ""
                self._woken_s = None
                self.recogniser.begins()
                if self._wake is not None:
                    self._wake.begins()
        elif mark.phase is Phase.ENDED:
            yield from self._written(mark)
        else:
            yield self._lost(mark, _WHY_NOT[mark.phase], is_cut=mark.phase is Phase.LOST)

    def so_far(self, now_s: float) -> Transcript | None:
        """How far is understood what is being said, if that is more than the last time."""
        current = self._current
        if current is None:
            return None
        try:
            heard = self._sound(self._shown_until_s, now_s)
        except StreamError:
            return None  # nothing new, or the microphone has gone, which its marks will tell
        samples, self._shown_until_s = heard.samples, heard.until_s
        was_woken = self._woken_s is not None
        if self._wake is not None and not was_woken:
            self._woken_s = self._wake.goes_on(samples)
            if self._woken_s is not None:  # what was heard so far were its words, or none
                self.recogniser.forgets()
                self.recogniser.begins()
                woken_s = current.began_s + self._woken_s
                samples = samples[max(round((woken_s - heard.began_s) * RATE_HZ), 0) :]
        text = self.recogniser.goes_on(samples)
        is_woken = self._woken_s is not None
        if text == self._shown and is_woken == was_woken:
            return None
        self._shown = text
        return Transcript(
            TranscriptKind.PARTIAL,
            current.utterance,
            current.began_s,
            heard.until_s,
            partial=text,
            is_woken=is_woken,
        )

    def _written(self, mark: SpeechMark) -> Iterator[Transcript]:
        number, began_s, until_s = mark.utterance, mark.began_s, mark.until_s
        if self._tries[number] >= MOST_TRIES:
            yield self._lost(mark, f"the recogniser failed on it {MOST_TRIES} times")
            return
        self._tries[number] += 1
        yield Transcript(TranscriptKind.TRIED, number, began_s, until_s)
        try:
            heard = self._sound(began_s, until_s)
        except StreamError as error:
            yield self._lost(mark, str(error), is_cut=True)
            return
        if not heard.is_whole:
            yield self._lost(mark, _WHY_NOT[Phase.LOST], is_cut=True)
            return
        woken_s = self._woken_in(heard.samples)
        is_woken = woken_s is not None
        samples, words_s = heard.samples, heard.began_s
        if woken_s is not None:
            samples, words_s = samples[round(woken_s * RATE_HZ) :], words_s + woken_s
        is_alone = woken_s is not None and not is_something_said(heard.samples, woken_s)
        found = None if is_alone else self.recogniser.recognised(samples)
        whole: tuple[str, ...] = ()
        if (
            is_woken
            and len(samples) < _LITTLE_S * RATE_HZ
            and (all_of_it := self.recogniser.recognised(heard.samples))
        ):
            whole = (all_of_it.text, *all_of_it.others, *(each.text for each in all_of_it.readings))
        self._end(number)
        if found is None:
            yield Transcript(TranscriptKind.WRITTEN, number, began_s, until_s, is_woken=is_woken, whole=whole)
            return
        yield Transcript(
            TranscriptKind.WRITTEN,
            number,
            words_s,
            until_s,
            found.words,
            found.others,
            found.confidence,
            readings=found.readings,
            heard=found.heard,
            is_woken=is_woken,
            whole=whole,
        )

    def _woken_in(self, sound: Samples) -> float | None:
        """Where the wake phrase ended in an utterance [s]; None if it is for nobody here, or needs none."""
        if self._wake is None:
            return None
        found = self._wake.ends_in(sound)
        return self._woken_s if found is None else found

    def _lost(self, mark: SpeechMark, why: str, *, is_cut: bool = False) -> Transcript:
        is_woken = self._woken_s is not None
        self._end(mark.utterance)
        return Transcript(
            TranscriptKind.LOST,
            mark.utterance,
            mark.began_s,
            mark.until_s,
            why=why,
            is_woken=is_woken,
            is_cut=is_cut,
        )

    def _end(self, utterance: int) -> None:
        self._done.add(utterance)
        self._current = self._woken_s = None
        self.recogniser.forgets()
        if self._wake is not None:
            self._wake.forgets()
