"""Plans in words, for a wording that knows a whole language and for one that knows only actions."""

from __future__ import annotations

import pytest

from framework.plan import (
    Alongside,
    Condition,
    Do,
    Elapsed,
    If,
    Parallel,
    Plan,
    Sequence,
    State,
    Until,
    Wait,
    While,
    doing,
    in_words,
)

A, B, C = Do("boil"), Do("stir"), Do("hum")
HOT = State("hot", {"thing": "pan"})


class Cook:
    """Says conditions shortly; everything but "stir" goes on until it is ended."""

    def __call__(self, do: Do) -> str:
        return do.action

    def condition(self, condition: Condition) -> str:
        return "it is hot" if condition == HOT else "something else is so"

    def stays(self, plan: Plan) -> bool:
        return plan != B

    def is_joined_by_and(self, parallel: Parallel) -> bool:
        return parallel.branches[0] != B

    def duration(self, duration_s: float) -> str:
        return f"{duration_s:g} seconds"


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (Sequence((A, B)), "boil, then stir"),
        (Sequence((If(HOT, A), B)), "if it is hot, boil. Then stir"),
        (Sequence((Parallel((A, If(HOT, B))), C)), "boil and if it is hot, stir. Then hum"),
        (Parallel((A, C)), "boil and hum"),
        (Parallel((B, C)), "stir and hum at the same time"),
        (Parallel((A, Sequence((Wait(HOT), B, C)))), "boil and when it is hot, stir, then hum"),
        (Alongside(A, B), "boil while stirring"),
        (Alongside(A, Parallel((B, C))), "boil while stirring and humming"),
        (Alongside(Parallel((A, B)), C), "while humming, boil and stir"),
        (While(A, HOT), "boil while it is hot"),
        (While(Alongside(A, B), HOT), "boil while stirring as long as it is hot"),
        (Until(A, Elapsed(10.0)), "boil for 10 seconds"),
        (Until(B, Elapsed(10.0)), "stir until something else is so"),
        (If(HOT, A, B), "if it is hot, boil, otherwise stir"),
        (Wait(HOT), "wait until it is hot"),
    ],
)
def test_a_speech_knows_how_it_is_put(plan: Plan, words: str) -> None:
    assert in_words(plan, Cook()) == words


def test_without_a_language_the_words_are_plain() -> None:
    assert in_words(Until(A, Elapsed(10.0))) == "boil until 10 s have passed"
    assert in_words(Until(A, Elapsed(1.0))) == "boil until 1 s has passed"
    assert in_words(Wait(HOT)) == "wait until pan is hot"
    assert in_words(Parallel((B, C))) == "stir and hum"


@pytest.mark.parametrize(
    ("phrase", "activity"),
    [
        ("show the scan", "showing the scan"),
        ("move", "moving"),
        ("stop it", "stopping it"),
        ("hum", "humming"),
        ("grab", "grabbing"),
        ("quit", "quitting"),
        ("begin", "beginning"),
        ("open", "opening"),
        ("wait", "waiting"),
        ("fix", "fixing"),
        ("see", "seeing"),
        ("lie down", "lying down"),
        ("track", "tracking"),
        ("", "ing"),
    ],
)
def test_activities(phrase: str, activity: str) -> None:
    assert doing(phrase) == activity
