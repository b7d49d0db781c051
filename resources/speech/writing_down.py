"""From the marks of utterances to what was said. Pure but for the recogniser.

What it dies of is tried twice and then given up, and whoever spoke is told: so it says what it is about to
try before it tries it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from framework.errors import StreamError
from resources.audio.reading import Excerpt
from resources.speech.recognising import Recogniser
from resources.types.speech import Phase, SpeechMark, Transcript, TranscriptKind

MOST_TRIES: Final = 2

_WHY_NOT: Final = {
    Phase.TOO_LONG: "it went on for longer than an instruction is",
    Phase.LOST: "sound is missing from it: the microphone stopped, or could not keep up",
}


class WritingDown:
    """Marks → transcripts.

    sound: what was heard between two moments, CLOCK_MONOTONIC [s]; raises StreamError if that is gone.
    told: what the one before it wrote, if there was one.
    """

    def __init__(
        self,
        recogniser: Recogniser,
        sound: Callable[[float, float], Excerpt],
        told: Iterable[Transcript] = (),
    ) -> None:
        self.recogniser = recogniser
        self._sound = sound
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
                self.recogniser.begins()
        elif mark.phase is Phase.ENDED:
            yield from self._written(mark)
        else:
            yield self._lost(mark, _WHY_NOT[mark.phase])

    def so_far(self, now_s: float) -> Transcript | None:
        """How far is understood what is being said, if that is more than the last time."""
        current = self._current
        if current is None:
            return None
        try:
            heard = self._sound(self._shown_until_s, now_s)
        except StreamError:
            return None  # nothing new, or the microphone has gone, which its marks will tell
        text = self.recogniser.goes_on(heard.samples)
        self._shown_until_s = heard.until_s
        if text == self._shown:
            return None
        self._shown = text
        return Transcript(
            TranscriptKind.PARTIAL, current.utterance, current.began_s, heard.until_s, partial=text
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
            yield self._lost(mark, str(error))
            return
        if not heard.is_whole:
            yield self._lost(mark, _WHY_NOT[Phase.LOST])
            return
        found = self.recogniser.recognised(heard.samples)
        self._end(number)
        if found is None:
            yield Transcript(TranscriptKind.WRITTEN, number, began_s, until_s)
            return
        yield Transcript(
            TranscriptKind.WRITTEN,
            number,
            heard.began_s,
            until_s,
            found.words,
            found.others,
            found.confidence,
            readings=found.readings,
            heard=found.heard,
        )

    def _lost(self, mark: SpeechMark, why: str) -> Transcript:
        self._end(mark.utterance)
        return Transcript(TranscriptKind.LOST, mark.utterance, mark.began_s, mark.until_s, why=why)

    def _end(self, utterance: int) -> None:
        self._done.add(utterance)
        self._current = None
        self.recogniser.forgets()
