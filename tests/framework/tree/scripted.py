"""Runners that do what a test says, and the signatures of imaginary actions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from framework.events import Event, EventKind
from framework.interlock import Permit
from framework.plan import Compare, Do, Reference, State
from framework.plugins.action import Risk
from framework.plugins.events import Outcome, RunState
from framework.plugins.parameters import ParameterSpec
from framework.plugins.service import SupervisorService
from framework.plugins.withheld import Withheld
from framework.status import Priority
from framework.tree import Runner, Say


class Kind(msgspec.Struct, frozen=True):
    """An imaginary action; also its signature. after_s: it ends by itself (None: only when told)."""

    name: str
    parameters: tuple[ParameterSpec, ...] = ()
    continuous: bool = False
    risk: Risk = Risk.NONE
    unavailable: str = ""
    after_s: float | None = None
    ready_after_s: float | None = None
    fails: str = ""
    value: Any = None
    alone: str = ""
    end_takes_s: float = 0.0
    ignores_cancel: bool = False
    ignores_everything: bool = False
    raises_at: str = ""
    retains: bool = False
    keeps: str = ""
    instead: str = ""
    while_stopped: bool = False
    only_answers: bool = False
    repeats: bool = False
    priority: Priority = Priority.AUTONOMY


class Scripted:
    """One run of an imaginary action."""

    memory: Any = None

    def __init__(
        self,
        kind: Kind,
        do: Do,
        parameters: Mapping[str, Any],
        say: Say,
        changed: Callable[[], None],
        who: str,
    ) -> None:
        self.kind = kind
        self.do = do
        self.parameters = dict(parameters)
        self.who = who
        self.state = RunState.WAITING
        self.detail = ""
        self.value: Any = None
        self.fraction = -1.0
        self.is_running = False
        self.answers: list[str] = []
        self.cancelled_because: list[str] = []
        self.ends_by_word = False
        self._say = say
        self._changed = changed
        self._end: asyncio.Future[Outcome] | None = None
        self._early: Outcome | None = None

    def withholds(self, wanted: Sequence[str]) -> Withheld:
        if self.kind.keeps in wanted:
            return Withheld(self.kind.keeps, instead=self.kind.instead)
        return Withheld(self.kind.alone if self.kind.alone in wanted else "")

    async def run(self) -> Outcome:
        loop = asyncio.get_running_loop()
        self._end = loop.create_future()
        self.is_running = True
        try:
            if self.kind.raises_at == "run":
                raise ZeroDivisionError("scripted")
            if self._early is not None:
                return self._over(self._early)
            self.to(RunState.RUNNING, f"{self.who} runs")
            if self.kind.ready_after_s is not None:
                loop.call_later(self.kind.ready_after_s, self.ready, self.kind.value)
            if self.kind.after_s is not None:
                loop.call_later(self.kind.after_s, self._by_itself)
            while True:
                try:
                    outcome = await asyncio.shield(self._end)
                    break
                except asyncio.CancelledError:
                    if not self.kind.ignores_everything:
                        raise
            if outcome.state is RunState.CANCELLED and self.kind.end_takes_s:
                await asyncio.sleep(self.kind.end_takes_s)
            return self._over(outcome)
        finally:
            self.is_running = False

    def _over(self, outcome: Outcome) -> Outcome:
        self.state = outcome.state
        return outcome

    def _by_itself(self) -> None:
        if self.state is RunState.PAUSED:
            asyncio.get_running_loop().call_later(0.5, self._by_itself)
        elif self.kind.fails:
            self.fail(self.kind.fails)
        else:
            self.succeed(self.kind.value)

    def to(self, state: RunState, detail: str = "") -> None:
        self.state, self.detail = state, detail
        self._changed()

    def ready(self, value: Any = None) -> None:
        if self._end is not None and not self._end.done() and self.state is not RunState.PAUSED:
            self.value = value
            self.to(RunState.READY, f"{self.who} is ready")

    def succeed(self, value: Any = None) -> None:
        self._ends(Outcome(RunState.SUCCEEDED, value, ""))

    def fail(self, words: str, why: str = "") -> None:
        self._ends(Outcome(RunState.FAILED, None, words, why))

    def give_up(self) -> None:
        """It is cancelled by nobody here."""
        self._ends(Outcome(RunState.CANCELLED, None, "somebody else ended it"))

    def ask(self, question: str) -> None:
        self.to(RunState.ASKING, question)
        self._say(Event(EventKind.ASKED, question, action=self.kind.name))

    def progress(self, fraction: float) -> None:
        self.fraction = fraction
        self.say(f"{fraction:.0%} done")

    def say(self, text: str) -> None:
        data = {"fraction": self.fraction} if self.fraction >= 0.0 else {}
        self._say(Event(EventKind.DOING, text, action=self.kind.name, data=data))

    def cancel(self, why: str, *, by_word: bool = False) -> None:
        self.ends_by_word = by_word
        self.cancelled_because.append(why)
        if self.kind.raises_at == "cancel":
            raise ZeroDivisionError("scripted")
        if not self.kind.ignores_cancel and not self.kind.ignores_everything:
            self._ends(Outcome(RunState.CANCELLED, None, ""))

    def pause(self) -> None:
        if self._end is not None and not self._end.done():
            self.to(RunState.PAUSED, "paused")

    def resume(self) -> None:
        if self.state is RunState.PAUSED:
            self.to(RunState.RUNNING, "goes on")
            if self.kind.ready_after_s is not None:
                self.ready(self.kind.value)

    def answer(self, text: str) -> None:
        self.answers.append(text)
        self.to(RunState.RUNNING, "goes on")

    def _ends(self, outcome: Outcome) -> None:
        if self._end is None:
            self._early = self._early or outcome
        elif not self._end.done():
            self._end.set_result(outcome)


class Stage:
    """RunnerFactory and Signatures of imaginary actions; keeps every runner it has made."""

    def __init__(self, *kinds: Kind) -> None:
        self.kinds = {kind.name: kind for kind in kinds}
        self.made: list[Scripted] = []
        self.permits: list[Permit] = []
        self.service: SupervisorService | None = None

    def serve(self, service: SupervisorService) -> None:
        self.service = service

    def runner(
        self,
        do: Do,
        parameters: Mapping[str, Any],
        *,
        say: Say,
        changed: Callable[[], None],
        who: str,
        permit: Permit,
        memory: Any = None,
    ) -> Runner:
        assert not any(isinstance(value, Reference) for value in parameters.values())
        kind = self.kinds[do.action]
        if kind.raises_at == "making":
            raise ZeroDivisionError("scripted")
        self.permits.append(permit)
        self.made.append(Scripted(kind, do, parameters, say, changed, who))
        return self.made[-1]

    def collide(self, one: Do, other: Do) -> str:
        mine, theirs = self.kinds[one.action].alone, self.kinds[other.action].alone
        return mine if mine == theirs else ""

    def needed_alone(self, do: Do) -> Sequence[str]:
        alone = self.kinds[do.action].alone
        return (alone,) if alone else ()

    def is_continuous(self, do: Do) -> bool:
        return do.action in self.kinds and self.kinds[do.action].continuous

    def find(self, name: str) -> Kind | None:
        return self.kinds.get(name)

    def names(self) -> tuple[str, ...]:
        return tuple(name for name, kind in self.kinds.items() if not kind.unavailable)

    def of(self, name: str) -> Scripted:
        """The latest run of an action."""
        return next(runner for runner in reversed(self.made) if runner.kind.name == name)

    def has_run(self, name: str) -> bool:
        return any(runner.kind.name == name for runner in self.made)

    @property
    def running(self) -> list[str]:
        return [runner.kind.name for runner in self.made if runner.is_running]


class Facts:
    """Conditions that a test sets."""

    def __init__(self, **facts: bool | None) -> None:
        self.facts: dict[str, bool | None] = dict(facts)
        self.watchers: list[Callable[[], None]] = []
        self.asked: list[State | Compare] = []
        self.finds_out = False
        self.never: dict[str, str] = {}

    def why_undecidable(self, condition: State | Compare) -> str:
        return self.never.get(condition.name if isinstance(condition, State) else condition.quantity, "")

    def is_finding_out(self, condition: State | Compare) -> bool:
        return self.finds_out

    def read(self, condition: State | Compare) -> bool | None:
        self.asked.append(condition)
        fact = self.facts.get(condition.name if isinstance(condition, State) else condition.quantity)
        if fact is None or not isinstance(condition, State):
            return fact
        return fact is condition.is_so

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        self.watchers.append(changed)
        return lambda: self.watchers.remove(changed)

    def set(self, **facts: bool | None) -> None:
        self.facts.update(facts)
        for changed in tuple(self.watchers):
            changed()
