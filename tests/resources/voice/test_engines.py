"""Words become sound by a real engine; what is missing, broken or hangs is said in words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from framework.errors import DescriptionError, SoundError
from resources.voice import engines
from resources.voice.engines import Sound, VoiceParameters, engine_of


def said(parameters: VoiceParameters, words: str, folder: Path) -> Sound:
    making = engine_of(parameters, folder).begin(words, folder)
    try:
        sound = making.sound(wait_s=20.0)
    finally:
        making.close()
    assert sound is not None
    return sound


def program(folder: Path, script: str) -> str:
    """A program of this content, which stands in for piper's."""
    made = folder / "piper"
    made.write_text(f"#!/bin/sh\nfor last; do true; done\n{script}\n")
    made.chmod(0o755)
    return str(made)


def model(folder: Path) -> str:
    made = folder / "voice.onnx"
    made.write_bytes(b"")
    made.with_suffix(".onnx.json").write_text("{}")
    return str(made)


def test_espeak_says_more_words_for_longer_and_leaves_nothing_behind(tmp_path: Path) -> None:
    short, long = (
        said(VoiceParameters(), words, tmp_path)
        for words in ("The cup.", "The cup is on the table in front of the left arm.")
    )
    assert 0.4 < short.length_s < 2.0 < long.length_s < 6.0
    assert short.samples.dtype == np.float32 and 0.1 < np.abs(short.samples).max() <= 1.0
    assert list(tmp_path.iterdir()) == []


def test_faster_is_shorter(tmp_path: Path) -> None:
    words = "The cup is on the table."
    slow = said(VoiceParameters(words_per_min=120), words, tmp_path)
    assert said(VoiceParameters(words_per_min=240), words, tmp_path).length_s < 0.7 * slow.length_s


def test_it_is_as_loud_as_it_is_wanted(tmp_path: Path) -> None:
    loud, soft = (said(VoiceParameters(volume=each), "The cup.", tmp_path) for each in (1.0, 0.25))
    assert np.allclose(soft.samples, 0.25 * loud.samples, atol=1e-6)


def test_words_that_look_like_an_option_or_a_command_are_only_words(tmp_path: Path) -> None:
    assert said(VoiceParameters(), "--version; $(touch it) [[h@]]", tmp_path).length_s > 0.5
    assert not (tmp_path / "it").exists()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (VoiceParameters(program="no-such-voice"), "no program 'no-such-voice'; .*: apt-get install espeak"),
        (VoiceParameters(voice="klingon-xx"), "voice klingon-xx.* does not speak: .*voice does not exist"),
        (VoiceParameters(model="/it.onnx"), "espeak-ng takes none"),
        (VoiceParameters(engine="piper", program="sh"), "model is ''; piper needs a voice of your own"),
        (VoiceParameters(engine="piper", program="sh", model="/no/it.onnx"), "there is no file /no/it.onnx"),
        (VoiceParameters(engine="piper", program="/no/piper", model="/it.onnx"), "pip install piper-tts"),
    ],
)  # fmt: skip
def test_what_is_missing_is_said_at_the_start(
    parameters: VoiceParameters, words: str, tmp_path: Path
) -> None:
    with pytest.raises(SoundError, match=words):
        engine_of(parameters, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_engine_that_there_is_not_is_refused_with_those_there_are() -> None:
    with pytest.raises(DescriptionError, match="words_per_min is 9"):
        VoiceParameters(words_per_min=9)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo no such layer >&2; exit 3", "does not speak: no such layer"),
        ("exit 0", "it ended with 0 and no sound"),
        ("echo nonsense > $last", "gave what is no sound"),
        ("espeak-ng -w $last ''; head -c 44 $last > $last.2; mv $last.2 $last", "no length|no sound"),
    ],
)
def test_an_engine_that_does_not_work_is_found_out(script: str, words: str, tmp_path: Path) -> None:
    parameters = VoiceParameters(engine="piper", program=program(tmp_path, script), model=model(tmp_path))
    with pytest.raises(SoundError, match=words):
        engine_of(parameters, tmp_path)


def test_piper_is_given_the_model_and_reads_the_words(tmp_path: Path) -> None:
    script = 'echo "$1 $3" > $2.told; espeak-ng --stdin -w $last'
    parameters = VoiceParameters(engine="piper", program=program(tmp_path, script), model=model(tmp_path))
    assert said(parameters, "The cup is on the table.", tmp_path).length_s > 0.8
    assert (tmp_path / "voice.onnx.told").read_text() == "--model --output_file\n"


def test_an_engine_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "WITHIN_S", 0.1)
    parameters = VoiceParameters(
        engine="piper", program=program(tmp_path, "exec sleep 60"), model=model(tmp_path)
    )
    with pytest.raises(SoundError, match=r"took more than 0\.1 s for a sentence"):
        engine_of(parameters, tmp_path)
