"""Plans of several actions: what begins when, what waits for what, what a pause and an end do to all of them.

The trees are real; an action takes as long as the seed says. When each has to begin and to end follows from
the plan's own words: one after the other, at once, until. A pause moves all that is later by its length.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from framework.events import Event
from framework.interlock import Permit
from framework.plan.ast import (
    Alongside,
    Compare,
    Do,
    Elapsed,
    Graph,
    If,
    Node,
    Parallel,
    Plan,
    State,
    Until,
    Wait,
)
from framework.plan.ast import Sequence as Steps
from framework.plan.graph import ENTRY, EXIT, Edge
from framework.plugins.events import Outcome, RunState
from framework.plugins.service import SupervisorService
from framework.plugins.withheld import Withheld
from framework.scenarios.invariants import Breach
from framework.tree import PlanState, TreeRun
from pilothouse.testbed.histories.stage import History, HistoryStage, must

DOING: Final = Breach.DOING
EXACT_S: Final = 0.06
DOOR: Final = State("open", {"thing": "door"})
PAUSED_S: Final = 3.0


class Job:
    """A run of an action: takes so long of its own time, and so long to end when it is told to."""

    memory: Any = None
    fraction = -1.0

    def __init__(self, work: Work, name: str, changed: Callable[[], None]) -> None:
        self.work = work
        self.name = name
        self.state = RunState.WAITING
        self.detail = ""
        self.value: Any = name
        self.began_s: float | None = None
        self.told_s: float | None = None
        self.ended_s: float | None = None
        self.paused: list[tuple[float, str]] = []
        self._changed = changed
        self._told = asyncio.Event()
        self._goes = asyncio.Event()
        self._goes.set()

    async def run(self) -> Outcome:
        work = self.work
        takes_s, stays = work.takes_s[self.name], self.name in work.stay
        self.began_s = work.now_s
        must(work.alive(self.name) == 1, f"{self.name} runs twice at once", DOING)
        self._to(RunState.RUNNING)
        left_s = takes_s
        while left_s > 1e-9 or stays:
            if stays and left_s <= 1e-9 and self.state is RunState.RUNNING:
                self._to(RunState.READY)
            step_s = min(left_s, 0.01) if left_s > 1e-9 else 0.01
            try:
                async with asyncio.timeout(step_s):
                    await self._told.wait()
                break
            except TimeoutError:
                if self._goes.is_set():
                    left_s -= step_s
        if self._told.is_set():
            await asyncio.sleep(work.ends_s[self.name])
            return self._over(Outcome(RunState.CANCELLED))
        if self.name in work.fail:
            return self._over(Outcome(RunState.FAILED, None, f"{self.name} went wrong"))
        return self._over(Outcome(RunState.SUCCEEDED, self.name))

    def cancel(self, why: str, *, by_word: bool = False) -> None:
        if self.told_s is None:
            self.told_s = self.work.now_s
        self._told.set()

    def pause(self) -> None:
        if self._told.is_set():
            self.work.stage.broke(DOING, f"{self.name} is paused while it comes to its end")
        if not self._told.is_set() and not self.state.is_over:
            self._goes.clear()
            self.paused.append((self.work.now_s, "pause"))
            self._to(RunState.PAUSED)

    def resume(self) -> None:
        if self.state is RunState.PAUSED:
            self._goes.set()
            self.paused.append((self.work.now_s, "resume"))
            self._to(RunState.RUNNING)

    def answer(self, text: str) -> object:
        return None

    def withholds(self, wanted: Sequence[Any]) -> Withheld:
        return Withheld("")

    def _over(self, outcome: Outcome) -> Outcome:
        self.ended_s = self.work.now_s
        self.state = outcome.state
        return outcome

    def _to(self, state: RunState) -> None:
        self.state = state
        self._changed()


class Signature(msgspec.Struct, frozen=True):
    """Of an action of these plans: no parameters."""

    name: str


class Work:
    """All runs of one plan; makes them, as a catalogue does. And what can be asked."""

    def __init__(self, stage: HistoryStage) -> None:
        self.stage = stage
        self.takes_s: dict[str, float] = {}
        self.ends_s: dict[str, float] = {}
        self.stay: set[str] = set()
        self.fail: set[str] = set()
        self.jobs: list[Job] = []
        self.is_open = False
        self._watchers: list[Callable[[], None]] = []
        self._number = 0

    @property
    def now_s(self) -> float:
        return self.stage.now_s

    def action(self, *, stays: bool = False, takes_s: float | None = None) -> Do:
        """Another one."""
        lots = self.stage.lots
        self._number += 1
        name = f"job_{self._number}"
        self.takes_s[name] = round(lots.uniform(0.2, 1.5), 2) if takes_s is None else takes_s
        self.ends_s[name] = lots.choice((0.0, 0.0, 0.4))
        if stays:
            self.stay.add(name)
        return Do(name)

    def alive(self, name: str) -> int:
        """So many runs of it go on now."""
        return sum(job.name == name and job.began_s is not None and job.ended_s is None for job in self.jobs)

    def of(self, do: Do) -> list[Job]:
        """Its runs that have begun."""
        return [job for job in self.jobs if job.name == do.action and job.began_s is not None]

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
        self.jobs.append(Job(self, do.action, changed))
        return self.jobs[-1]

    def serve(self, service: SupervisorService) -> None:
        """Nobody asks it."""

    def collide(self, one: Do, other: Do) -> str:
        return ""

    def needed_alone(self, do: Do) -> Sequence[Any]:
        return ()

    def is_continuous(self, do: Do) -> bool:
        return do.action in self.stay

    def find(self, name: str) -> Any:
        return None

    def names(self) -> tuple[str, ...]:
        return tuple(self.takes_s)

    # -- as Conditions

    def read(self, condition: State | Compare) -> bool | None:
        return self.is_open is condition.is_so if isinstance(condition, State) else None

    def is_finding_out(self, condition: State | Compare) -> bool:
        return False

    def why_undecidable(self, condition: State | Compare) -> str:
        return ""

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        self._watchers.append(changed)
        return lambda: self._watchers.remove(changed)

    def opens(self, is_open: bool = True) -> None:
        """The door does, or closes."""
        self.is_open = is_open
        for changed in tuple(self._watchers):
            changed()

    async def under_way(self, plan: Plan) -> TreeRun:
        """The plan has just begun."""
        self.states: list[PlanState] = []
        self.tree = TreeRun(
            plan,
            plan_id="1",
            runners=self,
            told=lambda event: None,
            changed=self.states.append,
            conditions=self,
        )
        self.task = asyncio.create_task(self.tree.run())
        await asyncio.sleep(0)
        return self.tree

    async def ends(self, within_s: float = 60.0) -> PlanState:
        """How it does."""
        done, _ = await asyncio.wait([self.task], timeout=within_s)
        must(done, f"the plan goes on for more than {within_s:g} s", Breach.NEVER_ENDED)
        left = [job.name for job in self.jobs if job.began_s is not None and job.ended_s is None]
        must(not left, f"when the plan is over {left} go on", Breach.LEAKED)
        must(not self._watchers, "somebody still asks when the plan is over", Breach.LEAKED)
        return self.task.result().state


When = dict[str, tuple[float, float]]


def timed(work: Work, plan: Plan, from_s: float, when: When) -> float:
    """When all of it has to begin and to end, from when it begins; returns when it is over."""
    match plan:
        case Do(action=action):
            when[action] = from_s, from_s + work.takes_s[action]
            return when[action][1]
        case Steps(steps=steps):
            for step in steps:
                from_s = timed(work, step, from_s, when)
            return from_s
        case Parallel(branches=branches):
            return max(timed(work, branch, from_s, when) for branch in branches)
        case Graph(nodes=nodes, edges=edges):
            over: dict[str, float] = {ENTRY: from_s}
            for node in nodes:  # in an order in which each comes after its parents
                begins_s = max(over[edge.parent] for edge in edges if edge.child == node.id)
                over[node.id] = timed(work, node.plan, begins_s, when)
            return max(over[edge.parent] for edge in edges if edge.child == EXIT)
        case _:
            raise TypeError(plan)


def drawn(work: Work, depth: int) -> Plan:
    """Some plan of actions that all end by themselves."""
    lots = work.stage.lots
    if depth == 0 or lots.random() < 0.2:
        return work.action()
    parts = [drawn(work, depth - 1) for _ in range(lots.randint(2, 3))]
    match lots.randrange(3):
        case 0:
            return Steps(tuple(parts))
        case 1:
            return Parallel(tuple(parts))
        case _:
            nodes = [Node(f"n_{number}", part) for number, part in enumerate(parts)]
            edges: list[Edge] = []
            for number, node in enumerate(nodes):
                before = [each.id for each in nodes[:number] if lots.random() < 0.6]
                edges += [Edge(parent, node.id) for parent in before or [ENTRY]]
            edges += [Edge(node.id, EXIT) for node in nodes]
            return Graph("drawn", tuple(nodes), tuple(edges))


async def as_said(stage: HistoryStage) -> None:
    """Everything begins and ends when the plan's words say so, and a pause moves all that is later."""
    lots = stage.lots
    work = Work(stage)
    plan = drawn(work, lots.randint(1, 3))
    began_s = stage.now_s
    when: When = {}
    over_s = timed(work, plan, began_s, when)
    tree = await work.under_way(plan)
    paused_s = began_s + lots.uniform(0.1, max(over_s - began_s, 0.2)) if lots.random() < 0.5 else None
    if paused_s is not None:
        await asyncio.sleep(paused_s - stage.now_s)
        if tree.pause():
            await asyncio.sleep(0.01)
            going = [job.name for job in work.jobs if job.state is RunState.RUNNING]
            must(not going, f"while all is paused {going} go on", Breach.SURPRISE_MOTION)
            await asyncio.sleep(PAUSED_S - 0.01)
            must(tree.resume(), "it cannot be resumed", DOING)
        else:
            paused_s = None
    state = await work.ends()
    must(state is PlanState.SUCCEEDED, f"it is {state.value}", DOING)

    def later(at_s: float, *, is_end: bool) -> float:
        is_later = paused_s is not None and at_s > paused_s + (-EXACT_S if is_end else 0.0)
        return at_s + PAUSED_S if is_later else at_s

    for name, (begins_s, ends_s) in when.items():
        jobs = work.of(Do(name))
        must(len(jobs) == 1, f"{name} is done {len(jobs)} times", DOING)
        (job,) = jobs
        assert job.began_s is not None
        assert job.ended_s is not None
        slack_s = 0.25  # each step is begun a moment after the one before
        for words, at_s, wanted_s, is_end in (
            ("begins", job.began_s, begins_s, False),
            ("ends", job.ended_s, ends_s, True),
        ):
            close = paused_s is not None and abs(wanted_s - paused_s) < slack_s
            early_s = (
                min(wanted_s, later(wanted_s, is_end=is_end)) if close else later(wanted_s, is_end=is_end)
            )
            late_s = wanted_s + PAUSED_S if close else early_s
            must(
                early_s - slack_s <= at_s <= late_s + slack_s,
                f"{name} {words} at {at_s - began_s:.2f} s, not {early_s - began_s:.2f} s",
                DOING,
            )


