"""`pilothouse run` with a real arm, stopped by SIGSTOP in motion: the arm comes to rest all the same."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from resources.fci_sim import SimulatedControlBox
from tests.resources.drivers.franka.test_in_installation import robot_file
from tests.resources.drivers.franka.wheel import needs_pylibfranka

pytestmark = [needs_pylibfranka, pytest.mark.soak]

PILOTHOUSE = (sys.executable, "-c", "import sys; from pilothouse.cli.main import main; sys.exit(main())")


def test_the_arm_comes_to_rest_when_the_main_process_is_stopped(tmp_path: Path) -> None:
    def fastest() -> float:
        return max(map(abs, box.status().dq))

    with SimulatedControlBox(lock_step=True) as box:
        state = ("--state", str(tmp_path / "state"))
        robot = ("--robot", str(robot_file(tmp_path, box.address)), "--port", "0")
        running = subprocess.Popen([*PILOTHOUSE, "run", *state, *robot], stdout=subprocess.PIPE, text=True)
        saying: subprocess.Popen[bytes] | None = None
        try:
            assert running.stdout is not None
            assert running.stdout.readline()
            say = [*PILOTHOUSE, "say", *state, "move up twenty centimetres"]
            saying = subprocess.Popen(say, stdout=subprocess.DEVNULL)
            until(lambda: fastest() > 0.02)
            os.kill(running.pid, signal.SIGSTOP)
            until(lambda: fastest() < 1e-3)
            q = box.status().q
            os.kill(running.pid, signal.SIGCONT)
            assert saying.wait(30) != 0, "what was stopped is not said to be done"
            assert box.status().q == pytest.approx(q, abs=5e-3), "and does not go on by itself"
        finally:
            for process in (running, saying):
                if process is not None and process.poll() is None:
                    os.kill(process.pid, signal.SIGCONT)
                    process.send_signal(signal.SIGINT)
                    process.wait(20)
            if running.stdout is not None:
                running.stdout.close()


def until(condition: Callable[[], bool], within_s: float = 30.0) -> None:
    """Ask again and again, each time through the box's own process."""
    until_s = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < until_s
