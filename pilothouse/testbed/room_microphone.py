"""The process that is a microphone of a room (`room.py`): espeak-ng's voice, or a quiet room's noise."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from framework.processes.child import Child
from framework.transport.run_directory import RunDirectory
from pilothouse.testbed.room import Room, RoomMicrophoneArguments, Sentence
from resources.audio.blocks import Blocks, Samples, with_floor
from resources.audio.format import BLOCK, BLOCK_S, BLOCKS_HZ
from resources.children.sound_writing import SoundWriter
from resources.children.turning import Turns
from resources.voice.engines import WITHIN_S, Engine, VoiceParameters, engine_of


def main(child: Child, arguments: RoomMicrophoneArguments) -> None:
    """Hear the room. Raises SoundError without espeak-ng, SharedMemoryFull, StreamError."""
    directory = RunDirectory.join(Path(arguments.run_directory))
    engine = engine_of(VoiceParameters(), directory.path)
    room, heard = Room(directory.path), dict[int, list[Samples]]()
    writer = SoundWriter(child, directory.path, arguments.device, arguments.device)
    random = np.random.default_rng(0)
    due_s = time.monotonic() + BLOCK_S
    try:
        for now_s in Turns(child, BLOCKS_HZ, writer.ring):
            for sentence in room.said():
                if sentence.number not in heard:
                    child.busy(WITHIN_S)
                    heard[sentence.number] = _spoken(engine, sentence, directory.path)
            while due_s <= now_s:
                block = np.zeros(BLOCK, np.int16)
                for sentence in room.said():
                    at = round((due_s - sentence.from_s) / BLOCK_S)
                    if 0 <= at < len(heard.get(sentence.number, ())):
                        block = heard[sentence.number][at]
                writer.write(with_floor(block, random), due_s)
                due_s += BLOCK_S
    finally:
        writer.close()
        directory.leave()


def _spoken(engine: Engine, sentence: Sentence, directory: Path) -> list[Samples]:
    making = engine.begin(sentence.words, directory)
    try:
        sound = making.sound(wait_s=WITHIN_S)
    finally:
        making.close()
    if sound is None:
        return []
    blocks = Blocks(sound.rate_hz)
    return [*blocks.add(sound.samples), *blocks.end()]
