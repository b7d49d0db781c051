"""The walks of docs/architecture.md are true: each function exists and is reached from one before it."""

from __future__ import annotations

import pytest

from tests.docs.layers import ROOT, Layers
from tests.docs.walks import FEWEST, Hop, Walk, mistakes_in, walks_in

WALKS = walks_in((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"))
LAYERS = Layers()


def test_there_are_the_walks_that_a_newcomer_needs() -> None:
    assert len(WALKS) == 4


@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk.title)
def test_a_walk_goes_from_one_function_to_the_next(walk: Walk) -> None:
    assert mistakes_in(walk, LAYERS) == []


@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk.title)
def test_a_renamed_function_is_noticed(walk: Walk) -> None:
    renamed = tuple(hop._replace(name=f"{hop.name}_renamed") for hop in walk.hops)
    assert mistakes_in(walk._replace(hops=renamed), LAYERS) == [f"{hop} does not exist" for hop in renamed]


ABOVE = Hop("framework/supervisor/supervisor.py", "Supervisor.plan")
START = Hop("framework/supervisor/book.py", "PlanBook.start")
RUN = Hop("framework/tree/run.py", "TreeRun.run")
CHECK = Hop("framework/supervisor/admission.py", "Admission.let_in")


@pytest.mark.parametrize(
    ("hops", "what"),
    [
        ((START, RUN), f"{FEWEST} are the fewest"),
        ((START, RUN, START), "twice"),
        ((RUN, ABOVE), "hop back"),
        ((START, Hop("framework/tree/build.py", "build")), "named by nothing before it"),
        ((START, RUN._replace(message="telepathy")), "messages are"),
        ((START, RUN._replace(through=("framework/tree/run.py", "Nothing"))), "does not exist"),
        ((RUN, CHECK._replace(through=("framework/supervisor/plans.py", "PlanRecord"))), "something below"),
        ((START, Hop("resources/web/page/src/console/main.ts", "request")), "named by nothing before it"),
    ],
)
def test_what_is_no_walk_is_refused(hops: tuple[Hop, ...], what: str) -> None:
    assert any(what in mistake for mistake in mistakes_in(Walk("a try", hops), LAYERS))


def test_every_numbered_line_has_to_be_a_hop() -> None:
    (walk,) = walks_in("\n## Walks\n\n### A try\n\n1. somewhere, somehow\n")
    assert walk.unreadable == ("1. somewhere, somehow",)
    assert mistakes_in(walk, LAYERS)[0].startswith("this is no hop")
