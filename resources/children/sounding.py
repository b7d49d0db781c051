"""Where sentences are heard: a loudspeaker of this machine by PortAudio, or a folder that gets them as files.

PortAudio calls from a thread of its own, which only takes what is to be played.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import soundfile
import soxr
from numpy.typing import NDArray

from framework.errors import SoundError
from resources.children.portaudio import chosen
from resources.voice.engines import Sound

GONE_AFTER_S: Final = 1.0
"""A loudspeaker that takes nothing for so long is gone [s]."""

_RATE_HZ: Final = 48_000  # where PortAudio does not know the device's own


class Output(Protocol):
    """One sentence at a time is heard by it. where: how people call it."""

    where: str
    latency_s: float
    """So much later than it is played it is heard, at the most."""

    def play(self, number: int, sound: Sound) -> None:
        """From now on, in place of whatever is being played."""
        ...

    def cut(self) -> None:
        """Nothing is played any more."""
        ...

    def look(self, now_s: float) -> str:
        """Once a turn, CLOCK_MONOTONIC [s]: what is wrong, in words. Raises SoundError if it is gone."""
        ...

    def close(self) -> None:
        """It is not used any more; idempotent."""
        ...


class Folder:
    """Each sentence becomes a file of the folder, at the pace at which it is spoken: cut is cut there, too.

    Raises SoundError if there cannot be such a folder.
    """

    latency_s = 0.0

    def __init__(self, path: Path, keeps: int) -> None:
        self.where = f"the folder {path.name}"
        self._path = path
        self._keeps = keeps
        self._file: soundfile.SoundFile | None = None
        self._name = ""
        self._sound = Sound(np.zeros(0, np.float32), 1)
        self._since_s = 0.0
        self._written = 0
        try:
            path.mkdir(parents=True, exist_ok=True)
            for part in path.glob("*.part"):  # of one that was killed
                part.unlink()
        except OSError as error:
            raise SoundError(f"answers cannot be kept in {path}: {error.strerror}") from error

    def play(self, number: int, sound: Sound) -> None:
        self.cut()
        self._sound, self._since_s, self._written = sound, time.monotonic(), 0
        self._name = f"{time.strftime('%Y%m%d-%H%M%S')}-{number:06}"
        part = self._path / f"{self._name}.part"
        try:
            self._file = soundfile.SoundFile(
                part, "w", samplerate=sound.rate_hz, channels=1, format="WAV", subtype="PCM_16"
            )
        except (soundfile.SoundFileError, OSError) as error:
            raise SoundError(f"answers cannot be kept in {self._path}: {error}") from error

    def cut(self) -> None:
        if self._file is None:
            return
        file, self._file = self._file, None
        try:
            file.close()
            (self._path / f"{self._name}.part").rename(self._path / f"{self._name}.wav")
            for old in sorted(self._path.glob("*-*.wav"))[: -self._keeps]:
                old.unlink()
        except (soundfile.SoundFileError, OSError) as error:
            raise SoundError(f"answers cannot be kept in {self._path}: {error}") from error

    def look(self, now_s: float) -> str:
        if self._file is not None:
            due = min(round((now_s - self._since_s) * self._sound.rate_hz), len(self._sound.samples))
            try:
                self._file.write(self._sound.samples[self._written : due])
            except (soundfile.SoundFileError, OSError) as error:
                raise SoundError(f"answers cannot be kept in {self._path}: {error}") from error
            self._written = max(due, self._written)
            if due == len(self._sound.samples):
                self.cut()
        return ""

    def close(self) -> None:
        self.cut()


class Playing:
    """What PortAudio's thread takes from: one sound at the device's own rate."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._samples: NDArray[np.float32] = np.zeros(0, np.float32)
        self._taken_s = time.monotonic()
        self._trouble = ""

    def put(self, samples: NDArray[np.float32]) -> None:
        """(n,) float32, −1 … 1, in place of what is left."""
        with self._lock:
            self._samples = samples

    def take(self, out: NDArray[np.float32], frames: int, times: object, status: object) -> None:
        """Fill (frames, channels) with what comes next, and silence after it; for PortAudio."""
        with self._lock:
            now, self._samples = self._samples[:frames], self._samples[frames:]
            self._taken_s = time.monotonic()
            if status and len(now):
                self._trouble = str(status)
        out[: len(now)] = now[:, None]
        out[len(now) :] = 0.0

    def look(self) -> tuple[float, str]:
        """When it was taken from last, CLOCK_MONOTONIC [s], and what was wrong since the last look."""
        with self._lock:
            trouble, self._trouble = self._trouble, ""
            return self._taken_s, trouble


class LocalLoudspeaker:
    """A loudspeaker of this machine. delay_s: heard so much later than PortAudio knows.

    Raises SoundError with what there is if it cannot be had.
    """

    def __init__(self, hardware: str, delay_s: float) -> None:
        self._playing = Playing()
        self._stream, self.where = _opened(hardware, self._playing)
        self._rate_hz = float(self._stream.samplerate)
        self.latency_s = max(float(self._stream.latency), 0.0) + delay_s

    def play(self, number: int, sound: Sound) -> None:
        samples = sound.samples
        if sound.rate_hz != self._rate_hz:
            samples = soxr.resample(samples, sound.rate_hz, self._rate_hz).astype(np.float32)
        self._playing.put(samples)

    def cut(self) -> None:
        self._playing.put(np.zeros(0, np.float32))

    def look(self, now_s: float) -> str:
        taken_s, trouble = self._playing.look()
        if not self._stream.active or now_s - taken_s > GONE_AFTER_S:
            raise SoundError(f"{self.where} takes no sound any more: was it unplugged?")
        return f"{self.where}: {trouble}; some sound is lost" if trouble else ""

    def close(self) -> None:
        self._stream.abort()  # not stop: that waits for a device that may be gone
        self._stream.close()


def _opened(hardware: str, playing: Playing) -> tuple[Any, str]:
    sounddevice, device = chosen("output", hardware)
    try:
        stream = sounddevice.OutputStream(
            device=device["index"],
            channels=min(int(device["max_output_channels"]), 2),
            samplerate=float(device["default_samplerate"]) or _RATE_HZ,
            dtype="float32",
            callback=playing.take,
        )
        stream.start()
    except (sounddevice.PortAudioError, ValueError) as error:
        raise SoundError(
            f"{device['name']} cannot be opened: {error}. Does another program use it?"
        ) from error
    return stream, str(device["name"])
