"""A small action engine: real runners of real (little) actions, on whatever loop and clock there is.

The actions are those with which TeMoto's engine is tested, in our own words. How long they take and whether
they work in a thread is drawn from the seed.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar

import msgspec

from framework.errors import PilothouseError
from framework.events import Event
from framework.plan import Plan
from framework.plan.ast import Graph
from framework.plan.check import check
from framework.plan.codec import to_json
from framework.plan.graph import Ended
from framework.plan.umrf import from_umrf, to_umrf
from framework.plugins import Action, ActionCatalogue, action_spec
from framework.registrar import ResourceRegistrar
from framework.tree import PlanOutcome, PlanState, TreeRun, TreeView
from framework.tree.actions import ActionRunners, CatalogueSignatures

WORLD: ContextVar[World] = ContextVar("world")


class World:
    """What the actions of one engine share.

    unit_s: how long the longest piece of work takes; threads: what share of it is done in one, and how long
    that takes there.
    """

    def __init__(self, seed: int, unit_s: float, threads: tuple[float, float]) -> None:
        self.chance = random.Random(seed)
        self.unit_s = unit_s
        self.threads = threads
        self.began: list[str] = []
        self.ended: list[str] = []
        self.running: list[str] = []
        self.counted = 0
        self.beats: dict[str, int] = {}
        self.news = asyncio.Event()
        self.gates: dict[str, asyncio.Event] = {}

    def gate(self, name: str) -> asyncio.Event:
        """Actions that have a gate do not end before it is open."""
        return self.gates.setdefault(name, asyncio.Event())

    async def work(self) -> None:
        """Takes some time, sometimes in a thread."""
        share, most_s = self.threads
        if self.chance.random() < share:
            await asyncio.to_thread(time.sleep, self.chance.uniform(0.0, most_s))
        await asyncio.sleep(self.chance.choice((0.0, self.chance.uniform(0.0, self.unit_s))))


class Worker(Action):
    """What all of them do: keep the books of who runs, and wait for their gate before they end."""

    gate: str = ""

    def took(self) -> str:
        return type(self).__name__.lower()

    async def run(self) -> object:
        world = WORLD.get()
        name = self.took()
        world.began.append(name)
        world.running.append(name)
        world.news.set()
        try:
            value = await self.act(world)
            if self.gate:
                await world.gate(self.gate).wait()
        finally:
            world.running.remove(name)
            world.news.set()
        world.ended.append(name)
        return value

    async def act(self, world: World) -> object:
        raise NotImplementedError


class Trigger(Worker):
    """Says yes or no. Its parameter is not called `result`: a parent's whole result would replace it."""

    answer: bool = True

    async def act(self, world: World) -> object:
        await world.work()
        return self.answer


class TriggerMulti(Worker):
    """Says one after the other, each time it runs the next one."""

    results: list[bool]
    key: str = "beat"

    async def act(self, world: World) -> object:
        await world.work()
        number = world.beats.get(self.key, 0)
        world.beats[self.key] = number + 1
        return self.results[min(number, len(self.results) - 1)]


class Relay(Worker):
    """Gives on what it got."""

    text: str

    async def act(self, world: World) -> object:
        await world.work()
        return {"text_out": self.text}


class Find(Worker):
    """Gives back a text as it is."""

    text: str

    async def act(self, world: World) -> object:
        await world.work()
        return self.text


class Add(Worker):
    """Adds two numbers."""

    a: float
    b: float = 0.0

    async def act(self, world: World) -> object:
        await world.work()
        return {"sum": self.a + self.b}


class Compare(Worker):
    """Whether two texts are the same."""

    a: str
    b: str

    async def act(self, world: World) -> object:
        await world.work()
        return self.a == self.b


class Equal(Worker):
    """Whether two numbers are the same."""

    a: float
    b: float

    async def act(self, world: World) -> object:
        await world.work()
        return self.a == self.b


class Count(msgspec.Struct):
    """How far a timer is."""

    done: int = 0


class Timer(Worker):
    """Counts to a number, 0: for ever. A pause does not make it count anything twice."""

    count_until: int = 0
    memory: Count

    async def act(self, world: World) -> object:
        while self.count_until == 0 or self.memory.done < self.count_until:
            await asyncio.sleep(world.unit_s * (0.05 + world.chance.random() * 0.2))
            self.memory.done += 1
            world.counted += 1
        return {"final_count": self.memory.done}


class First(Timer):
    """A timer of another name."""


class Second(Timer):
    """A timer of another name."""


class Fail(Worker):
    """Goes wrong."""

    async def act(self, world: World) -> object:
        await world.work()
        if self.gate:
            await world.gate(self.gate).wait()
        raise PilothouseError("this one always goes wrong")


