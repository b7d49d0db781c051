"""Which of the running actions somebody means."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from framework.plan.ast import Do
from framework.supervisor.meaning import meant, to_stop
from framework.tree.view import NodeState


def action(name: str, words: str, detail: str, state: NodeState = NodeState.RUNNING) -> Any:
    return SimpleNamespace(
        words=words, detail=detail, do=Do(name, {}), state_now=lambda: state, is_quiet=False
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


HOLD = record("3", "hold still", action("hold_still", "hold still", "holding the left arm still"))
QUEUED = [
    record(
        str(number),
        words,
        action(name, words, "waiting for operator, first in the queue for the arm", NodeState.WAITING),
    )
    for number, (name, words) in enumerate(
        [("move_left", "move your left arm up"), ("move", "move up 5 centimetres"), ("show", "show the arm")],
        4,
    )
]
_NEEDS = {"hold_still": "arm", "move": "arm", "move_left": "left arm", "home_right": "right arm"}


@pytest.mark.parametrize("what", ["the left arm", "your left arm", "moving the left arm"])
def test_stopping_an_arm_stops_who_has_it_and_who_waits_for_it(what: str) -> None:
    other = record(
        "9", "go home", action("home_right", "go home with your right arm", "moving the right arm")
    )
    found = to_stop(what, cast(Any, [HOLD, *QUEUED, other]), lambda do: _NEEDS.get(do.action, ""))
    if "moving" in what:
        assert [target.words for target in found] == ["move your left arm up", "move up 5 centimetres"]
    else:
        assert [target.words for target in found] == [
            "hold still",
            "move your left arm up",
            "move up 5 centimetres",
        ]


def test_stopping_by_what_was_asked_for_is_as_narrow_as_before() -> None:
    found = to_stop("the tracking", cast(Any, [MOVE, TRACK]), lambda do: "arm")
    assert [target.words for target in found] == ["track the arm"]
