"""A model of Vosk that is missing, broken or none is refused in words; what it answers is read.

No model comes with a package: what a real one hears is tried by who brings one.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from framework.errors import SoundError
from resources.speech.vosk_recogniser import VoskRecogniser, loaded, read_result


def test_no_model_is_named() -> None:
    with pytest.raises(SoundError, match=r"no Vosk model is named.*vosk_model: /folder"):
        VoskRecogniser(None, ["stop"])


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SoundError, match=r"no folder .*nowhere; a folder with a Vosk model"):
        loaded(tmp_path / "nowhere")


@pytest.mark.parametrize("content", [{}, {"am/final.mdl": b"\0" * 100}, {"conf/model.conf": b"--beam=x\n"}])
def test_a_folder_without_a_whole_model(tmp_path: Path, content: dict[str, bytes]) -> None:
    for name, data in content.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True)
        file.write_bytes(data)
    with pytest.raises(SoundError, match=r"has no Vosk model that can be used: .* is wanted"):
        loaded(tmp_path)


class German:
    """As the package's model: a folder that can be read, and words that it knows."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def vosk_model_find_word(self, word: str) -> int:
        return 7 if word in ("links", "halt") else -1


def test_a_model_of_another_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vosk.Model", German)
    with pytest.raises(SoundError, match="of another language: it does not know stop, the, left"):
        loaded(tmp_path)


def way(text: str) -> dict[str, object]:
    words = [{"word": word, "start": n * 0.5, "end": n * 0.5 + 0.4} for n, word in enumerate(text.split())]
    return {"confidence": 100.0, "result": words, "text": text}


def test_its_answer_is_words_with_times_and_other_ways() -> None:
    found = read_result(json.dumps({"alternatives": [way("go home"), way("go [unk]"), way("go home")]}))
    assert found is not None
    assert (found.text, found.others) == ("go home", ("go [unk]",))
    assert [(each.began_s, each.until_s) for each in found.words] == [(0.0, 0.4), (0.5, 0.9)]
    assert found.confidence < 0.9


@pytest.mark.parametrize("answer", [{}, {"alternatives": []}, {"alternatives": [way("")]}])
def test_where_nobody_speaks_nothing_is_heard(answer: dict[str, object]) -> None:
    assert read_result(json.dumps(answer)) is None
