"""A control box with what has happened to it since a test began; boxes that are still well are used again."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from framework.errors import ProcessDied
from resources.fci_sim import HOME, SimulatedControlBox
from resources.types.motion import ArmSample
from tests.resources.drivers.franka.rig import PATIENCE_S, Rig, arm

ArmRig = Rig[ArmSample]


class Bench:
    """A box, seen from now on."""

    def __init__(self, box: SimulatedControlBox) -> None:
        self.box = box
        events = box.events()
        self._mark = events[-1].number if events else 0

    def play(self, scene: Callable[[ArmRig], Awaitable[None]], **changes: object) -> None:
        """A scene with one arm's child; `changes` of its arguments."""

        async def run() -> None:
            async with asyncio.timeout(3 * PATIENCE_S), arm(self.box.address, **changes) as rig:
                await scene(rig)

        asyncio.run(run())

    async def told(self, text: str) -> None:
        """Wait until the box has seen something; the heart goes on beating meanwhile."""
        try:
            await asyncio.to_thread(lambda: self.box.wait_for(text, after=self._mark))
        except ValueError as error:
            raise AssertionError(f"{error}; what has: {self.happened()}") from None

    def happened(self) -> list[str]:
        """All that the box has seen."""
        return [event.text for event in self.box.events(self._mark)]


@contextmanager
def own_bench(*, lock_step: bool = True, **changes: Any) -> Iterator[Bench]:
    """With a box of its own."""
    with SimulatedControlBox(lock_step=lock_step, **changes) as box:
        yield Bench(box)


@contextmanager
def without_pauses() -> Iterator[None]:
    """What exists by now is left alone by the garbage collector.

    In a process with all tests in it, and an installation's language, a full collection takes as long as
    orders may: 0.2 s. Then an arm comes to rest, as it should.
    """
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.collect()
        gc.freeze()


class Boxes:
    """A box in lock-step that tests use one after the other, until one of them leaves it hurt."""

    def __init__(self) -> None:
        self._box: SimulatedControlBox | None = None

    def bench(self) -> Bench:
        """A box that is idle, at home, and without faults."""
        if self._box is None or not self._is_well(self._box):
            self.close()
            self._box = SimulatedControlBox(lock_step=True).__enter__()
        return Bench(self._box)

    def close(self) -> None:
        """End it."""
        if self._box is not None:
            self._box.close()
            self._box = None

    def _is_well(self, box: SimulatedControlBox) -> bool:
        try:
            box.clear()
            status = box.status()
            if status.mode != "idle" or status.is_connected:
                return False
            box.place(HOME)
        except (ProcessDied, ValueError):
            return False
        return True
