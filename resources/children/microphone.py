"""The process that listens to a microphone of this machine, by PortAudio.

PortAudio calls from a thread of its own, which only hands over what came; blocks are cut and written here.
Sound is taken at the microphone's own rate, since many cannot do ours.
"""

from __future__ import annotations

import queue
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, NamedTuple

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
from resources.children.portaudio import chosen
from resources.children.sound_writing import SoundWriter
from resources.children.turning import Turns

_MOST_CHANNELS: Final = 2
GONE_AFTER_S: Final = 1.0
"""Without sound for so long it is gone [s]: its owner would say so later, and not why."""

MUTED_AFTER_S: Final = 3.0
"""Of digital silence [s]."""

_TOLD_EVERY_S: Final = 2.0  # sooner than a complaint is over
_MUTED_DBFS: Final = -100.0  # the noise of any real converter is louder


def main(child: Child, arguments: MicrophoneArguments) -> None:
    """Listen. Raises SoundError without such a microphone or if it is busy, SharedMemoryFull, StreamError."""
    directory = RunDirectory.join(Path(arguments.run_directory))
    came: queue.SimpleQueue[Came] = queue.SimpleQueue()

    def take(sound: NDArray[np.float32], frames: int, times: Any, status: Any) -> None:
        ago_s = times.currentTime - times.inputBufferAdcTime if times.inputBufferAdcTime else 0.0
        length_s = frames / stream.samplerate
        until_s = time.monotonic() - max(ago_s - length_s, 0.0)
        came.put(Came(until_s, sound.copy(), str(status) if status else ""))

    stream, name = opened(arguments.hardware, take)
    with ExitStack() as stack:
        stack.callback(directory.leave)
        stack.callback(stream.close)
        writer = SoundWriter(child, directory.path, arguments.device, name)
        stack.callback(writer.close)
        started(stream, name)
        stack.callback(stream.abort)  # not stop: that waits for a device that may be gone
        listening = Microphone(
            name, writer, Complaints(child.status), Blocks(stream.samplerate, stream.channels)
        )
        for now_s in Turns(child, 2 * BLOCKS_HZ, writer.ring):
            while not came.empty():
                listening.take(came.get(), now_s)
            listening.look(now_s, is_active=stream.active)


class Came(NamedTuple):
    """What PortAudio gave. until_s: where it ends, CLOCK_MONOTONIC [s]; trouble: what it says was wrong."""

    until_s: float
    sound: NDArray[np.float32]  # (frames, channels)
    trouble: str = ""


class Microphone:
    """Makes blocks of what comes, and says what is wrong with it. name: as people know it."""

    def __init__(self, name: str, writer: SoundWriter, complaints: Complaints, blocks: Blocks) -> None:
        self._name = name
        self._writer = writer
        self._complaints = complaints
        self._blocks = blocks
        self._clock = SoundClock()
        self._heard_at_s: float | None = None
        self._loud_at_s = float("-inf")
        self._told_muted_s = float("-inf")

    def take(self, came: Came, now_s: float) -> None:
        """Write what is full. Sound that was lost before it is marked in the stream."""
        if self._heard_at_s is None:
            self._loud_at_s = now_s
        self._heard_at_s = now_s
        if came.trouble:
            self._complaints.add(f"{self._name}: {came.trouble}; some sound is lost", now_s)
            self._clock = SoundClock()
            self._writer.lost(came.until_s)
        full = self._blocks.add(came.sound)
        for after_it, block in zip(reversed(range(len(full))), full, strict=True):
            if level_dbfs(block) > _MUTED_DBFS:
                self._loud_at_s = now_s
            self._writer.write(block, self._clock.block(came.until_s - after_it * BLOCK_S))

    def look(self, now_s: float, *, is_active: bool) -> None:
        """Once a turn. Raises SoundError if it is gone."""
        self._complaints.settle(now_s)
        if self._heard_at_s is None:
            self._heard_at_s = self._loud_at_s = now_s
        if not is_active or now_s - self._heard_at_s > GONE_AFTER_S:
            raise SoundError(f"{self._name} gives no sound any more: was it unplugged?")
        is_muted = now_s - self._loud_at_s > MUTED_AFTER_S
        if is_muted and now_s - self._told_muted_s > _TOLD_EVERY_S:
            self._told_muted_s = now_s
            self._complaints.add(f"{self._name} gives silence only: is it muted?", now_s)


def started(stream: Any, name: str) -> None:
    """Have it begin. Raises SoundError if it does not."""
    from sounddevice import PortAudioError

    try:
        stream.start()
    except PortAudioError as error:
        raise SoundError(f"{name} does not begin: {error}. Does another program use it?") from error


def opened(hardware: str, take: Any) -> tuple[Any, str]:
    """An input stream that calls `take`, not yet started, and the microphone's name.

    Raises SoundError with what there is if PortAudio, the microphone or its stream cannot be had.
    """
    sounddevice, device = chosen("input", hardware)
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