async def ended(stage: HistoryStage) -> None:
    """A plan that is ended: what goes on is told and waited for, and nothing begins any more."""
    lots = stage.lots
    work = Work(stage)
    plan = drawn(work, lots.randint(1, 3))
    over_s = timed(work, plan, stage.now_s, {})
    tree = await work.under_way(plan)
    await asyncio.sleep(lots.uniform(0.05, 0.9 * (over_s - stage.now_s)))
    is_paused = lots.random() < 0.4 and tree.pause()
    if is_paused:
        await asyncio.sleep(0.3)
    going = [job for job in work.jobs if job.began_s is not None and job.ended_s is None]
    began = len([job for job in work.jobs if job.began_s is not None])
    told_s = stage.now_s
    tree.stop("somebody said so")
    state = await work.ends(5.0)
    must(state is PlanState.CANCELLED, f"a plan that was ended is {state.value}", DOING)
    longest_s = max((work.ends_s[job.name] for job in going), default=0.0)
    must(
        stage.now_s - told_s < longest_s + 0.3,
        f"it takes {stage.now_s - told_s:.2f} s to end it",
        Breach.NEVER_ENDED,
    )
    for job in going:
        must(
            job.told_s is not None and job.told_s - told_s < EXACT_S,
            f"{job.name} does not hear of the end",
            DOING,
        )
    must(
        len([job for job in work.jobs if job.began_s is not None]) == began,
        "something begins after the end",
        Breach.SURPRISE_MOTION,
    )


