"""Children as resources: what clients are told about them, and what people can do to them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from framework.errors import ResourceFailed, ResourceUnavailable
from framework.processes.child_events import ChildState
from framework.processes.launcher import ProcessLauncher
from framework.processes.spec import ProcessSpec, python_child
from framework.registrar import ResourceRegistrar
from framework.status import ReasonKind, Severity
from framework.testing.children import Dies, Script
from framework.transport.local import LocalTransport
from managers.process_manager import ProcessManager
from resources.types.processes import Process
from tests.faults.restless_child import Restless
from tests.faults.stage import Stage

Play = Callable[[Any], None]

EYE = Process(ProcessSpec(("eye",), "eye"))
ONCE = Process(ProcessSpec(("eye",), "eye", restart=None))


async def held(stage: Stage, request: Process = EYE) -> Any:
    (client,) = await stage.come(1)
    client.ask(request)
    await client.answer()
    assert client.lease is not None, client.error
    return client


def test_equal_specs_share_one_child_and_the_last_one_to_leave_ends_it(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        stage.launcher.set_script("eye", Script(handle=b"handle"))
        one, two = await held(stage), await held(stage)
        assert one.value == two.value
        assert (one.value.name, one.value.payload) == ("eye", b"handle")
        (view,) = stage.processes.processes()
        assert (view.name, view.pid, view.state, view.restarts) == ("eye", one.value.pid, ChildState.READY, 0)
        await one.leave()
        await asyncio.sleep(1)
        assert stage.launcher.running == ("eye",)
        await two.leave()
        await asyncio.sleep(1)
        assert not stage.launcher.running and not stage.processes.processes()

    play(scene)


def test_a_failed_start_says_what_the_child_last_printed_and_leaves_nothing(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        stage.launcher.set_script(
            "eye", Script(dies_before_ready=True, last_words=("opening /dev/eye", "no such device"))
        )
        (client,) = await stage.come(1)
        client.ask(EYE)
        await client.answer()
        assert isinstance(client.error, ResourceUnavailable)
        assert "exit code 1" in str(client.error) and "no such device" in str(client.error)
        assert [hop.registrar for hop in client.error.hops] == ["process_manager"]
        await asyncio.sleep(1)
        assert stage.processes.registrar.snapshot().is_empty

    play(scene)


def test_a_program_that_cannot_be_started_says_so(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        stage.launcher.set_script("eye", Script(cannot_start="there is no program 'eye'"))
        (client,) = await stage.come(1)
        client.ask(EYE)
        await client.answer()
        assert "there is no program 'eye'" in str(client.error)

    play(scene)


def test_a_name_belongs_to_one_child_at_a_time(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        first = await held(stage)
        (second,) = await stage.come(1)
        second.ask(Process(ProcessSpec(("eye", "--better"), "eye")))
        await second.answer()
        assert "runs already with other arguments" in str(second.error)
        assert first.lease is not None and not first.told

    play(scene)


def test_one_death_is_one_warning_then_the_new_handle_then_all_is_well(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        client = await held(stage)
        before = client.value.pid
        stage.launcher.life("eye").die()
        await asyncio.sleep(0)
        await asyncio.sleep(0.01)
        (resource,) = stage.processes.registrar.snapshot().resources
        assert (resource.state, resource.tries) == ("retrying", 1)
        assert resource.next_attempt_s is not None
        await asyncio.sleep(1)
        assert client.severities == ("WARNING", "UPDATE", "OK")
        assert "SIGKILL" in client.told[0].status.message
        assert client.value.pid > before
        (resource,) = stage.processes.registrar.snapshot().resources
        assert resource.state == "ready"
        assert stage.processes.processes()[0].restarts == 1
        (restarted,) = stage.restarted
        assert (restarted.name, restarted.restarts) == ("eye", 1)
        assert "SIGKILL" in restarted.reason

    play(scene)


def test_without_a_restart_policy_death_is_fatal_once(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        client = await held(stage, ONCE)
        stage.launcher.life("eye").die()
        await asyncio.sleep(0.05)
        assert client.severities == ("FATAL",)
        assert isinstance(client.error, ResourceFailed) and "SIGKILL" in str(client.error)
        client.ask(ONCE)
        await client.answer()
        assert client.lease is not None  # loaded afresh

    play(scene)


def test_retry_now_ends_the_wait_for_a_human(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        client = await held(stage)
        stage.launcher.set_script("eye", Script(acts=(Dies(0.05),)))
        stage.launcher.life("eye").die()
        await asyncio.sleep(12)
        (resource,) = stage.processes.registrar.snapshot().resources
        assert resource.state == "needs a human" and "retry now" in resource.detail
        kinds = [told.status.reason.kind for told in client.told]
        assert client.lease is not None and kinds.count(ReasonKind.RETRYING) == 5
        assert kinds.count(ReasonKind.NEEDS_HUMAN) == 1
        stage.launcher.set_script("eye", Script())
        stage.processes.registrar.retry_now(resource.id)
        await asyncio.sleep(0.2)
        assert client.severities[-2:] == ("UPDATE", "OK")
        assert stage.processes.registrar.snapshot().resources[0].state == "ready"

    play(scene)


def test_retry_now_does_not_wait_for_the_back_off(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        client = await held(stage)
        stage.launcher.set_script("eye", *[Script(dies_before_ready=True)] * 3, Script())
        stage.launcher.life("eye").die()
        await asyncio.sleep(0.2 + 0.4 + 0.8 + 0.5)
        (resource,) = stage.processes.registrar.snapshot().resources
        assert resource.next_attempt_s is not None
        stage.processes.registrar.retry_now(resource.id)
        await asyncio.sleep(0.1)
        assert client.severities[-1] == "OK"

    play(scene)


def test_what_a_child_says_reaches_its_clients(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        client = await held(stage)
        life = stage.launcher.life("eye")
        life.say(Severity.ERROR, "blurred")
        life.say(Severity.OK, "sharp")
        life.become_ready(b"another handle")
        await asyncio.sleep(0.01)
        assert client.severities == ("ERROR", "OK", "UPDATE")
        assert client.told[0].status.message == "eye: blurred"
        assert client.value.payload == b"another handle"

    play(scene)


def test_commands_of_a_lease_reach_the_child(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        client = await held(stage)
        client.lease.send(b"look left")
        stage.processes.send("eye", b"from outside")
        await asyncio.sleep(0.01)
        assert stage.launcher.life("eye").commands == [b"from outside", b"look left"]

    play(scene)


def test_what_does_not_run_cannot_be_killed_nor_told_anything(play: Play) -> None:
    """Least of all by the number of a process that is dead: it may be somebody else's by now."""

    async def scene(stage: Stage) -> None:
        with pytest.raises(ResourceUnavailable, match=r"no process 'eye' runs; running are none"):
            stage.processes.kill("eye")
        await held(stage)
        with pytest.raises(ResourceUnavailable, match=r"no process 'ear' runs; running are eye"):
            stage.processes.send("ear", b"")
        stage.launcher.life("eye").die()
        with pytest.raises(ResourceUnavailable, match=r"no process 'eye' runs; running are none"):
            stage.processes.kill("eye")
        await asyncio.sleep(1)

    play(scene)


