"""The process that listens to a microphone of this machine, by PortAudio.

PortAudio calls from a thread of its own, which only hands over what came; blocks are cut and written here.
Sound is taken at the microphone's own rate, since many cannot do ours.
"""

from __future__ import annotations

import queue
import time
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from framework.errors import SoundError
from framework.processes.child import Child
from framework.transport.run_directory import RunDirectory
from resources.audio.blocks import Blocks, level_dbfs
from resources.audio.format import BLOCK_S, BLOCKS_HZ, RATE_HZ
from resources.audio.sound_clock import SoundClock
from resources.children.arguments import MicrophoneArguments
from resources.children.complaints import Complaints
from resources.children.sound_writing import SoundWriter
from resources.children.turning import Turns

INSTALL: Final = "install its library: apt-get install libportaudio2"

_MOST_CHANNELS: Final = 2
_MUTED_AFTER_S: Final = 3.0
_MUTED_DBFS: Final = -100.0  # the noise of any real converter is louder


def main(child: Child, arguments: MicrophoneArguments) -> None:
    """Listen. Raises SoundError without such a microphone or if it is busy, SharedMemoryFull, StreamError."""
    directory = RunDirectory.join(Path(arguments.run_directory))
    came: queue.SimpleQueue[tuple[float, NDArray[np.float32], str]] = queue.SimpleQueue()

    def take(sound: NDArray[np.float32], frames: int, times: Any, status: Any) -> None:
        came.put((time.monotonic(), sound.copy(), str(status) if status else ""))

    stream, name = opened(arguments.hardware, take)
    blocks = Blocks(stream.samplerate, stream.channels)
    complaints = Complaints(child.status)
    writer = SoundWriter(child, directory.path, arguments.device, name)
    heard_at_s = loud_at_s = time.monotonic()
    clock = SoundClock()
    try:
        with stream:
            for now_s in Turns(child, 2 * BLOCKS_HZ, writer.ring):
                complaints.settle(now_s)
                while not came.empty():
                    until_s, sound, trouble = came.get()
                    heard_at_s = now_s
                    if trouble:
                        complaints.add(f"{name}: {trouble}; some sound is lost", now_s)
                    full = blocks.add(sound)
                    for index, block in enumerate(full):
                        if level_dbfs(block) > _MUTED_DBFS:
                            loud_at_s = now_s
                        after_it = len(full) - 1 - index
                        writer.write(block, clock.block(until_s - after_it * BLOCK_S))
                if not stream.active or now_s - heard_at_s > _MUTED_AFTER_S:
                    raise SoundError(f"{name} gives no sound any more: was it unplugged?")
                if now_s - loud_at_s > _MUTED_AFTER_S:
                    complaints.add(f"{name} gives silence only: is it muted?", now_s)
    finally:
        writer.close()
        directory.leave()


def opened(hardware: str, take: Any) -> tuple[Any, str]:
    """An input stream that calls `take`, not yet started, and the microphone's name.

    Raises SoundError with what there is if PortAudio, the microphone or its stream cannot be had.
    """
    sounddevice, every = _every()
    names = [str(each["name"]) for each in every]
    fitting = [each for each in every if hardware.lower() in str(each["name"]).lower()]
    if not fitting:
        there = f"there are {', '.join(names)}" if names else "this machine has none"
        raise SoundError(
            f"there is no microphone {hardware!r}: {there}" if hardware else f"a microphone: {there}"
        )
    device = _default(sounddevice, fitting) if not hardware else fitting[0]
    try:
        stream = sounddevice.InputStream(
            device=device["index"],
            channels=min(int(device["max_input_channels"]), _MOST_CHANNELS),
            samplerate=float(device["default_samplerate"]) or RATE_HZ,
            dtype="float32",
            callback=take,
        )
    except (sounddevice.PortAudioError, ValueError) as error:
        raise SoundError(
            f"{device['name']} cannot be opened: {error}. Does another program use it?"
        ) from error
    return stream, str(device["name"])


def microphones() -> tuple[str, ...]:
    """The names of this machine's microphones. Raises SoundError if PortAudio is not there."""
    return tuple(str(each["name"]) for each in _every()[1])


def _every() -> tuple[Any, list[Any]]:
    try:
        import sounddevice
    except OSError as error:
        raise SoundError(f"PortAudio cannot be loaded ({error}); {INSTALL}") from error
    try:
        every = [each for each in sounddevice.query_devices() if each["max_input_channels"] > 0]
    except sounddevice.PortAudioError as error:
        raise SoundError(f"PortAudio finds no sound on this machine: {error}") from error
    return sounddevice, every


def _default(sounddevice: Any, fitting: list[Any]) -> Any:
    index = sounddevice.default.device[0]
    return next((each for each in fitting if each["index"] == index), fitting[0])
