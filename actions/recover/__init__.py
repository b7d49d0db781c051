"""Brings what has stopped with a fault (a reflex) back, once the operator has said that this is safe.

Recovering moves nothing: it lets the device be commanded again. Whoever had it asks for it anew.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pilothouse as ph
from actions.confirming import confirmed
from resources.types.begun import SIDES
from resources.types.motion import ArmSample
from resources.types.motion_clients import ArmStateClient
from resources.types.naming import listed, plain

#: A control loop reports a hundred times a second [s].
_PATIENCE_S = 2.0


class Recover(ph.Action):
    """Bring a device back from the fault that has stopped it, after a confirmation."""

    risk = ph.Risk.DANGEROUS
    on_preempt = ph.OnPreempt.GIVE_UP

    device: str = ph.param(default="", doc="its name; by default every arm that has stopped with a fault")

    async def run(self) -> None:
        asked = plain(self.device).replace(" ", "_")
        arms = await self._faults_of_arms()
        faults = {device: fault for device, fault in arms.items() if fault and asked in ("", device)}
        if asked and asked not in arms:
            faults = {asked: ""}  # what is no arm says so only when it is recovered
        if not faults:
            which = f"The {plain(asked)}" if asked else "No arm"
            self.tell(
                f"{which} has {'no' if asked else 'stopped with a'} fault; there is nothing to recover."
            )
            return
        names = listed(f"the {plain(device)}" for device in faults)
        reasons = "; ".join(dict.fromkeys(filter(None, faults.values())))
        why = f" ({reasons})" if reasons else ""
        asked = f"After the fault{why}, {names} may be commanded again. Is the way clear?"
        await confirmed(self, asked, f"{names} stays as it is")
        for device in faults:
            self.progress(0.0, f"recovering the {plain(device)}")
            async with self.use(ph.Recovery(device)):
                self.say(f"the {plain(device)} has recovered; it moves when it is told to")

    async def _faults_of_arms(self) -> dict[str, str]:
        """Every arm, and the fault that it reports, "" if it is well."""
        found: dict[str, str] = {}
        refused: list[str] = []
        for side in SIDES:
            try:
                async with self.use(ph.ArmState(side)) as arm:
                    found[arm.device] = (await _first(arm)).loop.fault
            except ph.ResourceUnavailable as error:
                refused.append(error.message)
        if not found and not self.device:
            raise ph.PilothouseError(refused[0])
        return found


async def _first(arm: ArmStateClient) -> ArmSample:
    """The newest report. Raises PilothouseError if none comes."""
    try:
        async with asyncio.timeout(_PATIENCE_S), aclosing(arm.samples()) as samples:
            async for sample in samples:
                report: ArmSample = sample
                return report
    except TimeoutError:
        pass
    raise ph.PilothouseError(f"the {plain(arm.device)} does not report")
