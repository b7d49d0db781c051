"""Random graphs under random treatment: no node runs twice at once or too early, all comes to rest."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

from framework.errors import PlanError
from framework.plan import Do
from framework.plan.ast import Graph, Node
from framework.plan.check import check
from framework.plan.graph import ENTRY, EXIT, Edge, Mode, Response
from framework.plugins.parameters import ParameterSpec
from framework.testing import VirtualLoop, run_on
from framework.tree import PlanState, Remove, Replace, TreeView
from tests.effort import seeds
from tests.framework.tree.play import Play
from tests.framework.tree.scripted import Kind, Scripted, Stage

NAME = (ParameterSpec("name", str),)
KINDS = (
    Kind("quick", NAME, after_s=0.3),
    Kind("no", NAME, after_s=0.4, value=False),
    Kind("slow", NAME, after_s=2.0, end_takes_s=0.4),
    Kind("stay", NAME, continuous=True, ready_after_s=0.5),
    Kind("bad", NAME, after_s=0.8, fails="it went wrong"),
    Kind("hold", NAME, continuous=True, ready_after_s=0.2, alone="the right arm", end_takes_s=0.3),
    Kind("arm", NAME, after_s=0.6, alone="the right arm"),
)
PLAIN = (Response.RUN, Response.RUN, Response.RUN, Response.IGNORE)


class Maker:
    """Draws graphs. With `is_plain` every edge runs its child or ignores, and leads forward."""

    def __init__(self, chance: random.Random, is_plain: bool) -> None:
        self.chance = chance
        self.is_plain = is_plain
        self.graphs = 0

    def graph(self, depth: int = 1) -> Graph:
        self.graphs += 1
        names = [f"{chr(96 + self.graphs)}{number}" for number in range(self.chance.randint(1, 6))]
        nodes = tuple(self.node(name, depth) for name in names)
        pairs = {(ENTRY, names[0])}
        for at, child in enumerate(names):
            if at and self.chance.random() < 0.9:
                pairs.add((self.chance.choice(names[:at]), child))
            if self.chance.random() < 0.3:
                pairs.add((self.chance.choice([ENTRY, *names[:at]]), child))
        pairs |= {(name, EXIT) for name in names if self.chance.random() < 0.4}
        back = set()
        if not self.is_plain and self.chance.random() < 0.4:
            back = {(self.chance.choice(names), self.chance.choice(names))} - pairs
        edges = [self.edge(*pair) for pair in sorted(pairs)]
        edges += [self.edge(*pair, required=False) for pair in sorted(back)]
        return Graph(f"graph {depth}", nodes, tuple(edges))

    def node(self, name: str, depth: int) -> Node:
        if depth and self.chance.random() < 0.15:
            return Node(name, self.graph(depth - 1))
        is_spontaneous = not self.is_plain and self.chance.random() < 0.05
        kind = self.chance.choice(KINDS).name
        return Node(name, Do(kind, {"name": name}), Mode.SPONTANEOUS if is_spontaneous else Mode.SYNC)

    def edge(self, parent: str, child: str, required: bool | None = None) -> Edge:
        responses = PLAIN if self.is_plain else (*PLAIN, *Response)
        said = [self.chance.choice(responses) for _ in range(4)]
        if parent == ENTRY:
            said = [Response.RUN] * 4
        is_required = self.chance.random() < 0.7 if required is None else required
        return Edge(parent, child, is_required, *said)


class Watched(Stage):
    """Looks at every start."""

    def __init__(self, graph: Graph, is_plain: bool) -> None:
        super().__init__(*KINDS)
        self.wrong: list[str] = []  # an assertion in here would only be a failed action
        self.is_paused: Callable[[], bool] = lambda: False
        self.is_plain = is_plain
        self.learn(graph)

    def learn(self, graph: Graph) -> None:
        """Who waits for whom."""
        every = graphs(graph)
        self.actions = {node.id for one in every for node in one.nodes if isinstance(node.plan, Do)}
        self.parents = {
            node.id: {edge.parent for edge in one.into(node.id) if edge.is_awaited} - {ENTRY}
            for one in every
            for node in one.nodes
            if self.is_plain
        }

    def of_node(self, name: str) -> list[Scripted]:
        return [runner for runner in self.made if runner.parameters["name"] == name]

    def runner(self, do: Do, *args: object, **wishes: object) -> Scripted:
        name = str(do.parameters["name"])
        if any(runner.is_running for runner in self.of_node(name)):
            self.wrong.append(f"{name} runs twice at once")
        for parent in self.parents.get(name, set()) & self.actions:
            runs = self.of_node(parent)
            if not runs:
                self.wrong.append(f"{name} begins before {parent}")
            elif runs[-1].is_running and not runs[-1].kind.continuous:
                self.wrong.append(f"{name} begins while {parent} runs")
        if self.is_paused():
            self.wrong.append(f"{name} begins although the plan is paused")
        made = super().runner(do, *args, **wishes)  # type: ignore[arg-type]
        assert isinstance(made, Scripted)
        return made


def graphs(graph: Graph) -> list[Graph]:
    inner = [each for node in graph.nodes if isinstance(node.plan, Graph) for each in graphs(node.plan)]
    return [graph, *inner]


@seeds("seed", 400)
def test_whatever_the_graph_it_comes_to_rest(seed: int) -> None:
    async def play_it() -> None:
        chance = random.Random(seed)
        is_plain = seed % 2 == 0
        maker = Maker(chance, is_plain)
        graph = maker.graph()
        stage = Watched(graph, is_plain)
        check(graph, stage)
        play = Play(graph, *KINDS, stage=stage)
        stage.is_paused = lambda: play.tree.state is PlanState.PAUSED
        for _ in range(chance.randint(0, 5)):
            await asyncio.sleep(chance.choice((0.0, 0.01, 0.25, 0.6, 1.1)))
            treat(play, stage, chance)
        play.tree.resume()
        await asyncio.sleep(60.0)
        if is_plain and play.tree.state is PlanState.RUNNING:  # others may go round for ever
            assert halted(play.tree.view()), "nothing goes on, and nobody has said so"
            assert {runner.kind.name for runner in play.stage.made if runner.is_running} <= {"stay", "hold"}
        for _ in range(2):  # an inner graph that fails may let the outer one go on, and halt in its turn
            if play.tree.state is PlanState.PAUSED:
                assert halted(play.tree.view())
                play.tree.resume()
                await asyncio.sleep(60.0)
        assert play.tree.state is not PlanState.PAUSED or not is_plain
        play.tree.stop("enough")
        assert (await play.outcome()).state.is_over
        assert stage.wrong == []

    loop = VirtualLoop(seed=seed)
    run_on(loop, play_it)
    assert loop.leftovers == ()


def halted(view: TreeView) -> bool:
    """Whether a graph in it says that it cannot go on."""
    is_this = view.kind == "graph" and "nothing can go on" in view.detail
    return is_this or any(map(halted, view.children))


def treat(play: Play, stage: Watched, chance: random.Random) -> None:
    """Do something to a running graph."""
    match chance.randrange(6):
        case 0:
            play.tree.pause()
        case 1:
            play.tree.resume()
        case 2:
            running = [action for action in play.tree.actions if not action.is_quiet]
            if running:
                chance.choice(running).cancel("nobody wants it")
        case 3:
            play.tree.pause()
            change_it(play, stage, chance)
        case 4 if play.tree.pause():
            name = chance.choice([child.name for child in play.tree.view().children])
            try:
                play.tree.resume(continue_from=name)
                stage.is_plain = False  # begun by hand, so nothing can be said of the order any more
                stage.learn(whole(play))
            except PlanError:
                play.tree.resume()


def whole(play: Play) -> Graph:
    """The graph as it is now."""
    plan = play.tree.plan
    assert isinstance(plan, Graph)
    return plan


def change_it(play: Play, stage: Watched, chance: random.Random) -> None:
    plan, view = play.tree.plan, play.tree.view()
    node = chance.choice(view.children)
    before = len(play.stage.made)
    try:
        if chance.random() < 0.5:
            play.tree.change(Remove(node.id))
        else:
            play.tree.change(Replace(node.id, Do("quick", {"name": node.name})))
        stage.learn(whole(play))
    except PlanError:
        assert (play.tree.plan, play.tree.view()) == (plan, view)
    assert len(play.stage.made) == before
