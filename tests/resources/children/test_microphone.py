"""A microphone's blocks: what is lost, muted or gone is said. What PortAudio would give is made up."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from framework.errors import SoundError
from framework.processes.child import Child
from framework.status import Severity
from framework.transport.run_directory import RunDirectory
from resources.audio.blocks import Blocks
from resources.audio.format import BLOCK, BLOCK_S, RATE_HZ
from resources.audio.reading import AudioReading
from resources.children.complaints import Complaints
from resources.children.microphone import GONE_AFTER_S, MUTED_AFTER_S, Came, Microphone, started
from resources.children.sound_writing import SoundWriter

LOUD = np.random.default_rng(0).uniform(-0.3, 0.3, (BLOCK, 1)).astype(np.float32)
SILENT = np.zeros((BLOCK, 1), np.float32)


class Told:
    """A child that keeps what it says."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.is_ready = False

    def ready(self, handle: bytes) -> None:
        self.is_ready = True

    def sampled(self, stream: str) -> None:
        """Nothing."""

    def status(self, severity: Severity, message: str) -> None:
        self.said.append(message)


class Stage:
    """A microphone, its ring, and what is said of it."""

    def __init__(self, directory: Path) -> None:
        self.child = Told()
        self.writer = SoundWriter(cast(Child, self.child), directory, "mast", "USB Audio")
        complaints = Complaints(self.child.status)
        self.microphone = Microphone("USB Audio", self.writer, complaints, Blocks(RATE_HZ))
        self.reading = AudioReading(self.writer.ring.path)

    def hears(self, sound: Any, seconds: float, from_s: float) -> float:
        """Blocks of it, one after the other; where they end [s]."""
        for number in range(1, round(seconds / BLOCK_S) + 1):
            now_s = from_s + number * BLOCK_S
            self.microphone.take(Came(now_s, sound), now_s)
            self.microphone.look(now_s, is_active=True)
        return now_s


@pytest.fixture
def stage() -> Iterator[Stage]:
    with RunDirectory.create() as run:
        made = Stage(run.path)
        yield made
        made.reading.close()
        made.writer.close()


def test_its_blocks_come_as_they_are_and_the_first_makes_it_ready(stage: Stage) -> None:
    stage.hears(LOUD, 1.0, 10.0)
    blocks = stage.reading.news()
    assert stage.child.is_ready
    assert len(blocks) == 31
    assert not any(block.is_after_gap for block in blocks)
    assert blocks[0].until_s == pytest.approx(10.0 + BLOCK_S)
    assert stage.child.said == []


def test_lost_sound_is_said_and_marked_however_little_it_is(stage: Stage) -> None:
    now_s = stage.hears(LOUD, 1.0, 10.0)
    now_s += 0.2
    stage.microphone.take(Came(now_s, LOUD, "input overflow"), now_s)
    blocks = stage.reading.news()
    assert [block.is_after_gap for block in blocks] == [False] * 31 + [True]
    assert blocks[-1].until_s == pytest.approx(now_s)
    assert stage.child.said == ["USB Audio: input overflow; some sound is lost"]


def test_digital_silence_is_said_to_be_muted_perhaps_and_not_all_the_time(stage: Stage) -> None:
    now_s = stage.hears(SILENT, MUTED_AFTER_S - 0.1, 10.0)
    assert stage.child.said == []
    stage.hears(SILENT, 2 * MUTED_AFTER_S, now_s)
    assert stage.child.said == ["USB Audio gives silence only: is it muted?"] * 3


def test_one_that_gives_nothing_any_more_is_gone(stage: Stage) -> None:
    now_s = stage.hears(LOUD, 1.0, 10.0)
    stage.microphone.look(now_s + GONE_AFTER_S - 0.1, is_active=True)
    with pytest.raises(SoundError, match=r"USB Audio gives no sound any more: was it unplugged\?"):
        stage.microphone.look(now_s + GONE_AFTER_S + 0.1, is_active=True)
    with pytest.raises(SoundError, match="was it unplugged"):
        stage.microphone.look(now_s, is_active=False)


def test_one_that_is_busy_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    class PortAudioError(Exception):
        """As sounddevice has it."""

    class Busy:
        """Does not begin."""

        def start(self) -> None:
            raise PortAudioError("Device unavailable")

    class Library:
        """Of sounddevice what is needed."""

    library: Any = Library()
    library.PortAudioError = PortAudioError
    monkeypatch.setitem(sys.modules, "sounddevice", library)
    with pytest.raises(
        SoundError, match=r"USB does not begin: Device unavailable\. Does another program use it"
    ):
        started(Busy(), "USB")
