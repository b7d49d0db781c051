"""A real supervisor over imaginary actions, with people who type and speak: for histories of words.

Its language is a table: what a text means is what the history has put there. Its emergency stop is a button.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from framework.events import Event, EventBus, EventKind
from framework.interlock import Interlock
from framework.plan.ast import Condition, Do, Plan
from framework.plan.instruction import Source
from framework.plan.parser import (
    Completions,
    Correction,
    Known,
    NotUnderstood,
    Reading,
    Understood,
    World,
)
from framework.plugins.service import Help
from framework.scenarios.invariants import Breach
from framework.supervisor.reply import Reply
from framework.supervisor.supervisor import Supervisor
from framework.supervisor.thinking import Thinking
from framework.tree import PlanState
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.jobs import Job, Work
from pilothouse.testbed.histories.stage import HistoryStage

ACTED_S = 0.7
"""So long after a word all that it asks for has been done: longer than anything takes to end."""


class Button:
    """An emergency stop of this process (`EmergencyControl`)."""

    def __init__(self) -> None:
        self.token = 0
        self.reason = ""
        self._last = 0

    @property
    def is_latched(self) -> bool:
        return self.token != 0

    def latch(self, reason: str) -> None:
        self._last += 1
        self.token, self.reason = self._last, reason

    def reset(self, token: int) -> bool:
        if token != self.token:
            return False
        self.token = 0
        return True


class Desk:
    """Enter it (`async with`) to begin; when it is left the supervisor closes, and nothing may go on.

    means: what texts mean now, with the parser's own confidence and the misspellings it assumes. refuses:
    what is said to others, where it is more than that they are not understood. clauses: of conditions.
    can: what can be asked for. texts: by the number of the plan that has come of it. work: what there is
    to do. thinks: in a thread, as an installation's does.
    """

    def __init__(
        self, stage: HistoryStage, *, thinks: bool = False, work: Work | None = None, **wishes: Any
    ) -> None:
        self.stage = stage
        self.clauses: dict[str, Condition] = {}
        self.can: tuple[Help, ...] = ()
        self.texts: dict[str, str] = {}
        if thinks:
            wishes["thinking"] = Thinking(self, ())
        self.work = Work(stage) if work is None else work
        self.button = Button()
        self.means: dict[str, tuple[Plan, float, tuple[Correction, ...]]] = {}
        self.refuses: dict[str, NotUnderstood] = {}
        self._several: dict[str, list[Plan]] = {}
        self._followed: list[tuple[Reply, list[Event], asyncio.Task[None]]] = []
        self.events: list[Event] = []
        bus = EventBus()
        bus.listen(self.events.append)
        self.supervisor = Supervisor(
            signatures=self.work,
            runners=self.work,
            events=bus,
            emergency=self.button,
            conditions=self.work,
            interlock=stage.interlock or Interlock(),
            **{"parser": self, "wording": self.wording, "world": self, **wishes},
        )

    async def __aenter__(self) -> Desk:
        await self.supervisor.__aenter__()
        return self

    async def __aexit__(self, *exception: Any) -> None:
        await self.supervisor.__aexit__(*exception)
        if exception[0] is None:
            must(not self.supervisor.plans(), "plans go on after their supervisor", Breach.NEVER_ENDED)
            must(not self.supervisor.questions, "questions stay open for ever", Breach.NEVER_ENDED)
            self.work.all_over()
            await self._judge_followed()
        for _, _, task in self._followed:
            task.cancel()

    # -- a language, and what is known

    def learns(
        self, text: str, plan: Plan, confidence: float = 1.0, corrections: Iterable[Correction] = ()
    ) -> str:
        """From now on the text means this."""
        self.means[text] = plan, confidence, tuple(corrections)
        return text

    def means_several(self, text: str, plans: list[Plan]) -> None:
        """From now on the text could mean any of these."""
        self._several[text] = plans

    def parse(self, text: str, world: World) -> Understood | NotUnderstood:
        if text in self._several:
            return Understood(tuple(map(Reading, self._several[text])))
        if text not in self.means:
            return self.refuses.get(text, NotUnderstood(""))
        return Understood((Reading(*self.means[text]),))

    def complete(self, text: str, world: World) -> Completions:
        return Completions(())

    def condition(self, text: str, world: World) -> Condition | None:
        return self.clauses.get(text)

    def help(self, topic: str, world: World) -> Iterable[Help]:
        return self.can

    def wording(self, do: Do) -> str:
        things = [value for value in do.parameters.values() if isinstance(value, str)]
        return " ".join((do.action.replace("_", " "), *things))

    def names(self, kind: str) -> tuple[str, ...]:
        return ()

    def known(self, kind: str) -> tuple[Known, ...]:
        return ()

    # -- what people do, and see

    async def says(self, text: str, who: str = "ann", source: Source = Source.TYPED, **how: Any) -> Reply:
        """Somebody says something, and all that it asks for is done."""
        reply = self.supervisor.say(text, source, who, **how)
        self._follow(reply)
        await asyncio.sleep(ACTED_S)
        self.stage.judge()
        return reply

    def _follow(self, reply: Reply) -> None:
        """Somebody reads what comes of it, to its end."""
        read: list[Event] = []

        async def reads() -> None:
            async for event in reply:
                read.append(event)

        self._followed.append((reply, read, asyncio.create_task(reads())))

    async def _judge_followed(self) -> None:
        """Who reads what comes of an instruction reads all of it, in its order, and comes to its end."""
        await asyncio.sleep(0.01)
        for reply, read, task in self._followed:
            must(task.done(), f"who follows {reply.events[:1]} waits for ever", Breach.NEVER_ENDED)
            must(read == list(reply.events), f"of {reply.events} is read {read}", Breach.UNTOLD)

    def at_work(self, plan: str = "") -> set[str]:
        """The actions that go on and do not hold on; of one plan, or of all."""
        return {job.name for job in self.work.jobs if job.is_at_work and plan in ("", job.plan_id)}

    def going(self) -> list[Job]:
        """All that has begun and not ended."""
        return [job for job in self.work.jobs if job.goes_on]

    def states(self) -> dict[str, PlanState]:
        """Of the plans that have not ended, by their numbers."""
        return {plan.id: plan.state for plan in self.supervisor.plans()}

    def heard(self, *kinds: EventKind) -> list[Event]:
        """What was said of these kinds."""
        return [event for event in self.events if event.kind in kinds]

    async def until(self, holds: Callable[[], object], words: str, within_s: float = 30.0) -> None:
        """Wait for that."""
        give_up_s = self.stage.now_s + within_s
        while not holds():
            must(self.stage.now_s < give_up_s, words, Breach.NEVER_ENDED)
            await asyncio.sleep(0.05)