async def failing(stage: HistoryStage) -> None:
    """One thing goes wrong: what should come after it does not begin, and the plan has failed."""
    lots = stage.lots
    work = Work(stage)
    first, second, beside, last = (work.action() for _ in range(4))
    work.fail.add(second.action)
    plan = (
        Steps((Parallel((Steps((first, second)), beside)), last))
        if lots.random() < 0.5
        else Steps((first, second, beside, last))
    )
    await work.under_way(plan)
    state = await work.ends()
    must(state is PlanState.FAILED, f"a plan of which a part failed is {state.value}", DOING)
    must(not work.of(last), "it goes on after a failure", Breach.SURPRISE_MOTION)


async def until(stage: HistoryStage) -> None:
    """What stays is ended when the time is over, or when it is so, and not before; then the next begins."""
    lots = stage.lots
    work = Work(stage)
    stays, after = work.action(stays=True, takes_s=0.1), work.action()
    by_time = lots.random() < 0.5
    lasts_s = lots.uniform(0.5, 3.0)
    plan = Steps((Until(stays, Elapsed(lasts_s) if by_time else DOOR), after))
    began_s = stage.now_s
    tree = await work.under_way(plan)
    await asyncio.sleep(lasts_s / 2)
    must(work.alive(stays.action) == 1, "what is to stay does not", DOING)
    moved_s = 0.0
    if lots.random() < 0.5:
        tree.pause()
        await asyncio.sleep(PAUSED_S)
        must(work.alive(stays.action) == 1 and not work.of(after), "a pause ends what is paused", DOING)
        tree.resume()
        moved_s = PAUSED_S
    if not by_time:
        await asyncio.sleep(lasts_s / 2)
        must(not work.of(after), "it is over although it is not so", DOING)
        work.opens()
        if lots.random() < 0.3:
            await asyncio.sleep(0.02)
            work.opens(False)
    elif lots.random() < 0.5:
        await asyncio.sleep(max(began_s + lasts_s + moved_s - stage.now_s, 0.0) + 0.1)
        if tree.pause():  # perhaps while it comes to its end
            await asyncio.sleep(0.5)
            (ending,) = work.of(stays)
            must(ending.ended_s is not None, "a pause holds what comes to its end", DOING)
            begun = len(work.of(after))
            tree.resume()
            must(begun == len(work.of(after)), "something begins in a pause", Breach.SURPRISE_MOTION)
    await work.ends()
    (job,) = work.of(stays)
    (next_,) = work.of(after)
    assert job.told_s is not None
    assert job.ended_s is not None
    assert next_.began_s is not None
    off_s = job.told_s - began_s - lasts_s - moved_s
    must(abs(off_s) < 0.2, f"it ends {off_s:.2f} s late", DOING)
    must(
        next_.began_s >= job.ended_s - 1e-6,
        "the next begins while the one before still comes to its end",
        Breach.SURPRISE_MOTION,
    )


