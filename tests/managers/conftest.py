"""The stage on which managers are tried: virtual clock, scripted children, clients with a diary."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from framework.testing import VirtualLoop, run_on
from tests.faults.stage import Stage
from tests.managers.scripted_world import InWorld, PlayedWorld

Scene = Callable[[Stage], Coroutine[Any, Any, None]]


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Scene], None]:
    """Run a scene; then everybody leaves, and nothing may be left: books, children, tasks, timers."""

    def run_scene(scene: Scene) -> None:
        async def main() -> None:
            async with Stage(tmp_path, monkeypatch) as stage:
                await scene(stage)
                await stage.everybody_leaves()

        loop = VirtualLoop()
        run_on(loop, main)
        assert not loop.leftovers, loop.leftovers
        timers = [handle for _, _, handle in loop._timers if not handle.cancelled()]
        assert not timers, timers

    return run_scene


@pytest.fixture
def in_world(play: Callable[[Scene], None]) -> InWorld:
    """Run a scene in a scripted world that is open; it ends first."""

    def run_scene(scene: Callable[[PlayedWorld], Coroutine[Any, Any, None]]) -> None:
        async def main(stage: Stage) -> None:
            world = PlayedWorld(stage)
            await world.open()
            await scene(world)
            world.end()

        play(main)

    return run_scene
