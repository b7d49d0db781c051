"""A child that is no process: the part of a `Child` that a camera uses, with a diary."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from framework.processes.child import Child
from framework.status import Severity


class FakeChild:
    """What it waits for passes at once. each_wait: what happens meanwhile."""

    def __init__(self, each_wait: Callable[[], None] = lambda: None) -> None:
        self.stopping = False
        self.is_ready = False
        self.said: list[tuple[Severity, str]] = []
        self.handle = b""
        self.samples = 0
        self.waits: list[float] = []
        self.each_wait = each_wait

    @property
    def as_child(self) -> Child:
        """For those who want a real one."""
        return cast(Child, self)

    def ready(self, handle: bytes) -> None:
        self.is_ready, self.handle = True, handle

    def status(self, severity: Severity, message: str) -> None:
        self.said.append((severity, message))

    def sampled(self, stream: str) -> None:
        self.samples += 1

    def wait(self, timeout_s: float) -> bool:
        self.waits.append(timeout_s)
        self.each_wait()
        return self.stopping

    def beat(self) -> None:
        pass

    def busy(self, for_s: float) -> None:
        pass

    def commands(self) -> list[bytes]:
        return []
