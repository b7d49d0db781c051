"""The language core is data: every mistake in it is named with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from framework.dialogue.meta import MetaKind
from framework.errors import DescriptionError
from grammars import Language
from grammars.core import Marker
from grammars.core_file import ENGLISH, english, read_core
from tests.grammars.kitchen import CONDITIONS, KITCHEN, do, plan_of


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "empty"),
        ("[]", 1, "keys and values"),
        ("rules: [", 1, "no YAML"),
        ("language: English\nnonsense: 1", 2, "no key 'nonsense'"),
        ("clause:\n  commandin: [please]", 2, "no key 'commandin'"),
        ("joins: {then: then}", 1, "list of texts"),
        ('joins: {then: ["then (and"]}', 1, "bracket"),
        ('joins:\n  then:\n    - "then"\n    - "[then]"', 4, "saying nothing"),
        ('joins: {then: ["then {words}"]}', 1, "no slot"),
        ('joins: {for_time: ["for a while"]}', 1, "{duration_s}"),
        ('joins: {then: ["<soon>"]}', 1, "<rule>"),
        ('rules: {a: "<b>", b: "<a>"}\njoins: {then: ["then <a>"]}', 2, "contains itself"),
        ("flags: {on: [on]}", 1, "no text for YAML"),
        ('flags: {"maybe": ["perhaps"]}', 1, "no key 'maybe'"),
        ("pause: {action: wait}", 1, "pause needs both"),
        ("meta: {phrases: {dance: [dance]}}", 1, "no key 'dance'"),
        ("meta: {numbers: [one]}", 1, "list of texts"),
        ("meta: {numbers: one}", 1, "list of lists"),
        ('references: [""]', 1, "nobody can say nothing"),
        ("references: [it]\nreferences: [them]", 2, "twice"),
        ("conditions:\n  denied:\n    is: ['isn''t', '(']", 3, "bracket"),
    ],
)
def test_mistakes_are_named_with_file_and_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    file = tmp_path / "core.yaml"
    file.write_text(text)
    with pytest.raises(DescriptionError) as caught:
        read_core(file)
    assert message in str(caught.value)
    assert caught.value.file == str(file)
    assert caught.value.line == line


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match="cannot be read"):
        read_core(tmp_path / "none.yaml")


def test_english_knows_no_robot() -> None:
    words = ENGLISH.read_text().casefold()
    for word in ("camera", "gripper", "joint", "lidar", "sensor", "track"):
        assert word not in words


def test_english_has_words_for_everything() -> None:
    core = english()
    assert set(core.markers) == set(Marker)
    commands = core.meta
    for kind in set(MetaKind) - {MetaKind.CHOICE}:
        assert commands.phrases[kind], kind
    assert commands.numbers[1] == ("two",)


def test_another_language_is_another_file(tmp_path: Path) -> None:
    file = tmp_path / "deutsch.yaml"
    file.write_text(
        'language: Deutsch\nclause: {closing: ["bitte"]}\n'
        'joins: {then: ["dann", ", dann"], and: ["und"], until: ["bis"]}\nreferences: [es]\n'
    )
    from tests.grammars.kitchen import action

    language = Language(
        (action("hum", ("summe",), continuous=True), action("rest", ("ruhe",))), core=read_core(file)
    )
    plan = plan_of("summe bitte, dann ruhe", language)
    assert plan == plan_of("summe dann ruhe", language)
    assert language.in_words(do("hum")) == "summe"


def test_an_empty_core_understands_single_clauses() -> None:
    from grammars.core import Core

    language = Language(KITCHEN, conditions=CONDITIONS, core=Core())
    assert plan_of("set table", language) == do("set_table")
