"""Commands that hold an installation leave in time, in words, and nothing is left of them.

`pilothouse run` leaves from plugins that refuse to end (`pilothouse/testbed/exits.py`).
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pilothouse.leaving import CUT_OFF
from pilothouse.running import started_ticks
from pilothouse.testbed.exits import WAYS, Exit, Refusal, Way, measure
from tests.pilothouse.cli.serving import MAIN

#: As promised [s], by how many signals came.
WITHIN_S = {1: 5.0, 2: 1.0}

TOLD_WITHIN_S = 0.25

SCENARIO = Path(__file__).parents[1] / "scenarios" / "show_environment.yaml"

COMBINATIONS = (
    Way((signal.SIGINT,), (Refusal.DEAF, Refusal.EXECUTOR, Refusal.THREAD), driver_refuses=True),
    Way((signal.SIGTERM, signal.SIGINT), (Refusal.BLOCKED,)),
)

EVERY_WAY = (
    *WAYS,
    *(
        Way((number,), (refusal,), world="inspection")
        for number, refusal in (
            (signal.SIGINT, Refusal.DEAF),
            (signal.SIGTERM, Refusal.BLOCKED),
        )
    ),
)


def judge(left: Exit) -> None:
    """In time, in words, with nothing left; what is in order exits with 0, if nobody hurried it."""
    way = left.way
    assert left.exited_s < WITHIN_S[len(way.signals)], left
    assert left.told_s < TOLD_WITHIN_S, left
    assert left.gone_s is not None and left.gone_s < WITHIN_S[1], left
    if not way.refusals and left.code != 128 + way.signals[-1]:
        assert left.code == 0, left
    elif not way.refusals:
        assert len(way.signals) == 2 and "Leaving without" in left.words and "leaving.py" not in left.words, (
            left
        )
    elif len(way.signals) == 1:
        assert left.code == CUT_OFF and "Leaving without" in left.words, left
    else:
        assert left.code in (CUT_OFF, 128 + way.signals[-1]), left
    assert "Traceback" not in left.words, left.words


@pytest.mark.parametrize("way", COMBINATIONS, ids=str)
def test_a_combination(way: Way) -> None:
    judge(asyncio.run(measure(way)))


@pytest.mark.soak
@pytest.mark.parametrize("way", EVERY_WAY, ids=str)
def test_every_way(way: Way) -> None:
    judge(asyncio.run(measure(way)))


@pytest.mark.soak
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_real_scenario_is_interrupted_in_time(number: int, tmp_path: Path) -> None:
    """Its memory is full of a robot's language, which Python alone takes seconds to give back."""
    words = ["scenario", "--clock", "real", str(SCENARIO), "--report", str(tmp_path)]
    command = [sys.executable, "-c", MAIN, *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "expected" in line:
                break
        children = {pid: started_ticks(pid) for pid in children_of(process.pid)}
        assert children
        begun_s = time.monotonic()
        process.send_signal(number)
        rest, _ = process.communicate(timeout=60)
        assert time.monotonic() - begun_s < WITHIN_S[1] and process.returncode == 130, rest
        assert "Stopping" in rest and "Traceback" not in rest
    while any(started_ticks(pid) == ticks for pid, ticks in children.items()):
        assert time.monotonic() - begun_s < WITHIN_S[1]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_a_campaign_is_interrupted_and_what_plays_its_cases_ends_with_it(
    number: int, code: int, tmp_path: Path
) -> None:
    words = ["campaign", "--house", "--faults", "9999", "--processes", "2", "--report", str(tmp_path)]
    command = [sys.executable, "-c", MAIN, *words]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            while len(children := children_of(process.pid)) < 3:  # two play, one is Python's own
                with pytest.raises(subprocess.TimeoutExpired):
                    process.wait(0.05)
            ends = [os.pidfd_open(pid) for pid in children]
            begun_s = time.monotonic()
            if number == signal.SIGINT:
                os.killpg(process.pid, number)  # all of them get it, as from a terminal
            else:
                process.send_signal(number)
            assert process.wait(60) == code
            for end in ends:
                assert select.select([end], [], [], 60)[0]
                os.close(end)
            assert time.monotonic() - begun_s < WITHIN_S[1]
        finally:
            process.kill()


def children_of(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
