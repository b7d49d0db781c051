"""A text is not walked that has a word which nothing can take; what can be read is never ruled out."""

from __future__ import annotations

import pytest

from framework.plan.parser import Understood
from grammars.domain import NamesOfFile, read_domain
from grammars.language import Language
from grammars.reading.matching import Matching

_DOMAIN = """
names: {things: [gate, door of the shed]}
lists: {thing: {provider: things}}
actions:
  ring: {say: ["ring the bell", "ring"]}
  open: {parameters: {thing: text}, say: ["open {thing}"]}
  shut: {parameters: {thing: text}, say: ["shut {thing} [for good]"]}
  watch: {say: ["watch"], continuous: true}
  utter: {parameters: {text: text}, say: ["utter {text}"]}
  call: {parameters: {thing: text, name: text}, say: ["call {thing} by [the name] {name}"]}
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Language, NamesOfFile]:
    file = tmp_path_factory.mktemp("domain") / "gate.yaml"
    file.write_text(_DOMAIN)
    read = read_domain(file)
    return Language(read.actions), read.world


def _walked(made: tuple[Language, NamesOfFile], text: str, *, is_loose: bool = False) -> Matching:
    language, world = made
    return Matching(
        language.recogniser.read(text, world, language.kinds),
        world,
        text,
        references=language.markers.references,
        boundaries=language.markers.boundaries,
        kinds=language.kinds,
        is_thorough=False,
        is_loose=is_loose,
    )


@pytest.mark.parametrize(
    "text",
    [
        "open the purple gate",
        "ring the bell merrily",
        "merrily ring the bell",
        "open the gate and bells",
        "shut the gate, then call the gate xyzzy",  # any words may be said behind "by" only
        "ring xyzzy, utter hello",  # what may say anything begins behind it
    ],
)
@pytest.mark.parametrize("is_loose", [False, True])
def test_a_word_that_nothing_takes(made: tuple[Language, NamesOfFile], text: str, is_loose: bool) -> None:
    language, world = made
    assert language.grammar.clauses.coverage.rules_out(_walked(made, text, is_loose=is_loose))
    assert language.as_it_stands(text, world).readings == ()


@pytest.mark.parametrize(
    "text", ["shut the gate and utter hello and call the gate xyzzy", "call the gate by plugh"]
)
def test_words_that_any_may_be(made: tuple[Language, NamesOfFile], text: str) -> None:
    assert not made[0].grammar.clauses.coverage.rules_out(_walked(made, text))


_UNDERSTOOD = (
    "ring",
    "ring the bell and open the gate",
    "could you please shut the gate for good?",
    "utter xyzzy plugh",
    "open the door of the shed, then utter xyzzy",
    "call the gate by xyzzy",
    "call the gate by the name xyzzy",
    "call it by xyzzy",
    "watch until I say xyzzy",
    "ringing the bell is nice, utter this",
    "open and shut the gate",
    "stop watching",
    "ring three times",
    "watch for ten seconds",
    "when I say plugh, open the gate",
    "open the gate, the door of the shed",
)


@pytest.mark.parametrize("text", _UNDERSTOOD)
@pytest.mark.parametrize("is_loose", [False, True])
def test_what_is_read_is_not_ruled_out(made: tuple[Language, NamesOfFile], text: str, is_loose: bool) -> None:
    language, world = made
    if language.as_it_stands(text, world).readings:
        assert not language.grammar.clauses.coverage.rules_out(_walked(made, text, is_loose=is_loose))


def test_nothing_is_ruled_out_where_no_name_is_known(made: tuple[Language, NamesOfFile]) -> None:
    """Any words will do for names then, so that phrases can be tried."""
    language = made[0]
    assert language.parse("open the xyzzy", NamesOfFile({})) != language.parse("xyzzy", NamesOfFile({}))
    assert isinstance(language.parse("open the xyzzy", NamesOfFile({})), Understood)
