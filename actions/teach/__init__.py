"""Records a motion by hand guiding, under a name, until the operator says that it is complete.

"Done", any other answer, and "stop" keep what was recorded; "no" does not. An arm that fails or is taken
in the middle leaves half a motion: that is not kept.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pilothouse as ph
from resources.types.begun import SIDES, Begun
from resources.types.memory import RememberedPath
from resources.types.motion import Joints7
from resources.types.motion_words import said_for_people
from resources.types.naming import plain
from resources.types.recording import LONGEST_S, recorded

_NO = ("no", "cancel")

#: How often it says how long it has recorded [s].
_SAYS_S = 10.0


class Teach(ph.Action):
    """Learn a motion by being guided by hand."""

    retains = True
    risk = ph.Risk.MOVES
    on_preempt = ph.OnPreempt.GIVE_UP

    name: str = ph.param(doc="what the motion is to be called")
    side: str = ph.param(default="", one_of=SIDES, doc="of the arm; whichever is free by default")

    arm = ph.needs(lambda given: ph.Arm(side=given.side), exclusive=True)
    store = ph.needs(ph.Memory)
    memory: Begun

    async def run(self) -> str:
        who = self.memory.with_(self.arm)
        name = plain(self.name)
        await self.store.check(RememberedPath(name, self.arm.side, ()))
        taken: list[tuple[float, Joints7]] = []
        try:
            with said_for_people(self.arm):
                answer = await self._record(who, name, taken)
        except asyncio.CancelledError:
            if self.arm.lease.status.severity is ph.Severity.FATAL:
                self.say(f"the motion {name!r} is not kept: it was interrupted")
            else:
                with suppress(ph.PilothouseError):  # it has been said why; there is no one left to fail for
                    await self._keep(name, taken)
            raise
        if plain(answer) in _NO:
            raise ph.PilothouseError(f"the motion {name!r} is not kept")
        await self._keep(name, taken)
        return name

    async def _record(self, who: str, name: str, taken: list[tuple[float, Joints7]]) -> str:
        """Record until somebody answers, or it is too long; the answer, "" without one."""
        question = f'Guide {who} by hand. Say "done" when the motion {name!r} is complete.'
        asking = asyncio.create_task(self.ask(question), name="asking")
        tasks = [
            asking,
            asyncio.create_task(self.arm.guide(), name="guiding"),
            asyncio.create_task(self._listen(name, taken), name="recording"),
        ]
        try:
            ended, _ = await asyncio.wait(tasks, timeout=LONGEST_S, return_when=asyncio.FIRST_COMPLETED)
            for task in ended:
                task.result()
            if asking not in ended:
                self.say(f"a motion can be {LONGEST_S:g} s long: that is all I record")
            return asking.result() if asking in ended else ""
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _listen(self, name: str, taken: list[tuple[float, Joints7]]) -> None:
        said_s = 0.0
        async for sample in self.arm.samples():
            taken.append((sample.time_s, sample.q))
            passed_s = sample.time_s - taken[0][0]
            if passed_s >= said_s + _SAYS_S:
                said_s = passed_s
                self.say(f"{passed_s:.0f} s of {name!r} recorded")

    async def _keep(self, name: str, taken: list[tuple[float, Joints7]]) -> None:
        """Raises PilothouseError with the reason if it is no motion or cannot be kept."""
        try:
            path = await asyncio.to_thread(recorded, name, self.arm.side, taken)
            kept = await self.store.keep(path)
        except ph.PilothouseError as error:
            self.tell(f"The motion {name!r} is not kept: {error}.")
            raise
        self.tell(f"{kept}, {path.duration_s:.1f} s long.")
