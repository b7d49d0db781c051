"""Which one is meant that was left unsaid: what was named last, or a question."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from framework.dialogue.discourse import OTHER, bound, kinds_of, with_which
from framework.plan import Do, Known, Plan, Reference
from framework.plan import Sequence as InSequence
from framework.plugins.action import Risk
from framework.plugins.parameters import ParameterSpec
from tests.framework.tree.scripted import Kind, Stage

SIDE = ParameterSpec("side", str, default="", one_of=("", "left", "right"), which="arms")
ANY_SIDE = ParameterSpec("side", str, default="", one_of=("", "left", "right"))
STAGE = Stage(
    Kind("move", (SIDE,), risk=Risk.MOVES),
    Kind("home", (ANY_SIDE,), risk=Risk.MOVES),
    Kind("drive", (), risk=Risk.MOVES),
    Kind("say", ()),
)


class Arms:
    """Knows the arms that there are."""

    def __init__(self, *sides: str) -> None:
        self._known = tuple(Known(side, f"{side} arm") for side in sides)

    def names(self, kind: str) -> tuple[str, ...]:
        return tuple(each.name for each in self.known(kind))

    def known(self, kind: str) -> tuple[Known, ...]:
        return self._known if kind == "arms" else ()


BOTH = Arms("left", "right")
MOVE = Do("move")
OTHER_ARM = Do("move", {"side": Reference(OTHER)})


def move(side: str) -> Do:
    return Do("move", {"side": side})


@pytest.mark.parametrize(
    ("earlier", "plan", "text", "becomes"),
    [
        ([move("right")], MOVE, "", move("right")),
        ([move("left"), move("right"), Do("say")], MOVE, "move it", move("right")),
        ([Do("home", {"side": "right"})], MOVE, "", move("right")),
        ([move("right")], OTHER_ARM, "", move("left")),
        ([move("right"), Do("drive")], MOVE, "lower the arm", move("right")),
        ([], InSequence((move("right"), MOVE)), "", InSequence((move("right"), move("right")))),
        ([move("left")], InSequence((OTHER_ARM, MOVE)), "", InSequence((move("right"), move("right")))),
        ([], move("left"), "", move("left")),
    ],
)
def test_it_is_what_was_named_last(earlier: Sequence[Do], plan: Plan, text: str, becomes: Plan) -> None:
    found = bound(plan, earlier, STAGE, BOTH, text=text, pronouns=("it", "them"))
    assert (found.plan, found.open) == (becomes, None)


@pytest.mark.parametrize(
    ("earlier", "plan", "text"),
    [
        ([], MOVE, "arm up"),
        ([], OTHER_ARM, ""),
        ([move("right"), Do("home")], MOVE, ""),  # which arm went home was left to the robot
        ([Do("move", {"side": "both"})], MOVE, ""),
        ([move("right"), Do("drive")], MOVE, "move it back"),  # "it" is the base
    ],
)
def test_what_is_not_certain_is_asked(earlier: Sequence[Do], plan: Plan, text: str) -> None:
    found = bound(plan, earlier, STAGE, BOTH, text=text, pronouns=("it", "them"))
    assert found.open is not None
    assert found.open.noun == "arm"
    assert bound(with_which(found.plan, found.open, "left"), earlier, STAGE, BOTH).plan == move("left")


def test_nobody_is_asked_where_there_is_only_one() -> None:
    assert bound(MOVE, [], STAGE, Arms("left")).open is None
    assert bound(MOVE, [], STAGE, Arms()).open is None


def test_the_kinds_of_names_are_known_from_the_signatures() -> None:
    assert kinds_of(STAGE) == ("arms",)
