"""Whose code a file is, and that a plugin has failed whose code has held the main loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import Context, copy_context
from pathlib import Path

import msgspec
import pytest

from framework.errors import ResourceFailed
from framework.loop_watchdog import FAILS_S, Held, Holder, Owner, Place
from framework.plugins import Action, ActionCatalogue, RunState
from framework.plugins.blame import PluginFiles, fail_holder
from framework.registrar import ResourceRegistrar, Supply
from framework.testing.pytest_plugin import VirtualRunner
from framework.transport.local import LocalTransport
from pilothouse.robots import driver_catalogue
from tests.framework.plugins.stage import Stage, assert_ended, on_stage

NAP = Held(Holder(Owner.ACTION, "nap", Place("nap/__init__.py", 7, "Nap.run"), is_alone=True), FAILS_S, 0.0)
CODE = """
import pilothouse as ph

class Nap(ph.Action):
    '''Sleeps.'''

    is_said = False

    async def run(self) -> None: ...
"""


def test_files_belong_to_the_plugin_in_whose_folder_they_lie(tmp_path: Path) -> None:
    folder = tmp_path / "nap"
    folder.mkdir()
    (folder / "__init__.py").write_text(CODE)
    files = PluginFiles(ActionCatalogue.discover([tmp_path]).available, driver_catalogue(()).values())
    assert files(str(folder / "__init__.py")) == (Owner.ACTION, "nap")
    assert files(str(folder / "deep" / "er.py")) == (Owner.ACTION, "nap")
    assert files(str(tmp_path / "other.py")) is None
    assert files(asyncio.__file__) is None
    house = Path(__file__).parents[3]
    assert files(str(house / "framework/plugins/blame.py")) == (Owner.OURS, "")
    assert files(str(house / "resources/drivers/swept_lidar.py")) == (Owner.DRIVER, "swept_lidar")
    assert files(str(house / "tests/conftest.py")) is None


@pytest.mark.parametrize("is_continuous", [False, True])
def test_an_action_fails_whose_code_has_held_the_loop(is_continuous: bool) -> None:
    class Nap(Action):
        continuous = is_continuous

        async def run(self) -> None:
            assert fail_holder(NAP, copy_context())  # as if it had held it before it returned

    async def play(stage: Stage) -> None:
        assert_ended(await stage.runner(Nap).run(), RunState.FAILED, "nap", "__init__.py:7", "to_thread")

    on_stage(play)


def test_it_fails_also_by_a_task_of_its_own_and_is_ended_as_any() -> None:
    ended: list[str] = []

    class Nap(Action):
        async def run(self) -> None:
            async def hold() -> None:
                assert fail_holder(NAP, copy_context())

            helper = asyncio.create_task(hold())
            try:
                await asyncio.Event().wait()
            finally:
                await helper
                ended.append("safe")

    async def play(stage: Stage) -> None:
        assert_ended(await stage.runner(Nap).run(), RunState.FAILED, "held up everything")
        assert ended == ["safe"]

    on_stage(play)


def test_a_short_hold_is_named_and_fails_nobody() -> None:
    short = msgspec.structs.replace(NAP, held_s=0.2)

    class Nap(Action):
        async def run(self) -> None:
            assert not fail_holder(short, copy_context())

    async def play(stage: Stage) -> None:
        assert (await stage.runner(Nap).run()).state is RunState.SUCCEEDED

    on_stage(play)


class Lamp(msgspec.Struct, frozen=True):
    """A device whose driver sleeps."""


def test_a_driver_fails_whose_code_has_held_the_loop(virtual: VirtualRunner) -> None:
    held = Held(Holder(Owner.DRIVER, "lamp", Place("lamp/driver.py", 9, "Lamp.provide")), FAILS_S, 0.0)
    contexts: list[Context] = []

    async def use(registrar: ResourceRegistrar) -> None:
        async with registrar.request(Lamp()):
            assert fail_holder(held, contexts[0])
            await asyncio.Event().wait()

    async def play() -> None:
        async with ResourceRegistrar("devices", LocalTransport()) as registrar:

            @registrar.provides(Lamp)
            @asynccontextmanager
            async def lamp(request: Lamp, supply: Supply) -> AsyncIterator[str]:
                contexts.append(copy_context())
                yield "on"

            with pytest.raises(ResourceFailed) as failed:
                await use(registrar)
            assert "lamp/driver.py:9" in str(failed.value)

    virtual(play)


def test_what_is_ours_fails_nobody() -> None:
    assert not fail_holder(Held(Holder(Owner.OURS, "", Place("x.py", 1, "f")), 9.0, 0.0), copy_context())
    assert not fail_holder(NAP, None)
