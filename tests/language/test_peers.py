"""The grammars that others get of our phrases, and the crowd of known objects that parsing is timed in."""

from __future__ import annotations

import pytest

from framework.errors import PluginUnavailable
from framework.plan.ast import Do, Plan, Reference
from framework.plan.parser import Known
from grammars import Language
from grammars.domain import Domain, read_domain
from pilothouse.experiments.language.crowd import (
    FORMS,
    KINDS,
    OBJECTS,
    Crowded,
    quantile,
    sentences,
    things,
)
from pilothouse.experiments.language.hassil import Hassil
from pilothouse.experiments.language.lark import Lark
from pilothouse.experiments.language.peers import Peer, grammar_of

DOMAIN = """
names: {food: [{value: fried_eggs, name: fried eggs, says: [eggs]}, rice]}
lists: {food: {provider: food}}
rules: {cook: "(cook|prepare|make)"}
actions:
  cook:
    parameters:
      food: text
      time_s: {type: number, default: 0.0}
      heat: {type: text, default: low, one_of: [low, high]}
    say: ["<cook> {food} [for {time_s}] [on {heat} heat]"]
  stir:
    parameters: {times: {type: whole, default: 1}}
    say: ["stir (once{times:=1}|twice{times:=2}|{times} times)"]
  say:
    parameters: {text: text}
    say: ["say {text}"]
"""


@pytest.fixture(scope="module")
def domain(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    file = tmp_path_factory.mktemp("domain") / "kitchen.yaml"
    file.write_text(DOMAIN)
    return read_domain(file)


@pytest.fixture(scope="module", params=["hassil", "lark"])
def peer(request: pytest.FixtureRequest, domain: Domain) -> Peer:
    pytest.importorskip(request.param)
    grammar = grammar_of(Language(domain.actions), domain.world)
    return Hassil(grammar) if request.param == "hassil" else Lark(grammar)


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("cook the rice", Do("cook", {"food": "rice"})),
        ("Prepare eggs on high heat", Do("cook", {"food": "fried_eggs", "heat": "high"})),
        ("make it for 2 minutes", Do("cook", {"food": Reference("it"), "time_s": 120.0})),
        ("stir twice", Do("stir", {"times": 2})),
        ("stir 3 times", Do("stir", {"times": 3})),
        ("say good morning", Do("say", {"text": "good morning"})),
        ("cook the car", None),
        ("stir", None),
    ],
)
def test_others_understand_what_their_form_can_say(peer: Peer, text: str, plan: Plan | None) -> None:
    assert peer.understand(text) == plan


def test_one_that_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch, domain: Domain) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("importlib.import_module", missing)
    with pytest.raises(PluginUnavailable, match=r"pip install 'pilothouse\[experiments\]'"):
        Lark(grammar_of(Language(domain.actions), domain.world))


def test_a_crowd_is_as_large_as_it_says_and_stays_equal(domain: Domain) -> None:
    crowd = things()
    assert len({known.value for known in crowd}) == OBJECTS
    crowded = Crowded(domain.world, crowd)
    assert len(crowded.known(KINDS[0])) == OBJECTS
    assert crowded.known(KINDS[0]) is crowded.known(KINDS[0])
    assert crowded.known("food") == domain.world.known("food")
    assert Known("rice", "rice") in crowded.known("food")
    with pytest.raises(ValueError, match="1000 things, not for 1001"):
        things(OBJECTS + 1)


def test_sentences_about_a_crowd_differ_with_the_seed_only() -> None:
    assert sentences(30, 1) == sentences(30, 1) != sentences(30, 2)
    assert len(set(sentences(len(FORMS), 0))) == len(FORMS)


def test_quantiles() -> None:
    values = [float(number) for number in range(100, 0, -1)]
    assert (quantile(values, 0.5), quantile(values, 0.99)) == (51.0, 100.0)
    assert quantile([3.0], 0.99) == 3.0
