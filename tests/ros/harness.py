"""A ROS 2 domain of a test's own, with other people's nodes in it, and processes of ours that join."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any, TextIO, TypeVar

import msgspec
import pytest

from framework.processes.child_events import Said
from framework.processes.spec import ProcessSpec
from framework.processes.supervise import ChildProcess
from framework.status import Severity
from resources.robots.description import RosDescription
from resources.ros.environment import CHECKOUT, Candidate, RosInstallation, tried_out
from resources.ros.network import reach_of
from resources.ros.specs import ros_spec
from resources.types.ros import RosDomainHandle
from tests.framework.processes.family import Diary, until
from tests.resources.children.harness import Harness, harness

Handle = TypeVar("Handle")

FIRST_DOMAIN, DOMAINS = 60, 40
_LOCKS: list[TextIO] = []


@cache
def installed() -> RosInstallation:
    """The environment that `make ros` makes; without it no test here can pass."""
    candidate = Candidate(str(CHECKOUT / ".venv-ros" / "bin" / "python"), "this checkout's .venv-ros")
    found = tried_out(candidate)
    if isinstance(found, str):
        pytest.fail(f"there is no ROS 2 to test with ({found}): make ros")
    return found


@cache
def domain_number() -> int:
    """One that no other test of this machine is in: of another worker, or another checkout."""
    for turn in range(DOMAINS):
        number = FIRST_DOMAIN + (os.getpid() + turn) % DOMAINS
        lock = open(Path(tempfile.gettempdir()) / f"pilothouse_ros_domain_{number}.lock", "a")  # noqa: SIM115
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            continue
        _LOCKS.append(lock)  # until this process ends
        return number
    pytest.fail(f"all domains from {FIRST_DOMAIN} on are taken by other tests of this machine")


class RosHarness:
    """Other people's nodes by name, and processes of ours."""

    def __init__(self, home: Harness, domain: RosDomainHandle) -> None:
        self.home = home
        self.domain = domain
        self.nodes: dict[str, subprocess.Popen[bytes]] = {}

    def run(
        self, program: str, *arguments: str, name: str = "", stdout: int | None = None
    ) -> subprocess.Popen[bytes]:
        """Start one of the programs of `tests.ros_robot`, under plain rclpy; one of that name ends before."""
        if (former := self.nodes.pop(name or program, None)) is not None:
            former.kill()
            former.wait()
        started = subprocess.Popen(
            [self.domain.python, "-P", "-m", f"tests.ros_robot.{program}", *arguments],
            cwd=CHECKOUT,
            env={**os.environ, **dict(self.domain.env), "PYTHONPATH": str(CHECKOUT)},
            stdin=subprocess.DEVNULL,
            stdout=stdout,
        )
        self.nodes[name or program] = started
        return started

    def kill(self, name: str, how: int = signal.SIGKILL) -> None:
        """Hurt one of them."""
        self.nodes[name].send_signal(how)

    async def start(
        self, name: str, program: str, arguments: Any, handle_type: type[Handle], **of_spec: Any
    ) -> Handle:
        """A process of ours in the domain, ready."""
        return await self.home.start(name, self.spec(name, program, arguments, **of_spec), handle_type)

    def spec(
        self, name: str, program: str, arguments: Any, *, rate_hz: float = 0.0, **changes: Any
    ) -> ProcessSpec:
        """What is started then."""
        spec = ros_spec(self.domain, program, arguments, name, device=name, rate_hz=rate_hz)
        return msgspec.structs.replace(spec, **changes)

    def child(self, name: str) -> ChildProcess:
        """A process of ours."""
        return self.home.children[name]

    async def said(self, name: str, severity: Severity, words: str) -> Said:
        """Wait for one of ours to say this."""
        diary: Diary = self.home.diaries[name]

        def heard() -> bool:
            return any(said.severity is severity and words in said.message for said in diary.all(Said))

        try:
            await until(heard)
        except TimeoutError:
            pytest.fail(f"{name} did not say {words!r}, but {[said.message for said in diary.all(Said)]}")
        return next(said for said in diary.all(Said) if said.severity is severity and words in said.message)

    @property
    def directory(self) -> str:
        """The run directory."""
        return str(self.home.directory.path)


@asynccontextmanager
async def ros_harness(**described: Any) -> AsyncIterator[RosHarness]:
    """A new one; at its end nobody is left in the domain."""
    with tempfile.TemporaryDirectory() as folder:
        async with _in(Path(folder), RosDescription(domain=domain_number(), **described)) as ros:
            yield ros


@asynccontextmanager
async def _in(folder: Path, description: RosDescription) -> AsyncIterator[RosHarness]:
    found = installed()
    async with harness() as home:
        env = reach_of(description, folder, found.library.distribution, found.library.middleware)
        domain = RosDomainHandle(
            found.candidate.python, found.candidate.found, found.library.distribution, domain_number(), env
        )
        ros = RosHarness(home, domain)
        try:
            yield ros
        finally:
            for node in ros.nodes.values():
                node.send_signal(signal.SIGCONT)
                node.kill()
                node.wait()
