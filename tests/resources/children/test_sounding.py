"""Where sentences are heard: at their pace, cut where they are cut, and gone where the device is gone."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from framework.errors import SoundError
from resources.children.portaudio import names
from resources.children.sounding import GONE_AFTER_S, Folder, LocalLoudspeaker, Playing
from resources.voice.engines import Sound

RATE_HZ = 22_050
TONE = Sound(np.full(2 * RATE_HZ, 0.25, np.float32), RATE_HZ)


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The clock; its `s` is what `time.monotonic` gives."""

    class Now:
        s = 100.0

    monkeypatch.setattr(time, "monotonic", lambda: Now.s)
    return Now


def lengths_s(folder: Path) -> list[float]:
    return [soundfile.info(each).duration for each in sorted(folder.glob("*.wav"))]


def test_a_sentence_becomes_a_file_when_it_was_said_and_not_before(tmp_path: Path, now: Any) -> None:
    folder = Folder(tmp_path / "answers", keeps=10)
    folder.play(1, TONE)
    for _ in range(3):
        now.s += 0.5
        folder.look(now.s)
    assert lengths_s(tmp_path / "answers") == []
    now.s += 0.5
    folder.look(now.s)
    assert lengths_s(tmp_path / "answers") == [2.0]
    samples, rate_hz = soundfile.read(next((tmp_path / "answers").glob("*.wav")))
    assert rate_hz == RATE_HZ and np.allclose(samples, 0.25, atol=1e-3)


def test_what_is_cut_ends_there(tmp_path: Path, now: Any) -> None:
    folder = Folder(tmp_path, keeps=10)
    folder.play(1, TONE)
    now.s += 0.5
    folder.look(now.s)
    folder.cut()
    assert lengths_s(tmp_path) == [0.5]
    folder.play(2, TONE)
    now.s += 0.25
    folder.look(now.s)
    folder.close()
    folder.close()
    assert lengths_s(tmp_path) == pytest.approx([0.5, 0.25], abs=1e-3)


def test_of_many_the_newest_are_kept_and_of_one_that_was_killed_nothing(tmp_path: Path, now: Any) -> None:
    (tmp_path / "20260101-000000-000001.part").write_bytes(b"RIFF")
    (tmp_path / "mine.wav").write_bytes(b"")
    folder = Folder(tmp_path, keeps=2)
    for number in range(1, 6):
        folder.play(number, TONE)
        now.s += 3.0
        folder.look(now.s)
    names = sorted(each.name.rpartition("-")[2] for each in tmp_path.iterdir())
    assert names == ["000004.wav", "000005.wav", "mine.wav"]


def test_a_folder_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "it").write_text("a file")
    with pytest.raises(SoundError, match="answers cannot be kept in"):
        Folder(tmp_path / "it", keeps=2)


class PortAudioError(Exception):
    """As sounddevice has it."""


class Device:
    """Of an output stream what is needed."""

    made: ClassVar[list[Device]] = []

    def __init__(self, *, device: int, channels: int, samplerate: float, dtype: str, callback: Any) -> None:
        if device == 1:
            raise PortAudioError("Device unavailable")
        self.channels, self.samplerate, self.callback = channels, samplerate, callback
        self.latency = 0.02
        self.active = False
        self.is_closed = False
        Device.made.append(self)

    def start(self) -> None:
        self.active = True

    def abort(self) -> None:
        self.active = False

    def close(self) -> None:
        self.is_closed = True

    def takes(self, frames: int, status: str = "") -> NDArray[np.float32]:
        """What it plays of these frames."""
        out = np.full((frames, self.channels), 9.0, np.float32)
        self.callback(out, frames, None, status)
        return out


@pytest.fixture
def portaudio(monkeypatch: pytest.MonkeyPatch) -> None:
    class Default:
        device = (0, 2)

    class Library:
        """Of sounddevice what is needed: a microphone, a busy loudspeaker, and a good one."""

        OutputStream = Device
        default = Default

        @staticmethod
        def query_devices() -> list[dict[str, Any]]:
            names = (("mic", 0), ("HDMI busy", 2), ("USB Audio", 6))
            return [
                {"name": name, "index": n, "max_output_channels": channels, "default_samplerate": 48000.0}
                for n, (name, channels) in enumerate(names)
            ]

    library: Any = Library()
    library.PortAudioError = PortAudioError
    monkeypatch.setitem(sys.modules, "sounddevice", library)


def test_a_loudspeaker_plays_a_sentence_at_its_own_rate_and_then_nothing(portaudio: None) -> None:
    loudspeaker = LocalLoudspeaker("", 0.1)
    device = Device.made[-1]
    assert loudspeaker.where == "USB Audio" and device.channels == 2
    assert loudspeaker.latency_s == pytest.approx(0.12)
    loudspeaker.play(1, TONE)
    out = device.takes(2 * 48_000 + 480)
    assert np.allclose(out[100:-600], 0.25, atol=0.02) and not out[-400:].any()
    assert not device.takes(480).any()
    loudspeaker.play(2, TONE)
    device.takes(480)
    loudspeaker.cut()
    assert not device.takes(480).any()
    loudspeaker.close()
    assert device.is_closed


def test_lost_sound_is_said_and_one_that_takes_nothing_any_more_is_gone(portaudio: None, now: Any) -> None:
    loudspeaker = LocalLoudspeaker("usb", 0.1)
    device = Device.made[-1]
    device.takes(480, "output underflow")
    assert loudspeaker.look(now.s) == ""  # nothing was being said
    loudspeaker.play(1, TONE)
    device.takes(480, "output underflow")
    assert loudspeaker.look(now.s) == "USB Audio: output underflow; some sound is lost"
    assert loudspeaker.look(now.s + GONE_AFTER_S - 0.1) == ""
    with pytest.raises(SoundError, match=r"USB Audio takes no sound any more: was it unplugged\?"):
        loudspeaker.look(now.s + GONE_AFTER_S + 0.1)
    device.active = False
    with pytest.raises(SoundError, match="was it unplugged"):
        loudspeaker.look(now.s)


def test_what_is_not_there_or_busy_is_refused_with_what_there_is(portaudio: None) -> None:
    assert names("output") == ("HDMI busy", "USB Audio")
    with pytest.raises(SoundError, match="there is no loudspeaker 'tin can': there are HDMI busy, USB Audio"):
        LocalLoudspeaker("tin can", 0.1)
    with pytest.raises(SoundError, match="HDMI busy cannot be opened: Device unavailable"):
        LocalLoudspeaker("HDMI", 0.1)


def test_what_portaudio_takes_is_cut_to_its_frames() -> None:
    playing = Playing()
    playing.put(np.arange(5, dtype=np.float32))
    out = np.zeros((3, 1), np.float32)
    playing.take(out, 3, None, "")
    assert out[:, 0].tolist() == [0.0, 1.0, 2.0]
    playing.take(out, 3, None, "")
    assert out[:, 0].tolist() == [3.0, 4.0, 0.0]
