"""What "it" and "them" mean, by name and type of the results before."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec
import pytest

from framework.errors import PlanError
from framework.plan import Do, Parallel, Reference, Sequence
from framework.plugins.parameters import ParameterSpec
from framework.tree import PlanState, Result
from framework.tree.references import Meant, Waiting, meaning
from tests.framework.tree.play import A, B, Play, scene
from tests.framework.tree.scripted import Kind

IT, THEM = Reference("it"), Reference("them")


class Point(msgspec.Struct, frozen=True):
    x_m: float
    y_m: float = 0.0


class Found(msgspec.Struct, frozen=True):
    thing: str
    at: Point
    confidence: float = 1.0


class Side(StrEnum):
    LEFT = "left"


class Gave(msgspec.Struct):
    """An action of this plan."""

    value: Any
    words: str = "find the cup"
    may_still_give: bool = False


def it(
    kind: Any, *values: Any, reference: Reference = IT, earlier: tuple[Any, ...] = (), name: str = "thing"
) -> Any:
    """What a reference means for a parameter of this type after these results."""
    parameter = ParameterSpec(name, kind)
    before = [value if isinstance(value, Gave) else Gave(value) for value in values]
    meant = meaning(reference, parameter, before, [Result("find", value, "1.1") for value in earlier])
    assert isinstance(meant, Meant)
    return meant.value


def test_a_result_is_known_by_its_parts_and_its_plan() -> None:
    result = Result("find", Found("cup", Point(1.0, 2.0)), "7.3")
    assert result.outputs["thing"] == "cup"
    assert result.outputs["at::y_m"] == 2.0
    assert result.outputs["result"] == result.value
    assert result.plan == "7"


# -- it


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        (str, ("cup", 7), "cup"),
        (int, ("cup", 7), 7),
        (float, (0.5, "cup", None), 0.5),
        (float, (7, "cup"), 7),
        (Point, (Point(1.0), "cup"), Point(1.0)),
        (Point, ("cup", Found("hand", Point(2.0))), None),
        (str, ("cup", Found("hand", Point(2.0))), "hand"),
        (str | None, ("cup", 7), "cup"),
        (Side, ("left", "right"), "left"),
        (list[str], ("cup", ["a", "b"], "d"), ["a", "b"]),
    ],
)
def test_what_does_not_fit_is_passed_over(kind: Any, values: tuple[Any, ...], expected: Any) -> None:
    if expected is None:
        with pytest.raises(PlanError):
            it(kind, *values)
    else:
        assert it(kind, *values) == expected


def test_a_part_of_the_parameters_name_may_fit() -> None:
    found = Found("hand", Point(2.0, 3.0))
    assert it(float, "cup", found, name="x_m") == 2.0
    assert it(Point, found, name="at") == Point(2.0, 3.0)
    with pytest.raises(PlanError, match="could only be"):
        it(float, found, name="z_m")
    two = {"a": {"thing": "cup"}, "b": {"thing": "hand"}}
    with pytest.raises(PlanError):
        it(str, two)


def test_the_type_that_a_reference_names_counts_too() -> None:
    assert it(object, 7, "cup", reference=Reference("it", "int")) == 7
    assert it(str, "left", Side.LEFT, reference=Reference("it", "Side")) == "left"
    assert it(str, Found("hand", Point(1.0)), "cup", reference=Reference("it", "Found")) == "hand"


def test_only_what_is_allowed_fits() -> None:
    parameter = ParameterSpec("side", str, one_of=("left", "right"))
    assert meaning(IT, parameter, [Gave("left"), Gave("cup")], []) == Meant("left")


def test_without_a_type_the_nearest_is_meant() -> None:
    assert meaning(IT, None, [Gave("left"), Gave(7)], []) == Meant(7)


def test_an_earlier_plan_comes_after_this_one() -> None:
    assert it(str, "cup", earlier=("hand",)) == "cup"
    assert it(str, 7, earlier=("door", "hand", 8)) == "hand"


def test_what_may_still_give_is_waited_for() -> None:
    waiting = Gave(None, may_still_give=True)
    assert meaning(IT, None, [Gave("cup"), waiting], []) == Waiting(waiting)
    assert meaning(IT, None, [Gave("cup"), Gave(None)], []) == Meant("cup")


def test_nothing_that_fits_says_what_there_is_and_what_is_wanted() -> None:
    with pytest.raises(PlanError, match=r'"it" could only be 7 \(find the cup\), but what is wanted is str'):
        it(str, 7)
    with pytest.raises(PlanError, match='nothing that "it" could mean'):
        it(str)


# -- them


def test_them_are_several() -> None:
    assert it(list[str], "cup", "hand", reference=THEM) == ["cup", "hand"]
    assert it(tuple[str, ...], ["a", "b"], "c", reference=THEM) == ["a", "b"]
    assert it(list[str], reference=THEM, earlier=("cup", "hand")) == ["cup", "hand"]
    assert it(str, "cup", "hand", reference=THEM) == "hand"


def test_them_waits_for_all() -> None:
    late = Gave(None, may_still_give=True)
    assert meaning(THEM, ParameterSpec("things", list[str]), [late, Gave("cup")], []) == Waiting(late)


def test_them_of_earlier_plans_are_those_of_the_last() -> None:
    earlier = [Result("find", "old", "1.1"), Result("find", "cup", "2.1"), Result("find", "hand", "2.2")]
    assert meaning(THEM, ParameterSpec("things", list[str]), [], earlier) == Meant(["cup", "hand"])


def test_them_of_a_type() -> None:
    reference = Reference("them", "str")
    assert it(list[str], "cup", 7, "hand", reference=reference) == ["cup", "hand"]
    with pytest.raises(PlanError):
        it(list[str], 7, 8, reference=THEM)


# -- in a tree

SHOW = Kind("show", (ParameterSpec("what", str),))


@scene
async def test_the_parameters_type_is_the_hint() -> None:
    play = Play(Sequence((A, B, Do("show", {"what": IT}))), SHOW)
    await play.settle()
    await play.after(lambda: play.of("a").succeed("the cup"))
    await play.after(lambda: play.of("b").succeed(7))
    assert play.of("show").parameters == {"what": "the cup"}
    play.of("show").succeed()
    await play.outcome()


@scene
async def test_a_result_that_does_not_fit_fails_the_action_in_words() -> None:
    play = Play(Sequence((A, Do("show", {"what": IT}))), SHOW)
    await play.settle()
    play.of("a").succeed(7)
    outcome = await play.outcome()
    assert outcome.state is PlanState.FAILED
    assert '"it" could only be 7 (a), but what is wanted is str' in outcome.words
    assert [event.kind for event in play.events if event.action == "show"] == ["failed"]


@scene
async def test_it_is_not_waited_for_when_what_stays_gives_nothing() -> None:
    stays = Kind("stays", continuous=True)
    play = Play(Parallel((Do("stays"), Do("show", {"what": IT}))), stays, SHOW)
    await play.settle()
    assert play.running == ["stays"]
    play.of("stays").ready(None)
    outcome = await play.outcome()
    assert 'nothing that "it" could mean' in outcome.words


@scene
async def test_a_thing_that_vanished_fails_its_action_in_words_and_the_rest_is_ended() -> None:
    gone = Kind("gone", fails="I do not see the red cup any more")
    play = Play(Parallel((Do("stays"), Do("gone"))), Kind("stays", continuous=True), gone)
    await play.settle()
    play.of("gone").fail(gone.fails)
    outcome = await play.outcome()
    assert (outcome.state, outcome.words) == (PlanState.FAILED, "I do not see the red cup any more")
    assert ("failed", gone.fails) in [(event.kind, event.text) for event in play.events]
