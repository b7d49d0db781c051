"""How something is to be done, wherever it is said; and that it is never left out unasked."""

from __future__ import annotations

from pathlib import Path

import pytest

from framework.errors import DescriptionError
from framework.plan.ast import Do
from framework.plan.parser import NotUnderstood, Reading
from framework.plugins.parameters import ParameterSpec
from framework.plugins.phrases import read_phrases
from grammars.domain import read_domain
from grammars.language import Language

_DOMAIN = """
names: {things: [ball, slow cooker]}
lists: {thing: {provider: things}}
actions:
  roll:
    parameters: {thing: text, speed_mps: {type: number, default: 0.4, gt: 0, le: 2}}
    say: ["roll {thing} [away]"]
    manner: {speed_mps: {slow: 0.1, fast: 0.8}}
  squeeze:
    parameters:
      thing: text
      force_n: {type: number, default: 20}
      speed_fraction: {type: number, default: 0.3}
    say: ["squeeze {thing}"]
    manner: {force_n: {gentle: 5, firm: 40}, speed_fraction: {slow: 0.1}}
  spin:
    parameters: {thing: text, speed_fraction: {type: number, default: 0.3}}
    say: ["spin {thing}"]
    manner: {speed_fraction: {slow: 0.1}}
  paint:
    parameters: {thing: text}
    say: ["paint {thing}"]
  utter:
    parameters: {text: text}
    say: ["utter {text}"]
"""


@pytest.fixture(scope="module")
def domain(tmp_path_factory: pytest.TempPathFactory) -> tuple[Language, object]:
    file = tmp_path_factory.mktemp("domain") / "toys.yaml"
    file.write_text(_DOMAIN)
    read = read_domain(file)
    return Language(read.actions), read.world


def _reading(domain: tuple[Language, object], text: str) -> Reading:
    language, world = domain
    result = language.parse(text, world)  # type: ignore[arg-type]  # the world of the fixture
    assert not isinstance(result, NotUnderstood), str(result)
    return result.readings[0]


@pytest.mark.parametrize(
    ("text", "speed"),
    [
        ("roll the ball slowly", 0.1),
        ("slowly roll the ball", 0.1),
        ("very slowly, please roll the ball away", 0.1),
        ("roll slowly the ball", 0.1),
        ("roll the ball, but slowly", 0.1),
        ("roll the ball away, nice and slow", 0.1),
        ("roll the ball slowly and carefully", 0.1),
        ("could you roll the ball as fast as you can please", 0.8),
        ("roll the ball at half speed", 0.2),
        ("roll the ball at 50 percent of the speed", 0.2),
        ("roll the ball at 0.3 metres a second", 0.3),
        ("roll the ball with a speed of 30 cm/s", 0.3),
    ],
)
def test_a_manner_is_understood_anywhere_in_a_clause(
    domain: tuple[Language, object], text: str, speed: float
) -> None:
    reading = _reading(domain, text)
    assert reading.plan == Do("roll", {"thing": "ball", "speed_mps": speed})
    assert reading.confidence >= 0.9


def test_the_numbers_of_a_manner_leave_nothing_behind(domain: tuple[Language, object]) -> None:
    reading = _reading(domain, "roll the ball at half speed and utter beep at the same time")
    assert reading.confidence < 1.0  # words that are to be said are looked at for misspellings


def test_each_clause_has_its_own(domain: tuple[Language, object]) -> None:
    reading = _reading(domain, "roll the ball slowly, then quickly roll the slow cooker")
    slow, fast = reading.plan.steps  # type: ignore[union-attr]  # two steps
    assert slow == Do("roll", {"thing": "ball", "speed_mps": 0.1})
    assert fast == Do("roll", {"thing": "slow cooker", "speed_mps": 0.8})


def test_what_is_gentle_is_the_parameter_that_says_so(domain: tuple[Language, object]) -> None:
    assert _reading(domain, "squeeze the ball gently").plan.parameters["force_n"] == 5  # type: ignore[union-attr]
    assert _reading(domain, "squeeze the ball slowly").plan == Do(
        "squeeze", {"thing": "ball", "speed_fraction": 0.1}
    )
    assert _reading(domain, "squeeze the ball with 12 newtons").plan == Do(
        "squeeze", {"thing": "ball", "force_n": 12.0}
    )


def test_a_manner_that_an_action_does_not_know_is_asked_but_haste_is_not(
    domain: tuple[Language, object],
) -> None:
    assert _reading(domain, "paint the ball gently").confidence < 0.9
    assert _reading(domain, "paint the ball quickly").confidence >= 0.9


def test_words_that_are_to_be_said_and_names_keep_theirs(domain: tuple[Language, object]) -> None:
    assert _reading(domain, "utter drive slowly").plan == Do("utter", {"text": "drive slowly"})
    assert _reading(domain, "roll the slow cooker").plan == Do("roll", {"thing": "slow cooker"})


@pytest.mark.parametrize(
    "do",
    [
        Do("roll", {"thing": "ball", "speed_mps": 0.1}),
        Do("roll", {"thing": "ball", "speed_mps": 0.2}),
        Do("roll", {"thing": "ball", "speed_mps": 0.35}),
        Do("squeeze", {"thing": "ball", "force_n": 5.0}),
        Do("spin", {"thing": "ball", "speed_fraction": 0.06}),
    ],
)
def test_a_manner_is_read_back_so_that_it_is_understood_again(
    domain: tuple[Language, object], do: Do
) -> None:
    language, world = domain
    words = language.in_words(do, world)  # type: ignore[arg-type]  # the world of the fixture
    assert _reading(domain, words).plan == do


def test_what_a_file_says_of_manners_is_checked(tmp_path: Path) -> None:
    file = tmp_path / "phrases.yaml"
    parameters = (ParameterSpec("speed_mps", float, default=0.4, unit="m/s", gt=0.0, le=1.0),)
    file.write_text('say: ["roll"]\nmanner: {speed_mps: {slow: 3}}\n')
    with pytest.raises(DescriptionError, match="speed_mps for slow will not do"):
        read_phrases(file, parameters)
    file.write_text('say: ["roll"]\nmanner: {force_n: {slow: 3}}\n')
    with pytest.raises(DescriptionError, match="force_n is no parameter"):
        read_phrases(file, parameters)
    file.write_text('say: ["roll"]\nmanner: {speed_mps: {hasty: 3}}\n')
    with pytest.raises(DescriptionError, match="hasty"):
        read_phrases(file, parameters)
