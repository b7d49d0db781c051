"""Marks become transcripts: once each, whole or told as lost, and what kills the recogniser is given up."""

from __future__ import annotations

import numpy as np
import pytest

from framework.errors import StreamError
from resources.audio.blocks import Samples
from resources.audio.reading import Excerpt
from resources.speech.recognising import Recognised
from resources.speech.writing_down import MOST_TRIES, WritingDown
from resources.types.speech import Phase, SpeechMark, TimedWord, Transcript, TranscriptKind

WORDS = (TimedWord("go", 0.1, 0.4), TimedWord("home", 0.5, 0.9))
WRITTEN, LOST, TRIED = TranscriptKind.WRITTEN, TranscriptKind.LOST, TranscriptKind.TRIED


class Scripted:
    """Hears the same of whatever it is given; of longer sound, more on the way."""

    def __init__(self, found: Recognised | None = Recognised(WORDS, ("go on",), 0.7)) -> None:
        self.found = found
        self.heard: list[int] = []
        self.listens = False

    def recognised(self, sound: Samples) -> Recognised | None:
        self.heard.append(len(sound))
        return self.found

    def begins(self) -> None:
        self.listens = True

    def goes_on(self, sound: Samples) -> str:
        return "go" if len(sound) < 16_000 else "go home"

    def forgets(self) -> None:
        self.listens = False


class Room:
    """What is to be heard in it: all of it, or with a hole, or nothing any more."""

    def __init__(self) -> None:
        self.is_whole = True
        self.is_gone = False

    def __call__(self, from_s: float, until_s: float) -> Excerpt:
        if self.is_gone:
            raise StreamError("the microphone's last half minute has nothing of that")
        return Excerpt(from_s, np.zeros(round((until_s - from_s) * 16_000), np.int16), self.is_whole)


def mark(phase: Phase, utterance: int = 1, began_s: float = 10.0, until_s: float = 12.0) -> SpeechMark:
    return SpeechMark(phase, utterance, began_s, until_s)


def kinds(found: list[Transcript]) -> list[TranscriptKind]:
    return [each.kind for each in found]


def test_an_utterance_is_tried_and_then_written_down_with_all_that_is_known_of_it() -> None:
    recogniser = Scripted()
    writing = WritingDown(recogniser, Room())
    assert list(writing.mark(mark(Phase.BEGAN))) == [] and recogniser.listens and writing.is_listening
    tried, written = writing.mark(mark(Phase.ENDED))
    assert (tried.kind, written.kind) == (TRIED, WRITTEN)
    assert (written.text, written.others, written.confidence) == ("go home", ("go on",), 0.7)
    assert (written.began_s, written.until_s) == (10.0, 12.0) and recogniser.heard == [32_000]
    assert not recogniser.listens and not writing.is_listening
    assert list(writing.mark(mark(Phase.ENDED))) == []  # whoever marks it again: it is done


def test_how_far_it_is_understood_is_shown_when_that_is_more() -> None:
    writing = WritingDown(Scripted(), Room())
    assert writing.so_far(10.5) is None  # nobody speaks
    list(writing.mark(mark(Phase.BEGAN)))
    first = writing.so_far(10.5)
    assert first is not None and (first.kind, first.partial) == (TranscriptKind.PARTIAL, "go")
    assert writing.so_far(10.6) is None
    more = writing.so_far(12.0)
    assert more is not None and more.partial == "go home" and more.until_s == pytest.approx(12.0)


def test_nothing_that_can_be_said_here_is_written_without_words_and_is_never_sure() -> None:
    writing = WritingDown(Scripted(None), Room())
    _, written = writing.mark(mark(Phase.ENDED))
    assert (written.kind, written.text, written.confidence) == (WRITTEN, "", 0.0)


@pytest.mark.parametrize(
    ("phase", "words"), [(Phase.TOO_LONG, "longer than an instruction"), (Phase.LOST, "sound is missing")]
)
def test_what_is_no_whole_utterance_is_told_as_lost(phase: Phase, words: str) -> None:
    recogniser = Scripted()
    writing = WritingDown(recogniser, Room())
    list(writing.mark(mark(Phase.BEGAN)))
    (lost,) = writing.mark(mark(phase))
    assert lost.kind is LOST and words in lost.why and not recogniser.heard


def test_sound_with_a_hole_or_that_is_gone_is_not_guessed_at() -> None:
    for spoil in ("is_whole", "is_gone"):
        room, recogniser = Room(), Scripted()
        setattr(room, spoil, spoil == "is_gone")
        found = list(WritingDown(recogniser, room).mark(mark(Phase.ENDED)))
        assert kinds(found) == [TRIED, LOST] and not recogniser.heard


