"""Two hundred faults upon ten real children: each is told, mended, and nothing is left behind.

Which fault comes next is drawn from a seeded generator; when it comes is up to the machine.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
from re import findall

import pytest

from framework.processes.launcher import ProcessLauncher
from framework.processes.spec import RestartPolicy
from framework.processes.told import Lost, Ready, Reason
from tests.framework.processes.family import Diary, descriptors, is_running, kill, launcher, spec

CHILDREN, FAULTS_EACH = 10, 20
EXPECTED = {"kill": {Reason.DIED}, "stop": {Reason.HUNG}, "garbage": {Reason.GARBAGE}, "exit": {Reason.DIED}}


async def torment(start: ProcessLauncher, seed: int, pids: set[int]) -> None:
    """One child, hurt again and again."""
    choose = random.Random(seed)
    diary = Diary()
    policy = RestartPolicy(first_s=0.01, longest_s=0.01, most=10_000)
    one = spec("obedient", restart=policy, start_timeout_s=30.0, beat_s=0.2)
    async with start.launch(one, on_event=diary) as child:
        for number in range(1, FAULTS_EACH + 1):
            pids.add(child.pid)
            how = choose.choice(sorted(EXPECTED))
            if how in ("kill", "stop"):
                kill(child.pid, signal.SIGKILL if how == "kill" else signal.SIGSTOP)
            else:
                child.send(how.encode())
            lost = await diary.first(Lost, number)
            assert lost.reason in EXPECTED[how], (how, lost)
            await child.ready()
        pids.add(child.pid)
    assert len(diary.all(Lost)) == FAULTS_EACH
    assert len(diary.all(Ready)) == FAULTS_EACH + 1


def test_two_hundred_faults_leave_nothing_behind() -> None:
    async def main() -> None:
        start = launcher()
        before = descriptors()
        threads = len(os.listdir("/proc/self/task"))
        pids: set[int] = set()
        async with asyncio.TaskGroup() as group:
            for seed in range(CHILDREN):
                group.create_task(torment(start, seed, pids))
        assert len(pids) == CHILDREN * (FAULTS_EACH + 1)
        assert not any(map(is_running, pids))
        assert descriptors() == before
        assert len(os.listdir("/proc/self/task")) == threads
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert not [name for name in os.listdir("/dev/shm") if pids & set(map(int, findall(r"\d+", name)))]

    asyncio.run(main())
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)  # not even a zombie
