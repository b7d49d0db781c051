"""What `pilothouse doctor` says of microphones, loudspeakers and the voice."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from framework.plugins.driver import driver_spec
from pilothouse.cli import doctor
from resources.drivers.sound.loudspeaker import SoundFolder
from resources.robots.description import DeviceDescription, RobotDescription


def finding(monkeypatch: pytest.MonkeyPatch, code: int, out: str, error: str = "") -> doctor.Finding:
    """With what looking for microphones printed."""

    def look(argv: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(argv, code, out, error)

    monkeypatch.setattr(subprocess, "run", look)
    return doctor._microphones()


def test_they_are_listed_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    found = finding(monkeypatch, 0, "USB Audio\nHDA Intel\n")
    assert found.works
    assert found.words == "USB Audio; HDA Intel"


def test_none_is_no_failure_of_anything_and_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    found = finding(monkeypatch, 0, "\n")
    assert (found.works, found.needed) == (False, False)
    assert found.words == "none on this machine"
    assert found.remedy.startswith("plug one in")


def test_without_its_library_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = finding(monkeypatch, 1, "", "PortAudio cannot be loaded (no such library)\n")
    assert found.words == "PortAudio cannot be loaded (no such library)"
    assert "libportaudio2" in found.remedy


def test_one_that_hangs_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(argv: list[str], **_: Any) -> None:
        raise subprocess.TimeoutExpired(argv, 30)

    monkeypatch.setattr(subprocess, "run", hang)
    assert "hangs" in doctor._microphones().words


@pytest.mark.parametrize("look", [doctor._microphones, doctor._loudspeakers])
def test_the_real_list_is_printed_by_a_program_of_its_own(look: Callable[[], doctor.Finding]) -> None:
    """Whatever this machine has: names, none, or why not."""
    found = look()
    assert found.words and "Traceback" not in found.words
    assert found.works != (found.words == "none on this machine" or "PortAudio" in found.words)


def test_the_voice_is_tried_and_named() -> None:
    found = doctor._voice()
    assert (found.works, found.words) == (True, "espeak-ng (voice en-us)")


def test_of_a_robot_description_each_voice_is_tried(tmp_path: Path) -> None:
    described = tuple(
        DeviceDescription(name, "sound_folder", "loudspeaker", parameters={"path": str(tmp_path), **more})
        for name, more in (
            ("good", {"words_per_min": 150}),
            ("mute", {"voice": "klingon-xx"}),
            ("piped", {"engine": "piper", "model": "it.onnx", "program": "sh"}),
        )
    )
    robot, drivers = RobotDescription("tester", described), {"sound_folder": driver_spec(SoundFolder)}
    found = {each.what: each for each in doctor._voices(robot, drivers)}
    assert found["voice of good"].works and not found["voice of mute"].works
    assert "voice does not exist" in found["voice of mute"].words
    assert "there is no file it.onnx" in found["voice of piped"].words
