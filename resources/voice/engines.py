"""Words → sound. Each engine is a program of this machine that is started for a sentence and ends with it.

The words go in by its standard input, never by its command line, where others could read them and a word with
a dash in front would be an option.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
import numpy as np
import soundfile
from msgspec import Meta
from numpy.typing import NDArray

from framework.errors import SoundError
from framework.plugins.parameters import Parameters

WITHIN_S: Final = 20.0
"""An engine that takes longer for a sentence hangs [s]."""

LONGEST_S: Final = 60.0
"""No sentence that we say is longer [s]: an engine that makes more of it is broken."""

_ESPEAK: Final = "espeak-ng"
_PIPER: Final = "piper"
_TRIED: Final = "ready"


class VoiceParameters(Parameters, frozen=True):
    """How the robot's voice is."""

    engine: Annotated[
        Literal["espeak-ng", "piper"],
        Meta(description="espeak-ng, or piper with a model of your own"),
    ] = "espeak-ng"
    voice: Annotated[
        str, Meta(max_length=100, description="of espeak-ng: one that `espeak-ng --voices` lists")
    ] = "en-us"
    words_per_min: Annotated[int, Meta(ge=80, le=400, description="of espeak-ng")] = 165
    pitch: Annotated[int, Meta(ge=0, le=99, description="of espeak-ng")] = 50
    volume: Annotated[float, Meta(ge=0.05, le=1.0, description="1 as loud as the engine makes it")] = 1.0
    program: Annotated[
        str, Meta(max_length=1000, description="the engine's program, where it is not found by its name")
    ] = ""
    model: Annotated[
        str, Meta(max_length=1000, description="of piper: its model, a file that ends in .onnx")
    ] = ""


class Sound(msgspec.Struct, frozen=True, eq=False):
    """What an engine has made. samples: (n,) float32, one channel, −1 … 1."""

    samples: NDArray[np.float32]
    rate_hz: int

    @property
    def length_s(self) -> float:
        """How long it is."""
        return len(self.samples) / self.rate_hz


class Engine(msgspec.Struct, frozen=True):
    """A program that reads words and writes a WAV file. name: as people know it.

    command: all of its command line but the file's name, which comes last. volume: 0 … 1.
    """

    name: str
    command: tuple[str, ...]
    volume: float = 1.0

    def begin(self, words: str, directory: Path) -> Making:
        """Have it say them; its files are in this directory. Raises SoundError if it cannot be started."""
        return Making(self, words, directory)


class Making:
    """One sentence that is being made; `sound` is there when the program has ended. Close it in any case."""

    def __init__(self, engine: Engine, words: str, directory: Path) -> None:
        self._name = engine.name
        self._volume = engine.volume
        self._since_s = time.monotonic()
        self._folder = tempfile.TemporaryDirectory(prefix=".voice-", dir=directory)
        folder = Path(self._folder.name)
        self._file, self._complaints, told = folder / "it.wav", folder / "complaints", folder / "words"
        try:
            told.write_text(f"{words}\n", encoding="utf-8")
            with told.open("rb") as stdin, self._complaints.open("wb") as stderr:
                self._program = subprocess.Popen(
                    (*engine.command, str(self._file)),
                    stdin=stdin,
                    stdout=subprocess.DEVNULL,
                    stderr=stderr,
                )
        except OSError as error:
            self._folder.cleanup()
            raise SoundError(f"{self._name} cannot be started: {error}") from error

    def sound(self, wait_s: float = 0.0) -> Sound | None:
        """The sound, or None while it is being made. Raises SoundError in words if there will be none."""
        try:
            code = self._program.wait(wait_s)
        except subprocess.TimeoutExpired:
            if time.monotonic() - self._since_s > WITHIN_S:
                raise SoundError(f"{self._name} took more than {WITHIN_S:g} s for a sentence") from None
            return None
        if code or not self._file.exists():
            last = self._complaints.read_text(errors="replace").strip().splitlines()[-1:]
            because = last[0] if last else f"it ended with {code} and no sound"
            raise SoundError(f"{self._name} does not speak: {because[:300]}")
        sound = _read(self._file, self._name)
        return Sound(sound.samples * np.float32(self._volume), sound.rate_hz)

    def close(self) -> None:
        """Nobody wants it any more; idempotent."""
        if self._program.poll() is None:
            self._program.kill()
            self._program.wait()
        self._folder.cleanup()


def engine_of(parameters: VoiceParameters, directory: Path) -> Engine:
    """The engine, once it has spoken a word. Raises SoundError with what is missing and how to get it."""
    engine = _espeak(parameters) if parameters.engine == _ESPEAK else _piper(parameters)
    trying = engine.begin(_TRIED, directory)
    try:
        while trying.sound(wait_s=WITHIN_S) is None:
            pass
    finally:
        trying.close()
    return engine


def _espeak(parameters: VoiceParameters) -> Engine:
    if parameters.model:
        raise SoundError(f"model is {parameters.model!r}; espeak-ng takes none: that is for engine: piper")
    program = _found(parameters.program or _ESPEAK, "apt-get install espeak-ng")
    speed, pitch = str(parameters.words_per_min), str(parameters.pitch)
    settings = ("-v", parameters.voice, "-s", speed, "-p", pitch, "--stdin")
    command = (program, *settings, "-w")
    return Engine(f"{_ESPEAK} (voice {parameters.voice})", command, parameters.volume)


def _piper(parameters: VoiceParameters) -> Engine:
    program = _found(parameters.program or _PIPER, "pip install piper-tts, and name it by `program`")
    model = Path(parameters.model)
    if not parameters.model or model.suffix != ".onnx":
        raise SoundError(
            f"model is {parameters.model!r}; piper needs a voice of your own: a file that ends in .onnx, "
            "with its .onnx.json beside it"
        )
    for file in (model, model.with_suffix(".onnx.json")):
        if not file.is_file():
            raise SoundError(f"piper's model is not whole: there is no file {file}")
    command = (program, "--model", str(model), "--output_file")
    return Engine(f"{_PIPER} ({model.name})", command, parameters.volume)


def _found(program: str, how: str) -> str:
    found = shutil.which(program)
    if found is None:
        raise SoundError(f"the robot has no voice: there is no program {program!r}; to get it: {how}")
    return found


def _read(file: Path, name: str) -> Sound:
    try:
        with soundfile.SoundFile(file) as made:
            samples = made.read(round(LONGEST_S * made.samplerate), dtype="float32", always_2d=True)
            rate_hz = int(made.samplerate)
    except (soundfile.SoundFileError, OSError) as error:
        raise SoundError(f"{name} gave what is no sound: {error}") from error
    if not len(samples):
        raise SoundError(f"{name} gave a sound of no length")
    mono: NDArray[np.float32] = np.ascontiguousarray(samples.mean(axis=1, dtype=np.float32))
    return Sound(mono, rate_hz)
