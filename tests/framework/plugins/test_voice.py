"""What others see of an action's progress."""

from __future__ import annotations

import math

import pytest

from framework.events import Event
from framework.plugins.events import RunState
from framework.plugins.voice import Voice


def test_progress_is_kept_within_its_bounds_and_said() -> None:
    said: list[Event] = []
    voice = Voice("home", "home", said.append, None)
    voice.enter(RunState.RUNNING, "")
    for given, seen in ((0.4, 0.4), (7.0, 1.0), (-1.0, 0.0), (math.nan, -1.0)):
        voice.progress(given, "moving the arm")
        assert voice.fraction == said[-1].fraction == seen


@pytest.mark.parametrize("between", [RunState.WAITING, RunState.PAUSED])
def test_a_run_that_begins_anew_has_not_got_anywhere_yet(between: RunState) -> None:
    voice = Voice("home", "home", None, None)
    voice.enter(RunState.RUNNING, "")
    voice.progress(0.8, "moving the arm")
    voice.enter(between, "the arm was taken from it")
    voice.enter(RunState.RUNNING, "again")
    assert voice.fraction == -1.0


def test_a_question_in_between_costs_no_progress() -> None:
    voice = Voice("home", "home", None, None)
    voice.enter(RunState.RUNNING, "")
    voice.progress(0.8, "moving the arm")
    voice.enter(RunState.ASKING, "is the door open?")
    voice.enter(RunState.RUNNING, "moving the arm")
    assert voice.fraction == 0.8
