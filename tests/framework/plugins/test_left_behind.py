"""What an action begins and does not end is told to its author; what others begin meanwhile is not."""

from __future__ import annotations

import asyncio
import socket
import threading
from pathlib import Path
from typing import IO, Any

import pytest

from framework.plugins import Action, Outcome, RunState
from framework.testing import run
from framework.testing.pytest_plugin import VirtualRunner
from tests.framework.plugins.stage import Stage, on_stage

KEPT: list[Any] = []
"""What would be collected otherwise, and so be ended by accident."""


class Leaves(Action):
    """Begins one thing of each kind, and ends none."""

    folder: str = ""

    async def run(self) -> None:
        end = threading.Event()
        thread = threading.Thread(target=end.wait, name="reader")
        thread.start()
        task = asyncio.create_task(asyncio.sleep(3600), name="poll")
        file: IO[str] = open(Path(self.folder) / "log", "w", encoding="utf-8")  # noqa: SIM115, ASYNC230
        KEPT[:] = [end, thread, task, file, socket.socket()]


class CleansUp(Action):
    """Begins the same, and ends it."""

    folder: str = ""

    async def run(self) -> None:
        end = threading.Event()
        threading.Thread(target=end.wait).start()
        task = asyncio.create_task(asyncio.sleep(3600))
        with (
            open(Path(self.folder) / "log", "w", encoding="utf-8"),  # noqa: ASYNC230
            socket.socket(),
        ):
            await asyncio.to_thread(str)  # the pool's thread stays, for whoever needs one next
        task.cancel()
        end.set()


def outcome_of(action: type[Action], folder: Path) -> Outcome:
    outcomes: list[Outcome] = []

    async def play() -> None:
        async with Stage() as stage:
            outcomes.append(await stage.runner(action, {"folder": str(folder)}).run())
            for kept in KEPT:
                if isinstance(kept, asyncio.Task):
                    kept.cancel()
                    await asyncio.gather(kept, return_exceptions=True)

    run(play)
    return outcomes[0]


def test_each_thing_that_is_left_behind_is_named(tmp_path: Path, caplog: Any) -> None:
    try:
        outcome = outcome_of(Leaves, tmp_path)
    finally:
        end, thread, _, file, plug = KEPT
        end.set()
        thread.join()
        file.close()
        plug.close()
        KEPT.clear()
    assert outcome.state is RunState.SUCCEEDED
    assert len(outcome.left_behind) == 4, outcome.left_behind
    for what in ("'poll'", "'reader'", "socket", str(tmp_path / "log")):
        assert any(what in line for line in outcome.left_behind), what
    assert "leaves left behind 4" in caplog.text


def test_what_is_ended_is_not_left_behind(tmp_path: Path, caplog: Any) -> None:
    assert outcome_of(CleansUp, tmp_path).left_behind == ()
    assert "left behind" not in caplog.text


class Forgets(Action):
    """Leaves a socket open."""

    async def run(self) -> None:
        KEPT.append(socket.socket())


def test_a_test_of_the_author_s_fails_by_it() -> None:
    async def play() -> None:
        async with Stage() as stage:
            await stage.runner(Forgets).run()

    try:
        with pytest.raises(pytest.fail.Exception, match="forgets left behind 1: a socket"):
            VirtualRunner(0)(play)
    finally:
        KEPT.pop().close()


class OpensNothing(Action):
    """While others do."""

    async def run(self) -> None:
        await asyncio.sleep(1)


def test_what_others_begin_meanwhile_is_not_its_fault(tmp_path: Path) -> None:
    async def play(stage: Stage) -> None:
        run = asyncio.create_task(stage.runner(OpensNothing).run())
        await asyncio.sleep(0.5)
        with open(tmp_path / "other", "w", encoding="utf-8"), socket.socket():  # noqa: ASYNC230
            assert (await run).left_behind == ()

    on_stage(play)
