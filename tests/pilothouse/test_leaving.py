"""Leaving in order and in time, whatever a plugin does. Each case is a program that is told to leave."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pilothouse.leaving import CUT_OFF

#: How long it may take when it is cut off [s]; the rest is what a busy machine adds.
WITHIN_S = 0.3
AT_ONCE_S = 1.0

PROGRAM = """
import asyncio, os, subprocess, sys, threading, time
from pilothouse.leaving import Leaving

def say(words):
    os.write(1, f"{words}\\n".encode())

async def quiet():
    await asyncio.sleep(600)

async def deaf():
    while True:
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            pass

async def tear_down():
    try:
        await asyncio.sleep(600)
    finally:
        await deaf()

async def executor():
    await asyncio.to_thread(time.sleep, 600)

async def thread():
    threading.Thread(target=time.sleep, args=(600,), name="left by a plugin").start()
    await asyncio.sleep(600)

async def blocked():
    time.sleep(600)

async def late():
    await blocked()

class Ours:
    def make_safe(self):
        say("made safe")

    def forget(self):
        say("forgotten")

    def awaited(self):
        late_s = time.monotonic() + 0.3  # not for ever: a signal need not wake the main thread
        while sys.argv[1] == "late" and not leaving._is_over and time.monotonic() < late_s:
            time.sleep(0.01)
        return ["something of ours"]

async def main(how):
    child = subprocess.Popen(["sleep", "600"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    asyncio.get_running_loop().call_soon(lambda: say(f"{child.pid}"))
    asyncio.create_task(how(), name=f"the task {how.__name__}")
    try:
        await asyncio.sleep(600)
    except asyncio.CancelledError:
        say("in order")
        child.kill()
        child.wait()
        return 0

async def slow_watch():
    from pilothouse import leaving
    at_once = leaving._say
    leaving._say = lambda words: (time.sleep(0.1), at_once(words))
    await thread()

names_after_s, within_s, lingers_s = map(float, sys.argv[2:])
with Leaving(within_s=within_s, names_after_s=names_after_s, lingers_s=lingers_s) as leaving:
    leaving.watches(Ours())
    code = asyncio.run(main(globals()[sys.argv[1]]))
sys.exit(code)
"""


class Told:
    """A program that was told to leave, and what became of it."""

    def __init__(self, process: subprocess.Popen[str], child: int) -> None:
        self._process = process
        self._child = os.pidfd_open(child)

    def tell(self, number: int) -> None:
        """A signal."""
        self._begun_s = time.monotonic()
        self._process.send_signal(number)

    def words(self) -> str:
        """The next line of what it says to people."""
        assert self._process.stderr is not None
        return self._process.stderr.readline()

    def line(self) -> str:
        """The next line of its output."""
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def ended(self) -> tuple[int, str, str]:
        """Exit code, output, and the rest of its words."""
        out, err = self._process.communicate(timeout=30)
        self.took_s = time.monotonic() - self._begun_s
        assert select.select([self._child], [], [], 30)[0], "what it started is gone"
        os.close(self._child)
        return self._process.returncode, out, err


@contextmanager
def running(
    how: str, *, names_after_s: float = 0.1, within_s: float = WITHIN_S, lingers_s: float = 0.2
) -> Iterator[Told]:
    command = [sys.executable, "-c", PROGRAM, how, f"{names_after_s}", f"{within_s}", f"{lingers_s}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield Told(process, child=int(process.stdout.readline()))
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_ends_in_order_keeps_its_exit_code(number: int) -> None:
    with running("quiet", within_s=20) as told:
        told.tell(number)
        assert "once more" in told.words()
        assert told.ended() == (0, "in order\n", "")


@pytest.mark.parametrize("how", ["deaf", "tear_down", "executor"])
def test_a_task_that_does_not_end_is_cut_off_in_time(how: str) -> None:
    with running(how) as told:
        told.tell(signal.SIGTERM)
        code, out, err = told.ended()
    assert code == CUT_OFF and WITHIN_S < told.took_s < WITHIN_S + AT_ONCE_S
    assert out == "in order\nmade safe\nforgotten\n", "safe comes first"
    assert "Still waiting for: something of ours" in err
    assert "Leaving without: something of ours" in err


@pytest.mark.parametrize("how", ["thread", "slow_watch"])
def test_a_thread_that_python_would_wait_for_is_named_and_left(how: str) -> None:
    with running(how, within_s=20, names_after_s=20) as told:
        told.tell(signal.SIGINT)
        code, out, err = told.ended()
    assert code == CUT_OFF and told.took_s < AT_ONCE_S
    assert out.startswith("in order\n")
    assert "'left by a plugin'" in err


def test_a_blocked_main_loop_is_made_safe_and_named() -> None:
    with running("blocked") as told:
        told.tell(signal.SIGINT)
        assert "once more" in told.words()
        code, out, err = told.ended()
    assert code == CUT_OFF and told.took_s < WITHIN_S + AT_ONCE_S
    assert out == "made safe\nmade safe\nforgotten\n", "as soon as it is known, and at the end"
    assert "the main loop, in <string>:" in err and "(blocked)" in err


@pytest.mark.parametrize("how", ["deaf", "executor", "blocked"])
def test_a_second_signal_cuts_off_at_once(how: str) -> None:
    with running(how, within_s=20, names_after_s=20) as told:
        told.tell(signal.SIGINT)
        assert "once more" in told.words()
        told.tell(signal.SIGTERM)
        code, out, _ = told.ended()
        assert code == 128 + signal.SIGTERM
        done = [line for line in out.splitlines() if line != "in order"]  # it may have come so far
        assert done == ["made safe", "forgotten"] and told.took_s < AT_ONCE_S


def test_a_second_signal_counts_while_it_is_busy_naming() -> None:
    """The main task is quicker out of the way than whoever watches looks again."""
    with running("late", within_s=20) as told:
        told.tell(signal.SIGINT)
        assert told.line() == "made safe\n"  # and now it names what is awaited
        told.tell(signal.SIGTERM)
        assert told.ended()[0] == 128 + signal.SIGTERM


def test_who_is_at_its_end_is_not_called_blocked() -> None:
    """All is down in order but for a plugin's thread, and somebody hurries."""
    with running("thread", within_s=20, names_after_s=20, lingers_s=20) as told:
        told.tell(signal.SIGINT)
        assert "once more" in told.words()
        assert told.line() == "in order\n"
        told.tell(signal.SIGTERM)
        code, _, err = told.ended()
    assert code == 128 + signal.SIGTERM
    assert "'left by a plugin'" in err and "main loop" not in err


def test_nobody_reads_what_it_says() -> None:
    with running("deaf") as told:
        assert told._process.stderr is not None
        told._process.stderr.close()
        told.tell(signal.SIGINT)
        assert told._process.wait(30) == CUT_OFF
