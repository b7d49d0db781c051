"""As people really talk: without joins, without saying all of it again, with commas to take breath."""

from __future__ import annotations

import pytest

from framework.plan.ast import Do, Sequence
from framework.plan.parser import NotUnderstood, Reading
from grammars.domain import NamesOfFile, read_domain
from grammars.language import Language

_DOMAIN = """
names: {things: [ball, kite]}
lists:
  thing: {provider: things}
  way: {left: [left], right: [right], up: [up]}
actions:
  turn:
    parameters: {way: text, angle_rad: {type: number, default: 1.5}}
    say: ["turn (left {way:=left}|right {way:=right}) [by {angle_rad}]"]
  throw:
    parameters: {thing: text, way: {type: text, default: ""}}
    say: ["throw {thing} [{way}]", "{thing} {way}"]
  call:
    parameters: {name: text}
    say: ["call this {name}"]
  utter:
    parameters: {text: text}
    say: ["utter {text}"]
"""
LEFT, RIGHT = Do("turn", {"way": "left"}), Do("turn", {"way": "right"})
BALL, KITE = Do("throw", {"thing": "ball"}), Do("throw", {"thing": "kite"})
Made = tuple[Language, NamesOfFile]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    file = tmp_path_factory.mktemp("domain") / "toys.yaml"
    file.write_text(_DOMAIN)
    read = read_domain(file)
    return Language(read.actions), read.world


def _reading(made: Made, text: str) -> Reading:
    result = made[0].parse(text, made[1])
    assert not isinstance(result, NotUnderstood), str(result)
    return result.readings[0]


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("turn left, then right", (LEFT, RIGHT)),
        ("turn left and right and left", (LEFT, RIGHT, LEFT)),
        ("turn left throw the ball", (LEFT, BALL)),
        ("throw the ball turn left then right", (BALL, LEFT, RIGHT)),
        ("1. turn left 2. throw the ball", (LEFT, BALL)),
        ("step 1: turn left. step 2: throw the ball. step 3: turn right", (LEFT, BALL, RIGHT)),
        ("a) turn left b) throw the ball", (LEFT, BALL)),
        ("turn left -> throw the ball => turn right", (LEFT, BALL, RIGHT)),
        ("turn left / throw the ball + throw the kite", (LEFT, BALL, KITE)),
        ("turn left\nthrow the ball", (LEFT, BALL)),
        ("turn left, over", (LEFT,)),
        ("hey Waltraud, turn left mate", (LEFT,)),
        ("hello my dear robot, turn left, over and out", (LEFT,)),
        ("the ball, up", (Do("throw", {"thing": "ball", "way": "up"}),)),
    ],
)
def test_everything_that_was_said_is_done(made: Made, text: str, steps: tuple[Do, ...]) -> None:
    reading = _reading(made, text)
    assert reading.plan == (Sequence(steps) if len(steps) > 1 else steps[0])
    assert reading.confidence >= 0.9


def test_a_number_that_is_not_said_again_is_asked(made: Made) -> None:
    reading = _reading(made, "turn left by 2 rad, then right")
    assert reading.plan == Sequence(
        (Do("turn", {"way": "left", "angle_rad": 2.0}), Do("turn", {"way": "right", "angle_rad": 2.0}))
    )
    assert reading.confidence < 0.9


@pytest.mark.parametrize(
    "text", ["call this dock, then dance", "call this dock then dance", "turn left dance"]
)
def test_what_is_not_understood_is_no_part_of_a_name_and_not_left_out(made: Made, text: str) -> None:
    assert isinstance(made[0].parse(text, made[1]), NotUnderstood)


@pytest.mark.parametrize("quoted", ["'gauge view'", '"gauge view"', "'Ann's view'"])
def test_a_name_in_quotes_ends_with_them(made: Made, quoted: str) -> None:
    reading = _reading(made, f"call this {quoted}, then turn left")
    assert reading.plan == Sequence((Do("call", {"name": quoted[1:-1]}), LEFT))
    assert isinstance(made[0].parse(f"call this {quoted}, then dance", made[1]), NotUnderstood)


def test_words_to_be_said_that_sound_like_something_to_do_are_asked(made: Made) -> None:
    assert _reading(made, "utter well done").confidence >= 0.9
    assert _reading(made, "utter well done then dance").confidence < 0.9
    aloud = _reading(made, "utter laut: stand back")
    assert aloud.plan == Do("utter", {"text": "stand back"})
    assert aloud.confidence < 0.9


def test_who_is_called_by_a_verb_nobody_knows_is_not(made: Made) -> None:
    assert isinstance(made[0].parse("hey juggle turn left", made[1]), NotUnderstood)
