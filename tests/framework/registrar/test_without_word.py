"""Whoever lacks a word for what moves is refused, each once, also where several wait for one start."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from framework.errors import ResourceUnavailable
from framework.interlock import Interlock, Loss, LossKind
from framework.registrar import ResourceRegistrar, Supply
from framework.status import ReasonKind
from framework.testing import run
from framework.transport.local import LocalTransport


class Arm(msgspec.Struct, frozen=True):
    """What moves."""


def test_a_stop_while_it_starts_refuses_all_who_wait_to_move_it_and_nobody_who_looks() -> None:
    interlock = Interlock()
    refused: list[ReasonKind] = []
    seen: list[str] = []

    async def rests() -> None: ...

    @asynccontextmanager
    async def provider(request: Arm, supply: Supply) -> AsyncIterator[str]:
        await asyncio.sleep(1.0)
        supply.declare_safe_stop(rests)
        yield "an arm"

    async def moves(registrar: ResourceRegistrar) -> None:
        try:
            async with registrar.request(Arm(), exclusive=True, wait=True, permit=interlock.permit("1")):
                raise AssertionError("it moves")
        except ResourceUnavailable as error:
            refused.append(error.reason.kind)

    async def looks(registrar: ResourceRegistrar) -> None:
        async with registrar.request(Arm()) as lease:
            seen.append(lease.value)

    async def scene() -> None:
        async with ResourceRegistrar("robot", LocalTransport(), interlock=interlock) as registrar:
            registrar.provides(Arm)(provider)
            interlock.give_word("1")
            async with asyncio.timeout(5.0), asyncio.TaskGroup() as group:
                for each in (moves, moves, moves, looks):
                    group.create_task(each(registrar))
                await asyncio.sleep(0.5)
                interlock.raise_all(Loss(LossKind.EMERGENCY))

    run(scene)
    assert refused == [ReasonKind.NEEDS_WORD] * 3
    assert seen == ["an arm"]
