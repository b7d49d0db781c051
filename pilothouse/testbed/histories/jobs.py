"""The actions of histories of plans and of words: imaginary ones, under real trees and a real supervisor.

A `Trade` says what there is to do and how a run of it goes; a `Job` is one run, which notes when it began,
was told to end, and ended; `Work` makes them, as a catalogue does, and keeps them all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from enum import Enum
from typing import Any, Final

import msgspec

from framework.errors import PilothouseError
from framework.events import Event, EventKind
from framework.interlock import Permit
from framework.plan.ast import Compare, Do, Plan, State
from framework.plugins.action import Risk
from framework.plugins.events import Outcome, RunState
from framework.plugins.parameters import ParameterSpec
from framework.plugins.service import SupervisorService
from framework.plugins.withheld import Withheld
from framework.scenarios.invariants import Breach
from framework.status import Priority
from framework.tree import PlanState, TreeRun
from framework.tree.run import PlanOutcome
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.stage import HistoryStage
from pilothouse.testbed.histories.things import Request

STEP_S: Final = 0.01


class Mishap(Enum):
    """How an action misbehaves."""

    NONE = "none"
    MADE = "it cannot be made"
    RUNS = "it raises"
    HOLDS = "it raises when it is to hold on"
    ENDS = "it raises when it is to end"
    SLOW = "it does not end before it is cut off"
    STAYS = "it does not end at all"


class Trade(msgspec.Struct):
    """What there is to do, and how a run of it goes; it is also the signature of that.

    takes_s: of its own time until it is done, or, if it stays, ready; ends_s: to end when it is told to.
    fails: it goes wrong instead; what stays does after lasts_s. why: for that reason alone. gives: what
    it has found when it is done or ready. alone: what it has for itself meanwhile, in words.
    cannot_hold_on: whatever it is told, it goes on to its end. asks: what it asks its operator before it
    does anything. again: so often it does what its operator wanted last. uses: it has this of a registrar
    meanwhile. accounts: it asks the supervisor about that. tells_s: after so long it says that it is half
    done. mishap: what is wrong with it itself. does: instead of anything else it does this, told what it
    calls itself, and gives what that gives.
    """

    name: str
    takes_s: float = 0.5
    ends_s: float = 0.0
    continuous: bool = False
    fails: bool = False
    why: str = ""
    lasts_s: float = 0.0
    cannot_hold_on: bool = False
    gives: Any = None
    alone: str = ""
    asks: str = ""
    again: int = 0
    uses: Request | None = None
    parameters: tuple[ParameterSpec, ...] = ()
    risk: Risk = Risk.NONE
    retains: bool = False
    priority: Priority = Priority.AUTONOMY
    while_stopped: bool = False
    only_answers: bool = False
    repeats: bool = False
    unavailable: str = ""
    accounts: str = ""
    tells_s: float = 0.0
    mishap: Mishap = Mishap.NONE
    does: Callable[[str], Awaitable[Any]] | None = None


class Job:
    """A run of an action."""

    memory: Any = None
    fraction = -1.0

    def __init__(
        self,
        work: Work,
        trade: Trade,
        parameters: Mapping[str, Any],
        say: Callable[[Event], None],
        changed: Callable[[], None],
        who: str,
        permit: Permit,
    ) -> None:
        self.work = work
        self.trade = trade
        self.parameters = dict(parameters)
        self.permit = permit
        self.state = RunState.WAITING
        self.detail = ""
        self.value: Any = None
        self.began_s: float | None = None
        self.told_s: float | None = None
        self.ended_s: float | None = None
        self.answers: list[str] = []
        self.has_told = False
        self._is_let_go = asyncio.Event()
        self._say = say
        self._changed = changed
        self._who = who
        self._told = asyncio.Event()
        self._goes = asyncio.Event()
        self._goes.set()
        self._answered = asyncio.Event()
        self._waiting: asyncio.Task[Any] | None = None

    @property
    def name(self) -> str:
        return self.trade.name

    @property
    def plan_id(self) -> str:
        return self.permit.plan

    @property
    def goes_on(self) -> bool:
        """It has begun and has not ended."""
        return self.began_s is not None and self.ended_s is None

    @property
    def is_at_work(self) -> bool:
        """It goes on, and nobody has it hold on or end."""
        return self.goes_on and self.told_s is None and self._goes.is_set()

    async def run(self) -> Outcome:
        work, trade = self.work, self.trade
        self.began_s = work.now_s
        others = [job for job in work.jobs if job is not self and job.goes_on and job.plan_id == self.plan_id]
        beside = [job.name for job in others if trade.alone and job.trade.alone == trade.alone]
        if beside and work.is_one_after_the_other:
            work.stage.broke(Breach.SURPRISE_MOTION, f"{self.name} begins beside {', '.join(beside)}")
        self._to(RunState.RUNNING)
        if trade.asks:
            self._to(RunState.ASKING)
            self._say(Event(EventKind.ASKED, trade.asks, action=trade.name))
            await self._unless_told(self._answered.wait())
            self._to(RunState.RUNNING)
        if trade.again and not self._told.is_set():
            return await self._do_again()
        if trade.mishap is Mishap.RUNS:
            self._over(Outcome(RunState.FAILED))
            raise OSError("its gears are stuck")
        if trade.mishap in (Mishap.SLOW, Mishap.STAYS):
            return await self._stays()
        if trade.does is not None:
            self.value = await trade.does(self._who)
            return self._over(Outcome(RunState.SUCCEEDED, self.value))
        if trade.accounts and work.service is not None:
            self.value = work.service.account(trade.accounts, "", asked_by=self._who)
            return self._over(Outcome(RunState.SUCCEEDED))
        if trade.uses is None:
            return await self._work()
        registrar = work.stage.registrars["plans"]
        self._waiting = asyncio.current_task()
        try:
            async with registrar.request(
                trade.uses, exclusive=True, wait=True, permit=self.permit, who=self._who
            ):
                self._waiting = None
                return await self._work()
        except (asyncio.CancelledError, PilothouseError) as error:
            if self.ended_s is not None:
                raise
            state = RunState.CANCELLED if self._told.is_set() else RunState.FAILED
            return self._over(Outcome(state, None, str(error)))

    async def _work(self) -> Outcome:
        trade = self.trade
        left_s, stays_s = trade.takes_s, 0.0
        while left_s > 1e-9 or (trade.continuous and not (trade.fails and stays_s >= trade.lasts_s)):
            if left_s <= 1e-9:
                stays_s += STEP_S
                if self.state is RunState.RUNNING:
                    self.value = trade.gives
                    self._to(RunState.READY)
            step_s = min(left_s, STEP_S) if left_s > 1e-9 else STEP_S
            if await self._gets_on(step_s):
                left_s -= step_s
            elif self._told.is_set():
                break
            if trade.tells_s and not self.has_told and trade.takes_s - left_s >= trade.tells_s:
                self.has_told = True
                self.fraction = 0.5
                self._say(Event(EventKind.DOING, "half done", action=trade.name, data={"fraction": 0.5}))
        if self._told.is_set():
            await asyncio.sleep(trade.ends_s)
            return self._over(Outcome(RunState.CANCELLED))
        if trade.fails:
            return self._over(Outcome(RunState.FAILED, None, f"{self.name} went wrong", trade.why))
        return self._over(Outcome(RunState.SUCCEEDED, trade.gives))

    async def _gets_on(self, step_s: float) -> bool:
        """So much time passes, or it is told to end; whether it has got further by that."""
        try:
            async with asyncio.timeout(step_s):
                await self._told.wait()
        except TimeoutError:
            return self._goes.is_set()
        return False

    async def _stays(self) -> Outcome:
        """Whatever it is told; some until they are cut off, others until they are let go."""
        while not self._is_let_go.is_set():
            try:
                await self._is_let_go.wait()
            except asyncio.CancelledError:
                if self.trade.mishap is Mishap.SLOW:
                    self._over(Outcome(RunState.CANCELLED))
                    raise
        return self._over(Outcome(RunState.CANCELLED))

    def lets_go(self) -> None:
        """Even what does not end at all does now."""
        self._is_let_go.set()

    async def _do_again(self) -> Outcome:
        service = self.work.service
        assert service is not None
        try:
            await self._unless_told(service.repeat(self.trade.again, asked_by=self._who))
        except Exception as error:
            return self._over(Outcome(RunState.FAILED, None, str(error)))
        return self._over(Outcome(RunState.CANCELLED if self._told.is_set() else RunState.SUCCEEDED))

    async def _unless_told(self, waiting: Any) -> None:
        """Wait for that, or to be told to end."""
        both = [asyncio.ensure_future(waiting), asyncio.ensure_future(self._told.wait())]
        try:
            done, _ = await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in both:
                each.cancel()
            await asyncio.gather(*both, return_exceptions=True)
        for each in done:
            each.result()

    def cancel(self, why: str, *, by_word: bool = False) -> None:
        if self.told_s is None:
            self.told_s = self.work.now_s
        if self.trade.mishap is Mishap.ENDS:
            raise OSError("its gears are stuck")
        self._told.set()
        if self._waiting is not None:
            self._waiting.cancel()

    def pause(self) -> None:
        if self.trade.mishap is Mishap.HOLDS:
            raise OSError("its gears are stuck")
        if self._told.is_set():
            self.work.stage.broke(Breach.DOING, f"{self.name} is paused while it comes to its end")
        if not self._told.is_set() and not self.state.is_over and not self.trade.cannot_hold_on:
            self._goes.clear()
            self._to(RunState.PAUSED)

    def resume(self) -> None:
        if self.state is RunState.PAUSED:
            self._goes.set()
            self._to(RunState.RUNNING)

    def answer(self, text: str) -> object:
        self.answers.append(text)
        self._answered.set()
        return None

    def withholds(self, wanted: Sequence[Any]) -> Withheld:
        return Withheld(self.trade.alone if self.trade.alone in wanted else "")

    def _over(self, outcome: Outcome) -> Outcome:
        self.ended_s = self.work.now_s
        self.state = outcome.state
        return outcome

    def _to(self, state: RunState) -> None:
        self.state = state
        self._changed()


async def _nobody(what: str) -> str:
    """There is nobody else whom a plan could end."""
    return ""


class Work:
    """All there is to do, and all runs of it. And what can be asked: whether the door is open.

    ends_others: what a plan without a supervisor does where it is to end others; gives what it has ended.
    is_one_after_the_other: what needs the same for itself alone is, in one plan.
    """

    is_one_after_the_other = True

    def __init__(self, stage: HistoryStage) -> None:
        self.stage = stage
        self.trades: dict[str, Trade] = {}
        self.jobs: list[Job] = []
        self.service: SupervisorService | None = None
        self.is_open: bool | None = False
        self.finds_out = False
        self.facts: dict[str, bool | None] = {}
        self.told: list[Event] = []
        self.ends_others: Callable[[str], Awaitable[str]] = _nobody
        self._watchers: list[Callable[[], None]] = []

    @property
    def now_s(self) -> float:
        return self.stage.now_s

    def trade(self, name: str = "", **how: Any) -> Trade:
        """Another thing that can be done."""
        trade = Trade(name or f"job_{len(self.trades) + 1}", **how)
        self.trades[trade.name] = trade
        return trade

    def action(self, *, stays: bool = False, takes_s: float | None = None, **how: Any) -> Do:
        """Another one, that takes as long as the lots say."""
        lots = self.stage.lots
        takes_s = round(lots.uniform(0.2, 1.5), 2) if takes_s is None else takes_s
        how.setdefault("ends_s", lots.choice((0.0, 0.0, 0.4)))
        return Do(self.trade(continuous=stays, takes_s=takes_s, **how).name)

    def of(self, do: Do) -> list[Job]:
        """Its runs that have begun."""
        return [job for job in self.jobs if job.name == do.action and job.began_s is not None]

    def alive(self, name: str) -> int:
        """So many runs of it go on now."""
        return sum(job.name == name and job.goes_on for job in self.jobs)

    # -- as RunnerFactory

    def runner(
        self,
        do: Do,
        parameters: Mapping[str, Any],
        *,
        say: Callable[[Event], None],
        changed: Callable[[], None],
        who: str,
        permit: Permit,
        memory: Any = None,
    ) -> Job:
        if self.trades[do.action].mishap is Mishap.MADE:
            raise OSError("its gears are stuck")
        self.jobs.append(Job(self, self.trades[do.action], parameters, say, changed, who, permit))
        return self.jobs[-1]

    def serve(self, service: SupervisorService) -> None:
        self.service = service

    def collide(self, one: Do, other: Do) -> str:
        mine, theirs = self.trades[one.action].alone, self.trades[other.action].alone
        return mine if mine == theirs else ""

    def needed_alone(self, do: Do) -> Sequence[Any]:
        return (self.trades[do.action].alone,) if self.trades[do.action].alone else ()

    def is_continuous(self, do: Do) -> bool:
        return self.trades[do.action].continuous

    def find(self, name: str) -> Trade | None:
        return self.trades.get(name)

    def names(self) -> tuple[str, ...]:
        return tuple(self.trades)

    # -- as Conditions

    def read(self, condition: State | Compare) -> bool | None:
        if self.facts and isinstance(condition, State):
            fact = self.facts[str(condition.arguments["thing"])]
            return None if fact is None else fact is condition.is_so
        if self.is_open is None or not isinstance(condition, State):
            return None
        return self.is_open is condition.is_so

    def is_finding_out(self, condition: State | Compare) -> bool:
        return self.finds_out

    def why_undecidable(self, condition: State | Compare) -> str:
        return ""

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        self._watchers.append(changed)
        return lambda: self._watchers.remove(changed)

    def opens(self, is_open: bool | None = True) -> None:
        """The door does, or closes, or nobody sees it any more."""
        self.is_open = is_open
        for changed in tuple(self._watchers):
            changed()

    def knows(self, thing: str, is_open: bool | None) -> None:
        """Of one of several things: it opens, or closes, or nobody sees it any more."""
        self.facts[thing] = is_open
        for changed in tuple(self._watchers):
            changed()

    # -- a plan without a supervisor

    async def under_way(self, plan: Plan) -> TreeRun:
        """The plan has just begun."""
        self.states: list[PlanState] = []
        self.tree = TreeRun(
            plan,
            plan_id="1",
            runners=self,
            told=self.told.append,
            changed=self.states.append,
            conditions=self,
            cancel_others=self.ends_others,
        )
        self.task = asyncio.create_task(self.tree.run())
        await asyncio.sleep(0)
        return self.tree

    async def ends(self, within_s: float = 60.0) -> PlanState:
        """How it does."""
        done, _ = await asyncio.wait([self.task], timeout=within_s)
        must(done, f"the plan goes on for more than {within_s:g} s", Breach.NEVER_ENDED)
        self.all_over()
        return self.outcome.state

    @property
    def outcome(self) -> PlanOutcome:
        """What became of the plan that is over."""
        return self.task.result()

    def all_over(self) -> None:
        """Nothing goes on, and nobody asks."""
        left = [job.name for job in self.jobs if job.goes_on]
        must(not left, f"when all plans are over {left} go on", Breach.LEAKED)
        must(not self._watchers, "somebody still asks when all plans are over", Breach.LEAKED)
