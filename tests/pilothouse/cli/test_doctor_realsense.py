"""What `pilothouse doctor` says of RealSense cameras."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from pilothouse.cli import doctor


def finding() -> doctor.Finding:
    """The one about RealSense cameras."""
    return next(found for check in doctor.CHECKS if (found := check()).what == "RealSense cameras")


def test_without_the_library_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "CHECKS", (doctor._realsense,))
    monkeypatch.setitem(sys.modules, "pyrealsense2", None)
    found = finding()
    assert not found.works
    assert not found.needed
    assert "pip install pyrealsense2" in found.remedy


def test_with_the_library_it_lists_what_is_plugged_in(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyrealsense2")
    monkeypatch.setattr(doctor, "CHECKS", (doctor._realsense,))
    found = finding()
    assert found.works, found.words
    assert found.words.startswith("pyrealsense2 2.")


def test_a_library_that_does_not_fit_is_told_and_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "CHECKS", (doctor._realsense,))
    monkeypatch.setattr(doctor, "why_missing", lambda: "")

    def crash(argv: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(argv, -11, "", "")

    monkeypatch.setattr(subprocess, "run", crash)
    assert finding().words == "it ended without a word"

    def hang(argv: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        raise subprocess.TimeoutExpired(argv, 30)

    monkeypatch.setattr(subprocess, "run", hang)
    assert "hangs while looking for cameras" in finding().words
