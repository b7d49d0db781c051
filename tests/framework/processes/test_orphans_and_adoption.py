"""Owners killed with -9: no child is left behind, unless it is adopted, and by the right one only."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from framework.errors import ProcessStartFailed
from framework.processes import wire
from framework.processes.adoption import kill_leftover
from framework.processes.child_events import ChildState, LossReason, Ready, Said, StopHow, Stopped
from tests.framework.processes.family import (
    Diary,
    OwnLag,
    descriptors,
    is_running,
    kill,
    launcher,
    spec,
    until,
)
from tests.framework.processes.owner import Household

ROOT = Path(__file__).resolve().parents[3]


@contextmanager
def an_owner(
    script: str, count: int = 1, *, grace_s: float = 0.0, file: str = "", program: tuple[str, ...] = ()
) -> Iterator[tuple[subprocess.Popen[bytes], Household]]:
    """An owner with ready children; whatever is left of either is killed at the end."""
    argv = [sys.executable, "-m", "tests.framework.processes.owner", script, str(count), str(grace_s), file]
    with subprocess.Popen([*argv, *program], stdout=subprocess.PIPE, cwd=ROOT) as owner:
        household = Household([], [], [])
        try:
            assert owner.stdout is not None
            household = msgspec.json.decode(owner.stdout.readline(), type=Household)
            yield owner, household
        finally:
            owner.kill()
            for pid in household.pids:
                if is_running(pid):
                    os.killpg(pid, signal.SIGKILL)


def gone(pids: list[int]) -> float:
    """Wait for the end of processes that are not ours; how long it took without our own lag, in seconds."""

    async def wait() -> float:
        async with OwnLag() as lag:
            return await until(lambda: not any(map(is_running, pids))) - lag.s

    return asyncio.run(wait())


def written(file: Path, count: int) -> list[int]:
    """The pids that a program writes down when it has begun, once it has."""
    asyncio.run(until(lambda: file.exists() and len(file.read_text().split()) == count))
    return [int(pid) for pid in file.read_text().split()]


# ---------------------------------------------------------------- no orphans


def test_children_of_a_killed_owner_make_themselves_safe_and_end(tmp_path: Path) -> None:
    file = tmp_path / "safe"
    with an_owner("records", 3, file=str(file)) as (owner, household):
        owner.kill()
        assert gone(household.pids) < 0.5
    assert file.read_text() == "safe\n" * 3


def test_a_child_whose_main_loop_hangs_ends_with_its_owner(tmp_path: Path) -> None:
    file = tmp_path / "safe"
    with an_owner("hangs_in_main", file=str(file)) as (owner, household):
        owner.kill()
        gone(household.pids)
    assert file.read_text() == "safe\n"


def test_a_child_that_cannot_be_adopted_ends_with_its_owner() -> None:
    """Whatever goes wrong in the thread that waits for a new owner, the child does not go on without one."""
    with an_owner("obedient", grace_s=60.0) as (owner, household):
        (record,) = household.records
        assert record is not None
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stranger:
            stranger.bind("\0" + record.address)
            owner.kill()
            gone(household.pids)


def test_a_stopped_child_ends_with_its_owner() -> None:
    with an_owner("obedient") as (owner, household):
        kill(household.pids[0], signal.SIGSTOP)
        owner.kill()
        gone(household.pids)


def test_a_child_frozen_in_a_foreign_call_ends_without_an_owner() -> None:
    """No thread of it can run; only the kernel's alarm can end it."""
    with an_owner("frozen_interpreter") as (owner, household):
        time_to_freeze_s = 0.35
        asyncio.run(asyncio.sleep(time_to_freeze_s))
        owner.kill()
        gone(household.pids)


def test_a_child_that_ignores_signals_ends_with_its_owner() -> None:
    with an_owner("ignores_signals") as (owner, household):
        owner.kill()
        gone(household.pids)


@pytest.mark.parametrize("script", ["has_grandchildren", "hangs_with_grandchildren"])
def test_grandchildren_end_with_the_owner(script: str) -> None:
    with an_owner(script) as (owner, household):
        grandchildren = [int(pid) for pid in household.handles[0].split()]
        assert all(map(is_running, grandchildren))
        owner.kill()
        gone([*household.pids, *grandchildren])


@pytest.mark.parametrize("stopped", [False, True])
def test_a_foreign_program_and_its_daemons_end_with_the_owner(tmp_path: Path, stopped: bool) -> None:
    file = tmp_path / "pids"
    script = f"trap '' INT TERM HUP; (setsid sleep 60 & echo $! $$ > {file}); while :; do sleep 0.01; done"
    with an_owner("-", program=("sh", "-c", script)) as (owner, household):
        pids = written(file, 2)
        assert all(map(is_running, pids))
        if stopped:
            os.killpg(household.pids[0], signal.SIGSTOP)
        owner.kill()
        gone([*household.pids, *pids])


