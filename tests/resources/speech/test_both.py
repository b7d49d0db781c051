"""Two recognisers at once, scripted: what each heard counts; a stop counts if only one of them heard it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest

from framework.errors import SoundError
from grammars.tools.ngrams import arpa
from resources.audio.blocks import Samples
from resources.robots.description import SpeechDescription
from resources.speech import recognisers
from resources.speech.agreeing import agreed
from resources.speech.both import WEIGHED, BothRecognisers
from resources.speech.dictionary import Dictionary
from resources.speech.nearest import Nearest
from resources.speech.recognisers import Recognisers
from resources.speech.recognising import Recognised
from resources.speech.trigrams import Trigrams
from resources.types.speech import SpokenModel, TimedWord

SOUND: Samples = np.zeros(16_000, np.int16)
SAID = ("open the gripper", "close the gripper", "stop")


class Hears:
    """A recogniser that hears what it is told to; each text is as likely as it is short.

    ours: what that may be in the words of our language.
    """

    def __init__(self, *texts: str, ours: tuple[str, ...] = ()) -> None:
        self.texts = texts
        self.ours = ours

    def recognised(self, sound: Samples) -> Recognised | None:
        if not self.texts:
            return None
        words = tuple(TimedWord(word, n * 0.3, n * 0.3 + 0.2) for n, word in enumerate(self.texts[0].split()))
        return Recognised(words, self.texts[1:])

    def within(self, sound: Samples) -> tuple[str, ...]:
        return self.ours

    def likelihoods(self, sound: Samples, texts: Sequence[str]) -> list[float]:
        return [-0.1 * len(text) for text in texts]

    def begins(self) -> None: ...

    def goes_on(self, sound: Samples) -> str:
        return ""

    def forgets(self) -> None: ...


@pytest.fixture
def nearest(tmp_path: Path) -> Nearest:
    file = tmp_path / "it.arpa"
    file.write_text(arpa([(each.split(), 5.0) for each in SAID]))
    return Nearest(Dictionary({word for each in SAID for word in each.split()}, {}), Trigrams(file))


def test_what_both_heard_is_certain_and_has_its_times(nearest: Nearest) -> None:
    found = BothRecognisers(Hears("open the gripper"), Hears("open the gripper"), nearest).recognised(SOUND)
    assert found is not None
    assert found.words[1].began_s == 0.3
    assert agreed(found.readings, SAID.__contains__) is not None
    assert found.readings[0].is_of_both


def test_where_the_free_one_heard_nobody_only_a_stop_of_the_other_counts(nearest: Nearest) -> None:
    for text in SAID:
        found = BothRecognisers(Hears(text), Hears(), nearest).recognised(SOUND)
        assert found is not None
        assert (found.text, found.heard) == ("", "")
        assert [each.text for each in found.readings if each.from_grammar == 0.0] == [text]
        assert agreed(found.readings, SAID.__contains__) is None
    silent = BothRecognisers(Hears(), Hears(), nearest).recognised(SOUND)
    assert silent is not None and silent.readings == ()


def test_what_each_heard_first_is_among_the_readings_however_many_others_there_are(nearest: Nearest) -> None:
    alike = tuple(f"open the grip {'per ' * n}".strip() for n in range(1, 2 * WEIGHED))
    found = BothRecognisers(Hears("stop", *alike), Hears("open the grip"), nearest).recognised(SOUND)
    assert found is not None
    assert len(found.readings) == WEIGHED
    assert {"stop", "open the grip"} <= {each.text for each in found.readings}


def test_where_one_fails_the_other_has_answered_before_it_is_asked_again(nearest: Nearest) -> None:
    class Slow(Hears):
        is_over = False

        def recognised(self, sound: Samples) -> Recognised | None:
            started.set()
            failed.wait()
            sum(range(1_000_000))  # it searches on
            self.is_over = True
            return super().recognised(sound)

    class Broken(Hears):
        def recognised(self, sound: Samples) -> Recognised | None:
            started.wait()
            failed.set()
            raise RuntimeError("no memory")

    started, failed, slow = threading.Event(), threading.Event(), Slow("stop")
    with pytest.raises(RuntimeError, match="no memory"):
        BothRecognisers(slow, Broken(), nearest).recognised(SOUND)
    assert slow.is_over


def test_what_it_may_be_in_words_of_our_language_is_among_the_readings(nearest: Nearest) -> None:
    free = Hears("clothes the grip her", ours=("close the gripper please",))
    found = BothRecognisers(Hears("open"), free, nearest).recognised(SOUND)
    assert found is not None
    assert "close the gripper please" in {each.text for each in found.readings}


def test_where_whisper_cannot_be_loaded_and_nobody_asked_for_it_the_other_one_hears(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise SoundError("the model is another one")

    monkeypatch.setattr(recognisers, "WhisperRecogniser", broken)
    model, names, spoken = tmp_path / "it.arpa", tmp_path / "names.json", tmp_path / "it.spoken"
    model.write_text(arpa([(each.split(), 5.0) for each in SAID]))
    names.write_bytes(msgspec.json.encode([]))
    spoken.write_text("{}")
    language = SpokenModel(str(model), str(names), {}, str(spoken))
    fallen_back = Recognisers(language, SpeechDescription())
    assert (fallen_back.kind, "another one" in fallen_back.trouble) == ("pocketsphinx", True)
    fallen_back.now()
    with pytest.raises(SoundError, match="another one"):
        Recognisers(language, SpeechDescription("both"))