async def conditions(stage: HistoryStage) -> None:
    """If, otherwise, and waiting for something."""
    lots = stage.lots
    work = Work(stage)
    then, otherwise, after = work.action(), work.action(), work.action()
    work.is_open = lots.random() < 0.5
    waits = lots.random() < 0.5
    plan: Plan = Steps((Wait(DOOR), after)) if waits else Steps((If(DOOR, then, otherwise), after))
    is_open = work.is_open
    await work.under_way(plan)
    await asyncio.sleep(0.5)
    if waits and not is_open:
        must(not work.of(after), "it does not wait until it is so", Breach.SURPRISE_MOTION)
        work.opens()
    state = await work.ends()
    must(state is PlanState.SUCCEEDED, f"it is {state.value}", DOING)
    must(len(work.of(after)) == 1, "what comes after is not done", DOING)
    if not waits:
        done = [bool(work.of(then)), bool(work.of(otherwise))]
        must(done == [is_open, not is_open], "of if and otherwise the wrong one is done", DOING)


async def companions(stage: HistoryStage) -> None:
    """What goes alongside begins with it and ends when that is done."""
    lots = stage.lots
    work = Work(stage)
    body, beside, after = work.action(), work.action(stays=True, takes_s=0.1), work.action()
    await work.under_way(Steps((Alongside(body, beside), after)))
    state = await work.ends()
    must(state is PlanState.SUCCEEDED, f"it is {state.value}", DOING)
    (one,), (other,), (next_,) = work.of(body), work.of(beside), work.of(after)
    assert one.ended_s is not None
    assert other.ended_s is not None
    assert next_.began_s is not None
    must(
        other.told_s is not None and one.ended_s - 1e-6 <= other.told_s < one.ended_s + 0.2,
        "what goes alongside does not end with it",
        DOING,
    )
    must(
        next_.began_s >= other.ended_s - 1e-6,
        "the next begins while something still comes to its end",
        Breach.SURPRISE_MOTION,
    )
    del lots


async def established(stage: HistoryStage) -> None:
    """What stays counts as done when it is ready, of several when all are; it stays until it is ended."""
    work = Work(stage)
    lots = stage.lots
    stays = [work.action(stays=True, takes_s=lots.uniform(0.1, 2.0)) for _ in range(lots.randint(2, 3))]
    after = work.action(takes_s=0.3)
    began_s = stage.now_s
    tree = await work.under_way(Steps((Parallel(tuple(stays)), after)))
    await asyncio.sleep(4.0)
    ready_s = began_s + max(work.takes_s[each.action] for each in stays)
    (next_,) = work.of(after) or (None,)
    must(next_ is not None and next_.began_s is not None, "nothing comes after what stays", DOING)
    assert next_ is not None
    assert next_.began_s is not None
    must(abs(next_.began_s - ready_s) < 0.2, f"it goes on after {next_.began_s - began_s:.2f} s", DOING)
    must(all(work.alive(each.action) == 1 for each in stays), "what stays does not", DOING)
    must(tree.state is PlanState.ESTABLISHED, f"it is {tree.state.value}", DOING)
    tree.stop("somebody said so")
    await work.ends(5.0)


HISTORIES: Final = (
    History(established, None, 2),
    History(as_said, None, 6),
    History(ended, None, 4),
    History(failing, None, 2),
    History(until, None, 4),
    History(conditions, None, 2),
    History(companions),
)
