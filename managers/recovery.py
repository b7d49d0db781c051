"""`Recovery`: bringing a device back from a fault. It moves nothing; whoever wants to move asks anew."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from framework.clock import Clock
from framework.errors import ResourceUnavailable, StreamError
from framework.registrar import Supply
from managers.control_loops import LOOK_S, Control, ControlLoops
from resources.controllers.loop import RESET_FIRST
from resources.types.arms import ControlHandle, ControlLoop, Recovery
from resources.types.motion import LoopState, StopKind

RECOVERED_S = 8.0
"""A device recovers within this [s], or not at all."""


class Recoveries:
    """Provides `Recovery`."""

    def __init__(self, loops: ControlLoops, clock: Clock) -> None:
        self._loops = loops
        self._clock = clock

    @asynccontextmanager
    async def provide(self, request: Recovery, supply: Supply) -> AsyncIterator[ControlHandle]:
        """A device that is well, from now on until the next fault."""
        control = self._loops.of(request.device)
        async with supply.request(ControlLoop(request.device)) as loop:
            await self._recover(control)

            def look(state: LoopState) -> None:
                # Equal requests share one resource: one recovery must not stand for the next fault.
                if state.fault:
                    supply.fail(control.remedy)

            control.listeners.append(look)
            try:
                yield loop.value
            finally:
                control.listeners.remove(look)

    async def _recover(self, control: Control) -> None:
        name = control.device.name
        if control.state is not None and not control.state.fault:
            return
        if control.state is not None and control.state.stop is StopKind.EMERGENCY:
            raise ResourceUnavailable(f"{name} is not recovered now: {control.state.stopped}: {RESET_FIRST}")
        number = control.orders.recoveries + 1
        control.order(recoveries=number)
        try:
            await self._recovered(control, number)
        except BaseException:
            # Given up (or cancelled): a loop that hears of it only later must not carry it out then.
            control.order(withdrawn=number)
            raise

    async def _recovered(self, control: Control, number: int) -> None:
        name = control.device.name
        try:
            async with asyncio.timeout(RECOVERED_S):
                while (state := control.look()) is None or state.fault or state.recoveries < number:
                    if state is not None and state.unrecovered >= number:
                        raise ResourceUnavailable(f"{name} has not recovered: {state.fault}")
                    await self._clock.sleep(LOOK_S)
        except TimeoutError:
            raise ResourceUnavailable(
                f"{name} has not recovered within {RECOVERED_S:g} s: {control.fault or 'it does not answer'}"
            ) from None
        except StreamError as error:
            raise ResourceUnavailable(f"{name}: {error}") from error
