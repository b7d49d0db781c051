"""What is said to become of commands in the flat, and how that is judged."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from framework.errors import DescriptionError
from framework.plan.parser import Known
from grammars.domain import NamesOfFile
from pilothouse.experiments.language import in_the_flat, measure_on
from pilothouse.experiments.language.in_the_flat import (
    Fate,
    Found,
    found_in_the_flat,
    half_of,
    moved_in,
    shares,
    wanted_of,
)
from pilothouse.experiments.language.sets import Annotated, Wanted, files, read

FILES = files({})

FATES = {
    Wanted("go to the kitchen", ("go",), ("kitchen",)): Fate.DONE,
    Wanted("greet Charlie at the sofa", ("greet",), ("Charlie", "sofa")): Fate.DONE,
    Wanted("go to the lounge", ("go",), ("bedroom",)): Fate.WRONG,
    Wanted("go to the kitchen", ("bring",), ("kitchen",)): Fate.WRONG,
    Wanted("stop", ("go",), ()): Fate.WRONG,
    Wanted("bring me the apple", ("bring",), ("apple",)): Fate.CANNOT,
    Wanted("bring me the apple", ("follow",), ("apple",)): Fate.UNTRUE,
    Wanted("find Jamie in the kitchen", ("find",), ("Jamie", "kitchen")): Fate.NOT_HERE,
    Wanted("find Jamie in the kitchen", ("find",), ("kitchen",)): Fate.UNTRUE,
    Wanted("flap your wings", ("go",), ()): Fate.UNTRUE,
    Wanted("go to the cup", ("go",), ()): Fate.ASKED,
}


class Unseen:
    """Progress that nobody watches."""

    def begin(self, what: str, steps: int) -> None:
        """Nothing."""

    def step(self) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def found() -> list[Found]:
    """What becomes of each: an installation on the virtual clock is started once for all."""
    return found_in_the_flat(FILES["kinds"], lambda _: tuple(FATES), Unseen())


def test_each_fate_is_told_from_the_others(found: list[Found]) -> None:
    assert {(each.line, each.said, each.fate) for each in found} == {
        (each.line, each.said, FATES[each.line]) for each in found
    }


def test_what_is_read_and_grounded(found: list[Found]) -> None:
    facts = {each.line.text: (each.is_read, each.is_grounded) for each in found}
    assert facts["greet Charlie at the sofa"] == (True, True)
    assert facts["flap your wings"] == (False, True)
    assert {each.is_grounded for each in found if each.line.names == ("Jamie", "kitchen")} == {False}


def test_shares_are_of_each_half() -> None:
    done = Found(Wanted("a", ("go",), (), half="dev"), Fate.DONE, "", is_read=True, is_grounded=True)
    lines = [done, Found(Wanted("b", ("go",), (), half="held"), Fate.WRONG, "", True, False)]
    figures = shares(lines, "flat")
    assert figures["flat_dev_done_pct"] == figures["flat_dev_right_pct"] == 100.0
    assert figures["flat_held_wrong_pct"] == figures["flat_held_read_pct"] == 100.0
    assert figures["flat_held_grounded_pct"] == figures["flat_held_right_pct"] == 0.0


def test_a_template_says_what_is_wanted() -> None:
    command = Annotated(
        "Could you go to the bedroom , find Jamie , and tell the time please",
        "Could you go to the {location room} , find {name} , and tell the time please",
    )
    (wanted,) = wanted_of([command], FILES["clauses"])
    assert (wanted.does, wanted.names) == (("go", "find", "tell"), ("bedroom", "jamie"))


def test_what_is_not_there_makes_room_for_what_is() -> None:
    world = NamesOfFile({"world.people": (Known("Ann", "Ann"),), "places": (Known("kitchen", "kitchen"),)})
    command = Annotated(
        "find Jamie in the kitchen and tell Jamie a joke",
        "find {name 1} in the {location room} and tell {name 1} a joke",
    )
    assert moved_in(command, world).text == "find Ann in the kitchen and tell Ann a joke"


def test_a_command_whose_clauses_nobody_knows_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    commands = [
        Annotated("juggle the cup", "juggle the {object}"),
        Annotated("go to the attic", "go to the {location room}"),
    ]
    monkeypatch.setattr(in_the_flat, "found_in_the_flat", lambda *_: [])
    figures = in_the_flat.measure_in_the_flat(FILES["kinds"], FILES["clauses"], commands, (), Unseen())
    assert figures == {"flat_gpsr_left_out": 1}


def test_a_file_of_clauses_that_is_none_is_told(tmp_path: Path) -> None:
    file = tmp_path / "clauses.yaml"
    file.write_text("go: [go]")
    with pytest.raises(DescriptionError, match="a clause is"):
        wanted_of([], file)


def test_every_template_of_ours_is_wanted_as_kinds_that_there_are() -> None:
    commands = read(FILES["gpsr"], Annotated)
    lines = wanted_of(commands, FILES["clauses"])
    assert len(lines) == len(commands)
    assert all(line.does for line in lines)
    halves = Counter(line.half for line in lines)
    assert min(halves.values()) > 0.4 * len(lines)


def test_the_lot_is_of_the_sentence_alone() -> None:
    for line in read(FILES["in-flat"], Wanted):
        assert line.half == half_of(line.text)


@pytest.mark.parametrize("option", ["in-flat", "at-home", "strangers"])
def test_a_set_that_cannot_be_read_is_refused_before_anything_is_measured(
    option: str, tmp_path: Path
) -> None:
    class Begins:
        def begin(self, what: str, steps: int) -> None:
            raise AssertionError(f"{what} is measured first")

        def step(self) -> None: ...

    with pytest.raises(DescriptionError, match="the set of sentences cannot be read"):
        measure_on({option: tmp_path / "nothing.jsonl"})(Begins(), 0)