def test_a_foreign_program_ends_even_if_owner_and_guardian_are_killed_together(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    with an_owner("-", program=("sh", "-c", f"echo $$ > {file}; exec sleep 60")) as (owner, household):
        (pid,) = written(file, 1)
        owner.send_signal(signal.SIGSTOP)
        kill(household.pids[0])
        owner.kill()
        gone([*household.pids, pid])


def test_the_children_of_another_owner_are_not_concerned() -> None:
    with an_owner("obedient") as (owner, household), an_owner("obedient") as (_, others):
        owner.kill()
        gone(household.pids)
        assert all(map(is_running, others.pids))


def test_no_sibling_keeps_the_channel_of_another_open() -> None:
    """One child loses its owner, as far as it can see, while its sibling was started after it and lives."""

    async def main() -> None:
        start = launcher()
        async with start.launch(spec("obedient", restart=None)) as one, start.launch(spec("obedient")) as two:
            assert one._body is not None
            channel = one._body._channel  # type: ignore[attr-defined]
            channel._end.shutdown(socket.SHUT_WR)
            assert (await one.lost()).message == "died: killed by SIGKILL"
            assert is_running(two.pid)

    asyncio.run(main())


# ---------------------------------------------------------------- adoption


def test_a_new_owner_adopts_the_child_of_a_killed_one(tmp_path: Path) -> None:
    file = tmp_path / "safe"
    child_spec = spec("records", adopt_grace_s=20.0)
    with an_owner("records", grace_s=20.0, file=str(file)) as (owner, household):
        (record,) = household.records
        assert record is not None
        owner.kill()

        async def main() -> None:
            before = descriptors()
            diary = Diary()
            async with OwnLag() as lag, launcher().adopt(child_spec, record, on_event=diary) as child:
                assert child.pid == record.pid
                assert child.handle == b"handle"
                assert diary.all(Ready)[0].after_s - lag.s < 0.5
                assert file.read_text() == "safe\n"  # it stood still before it changed hands
                child.send(b"hello")
                assert (await diary.first(Said)).message == "hello"
                assert child.record == record
                await asyncio.sleep(0.4)
                assert child.state is ChildState.READY  # it beats to its new owner
            assert diary.all(Stopped)[0].how is StopHow.INTERRUPTED
            assert not is_running(record.pid)
            assert descriptors() == before

        asyncio.run(main())
    assert file.read_text() == "safe\nsafe\n"


def test_an_adopted_child_that_dies_is_known_dead_and_started_afresh() -> None:
    with an_owner("obedient", grace_s=20.0) as (owner, household):
        (record,) = household.records
        assert record is not None
        owner.kill()

        async def main() -> None:
            async with (
                launcher().adopt(spec("obedient", adopt_grace_s=20.0), record) as child,
                OwnLag() as lag,
            ):
                kill(child.pid)
                killed_at = time.monotonic()
                lost = await child.lost()
                assert time.monotonic() - killed_at - lag.s < 0.05
                assert lost.reason is LossReason.DIED
                await child.ready()
                assert child.pid != record.pid
                assert child.record is not None
                assert child.record.token != record.token

        asyncio.run(main())


def test_an_adopted_child_is_adopted_again_or_ends_with_its_last_owner() -> None:
    with an_owner("obedient", grace_s=4.0) as (first, household):
        (record,) = household.records
        assert record is not None
        adopt = ("--adopt", msgspec.json.encode(record).decode())
        first.kill()
        for _ in range(2):
            with an_owner("obedient", grace_s=4.0, program=adopt) as (later, adopted):
                assert adopted.pids == household.pids
                kill(record.pid, signal.SIGSTOP)  # the new lifeline works as the old one did
                later.kill()
                adopted.pids.clear()
        assert is_running(record.pid)
        assert gone(household.pids) > 0.5


def test_a_wrong_token_is_refused_and_the_right_one_still_welcome() -> None:
    with an_owner("obedient", grace_s=20.0) as (owner, household):
        (record,) = household.records
        assert record is not None
        owner.kill()

        async def main() -> None:
            wrong = msgspec.structs.replace(record, token="0" * 64)
            child_spec = spec("obedient", adopt_grace_s=20.0)
            with pytest.raises(ProcessStartFailed, match="refused the claim"):
                async with launcher().adopt(child_spec, wrong):
                    pass
            assert is_running(record.pid)  # no business of ours
            for nonsense in (b"\xff\xff\xff\xff", wire.frame(wire.Quit()), b"", b"\x05\0\0\0abc"):
                with socket.socket(socket.AF_UNIX) as stranger:
                    stranger.connect("\0" + record.address)
                    stranger.sendall(nonsense)
            async with launcher().adopt(child_spec, record) as child:
                assert child.handle == b"handle"

        asyncio.run(main())


def test_nobody_can_adopt_while_the_owner_lives() -> None:
    with an_owner("obedient", grace_s=20.0) as (_, household):
        (record,) = household.records
        assert record is not None

        async def main() -> None:
            child_spec = spec("obedient", adopt_grace_s=20.0, start_timeout_s=0.3)
            with pytest.raises(ProcessStartFailed, match=r"not ready within 0\.3 s"):
                async with launcher().adopt(child_spec, record):
                    pass

        asyncio.run(main())
        assert is_running(record.pid)


def test_an_unclaimed_child_ends_after_its_grace() -> None:
    with an_owner("obedient", grace_s=0.5) as (owner, household):
        killed_s = time.monotonic()
        owner.kill()
        gone(household.pids)
        assert time.monotonic() - killed_s >= 0.4


def test_what_is_gone_cannot_be_adopted() -> None:
    with an_owner("obedient", grace_s=20.0) as (owner, household):
        (record,) = household.records
        assert record is not None
        owner.kill()
        other = msgspec.structs.replace(record, started_ticks=record.started_ticks - 1)
        assert not kill_leftover(other)
        assert is_running(record.pid)
        assert kill_leftover(record)
        gone(household.pids)

        async def main(which: object, words: str) -> None:
            before = descriptors()
            with pytest.raises(ProcessStartFailed, match=words):
                async with launcher().adopt(spec("obedient", adopt_grace_s=20.0), record):
                    pass
            assert descriptors() == before

        asyncio.run(main(record, "is gone|another one"))
