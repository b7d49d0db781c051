"""What has to be confirmed: a table, and nothing that is left out of it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.dialogue.confirmation import has_to_be_confirmed, least, least_sure, question
from framework.plan import Correction, Do, Sequence, Source
from framework.plugins.action import Risk
from tests.framework.tree.scripted import Kind, Stage

STAGE = Stage(Kind("safe"), Kind("moves", risk=Risk.MOVES), Kind("danger", risk=Risk.DANGEROUS))
CUP = (Correction("cub", "cup"),)
UNSURE = (Source.SPEECH, Source.GESTURE, Source.PHONE_SPEECH, Source.PROPOSER)


@pytest.mark.parametrize(
    ("action", "source", "confidence", "corrections", "expected"),
    [
        ("danger", Source.TYPED, 1.0, (), False),
        ("danger", Source.PHONE, 1.0, (), False),
        ("danger", Source.PROGRAM, 0.9, (), False),
        ("danger", Source.SPEECH, 1.0, (), True),
        ("danger", Source.GESTURE, 1.0, (), True),
        ("danger", Source.PHONE_SPEECH, 1.0, (), True),
        ("danger", Source.TYPED, 0.89, (), True),
        ("moves", Source.SPEECH, 1.0, (), False),
        ("safe", Source.SPEECH, 0.9, (), False),
        ("safe", Source.SPEECH, 0.89, (), True),
        ("safe", Source.TYPED, math.nan, (), True),
        ("safe", Source.TYPED, 1.0, CUP, True),
        ("safe", Source.PROPOSER, 1.0, (), True),
        ("unknown", Source.PROPOSER, 1.0, (), True),
    ],
)
def test_table(
    action: str,
    source: Source,
    confidence: float,
    corrections: tuple[Correction, ...],
    expected: bool,
) -> None:
    plan = Sequence((Do("safe"), Do(action)))
    assert has_to_be_confirmed(plan, STAGE, source, confidence, corrections) is expected


@given(st.sampled_from(Source), st.floats())
def test_nothing_dangerous_is_let_through_from_an_unsure_source(source: Source, confidence: float) -> None:
    if not has_to_be_confirmed(Do("danger"), STAGE, source, confidence):
        assert source in (Source.TYPED, Source.PHONE, Source.PROGRAM) and confidence >= 0.9


def test_what_is_asked() -> None:
    assert question("track the cup", Source.SPEECH) == "Shall I track the cup?"
    asked = question("track the cup", Source.TYPED, (*CUP, Correction("trak", "track")))
    assert asked == (
        'Did you mean "cup" where you said "cub"? Did you mean "track" where you said "trak"? '
        "Shall I track the cup?"
    )
    assert question("go", Source.PROPOSER).startswith("That is a proposal")


def test_what_is_left_out_is_named() -> None:
    asked = question("go home", Source.TYPED, CUP, left_out=("vamos",))
    assert asked == (
        'Did you mean "cup" where you said "cub"? I do not know what "vamos" means here, and leave it out. '
        "Shall I go home?"
    )
    assert '"vamos" and "lol" mean here, and leave them out.' in question(
        "go", Source.TYPED, left_out=("vamos", "lol")
    )


def test_what_warns_is_said_back() -> None:
    asked = question("drive back", Source.TYPED, warned=("my foot is there", "it is wet"))
    assert asked == 'You say "my foot is there" and "it is wet". Shall I drive back all the same?'


def test_the_least_sure_source_counts() -> None:
    assert least_sure(Source.TYPED, Source.PHONE) is Source.TYPED
    for unsure in UNSURE:
        assert least_sure(Source.TYPED, unsure) is unsure
        assert least_sure(unsure, Source.PROPOSER) is Source.PROPOSER
    assert least(1.0, 0.5) == 0.5
    assert least(1.0, math.nan) == 0.0
