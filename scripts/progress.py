"""Tells the person at the terminal what is going on: step n of m, seconds, and the log of what failed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

SPINNER = "|/-\\"
QUIET_REPORT_S = 20.0
TAIL_LINES = 25


class SetupFailed(Exception):
    """A step that cannot go on; the message says what came out and what to do."""


class Progress:
    """Numbered steps on standard output; the output of commands goes to one log a command in `logs`.

    On a terminal a spinner shows the last line of the running command; elsewhere a line every 20 s shows
    that it lives.
    """

    def __init__(self, steps: int, logs: Path) -> None:
        self._steps = steps
        self._step = 0
        self._title = ""
        self._logs = logs
        self._started = 0.0
        self._tty = sys.stdout.isatty()
        logs.mkdir(parents=True, exist_ok=True)

    def say(self, text: str) -> None:
        """Print a line at once, also into a pipe."""
        print(text, flush=True)

    def begin(self, title: str) -> None:
        """Start the next step."""
        self._step += 1
        self._title = title
        self._started = time.monotonic()

    def end(self, outcome: str) -> None:
        """Finish the step; what took longer than a second says how long."""
        elapsed_s = time.monotonic() - self._started
        took = f" ({elapsed_s:.0f} s)" if elapsed_s >= 1 else ""
        self.say(f"[{self._step}/{self._steps}] {self._title}: {outcome}{took}")

    def run(
        self, argv: Sequence[str], *, doing: str, log: str, cwd: Path, env: Mapping[str, str] | None = None
    ) -> None:
        """Run a command to its end, with no input.

        Raises SetupFailed with the end of the command's output, and the path of the whole, if it cannot be
        started or exits with anything but 0.
        """
        self.say(f"[{self._step}/{self._steps}] {self._title}: {doing}")
        path = self._logs / f"{log}.log"
        with path.open("wb") as output:
            try:
                process = subprocess.Popen(
                    list(argv),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    cwd=cwd,
                    env={**os.environ, **(env or {})},
                )
            except OSError as error:
                raise SetupFailed(f"{argv[0]} could not be started: {error}") from error
            try:
                self._watch(process, path)
            except BaseException:
                process.terminate()
                process.wait()
                raise
        if process.returncode != 0:
            tail = "\n".join(last_lines(path, TAIL_LINES))
            raise SetupFailed(
                f"{doing} failed (exit code {process.returncode}). The end of its output:\n\n{tail}\n\n"
                f"The whole output is in {path}"
            )

    def _watch(self, process: subprocess.Popen[bytes], log: Path) -> None:
        started = time.monotonic()
        reported = started
        turn = 0
        while True:
            try:
                process.wait(0.15 if self._tty else 1.0)
                break
            except subprocess.TimeoutExpired:
                pass
            now = time.monotonic()
            latest = (last_lines(log, 1) or [""])[-1].strip()[:90]
            if self._tty:
                turn += 1
                spin = SPINNER[turn % len(SPINNER)]
                print(f"\r\033[K      {spin} {now - started:.0f} s  {latest}", end="", flush=True)
            elif now - reported >= QUIET_REPORT_S:
                reported = now
                self.say(f"      … {now - started:.0f} s: {latest}")
        if self._tty:
            print("\r\033[K", end="", flush=True)


def last_lines(path: Path, count: int) -> list[str]:
    """Return the last `count` lines of a log that may still be growing; reads its last 8 kB only."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 8192))
        text = file.read().decode(errors="replace").replace("\r", "\n")
    return [line for line in text.splitlines() if line.strip()][-count:]
