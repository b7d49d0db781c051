"""What people say to a robot at home: the set, the judge, and how much is understood.

Of the held half only numbers are told; do not look further.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from framework.errors import DescriptionError
from framework.plan.ast import Do, Plan, Reference, Sequence
from grammars.domain import read_domain
from pilothouse.experiments.language.at_home import is_wanted, judged_at_home, read_kinds, shares
from pilothouse.experiments.language.judged import Verdict
from pilothouse.experiments.language.sets import Wanted, files, read

FILES = files({})
KINDS = {"seek": "find", "fetch": "bring", "turn": "turn"}


class Unseen:
    """Progress that nobody watches."""

    def begin(self, what: str, steps: int) -> None:
        """Nothing."""

    def step(self) -> None:
        """Nothing."""


def test_the_set_is_whole_and_every_action_is_of_one_kind() -> None:
    lines = read(FILES["at-home"], Wanted)
    assert len({line.text for line in lines}) == len(lines) >= 120
    halves = Counter(line.half for line in lines)
    assert abs(halves["dev"] - halves["held"]) <= 1
    kind_of = read_kinds(FILES["kinds"])
    assert {spec.name for spec in read_domain(FILES["household"]).actions} == set(kind_of)
    assert {kind for line in lines for kind in line.does} <= set(kind_of.values())


def test_people_at_home_are_understood() -> None:
    lines = read(FILES["at-home"], Wanted)
    found = judged_at_home(FILES["household"], FILES["kinds"], lines, Unseen())
    told = [
        (each.verdict.value, each.text, each.plans or each.said)
        for each, line in zip(found, lines, strict=True)
        if each.verdict is not Verdict.EXACT and line.half == "dev"
    ]
    figures = shares(found, lines)
    assert told == []
    assert (figures["at_home_held_exact_pct"] or 0.0) >= 80.0


@pytest.mark.parametrize(
    ("plan", "is_so"),
    [
        (Do("seek", {"what": "Red Cups", "where": "the kitchen"}), True),
        (Do("seek", {"where": "kitchen", "what": "red cup", "speed": 0.5, "quickly": True}), True),
        (Do("fetch", {"what": "red cup", "where": "kitchen"}), False),
        (Do("seek", {"what": "red cup"}), False),
        (Do("seek", {"what": "red cup", "where": "kitchen", "who": Reference("her")}), False),
        (Sequence((Do("seek", {"what": "red cup", "where": "kitchen"}), Do("fetch"))), False),
    ],
)
def test_just_that_is_done_with_just_those_names(plan: Plan, is_so: bool) -> None:
    line = Wanted("find the red cup in the kitchen", ("find",), ("red cup", "kitchen"))
    assert is_wanted(plan, line, KINDS) is is_so


def test_a_number_counts_if_it_is_named() -> None:
    line = Wanted("turn left by ninety degrees", ("turn",), ("left", "1.571"))
    assert is_wanted(Do("turn", {"side": "left", "angle_rad": 1.5707963}), line, KINDS)
    assert not is_wanted(Do("turn", {"side": "left", "angle_rad": 0.5}), line, KINDS)


def test_an_action_of_two_kinds_is_a_mistake(tmp_path: Path) -> None:
    file = tmp_path / "kinds.yaml"
    file.write_text("find: [seek]\nbring: [fetch, seek]\n")
    with pytest.raises(DescriptionError, match="seek is of find and of bring"):
        read_kinds(file)
    file.write_text("find: seek\n")
    with pytest.raises(DescriptionError, match="kind: "):
        read_kinds(file)
