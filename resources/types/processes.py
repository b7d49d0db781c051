"""Child processes as resources."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from framework.processes.spec import ProcessSpec


class ProcessHandle(msgspec.Struct, frozen=True):
    """A running child. `payload` is what it said when it became ready, in its own encoding."""

    name: str
    pid: int
    payload: bytes = b""


class Process(msgspec.Struct, frozen=True):
    """Run a child process while somebody needs it. Equal specs share one."""

    handle_type: ClassVar[type] = ProcessHandle

    spec: ProcessSpec

    def __str__(self) -> str:
        return f"process {self.spec.name}"