def test_what_a_recogniser_died_of_is_tried_once_more_and_then_told_as_lost() -> None:
    told = [Transcript(TRIED, 1, 10.0, 12.0)]
    assert kinds(list(WritingDown(Scripted(), Room(), told).mark(mark(Phase.ENDED)))) == [TRIED, WRITTEN]
    (lost,) = WritingDown(Scripted(), Room(), told * MOST_TRIES).mark(mark(Phase.ENDED))
    assert lost.kind is LOST and "failed on it" in lost.why


def test_what_the_one_before_it_has_written_is_not_written_again() -> None:
    told = [Transcript(WRITTEN, 1, 10.0, 12.0, WORDS), Transcript(LOST, 2, 13.0, 14.0)]
    writing = WritingDown(Scripted(), Room(), told)
    assert list(writing.mark(mark(Phase.ENDED, 1))) == []
    assert list(writing.mark(mark(Phase.ENDED, 2))) == []
    assert kinds(list(writing.mark(mark(Phase.ENDED, 3)))) == [TRIED, WRITTEN]


def test_an_utterance_whose_end_nobody_tells_is_lost_when_the_next_begins() -> None:
    writing = WritingDown(Scripted(), Room())
    list(writing.mark(mark(Phase.BEGAN, 1)))
    (lost,) = writing.mark(mark(Phase.BEGAN, 2))
    assert (lost.kind, lost.utterance) == (LOST, 1)
    assert kinds(list(writing.mark(mark(Phase.ENDED, 2)))) == [TRIED, WRITTEN]


class Wakes:
    """Hears the phrase where it is told to [s]."""

    def __init__(self, ends_s: float | None, so_far_s: float | None = None) -> None:
        self.ends_s, self.so_far_s = ends_s, so_far_s
        self.begun = 0

    def begins(self) -> None:
        self.begun += 1

    def goes_on(self, sound: Samples) -> float | None:
        return self.so_far_s

    def forgets(self) -> None:
        self.begun = 0

    def ends_in(self, sound: Samples) -> float | None:
        return self.ends_s


class Loud(Room):
    """Somebody speaks all the time, or until a moment [s]."""

    def __init__(self, until_s: float = 99.0) -> None:
        super().__init__()
        self.until_s = until_s

    def __call__(self, from_s: float, until_s: float) -> Excerpt:
        heard = super().__call__(from_s, until_s)
        heard.samples[: max(round((self.until_s - from_s) * 16_000), 0)] = 5_000
        return heard


def test_after_the_wake_phrase_only_the_rest_is_written_down_with_its_own_times() -> None:
    recogniser = Scripted()
    writing = WritingDown(recogniser, Loud(), wake=Wakes(0.75))
    _, written = writing.mark(mark(Phase.ENDED))
    assert written.is_woken and written.text == "go home" and recogniser.heard == [20_000, 32_000]
    assert written.whole[0] == "go home"  # for a stop in what was taken for the phrase
    assert written.began_s == pytest.approx(10.75)
    writing = WritingDown(recogniser, Loud(), wake=Wakes(None))
    _, written = writing.mark(mark(Phase.ENDED))
    assert not written.is_woken and recogniser.heard[-1] == 32_000 and written.began_s == 10.0


def test_the_wake_phrase_alone_is_written_without_words_and_nothing_is_guessed_at() -> None:
    recogniser = Scripted()
    _, written = WritingDown(recogniser, Loud(10.75), wake=Wakes(0.75)).mark(mark(Phase.ENDED))
    assert written.kind is WRITTEN and written.is_woken and written.text == ""
    assert recogniser.heard == [32_000]  # all of it, for a stop in what was taken for the phrase


def test_whoever_was_woken_on_the_way_stays_so_also_if_sound_is_lost() -> None:
    wake = Wakes(None, so_far_s=0.75)
    writing = WritingDown(Scripted(), Loud(), wake=wake)
    list(writing.mark(mark(Phase.BEGAN)))
    assert wake.begun == 1
    shown = writing.so_far(11.5)
    assert shown is not None and shown.is_woken and shown.partial == "go"
    _, written = writing.mark(mark(Phase.ENDED))
    assert written.is_woken and written.began_s == pytest.approx(10.75) and wake.begun == 0
    list(writing.mark(mark(Phase.BEGAN, 2, 20.0, 20.3)))
    writing.so_far(21.5)
    (lost,) = writing.mark(mark(Phase.LOST, 2, 20.0, 22.0))
    assert lost.kind is LOST and lost.is_woken and lost.is_cut
    (other,) = writing.mark(mark(Phase.LOST, 3, 30.0, 32.0))
    assert not other.is_woken