@pytest.mark.real
def test_a_real_child_is_really_killed(tmp_path: Path) -> None:
    async def main() -> None:
        transport = LocalTransport()
        argv = python_child("tests.faults.restless_child:main", Restless(str(tmp_path), "eye"))
        request = Process(ProcessSpec(argv, "eye", restart=None, start_timeout_s=60.0))
        manager = ProcessManager(transport, ProcessLauncher())
        client = ResourceRegistrar("client", transport)
        async with manager, client, asyncio.timeout(180):
            with pytest.raises(ResourceFailed, match="SIGKILL"):
                await kill_while_held(client, manager, request)
            while not manager.registrar.snapshot().is_empty:
                await asyncio.sleep(0.01)

    asyncio.run(main())


async def kill_while_held(client: ResourceRegistrar, manager: ProcessManager, request: Process) -> None:
    async with client.request(request):
        manager.kill("eye")
        await asyncio.Event().wait()


def test_a_child_that_keeps_failing_is_unsteady_until_it_has_been_calm(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        client = await held(stage)
        stage.launcher.set_script("eye", *[Script(acts=(Dies(at_s=2.0),))] * 5, Script())
        stage.launcher.life("eye").die()
        await asyncio.sleep(6.5)
        (resource,) = stage.processes.registrar.snapshot().resources
        assert resource.state == "unsteady" and "times in a row" in resource.detail
        assert any(told.status.reason.kind is ReasonKind.UNSTEADY for told in client.told)
        await asyncio.sleep(100)
        (resource,) = stage.processes.registrar.snapshot().resources
        assert resource.state == "ready"
        assert client.severities[-1] == "OK"
        *again, calm = stage.restarted
        assert [each.in_a_row for each in again] == [1, 2, 3, 4, 5, 6]
        assert calm.is_steady and not any(each.is_steady for each in again)

    play(scene)
