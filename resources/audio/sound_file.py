"""Files of sound: which there are in a folder, and what is in one, block by block."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import soundfile

from framework.errors import SoundError
from resources.audio.blocks import Blocks, Samples

ENDINGS: Final = (".wav", ".flac", ".ogg", ".opus", ".mp3", ".aiff", ".aif", ".au", ".w64")
"""Of files that are taken for sound, in small or capital letters."""

_FRAMES_AT_ONCE: Final = 1 << 16


def sound_files(path: Path) -> tuple[Path, ...]:
    """The file, or the sound files of the folder in the order of their names.

    Raises SoundError if there is none.
    """
    if path.is_dir():
        found = tuple(
            sorted(each for each in path.iterdir() if each.suffix.lower() in ENDINGS and each.is_file())
        )
        if not found:
            raise SoundError(f"there is no sound in the folder {path}; files that end in {_endings()} are")
        return found
    if not path.exists():
        raise SoundError(f"there is no file {path}; a file of sound is wanted, or a folder of such")
    return (path,)


def blocks_of(path: Path) -> Iterator[Samples]:
    """What is in the file, as blocks; the last one is filled up with silence. However long: a part at a time.

    Raises SoundError, at the first block or where the file is broken, if it cannot be read as sound.
    """
    try:
        with soundfile.SoundFile(path) as file:
            blocks = Blocks(file.samplerate, file.channels)
            is_empty = True
            while len(sound := file.read(_FRAMES_AT_ONCE, dtype="float32", always_2d=True)):
                is_empty = False
                yield from blocks.add(sound)
            if is_empty:
                raise SoundError(f"{path} is a sound of no length")
            yield from blocks.end()
    except (soundfile.SoundFileError, OSError, TypeError) as error:
        # TypeError: "raw" sound, of which a file itself does not say what it is.
        raise SoundError(f"{path} cannot be read as sound ({error}); files of {_endings()} can") from error


def length_s(path: Path) -> float:
    """How long it is, as its head says; 0 if that cannot be read."""
    try:
        return float(soundfile.info(path).duration)
    except (soundfile.SoundFileError, OSError, TypeError):
        return 0.0


def _endings() -> str:
    return f"{', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"
