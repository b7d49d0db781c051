"""A resource that only stands for another one: its client's patience, place and commands are passed on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from framework.errors import ResourceUnavailable
from framework.registrar import Supply
from framework.status import Severity, Status
from framework.transport.messages import Command
from tests.framework.registrar.harness import Arm, Device, Harness, Top, scene


async def furnished(harness: Harness) -> list[Command]:
    """A device, an arm that takes it, and a wish above that; returns the commands that reach the device."""
    reached: list[Command] = []
    manager = await harness.enter("manager")

    @manager.provides(Device)
    @asynccontextmanager
    async def device(request: Device, supply: Supply) -> AsyncIterator[str]:
        supply.on_command(reached.append)
        yield request.name

    @manager.provides(Arm, start_timeout_s=4000.0)
    @asynccontextmanager
    async def arm(request: Arm, supply: Supply) -> AsyncIterator[str]:
        async with supply.request(Device(), exclusive=True, wait=supply.is_patient) as lease:
            supply.on_command(lambda command: lease.send(command.payload, sent_s=command.sent_s))
            yield lease.value

    @manager.provides(Top, start_timeout_s=4000.0)
    @asynccontextmanager
    async def top(request: Top, supply: Supply) -> AsyncIterator[str]:
        async with supply.request(Arm(), exclusive=True, wait=supply.is_patient) as lease:
            yield lease.value

    return reached


@scene
async def test_who_waits_queues_for_what_stands_behind_it_and_is_told_for_whom(harness: Harness) -> None:
    await furnished(harness)
    painter, ada, impatient = await harness.enter_all("painter", "ada", "impatient")
    told: list[Status] = []
    granted: list[str] = []

    async def wait_for_it() -> None:
        async with ada.request(Top(), exclusive=True, wait=True, on_status=told.append) as lease:
            granted.append(lease.value)

    async with painter.request(Device(), exclusive=True):
        with pytest.raises(ResourceUnavailable, match="is held by painter"):
            async with impatient.request(Arm("other"), exclusive=True):
                raise AssertionError
        waiting = asyncio.create_task(wait_for_it())
        await asyncio.sleep(100)  # much longer than a request that does not queue
        assert not granted and not waiting.done()
    await waiting
    assert granted == ["arm"]
    assert {(status.severity, status.message) for status in told} == {
        (Severity.OK, "waiting for painter, first in the queue")
    }


@scene
async def test_who_gives_up_leaves_no_place_in_the_queue(harness: Harness) -> None:
    await furnished(harness)
    painter, ada, next_one = await harness.enter_all("painter", "ada", "next")

    async def wait_for_it() -> None:
        async with ada.request(Arm(), exclusive=True, wait=True):
            raise AssertionError("it gave up")

    async with painter.request(Device(), exclusive=True):
        waiting = asyncio.create_task(wait_for_it())
        await asyncio.sleep(1)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
    await asyncio.sleep(1)
    async with next_one.request(Device(), exclusive=True) as lease:
        assert lease.value == "arm"


@scene
async def test_a_command_keeps_its_first_sender_s_time(harness: Harness) -> None:
    reached = await furnished(harness)
    (ada,) = await harness.enter_all("ada")
    async with ada.request(Arm(), exclusive=True) as lease:
        sent_s = asyncio.get_running_loop().time()
        lease.send(b"go")
        await asyncio.sleep(0.1)
    assert [(command.payload, command.sent_s) for command in reached] == [(b"go", sent_s)]
    assert reached[0].lease != lease.id, "it goes on under the lease of whoever passes it on"
