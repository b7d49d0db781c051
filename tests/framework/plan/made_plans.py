"""Plans, conditions and graphs of every kind, for property tests."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from framework.plan import (
    ENTRY,
    EXIT,
    AllOf,
    Alongside,
    AnyOf,
    Cancel,
    Compare,
    Comparison,
    Condition,
    Decide,
    Do,
    Edge,
    Elapsed,
    Graph,
    If,
    Input,
    Mode,
    Node,
    Parallel,
    Plan,
    Reference,
    Response,
    Sequence,
    State,
    Until,
    Wait,
    While,
)
from framework.plan.forms import node_name
from framework.plan.value import type_of

words = st.text(st.characters(codec="utf-8"), max_size=6)
#: Some names are words of the file format itself, or look nested.
names = st.sampled_from(["a", "b", "thing", "a::b", "a::b::c", "pvf_type", "value", "type", "::", ""]) | words
numbers = st.floats(allow_nan=False, allow_infinity=False)
plain = st.one_of(words, st.integers(-(2**53), 2**53), st.booleans(), numbers)
values = st.one_of(
    plain, st.none(), st.lists(plain, max_size=3), st.builds(Reference, words, words, st.booleans())
)
arguments = st.dictionaries(names, values, max_size=3)
actions = words.filter(lambda name: name not in ("", ENTRY, EXIT) and not name.startswith("pilothouse::"))

conditions: st.SearchStrategy[Condition] = st.recursive(
    st.one_of(
        st.builds(State, words, arguments, st.booleans()),
        st.builds(Compare, words, arguments, st.sampled_from(Comparison), numbers, words),
        st.builds(Elapsed, numbers),
    ),
    lambda inner: st.one_of(
        st.builds(AllOf, st.lists(inner, max_size=3).map(tuple)),
        st.builds(AnyOf, st.lists(inner, max_size=3).map(tuple)),
    ),
    max_leaves=4,
)


@st.composite
def graphs(draw: st.DrawFn, inner: st.SearchStrategy[Plan]) -> Graph:
    """A graph whose edges lead forward, or back without being waited for."""
    plans = draw(st.lists(inner, min_size=1, max_size=4))
    ids: list[str] = []
    nodes: list[Node] = []
    for number, plan in enumerate(plans):
        node_id = draw(st.sampled_from([f"{node_name(plan)}_{number}", f"node {number}"]))
        ids.append(node_id)
        nodes.append(draw(_node(node_id, plan)))
    edges = [Edge(ENTRY, ids[0])]
    for one, parent in enumerate(ids):
        edges += [Edge(parent, EXIT, draw(st.booleans()), *draw(_responses))] if draw(st.booleans()) else []
        for other, child in enumerate(ids):
            if one != other and draw(st.booleans()):
                is_required = one < other and draw(st.booleans())
                edges.append(Edge(parent, child, is_required, *draw(_responses)))
    return Graph(draw(words), tuple(nodes), tuple(edges), note=draw(words))


_responses = st.lists(st.sampled_from(Response), min_size=4, max_size=4)


@st.composite
def _node(draw: st.DrawFn, node_id: str, plan: Plan) -> Node:
    inputs: list[Input] = []
    if isinstance(plan, Do):
        for name in draw(st.sets(names, max_size=2)):
            value: Any = plan.parameters.get(name)
            kind = (
                type_of(value) if name in plan.parameters else draw(st.sampled_from(["", "string", "pose"]))
            )
            inputs.append(Input(name, kind, draw(st.booleans()), draw(st.booleans())))
    outputs = draw(st.dictionaries(names, st.sampled_from(["", "string", "numbers", "pose"]), max_size=2))
    actor, note = draw(words), draw(words)
    return Node(node_id, plan, draw(st.sampled_from(Mode)), actor, tuple(inputs), outputs, note)


leaves: st.SearchStrategy[Plan] = st.one_of(
    st.builds(Do, actions, arguments),
    st.builds(Cancel, words),
    st.builds(Wait, conditions, st.booleans()),
    st.builds(Decide, conditions),
)


def _around(inner: st.SearchStrategy[Plan]) -> st.SearchStrategy[Plan]:
    several = st.lists(inner, min_size=1, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Sequence, several),
        st.builds(Parallel, several),
        st.builds(Alongside, inner, inner),
        st.builds(While, inner, conditions),
        st.builds(Until, inner, conditions),
        st.builds(If, conditions, inner, st.none() | inner),
        graphs(inner),
    )


plans: st.SearchStrategy[Plan] = st.recursive(leaves, _around, max_leaves=6)
