"""What is done again and again, as a plan: a graph of one node that has no end of its own.

"Every ten seconds look around, until I say stop" is Until(again(look_around, wait), …): what goes around it
ends it. So many times is a sequence.
"""

from __future__ import annotations

from framework.plan.ast import Do, Elapsed, Graph, Node, Plan, Sequence, Wait
from framework.plan.graph import ENTRY, Edge, Mode

#: What such a graph is called, and its node.
NAME = "again"
_NODE = "again_0"
MOST_TIMES = 50


def again(plan: Plan, pause: Plan | None = None) -> Plan:
    """The plan again and again, with a pause after each time."""
    body = plan if pause is None else _row((plan, pause))
    return Graph(NAME, (Node(_NODE, body, Mode.SPONTANEOUS),), (Edge(ENTRY, _NODE),))


def times(plan: Plan, count: int, pause: Plan | None = None) -> Plan:
    """The plan so many times, with a pause between two."""
    steps: tuple[Plan, ...] = (plan,)
    for _ in range(count - 1):
        steps += (plan,) if pause is None else (pause, plan)
    return _row(steps)


def repeated(plan: Plan) -> Plan | None:
    """What is done again and again, the pause with it; None if the plan is something else."""
    if (
        isinstance(plan, Graph)
        and plan.name == NAME
        and len(plan.nodes) == 1
        and plan.nodes[0].mode is Mode.SPONTANEOUS
        and plan == again(plan.nodes[0].plan)
    ):
        return plan.nodes[0].plan
    return None


def only_times(plan: Plan, count: int) -> Plan:
    """What is done again and again, only so many times; the last time there is no pause after it."""
    round_ = repeated(plan)
    if round_ is None:
        return times(plan, count)
    if isinstance(round_, Sequence) and seconds(round_.steps[-1]) is not None:
        return times(_row(round_.steps[:-1]), count, round_.steps[-1])
    return times(round_, count)


def seconds(plan: Plan) -> float | None:
    """How long a plan pauses that does nothing else; None of another one."""
    match plan:
        case Wait(condition=Elapsed(duration_s=duration_s), is_so=True):
            return duration_s
        case Do(parameters=parameters) if tuple(parameters) == ("duration_s",):
            value = parameters["duration_s"]
            return float(value) if isinstance(value, int | float) else None
    return None


def _row(steps: tuple[Plan, ...]) -> Plan:
    flat = tuple(part for step in steps for part in (step.steps if isinstance(step, Sequence) else (step,)))
    return flat[0] if len(flat) == 1 else Sequence(flat)
