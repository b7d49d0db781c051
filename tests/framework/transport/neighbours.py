"""Starts `neighbour.py` in a process of its own, gives it commands and waits for what it says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

ROOT = Path(__file__).parents[3]
PROGRAM = Path(__file__).with_name("neighbour.py")
PATIENCE_S = 60.0  # a machine busy with other things is slow, not wrong


class Neighbour:
    """A running `neighbour.py`, or another program that is spoken to in the same way."""

    def __init__(
        self,
        name: str,
        listen: str = "",
        connect: tuple[str, ...] = (),
        *more: str,
        program: Path = PROGRAM,
    ) -> None:
        self.name = name
        self.told: list[dict[str, Any]] = []
        self._lines: SimpleQueue[str] = SimpleQueue()
        self.process = subprocess.Popen(
            [sys.executable, str(program), name, listen, ",".join(connect), *more],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def command(self, *words: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()

    def _next(self, deadline_s: float, wanted: str = "that") -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=max(0.0, deadline_s - time.monotonic()))
        except Empty:
            raise AssertionError(f"{self.name} never said {wanted}; it said {self.told}") from None
        told: dict[str, Any] = json.loads(line)
        self.told.append(told)
        return told

    def until(self, event: str, **facts: object) -> dict[str, Any]:
        """The first line, from where the last call stopped, that says so."""
        deadline_s = time.monotonic() + PATIENCE_S
        while True:
            told = self._next(deadline_s, f"{event} {facts or ''}")
            if told["event"] == event and all(told.get(key) == value for key, value in facts.items()):
                return told

    def until_seen(self, *names: str) -> None:
        for name in names:
            if not any(told["event"] == "seen" and told["name"] == name for told in self.told):
                self.until("seen", name=name)

    def until_refused_or_expelled(self) -> None:
        """Refused at the door if it met the other one while it opened, expelled a moment later if not."""
        while not self.told or self.told[-1]["event"] not in ("refused", "malformed"):
            self._next(time.monotonic() + PATIENCE_S)
        assert f"{self.name!r} is already here" in self.told[-1]["reason"] or (
            f"a registrar named {self.name!r}" in self.told[-1]["reason"]
        )

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join()
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
