"""The running average that orders candidates."""

from __future__ import annotations

from pathlib import Path

import pytest

from framework.state import StateFolder
from managers.reliability import SAMPLES, START, Reliability


def test_it_starts_at_eight_tenths_and_averages_like_temoto() -> None:
    scores = Reliability()
    assert scores.of("camera") == START == 0.8
    scores.loaded("camera")
    assert scores.of("camera") == pytest.approx((0.8 + 1) / 2)
    scores.failed("camera")
    assert scores.of("camera") == pytest.approx((0.8 + 1 + 0) / 3)
    assert scores.of("lidar") == START


def test_it_is_a_running_average_of_a_hundred_samples() -> None:
    scores = Reliability()
    for _ in range(1000):
        scores.loaded("camera")
    high = scores.of("camera")
    assert high > 0.99
    scores.failed("camera")
    assert scores.of("camera") == pytest.approx(high * (1 - 1 / SAMPLES))


def test_the_score_stays_within_zero_and_one() -> None:
    scores = Reliability()
    for _ in range(500):
        scores.failed("camera")
        assert 0.0 <= scores.of("camera") <= 1.0


def test_it_survives_a_restart(tmp_path: Path) -> None:
    state = StateFolder(tmp_path)
    before = Reliability(state)
    before.failed("camera")
    before.loaded("lidar")
    state.flush()
    after = Reliability(StateFolder(tmp_path))
    assert after.of("camera") == before.of("camera") == pytest.approx(0.4)
    assert after.of("lidar") == before.of("lidar")


@pytest.mark.parametrize("content", [b"", b"{", b'{"camera": 1}', b'{"camera": {"value": "good"}}', b"\xff"])
def test_a_damaged_file_begins_anew_and_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, content: bytes
) -> None:
    state = StateFolder(tmp_path)
    (tmp_path / "reliability.json").write_bytes(content)
    scores = Reliability(state)
    assert scores.of("camera") == START
    assert "set aside" in caplog.text and "reliability.json" in caplog.text
    scores.failed("camera")
    state.flush()
    assert Reliability(state).of("camera") == pytest.approx(0.4)


@pytest.mark.parametrize(
    "entry", ['{"value": 7.0, "samples": 3}', '{"value": -1.0}', '{"value": 0.5, "samples": -1}']
)
def test_scores_that_cannot_be_are_not_believed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, entry: str
) -> None:
    state = StateFolder(tmp_path)
    (tmp_path / "reliability.json").write_text(f'{{"camera": {entry}}}')
    assert Reliability(state).of("camera") == START
    assert "set aside" in caplog.text


def test_a_folder_that_cannot_be_written_only_forgets(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    state = StateFolder(tmp_path / "state")
    scores = Reliability(state)
    for file in state.path.iterdir():
        file.unlink()
    state.path.rmdir()
    scores.failed("camera")
    scores.failed("lidar")
    state.flush()
    assert scores.of("camera") == pytest.approx(0.4)
    assert caplog.text.count("are not kept") == 1
