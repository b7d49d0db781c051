"""The process that plays recordings as if somebody spoke now: a block when it is due, and silence in between.

All of it has the noise of a quiet room beneath it (`blocks.FLOOR`), as that of any microphone has.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from framework.errors import SoundError
from framework.processes.child import Child
from framework.status import Severity
from framework.transport.run_directory import RunDirectory
from resources.audio.blocks import Samples, with_floor
from resources.audio.format import BLOCK, BLOCK_S, BLOCKS_HZ
from resources.audio.sound_file import blocks_of, length_s, sound_files
from resources.children.arguments import SoundFilesArguments
from resources.children.sound_writing import SoundWriter
from resources.children.turning import Turns

_MOST_LATE_S = 0.5  # what is due for longer is not made up for: the machine slept


def main(child: Child, arguments: SoundFilesArguments) -> None:
    """Play them. Raises SoundError for what is no sound, SharedMemoryFull or StreamError."""
    directory = RunDirectory.join(Path(arguments.run_directory))
    files = sound_files(Path(arguments.path))
    next(blocks_of(files[0]))  # a file that is none is refused at the start
    due_s = time.monotonic() + BLOCK_S
    until_s = None if arguments.again else due_s + _length_s(files, arguments)
    writer = SoundWriter(child, directory.path, arguments.device, "a recording", until_s)
    random = np.random.default_rng(0)
    playing = deque([_played(child, files, arguments)])
    try:
        for now_s in Turns(child, BLOCKS_HZ, writer.ring):
            if now_s - due_s > _MOST_LATE_S:
                due_s = now_s
            while due_s <= now_s:
                block = next(playing[0], None) if playing else None
                if block is None:
                    playing.clear()
                    block = np.zeros(BLOCK, np.int16)
                writer.write(with_floor(block, random), due_s)
                due_s += BLOCK_S
    finally:
        writer.close()
        directory.leave()


def _played(child: Child, files: tuple[Path, ...], arguments: SoundFilesArguments) -> Iterator[Samples]:
    """All blocks of all files. One that breaks in the middle is told, and followed by the next."""
    yield from _silence(arguments.before_s)
    while True:
        for file in files:
            try:
                yield from blocks_of(file)
            except SoundError as error:
                child.status(Severity.WARNING, str(error))
            yield from _silence(arguments.between_s)
        if not arguments.again:
            return
        yield from _silence(BLOCK_S)  # nothing but broken files must not be a loop without a block


def _length_s(files: tuple[Path, ...], arguments: SoundFilesArguments) -> float:
    """From the first block to the end of the last file."""
    between_s = (len(files) - 1) * arguments.between_s
    return arguments.before_s + sum(map(length_s, files)) + between_s


def _silence(for_s: float) -> Iterator[Samples]:
    return (np.zeros(BLOCK, np.int16) for _ in range(round(for_s / BLOCK_S)))