class Divide(Worker):
    """Goes wrong with zero."""

    by: float = 0.0

    async def act(self, world: World) -> object:
        await world.work()
        return {"quotient": 1.0 / self.by}


class Log(Worker):
    """Says something."""

    messages: list[str]

    async def act(self, world: World) -> object:
        for message in self.messages:
            await world.work()
            self.say(message)
        return None


class Stay(Worker):
    """Is established and stays."""

    continuous = True

    async def act(self, world: World) -> object:
        await world.work()
        await self.stay("staying", value="here")
        return None


CATALOGUE = ActionCatalogue(
    action_spec(kind)
    for kind in (
        *(Trigger, TriggerMulti, Relay, Find, Add, Compare, Equal, Timer, First, Second),
        *(Fail, Divide, Log, Stay),
    )
)


_LOADED: dict[bytes, Plan] = {}


def _from_its_file(plan: Plan) -> Plan:
    """The plan as it is after it was saved, loaded and checked; each one only once."""
    key = to_json(plan)
    if key not in _LOADED:
        signatures = CatalogueSignatures(CATALOGUE)
        _LOADED[key] = from_umrf(to_umrf(plan), signatures) if isinstance(plan, Graph) else plan
        check(_LOADED[key], signatures)
        assert _LOADED[key] == plan, "a graph is the same after it was saved and loaded"
    return _LOADED[key]


class Engine:
    """Plays plans, and waits for things to happen; nothing may be left when it is over."""

    def __init__(self, registrar: ResourceRegistrar, world: World, ticks_per_s: float) -> None:
        self.world = world
        self.events: list[Event] = []
        self.plays: list[Playing] = []
        self._runners = ActionRunners(CATALOGUE, registrar)
        self._ticks_per_s = ticks_per_s

    def play(self, plan: Plan) -> Playing:
        """Begin a plan; a graph by way of its file."""
        tree = TreeRun(
            _from_its_file(plan),
            plan_id=f"{len(self.plays) + 1}",
            runners=self._runners,
            told=self._told,
            changed=lambda state: self.world.news.set(),
            most_ticks_per_s=self._ticks_per_s,
        )
        self.plays.append(Playing(self, tree))
        return self.plays[-1]

    async def until(self, is_so: Callable[[], object]) -> None:
        """Wait for something that an event or a change of state will tell of."""
        while not is_so():
            self.world.news.clear()
            await self.world.news.wait()

    async def close(self) -> None:
        """End what still runs; then nothing is left."""
        for play in self.plays:
            play.tree.stop("the test is over")
            await play.task
            assert play.tree.left_behind == ()
        assert self.world.running == []

    def _told(self, event: Event) -> None:
        self.events.append(event)
        self.world.news.set()


class Playing:
    """One plan that is played."""

    def __init__(self, engine: Engine, tree: TreeRun) -> None:
        self.engine = engine
        self.tree = tree
        self.task: asyncio.Task[PlanOutcome] = asyncio.create_task(tree.run())
        self.task.add_done_callback(lambda _: engine.world.news.set())

    def node(self, name: str) -> TreeView:
        """The node of a graph with this name, wherever it is."""
        to_see = [self.tree.view()]
        while to_see:
            view = to_see.pop()
            if view.name == name:
                return view
            to_see += view.children
        raise KeyError(name)

    async def began(self, name: str, times: int = 1) -> None:
        """Wait until actions of this name have begun so often."""
        await self.engine.until(lambda: self.engine.world.began.count(name) >= times)

    async def until_state(self, state: PlanState) -> None:
        """Wait until the plan is at this, or over."""
        await self.engine.until(lambda: self.tree.state is state or self.tree.state.is_over)
        assert self.tree.state is state, f"{self.tree.state}: {self.tree.view().detail}"

    async def ends(self, ended: Ended | None, state: PlanState = PlanState.SUCCEEDED) -> PlanOutcome:
        """Wait for its end, which has to be this."""
        outcome = await self.task
        assert (outcome.state, self.tree.ended) == (state, ended), (
            f"{outcome.state}, {self.tree.ended}: {outcome.words}"
        )
        return outcome


@asynccontextmanager
async def engine(
    registrar: ResourceRegistrar,
    seed: int,
    *,
    unit_s: float,
    threads: tuple[float, float],
    ticks_per_s: float,
) -> AsyncIterator[Engine]:
    """An engine in a world of its own; to be used in a task of its own."""
    world = World(seed, unit_s, threads)
    WORLD.set(world)
    made = Engine(registrar, world, ticks_per_s)
    try:
        yield made
    except BaseException:
        for play in made.plays:
            play.task.cancel()
        raise
    await made.close()
