"""The hand tracker at the end of a pipe that goes wrong: it is told why, and nobody waits for ever."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from framework.errors import StreamError
from resources.gestures import tracker_pipe
from resources.gestures.tracker_library import VARIABLE
from resources.gestures.tracker_pipe import TrackerAtWork
from resources.types.streams import CameraIntrinsics

LENS = CameraIntrinsics(640, 480, 500.0, 500.0, 319.5, 239.5)
RGB, DEPTH = np.zeros((480, 640, 3), np.uint8), np.zeros((480, 640), np.uint16)

Instead = Callable[[str], None]


@pytest.fixture
def instead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Instead:
    """This runs instead of the tracker's Python."""
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    monkeypatch.setattr(tracker_pipe, "_ENDS_WITHIN_S", 0.2)

    def write(script: str) -> None:
        program = tmp_path / "bin" / "python"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)

    return write


@pytest.mark.parametrize("reads", ["head -c 1000 >/dev/null;", "cat >/dev/null & sleep .05;", ""])
def test_one_that_dies_is_told_with_its_last_words(instead: Instead, reads: str) -> None:
    instead(f"{reads} echo 'no such model' >&2; exit 3")
    with TrackerAtWork(LENS, follows=True) as tracker, pytest.raises(StreamError) as caught:
        tracker.hands(RGB, DEPTH, anew=True)
    assert "exit code 3" in str(caught.value) and "no such model" in str(caught.value)


def test_one_that_breaks_off_in_the_middle_of_an_answer_is_no_hand(instead: Instead) -> None:
    instead(r"head -c 1000 >/dev/null; printf '\0\0\0\0\0\0\0\0\011\0\0\0abc'; cat >/dev/null & sleep .05")
    with TrackerAtWork(LENS, follows=True) as tracker, pytest.raises(StreamError, match="in the middle"):
        tracker.hands(RGB, DEPTH, anew=True)


def test_one_that_hangs_is_killed_and_one_that_has_not_read_all_harms_nobody(instead: Instead) -> None:
    instead("exec sleep 600")
    with TrackerAtWork(LENS, follows=True) as tracker:
        assert Path(f"/proc/{tracker.pid}").exists()
    assert not Path(f"/proc/{tracker.pid}").exists()
