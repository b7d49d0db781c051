"""A supervisor with nothing scripted: a test's own actions and phrases, real runners, real registrars."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path

from framework.interlock import Interlock
from framework.plugins import ActionCatalogue
from framework.processes.emergency import EmergencyStop
from framework.supervisor import EventBus, EventKind, Supervisor
from framework.testing import VirtualLoop, run_on
from framework.tree.actions import ActionRunners, CatalogueSignatures
from framework.tree.run import PlanState
from grammars import Language
from tests.framework.plugins.stage import Stage


@cache
def spoken(catalogue: ActionCatalogue) -> Language:
    return Language(catalogue.available)


class Harness:
    """A supervisor over real managers."""

    def __init__(
        self, catalogue: ActionCatalogue, stage: Stage, interlock: Interlock, directory: Path
    ) -> None:
        self.stage = stage
        self.interlock = interlock
        self.bus = EventBus()
        self.latch = EmergencyStop.create(directory)
        language = spoken(catalogue)
        self.supervisor = Supervisor(
            signatures=CatalogueSignatures(catalogue),
            runners=ActionRunners(catalogue, stage.registrar),
            parser=language,
            meta=language.meta,
            wording=language.wording,
            events=self.bus,
            emergency=self.latch,
            registrar=stage.registrar,
            interlock=interlock,
        )

    async def say(self, text: str, who: str = "") -> bool:
        return await self.supervisor.say(text, who=who).done()

    def was_said(self, words: str) -> bool:
        return any(words in event.text for event in self.bus.history())

    def texts(self, *kinds: EventKind) -> list[str]:
        return [event.text for event in self.bus.history() if event.kind in kinds]

    @property
    def states(self) -> dict[str, PlanState]:
        return {plan.words: PlanState(plan.state) for plan in self.supervisor.plans()}


def run_scene(
    catalogue: ActionCatalogue, directory: Path, scene: Callable[[Harness], Awaitable[None]]
) -> None:
    """On the virtual clock. Afterwards nothing may be held, and no task be left, whatever happened."""

    async def main() -> None:
        interlock = Interlock()
        async with Stage(interlock) as stage:
            harness = Harness(catalogue, stage, interlock, directory)
            try:
                async with harness.supervisor:
                    await scene(harness)
            finally:
                harness.latch.close()
            await asyncio.sleep(1.0)
            assert stage.is_idle

    loop = VirtualLoop()
    run_on(loop, main)
    assert loop.leftovers == ()
