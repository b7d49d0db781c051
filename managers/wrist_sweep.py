"""`WristSweep`: an arm's last joint swung to and fro for as long as somebody holds it.

Those who hold it only want to see: no action says of itself that it moves. The motion interlock knows by the
permit for whom it does, and refuses it the arm's motion like anybody's; while they are paused, it rests.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import pi

from framework.clock import Clock
from framework.errors import LeaseError, ResourceUnavailable
from framework.registrar import Lease, Supply
from managers.control_loops import ControlLoops
from managers.motion import Motions, Mover
from resources.types.arms import Motion
from resources.types.control import SweepHandle, WristSweep
from resources.types.motion import ORDER_PERIOD_S, ControllerKind, Sweep, Wanted, encode_motion
from resources.types.motion_clients import first_number
from resources.types.naming import listed

#: To and fro by half a turn about the direction of travel [rad], this fast [rad/s].
SWEEP = Sweep(lower=-pi / 4, upper=3 * pi / 4, velocity=1.2)

_MOST_REFUSALS = 3


class WristSweeps:
    """Provides `WristSweep`."""

    def __init__(self, loops: ControlLoops, motions: Motions, clock: Clock) -> None:
        self._loops = loops
        self._motions = motions
        self._clock = clock

    @asynccontextmanager
    async def provide(self, request: WristSweep, supply: Supply) -> AsyncIterator[SweepHandle]:
        """The arm's motion, taken for nothing but sweeping."""
        name = self._arm(request.arm)
        async with supply.request(Motion(name), exclusive=True, wait=supply.is_patient) as lease:
            mover = self._motions.of(name)
            assert mover is not None, "its motion is held"
            supply.declare_safe_stop(mover.come_to_rest, device=name)
            sweeping = asyncio.create_task(self._sweep(name, lease, supply, mover), name=f"sweep of {name}")
            try:
                yield SweepHandle(request.arm, SWEEP.lower, SWEEP.upper, SWEEP.velocity)
            finally:
                sweeping.cancel()
                await asyncio.gather(sweeping, return_exceptions=True)

    def _arm(self, side: str) -> str:
        arms = [device for device in self._loops.devices.described if device.kind == ControllerKind.ARM.value]
        for device in self._loops.devices.best_first(arms):
            if side in ("", device.mount):
                return device.name
        known = listed(device.mount or device.name for device in arms) or "none"
        raise ResourceUnavailable(f"there is no arm {side!r}; there are {known}")

    async def _sweep(self, name: str, lease: Lease, supply: Supply, mover: Mover) -> None:
        """Repeat the wish while somebody holds the sweep; after a stop that has passed, wish anew.

        While whoever has it is paused, it rests.
        """
        control = self._loops.of(name)
        number, holder, refusals = first_number(lease.id), "", 0
        is_resting = False
        while True:
            state = control.state
            if supply.holder != holder:
                number, holder = number + 1, supply.holder
            if state is not None and holder:
                if state.following == number:
                    refusals = 0
                elif state.refused_number == number:
                    number += 1
                    refusals += (
                        0 if state.stopped else 1
                    )  # what is stopped refuses everything, and that passes
                    if refusals > _MOST_REFUSALS:
                        supply.fail(f"{name} does not sweep: {state.refusal}")
                        return
                elif state.done == number:
                    number += 1
            was_resting, is_resting = is_resting, supply.is_suspended
            if is_resting:
                if not was_resting:
                    await mover.come_to_rest()
            elif holder:
                try:
                    lease.send(encode_motion(Wanted(number, SWEEP)))
                except LeaseError:
                    return  # it is lost, and the sweep with it
            await self._clock.sleep(ORDER_PERIOD_S)
