"""Files of sound: which there are, and that a broken one says what it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from framework.errors import SoundError
from resources.audio.format import BLOCK, RATE_HZ
from resources.audio.sound_file import blocks_of, sound_files


def written(path: Path, rate_hz: int = RATE_HZ, channels: int = 1, seconds: float = 0.2, **how: str) -> Path:
    sound = np.random.default_rng(0).uniform(-0.5, 0.5, (round(rate_hz * seconds), channels))
    soundfile.write(path, sound, rate_hz, **how)
    return path


def test_no_such_file_says_what_is_wanted(tmp_path: Path) -> None:
    with pytest.raises(SoundError, match=r"no file .*words\.wav; a file of sound is wanted, or a folder"):
        sound_files(tmp_path / "words.wav")


def test_a_folder_without_sound_says_which_files_are(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(
        SoundError, match=r"no sound in the folder .*files that end in \.wav, .* or \.w64 are"
    ):
        sound_files(tmp_path)


@pytest.mark.parametrize(
    "content",
    [b"", b"RIFF", b"hello, this is no sound", b"\0" * 100, b"RIFF\xff\xff\xff\xffWAVEfmt "],
)
def test_what_is_no_sound_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.wav"
    path.write_bytes(content)
    with pytest.raises(SoundError, match=r"broken\.wav cannot be read as sound .*files of \.wav"):
        list(blocks_of(path))


def test_a_folder_is_no_sound_and_raw_sound_says_nothing_of_itself(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "it.raw"):
        path.is_dir() or path.write_bytes(b"\1\2" * 100)
        with pytest.raises(SoundError, match="cannot be read as sound"):
            list(blocks_of(path))


def test_a_sound_of_no_length(tmp_path: Path) -> None:
    with pytest.raises(SoundError, match="a sound of no length"):
        list(blocks_of(written(tmp_path / "nothing.wav", seconds=0.0)))


def test_a_file_that_was_cut_off_gives_what_it_has(tmp_path: Path) -> None:
    path = written(tmp_path / "cut.wav", seconds=1.0)
    path.write_bytes(path.read_bytes()[:-8_000])
    assert len(list(blocks_of(path))) == pytest.approx((RATE_HZ - 4_000) / BLOCK, abs=1)


@pytest.mark.parametrize(
    ("name", "rate_hz", "channels", "how"),
    [
        ("telephone.wav", 8_000, 1, {}),
        ("stereo.wav", 44_100, 2, {"subtype": "PCM_24"}),
        ("float.wav", 48_000, 1, {"subtype": "FLOAT"}),
        ("eight.wav", 16_000, 1, {"subtype": "PCM_U8"}),
        ("SHOUTED.FLAC", 16_000, 1, {}),
        ("phone.ogg", 48_000, 2, {"subtype": "OPUS"}),
    ],
)
def test_what_people_have_is_read(
    tmp_path: Path, name: str, rate_hz: int, channels: int, how: dict[str, str]
) -> None:
    path = written(tmp_path / name, rate_hz, channels, 0.5, **how)
    blocks = list(blocks_of(path))
    assert len(blocks) == pytest.approx(0.5 * RATE_HZ / BLOCK, abs=1.1)
    assert all(block.shape == (BLOCK,) for block in blocks)


def test_a_folder_is_heard_in_the_order_of_its_names(tmp_path: Path) -> None:
    for name in ("b.wav", "a.WAV", "c.flac"):
        written(tmp_path / name)
    (tmp_path / "readme.md").write_text("not me")
    assert [path.name for path in sound_files(tmp_path)] == ["a.WAV", "b.wav", "c.flac"]
