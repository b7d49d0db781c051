"""10 000 random faults on the virtual clock, and 80 on real children: nothing may be left of any.

`make soak` does 200 000 and 2000. `--pilothouse-seed N` makes others. A chunk that fails names its
seed: `play(seed, FAULTS)` of `random_registrars.py` repeats it.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from re import findall

import pytest

from framework.errors import ResourceFailed
from framework.processes.launcher import ProcessLauncher
from framework.processes.spec import ProcessSpec, RestartPolicy, python_child
from framework.registrar import Lease, ResourceRegistrar
from framework.status import ReasonKind, Severity, Status
from framework.transport.local import LocalTransport
from framework.transport.ring import RingReader
from framework.transport.run_directory import RunDirectory
from managers.process_manager import ProcessManager
from resources.types.processes import Process
from tests.effort import seeds
from tests.faults.random_registrars import play
from tests.faults.restless_child import Restless

ROOT = Path(__file__).parents[2]

CHUNKS, FAULTS = 20, 500
SOAK_CHUNKS = 400


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    """Providers are abandoned here all the time."""
    caplog.set_level("CRITICAL", "pilothouse")


# ---------------------------------------------------------------- on the virtual clock


@seeds("chunk", CHUNKS)
def test_thousands_of_faults_leave_nothing_behind(chunk: int, seed: int) -> None:
    number = seed * CHUNKS + chunk
    try:
        play(number, FAULTS)
    except BaseException as error:
        error.add_note(f"tests.faults.random_registrars.play({number}, {FAULTS})")
        raise


@pytest.mark.soak
@pytest.mark.parametrize("chunk", range(SOAK_CHUNKS))
def test_two_hundred_thousand_faults_leave_nothing_behind(chunk: int, seed: int) -> None:
    play(1_000_000 + seed * SOAK_CHUNKS + chunk, FAULTS)


def test_the_same_seed_gives_the_same_run(seed: int) -> None:
    """Byte for byte, also in another process where strings hash differently."""
    first = play(seed, FAULTS // 2)
    assert len(first.splitlines()) > FAULTS // 2
    assert play(seed, FAULTS // 2) == first
    assert play(seed + 1, FAULTS // 2) != first
    command = [sys.executable, "-m", "tests.faults.random_registrars", str(seed), str(FAULTS // 2)]
    elsewhere = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert elsewhere.stdout.strip() == hashlib.sha256(first).hexdigest(), elsewhere.stderr


# ---------------------------------------------------------------- on real children

CHILDREN = 10
PATIENCE_S = 30.0  # a machine busy with other things is slow, not wrong

#: What is done to a child, and what the words about it then contain.
HURTS = {"kill": "SIGKILL", "stop": "hangs", "garbage": "cannot be read", "exit": "exit code 3"}


class Owner:
    """Holds one child through the registrar and hurts it again and again."""

    def __init__(
        self, client: ResourceRegistrar, number: int, faults: int, directory: Path, seed: int
    ) -> None:
        self._client = client
        self._faults = faults
        self._lots = random.Random(seed * CHILDREN + number)
        self._is_restarted = number % 2 == 0
        name = f"restless-{number}"
        policy = RestartPolicy(first_s=0.01, longest_s=0.01, most=10_000)
        self._spec = ProcessSpec(
            python_child("tests.faults.restless_child:main", Restless(str(directory), name)),
            name,
            start_timeout_s=60.0,
            beat_s=0.4,  # a busy machine must not look like a hanging child
            restart=policy if self._is_restarted else None,
        )
        self._told: list[Status] = []
        self._news = asyncio.Event()
        self.pids: list[int] = []

    async def live(self) -> None:
        """So many faults, each found out, each got over."""
        if self._is_restarted:
            async with self._client.request(Process(self._spec), on_status=self._hear) as lease:
                for number in range(self._faults):
                    words = self._hurt(lease)
                    await self._told_of(3 * (number + 1))  # lost, its new handle, well again
                    told = self._told[-3:]
                    assert [each.severity for each in told[:2]] == [Severity.WARNING, Severity.UPDATE]
                    is_well = told[2].severity is Severity.OK
                    assert is_well or told[2].reason.kind is ReasonKind.UNSTEADY, told[2]
                    assert words in told[0].message, told[0]
                self._look_at(lease)
            return
        for _ in range(self._faults):
            self._told.clear()
            words, why = "", ""
            try:
                async with self._client.request(Process(self._spec), on_status=self._hear) as lease:
                    words = self._hurt(lease)
                    async with asyncio.timeout(PATIENCE_S):
                        await asyncio.Event().wait()
            except ResourceFailed as error:
                why = str(error)
            assert words and words in why
            assert [each.severity for each in self._told] == [Severity.FATAL]
        async with self._client.request(Process(self._spec)) as lease:
            self._look_at(lease)

    def _hurt(self, lease: Lease) -> str:
        """Do something to it; returns what will be said."""
        pid = self._look_at(lease)
        how = self._lots.choice(sorted(HURTS))
        if how in ("kill", "stop"):
            os.kill(pid, signal.SIGKILL if how == "kill" else signal.SIGSTOP)
        else:
            lease.send(how.encode())
        return HURTS[how]

    def _look_at(self, lease: Lease) -> int:
        """It is another process than all before, and its ring can be read."""
        pid: int = lease.value.pid
        assert pid not in self.pids
        self.pids.append(pid)
        with RingReader(Path(lease.value.payload.decode())) as ring:
            assert ring.writer_pid == pid
        return pid

    def _hear(self, status: Status) -> None:
        self._told.append(status)
        self._news.set()

    async def _told_of(self, number: int) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while len(self._told) < number:
                self._news.clear()
                await self._news.wait()


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def children() -> set[int]:
    """All children of this process, zombies too."""
    return {
        int(child)
        for thread in Path("/proc/self/task").iterdir()
        for child in (thread / "children").read_text().split()
    }


@pytest.mark.real
@pytest.mark.parametrize("faults", [8, pytest.param(200, marks=pytest.mark.soak)], ids=["80", "2000"])
def test_faults_of_real_children_leave_nothing_behind(faults: int, seed: int) -> None:
    async def main() -> None:
        before = descriptors()
        threads = len(os.listdir("/proc/self/task"))
        family = children()
        with RunDirectory.create() as directory:
            transport = LocalTransport()
            manager = ProcessManager(transport, ProcessLauncher(rng=random.Random(seed)))
            client = ResourceRegistrar("client", transport)
            async with manager, client:
                owners = [Owner(client, number, faults, directory.path, seed) for number in range(CHILDREN)]
                async with asyncio.TaskGroup() as group:
                    for owner in owners:
                        group.create_task(owner.live())
                async with asyncio.timeout(PATIENCE_S):
                    while not manager.registrar.snapshot().is_empty:
                        await asyncio.sleep(0.01)
                assert client.snapshot().is_empty
                assert manager.processes() == ()
                # Rings of killed lives were replaced by the next; the last lives took theirs along.
                assert list(directory.path.iterdir()) == []
        pids = {pid for owner in owners for pid in owner.pids}
        assert len(pids) == CHILDREN * (faults + 1)
        assert children() == family
        assert descriptors() == before
        assert len(os.listdir("/proc/self/task")) == threads
        assert asyncio.all_tasks() == {asyncio.current_task()}
        ours = pids | {os.getpid()}
        assert not [name for name in os.listdir("/dev/shm") if ours & set(map(int, findall(r"\d+", name)))]

    asyncio.run(main())
