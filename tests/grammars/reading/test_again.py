"""Again and again, every ten seconds, three times: in whatever order that is said."""

from __future__ import annotations

import pytest

from framework.plan.again import again, times
from framework.plan.ast import Do, Elapsed, Parallel, Plan, Sequence, State, Until, Wait
from framework.plan.parser import NotUnderstood
from grammars.domain import NamesOfFile, read_domain
from grammars.language import Language

_DOMAIN = """
names: {things: [gate]}
lists: {thing: {provider: things}}
actions:
  ring: {say: ["ring the bell", "ring"]}
  open: {parameters: {thing: text}, say: ["open {thing}"]}
  shut: {parameters: {thing: text}, say: ["shut {thing}"]}
  watch: {say: ["watch"], continuous: true}
  utter: {parameters: {text: text}, say: ["utter {text}"]}
"""
RING = Do("ring")
OPEN, SHUT = Do("open", {"thing": "gate"}), Do("shut", {"thing": "gate"})
TEN_S = Wait(Elapsed(10.0))
STOP = State("said", {"words": "stop"})


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Language, NamesOfFile]:
    file = tmp_path_factory.mktemp("domain") / "gate.yaml"
    file.write_text(_DOMAIN)
    read = read_domain(file)
    return Language(read.actions), read.world


def _plan(made: tuple[Language, NamesOfFile], text: str) -> Plan | None:
    result = made[0].parse(text, made[1])
    if isinstance(result, NotUnderstood):
        return None
    assert result.readings[0].confidence >= 0.9
    return result.readings[0].plan


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("every ten seconds ring", again(RING, TEN_S)),
        ("ring every ten seconds", again(RING, TEN_S)),
        ("ring again and again", again(RING)),
        ("every 10 s ring the bell until I say stop", Until(again(RING, TEN_S), STOP)),
        ("ring every 10 s until I say stop", Until(again(RING, TEN_S), STOP)),
        ("until I say stop, ring every ten seconds", Until(again(RING, TEN_S), STOP)),
        ("every ten seconds ring, until I say stop", Until(again(RING, TEN_S), STOP)),
        ("every ten seconds utter are we there until I say stop",
         Until(again(Do("utter", {"text": "are we there"}), TEN_S), STOP)),
        ("ring three times", Sequence((RING, RING, RING))),
        ("three times ring", Sequence((RING, RING, RING))),
        ("ring twice", Sequence((RING, RING))),
        ("ring x3", Sequence((RING, RING, RING))),
        ("ring three times with ten seconds in between", Sequence((RING, TEN_S, RING, TEN_S, RING))),
        ("every ten seconds ring, three times", Sequence((RING, TEN_S, RING, TEN_S, RING))),
        ("utter hello twice", times(Do("utter", {"text": "hello"}), 2)),
        ("twice open and shut the gate", Sequence((OPEN, SHUT, OPEN, SHUT))),
        ("keep opening and shutting the gate until I say stop", Until(again(Sequence((OPEN, SHUT))), STOP)),
        ("keep watching", Do("watch")),
        ("open the gate and ring twice", Sequence((OPEN, RING, RING))),
        ("open the gate and ring, twice", Sequence((OPEN, RING, OPEN, RING))),
        ("watch and ring twice", Parallel((Do("watch"), Sequence((RING, RING))))),
    ],
)  # fmt: skip
def test_it_is_understood_in_any_order(made: tuple[Language, NamesOfFile], text: str, plan: Plan) -> None:
    assert _plan(made, text) == plan


def test_nothing_comes_after_what_has_no_end(made: tuple[Language, NamesOfFile]) -> None:
    assert _plan(made, "every ten seconds ring, then open the gate") is None


@pytest.mark.parametrize("plan", [again(RING, TEN_S), Until(again(RING, TEN_S), STOP), again(RING)])
def test_it_is_read_back_so_that_it_is_understood_again(
    made: tuple[Language, NamesOfFile], plan: Plan
) -> None:
    assert _plan(made, made[0].in_words(plan, made[1])) == plan
