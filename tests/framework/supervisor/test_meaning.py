"""Which of the running actions somebody means."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from framework.plan.ast import Do
from framework.supervisor.meaning import meant
from framework.tree.view import NodeState


def action(name: str, words: str, detail: str) -> Any:
    return SimpleNamespace(
        words=words, detail=detail, do=Do(name, {}), state_now=lambda: NodeState.RUNNING, is_quiet=False
    )


def record(number: str, words: str, *actions: Any) -> Any:
    return SimpleNamespace(
        id=number,
        words=words,
        is_wanted=True,
        is_single=len(actions) == 1,
        run=SimpleNamespace(actions=actions),
    )


MOVE = record(
    "1", "move up 5 centimetres", action("move", "move up 5 centimetres", "moving the left arm 5 cm up")
)
TRACK = record("2", "track the arm", action("track", "track the arm", "tracking arm, I see it"))


@pytest.mark.parametrize(
    ("what", "running", "found"),
    [
        ("the left arm", (MOVE,), ["move up 5 centimetres"]),
        ("moving the arm", (MOVE,), ["move up 5 centimetres"]),
        ("the right arm", (MOVE,), []),
        ("moving", (MOVE, TRACK), ["move up 5 centimetres"]),
        # What somebody asked for by this word comes before what merely has to do with it.
        ("the arm", (MOVE, TRACK), ["track the arm"]),
        ("plan 1", (MOVE, TRACK), ["move up 5 centimetres"]),
        ("", (MOVE, TRACK), ["move up 5 centimetres", "track the arm"]),
    ],
)
def test_an_action_goes_by_its_words_and_else_by_what_it_says_that_it_does(
    what: str, running: tuple[Any, ...], found: list[str]
) -> None:
    assert [target.words for target in meant(what, cast(Any, running))] == found
