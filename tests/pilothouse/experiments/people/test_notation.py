"""Plans as people write down what they expect: read, compared with what was begun, and written."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from framework.errors import DescriptionError
from framework.plan.ast import Alongside, Do, Elapsed, If, Parallel, Plan, Sequence, State, Until, Wait
from pilothouse.experiments.people.notation import fits, of_plan, parsed, written

DEFAULTS: Mapping[str, Mapping[str, object]] = {"drive": {"distance_m": 0.5, "speed_mps": 0.4}}
OPEN = State("open", {"thing": "door"})
HOME = Do("home", {"side": "left"})


def drive(**values: float | str) -> Do:
    return Do("drive", dict(values))


def is_right(text: str, plan: Plan) -> bool:
    return fits(parsed(text), of_plan(plan), lambda action: DEFAULTS.get(action, {}))


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("drive()", drive(distance_m=2.0)),
        ("drive(distance_m=2)", drive(distance_m=2.0)),
        ("drive(distance_m=2)", drive(distance_m=2.01)),
        ("drive(distance_m=0.5)", drive()),
        ("drive(speed_mps=slow)", drive(speed_mps=0.1)),
        ("drive(speed_mps=fast)", drive(speed_mps=0.8)),
        ('say(text="hi, you (there)")', Do("say", {"text": "Hi you there"})),
        ("drive(); home(side=left)", Sequence((drive(), HOME))),
        ("drive() & home(side=left)", Parallel((HOME, drive()))),
        ("drive() & home(side=left)", Alongside(HOME, drive())),
        ("if(open(door)){drive()}else{home(side=left)}", If(OPEN, drive(), HOME)),
        ("if(open(door)){drive()}", If(OPEN, drive())),
        ("until(open(door)){drive()}", Until(drive(), OPEN)),
        ("wait(open(door)); drive()", Sequence((Wait(OPEN), drive()))),
        ("wait(duration_s=3)", Wait(Elapsed(3.0))),
        ("wait(elapsed(3))", Wait(Elapsed(3.0))),
        ("(drive(); drive()); home(side=left)", Sequence((drive(), drive(), HOME))),
        ("open(side=left) & open(side=right)", Do("open", {"side": "both"})),
        ("drive_to(thing=blue barrel)", Do("drive_to", {"thing": "drum"})),
        ("home()", Parallel((Do("home", {"side": "right"}), HOME))),
    ],
)
def test_what_is_expected(text: str, plan: Plan) -> None:
    assert is_right(text, plan)


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("drive(distance_m=2)", drive(distance_m=2.1)),
        ("drive(distance_m=2)", drive()),
        ("drive(speed_mps=slow)", drive()),
        ("drive(side=left)", drive()),
        ("drive()", HOME),
        ("drive(); home(side=left)", Sequence((HOME, drive()))),
        ("drive(); home(side=left)", Parallel((drive(), HOME))),
        ("drive() & home(side=left)", drive()),
        ("if(open(door)){drive()}", If(OPEN, drive(), HOME)),
        ("until(open(door)){drive()}", drive()),
        ("wait(open(door))", Wait(Elapsed(3.0))),
    ],
)
def test_what_is_something_else(text: str, plan: Plan) -> None:
    assert not is_right(text, plan)


@pytest.mark.parametrize(
    "text", ["drive", "drive(", "drive() home()", "if(open(door)){drive()", "& drive()", ""]
)
def test_what_is_no_plan_is_said(text: str) -> None:
    with pytest.raises(DescriptionError):
        parsed(text)


def test_it_is_written_as_it_is_read() -> None:
    plan = Sequence((drive(distance_m=2.0), If(OPEN, HOME), Until(drive(), OPEN)))
    assert written(plan) == "drive(distance_m=2.0); if(…){home(side=left)}else{}; until(…){drive()}"
    assert is_right("drive(distance_m=2); home(side=left)", Sequence((drive(distance_m=2.0), HOME)))
