"""`phrases.yaml`: each mistake gets its file, its line, and what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from framework.errors import DescriptionError
from framework.plugins import ParameterSpec, read_phrases
from framework.plugins.phrases import SlotList
from framework.plugins.template import can_be_empty, parse_template, slots_of

THING = ParameterSpec("thing", str)
SPEED = ParameterSpec("speed", float, 1.0)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "empty"),
        ("[]", 1, "keys and values"),
        ("hello", 1, "keys and values"),
        ("say: [track {thing}]", 1, "put each phrase in quotes"),
        ("say:\n  - [the] hand", 2, "no YAML"),
        ("say:\n  - [the]\n", 2, "put the phrase in quotes"),
        ("say:\n  - 'track {thing}'\n  - yes", 3, '"yes"'),
        ("say:\n  - 'track {thing}'\n  - 12", 3, '"12"'),
        ("say: 'track {thing}'", 1, "list of texts"),
        ("say: []", 1, "at least one"),
        ("rules: {a: 'b'}", 1, "phrases are missing"),
        ("frames: x", 1, 'frames has to be a list: [{verbs: [raise], theme: "<arm>"}]'),
        ("frames:\n  - {verbs: [raise]}", 2, "a frame needs a theme"),
        ("frames:\n  - {acts: [go], verbs: [send], roles: [home]}", 2, "verbs, goes and state need a theme"),
        (
            'frames:\n  - {theme: "the arm"}',
            2,
            "a frame needs acts or verbs (what is done), goes (what it does) or a state",
        ),
        (
            "frames:\n  - {verb: [raise], theme: arm}",
            2,
            "keys are acts, verbs, goes, nouns, state, theme, roles, sets",
        ),
        ("says: ['x']", 1, "keys are say, frames, asked, rules, lists, manner, samples"),
        ("say: ['track {thing}']\nsay: ['follow {thing}']", 2, "twice"),
        ("say: ['track {thing}']\nyes: ['x']", 2, "put it in quotes"),
        (
            "say:\n  - 'track {thing}'\n  - 'track {object}'",
            3,
            "{object} is no parameter of the action; it has thing",
        ),
        ("say:\n  - 'track {thing}'\n  - 'track'", 3, "can be said without {thing}"),
        ("say: ['track [{thing}]']", 1, "can be said without {thing}"),
        ("say: ['track ({thing}|it)']", 1, "can be said without {thing}"),
        ("say: ['[track] [{thing}]']", 1, "saying nothing"),
        ("say: ['track {thing']", 1, "without its other half"),
        ("say: ['track (the {thing}']", 1, "no ')' closes"),
        ("say: ['track the) {thing}']", 1, "nothing opens"),
        ("say: ['track [the) {thing}']", 1, "no ']' closes"),
        ("say: ['track {Thing}']", 1, "cannot name a slot"),
        ("say: ['track {}']", 1, "cannot name a slot"),
        ("say: ['track <The> {thing}']", 1, "cannot name a rule"),
        ("say: ['track <a> {thing}']\nrules:\n  a: 'the <b>'\n  b: '[my] <a>'", 3, "contains itself"),
        ("say: ['track {thing}']\nrules:\n  a: [the]", 3, "text in quotes"),
        ("say: ['track {thing}']\nrules: ['x']", 2, "keys and values"),
        ("say: ['track {thing}']\nlists: {thing: [a]}", 2, "keys and values"),
        ("say: ['track {thing}']\nlists: {thing: {a: []}}", 2, "at least one way"),
        ("say: ['track {thing}']\nlists: {thing: {provider: x, a: [b]}}", 2, "nothing else"),
        ("say: ['track {thing}']\nlists: {thing: {provider: x, by_name: maybe}}", 2, "true or false"),
        ("say: ['track {thing}']\nlists: {thing: {provider: x, who_are: here}}", 2, "by_name: true"),
        ("say: ['track {thing}']\nsamples: 'x'", 2, "list of texts"),
        ("say: ['" + "(" * 5000 + "x" + ")" * 5000 + "']", 1, ""),
        ("say:\n  - 'track {thing}'\n  - 'track {thing}'", 3, "stands in line 2 already"),
        ("say: ['track {any:thing}']", 1, "nobody says what the list 'any' is; there are no lists"),
        ("say: ['track {any:thing}']\nlists: {thing: {a: [b]}}", 1, "lists are thing"),
        ("say: ['track {thing}']\nlists: {thing: {}}", 2, "is empty"),
        ("say: ['<maybe> {thing:=hand}']\nrules: {maybe: '[now]'}", 1, "saying nothing"),
        ("say: ['track {thing}'\n", 2, "no YAML"),
        ("say: &a [*a]", 1, ""),
        ("\x00", 1, "no YAML"),
        ("!!python/object:os.system [x]", 1, "keys and values"),
    ],
)
def test_each_mistake_is_named_with_its_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    file = tmp_path / "phrases.yaml"
    file.write_text(text)
    with pytest.raises(DescriptionError) as caught:
        read_phrases(file, [THING, SPEED])
    assert caught.value.file == str(file)
    assert caught.value.line == line
    assert words in str(caught.value)


def test_a_file_that_is_no_text_or_not_there(tmp_path: Path) -> None:
    file = tmp_path / "phrases.yaml"
    with pytest.raises(DescriptionError, match="cannot be read: No such file"):
        read_phrases(file)
    file.write_bytes(b"say: ['\xff\xfe']")
    with pytest.raises(DescriptionError, match="not UTF-8"):
        read_phrases(file)


def test_a_good_file(tmp_path: Path) -> None:
    file = tmp_path / "phrases.yaml"
    file.write_text(
        'say:\n  - "track <det> {thing} [at {speed}]"\n\n  - "keep an eye on {known:thing}"\n'
        'rules: {det: "[the|a]"}\nsamples: ["track the hand"]\n'
        "lists:\n  known: {provider: world.things, by_name: true, who_are: here}\n"
        "  speed: {slow: [slowly, slow]}\n"
    )
    phrases = read_phrases(file, [THING, SPEED])
    assert phrases.say == ("track <det> {thing} [at {speed}]", "keep an eye on {known:thing}")
    assert phrases.lines == (2, 4)
    assert phrases.rules == (("det", "[the|a]"),)
    assert phrases.samples == ("track the hand",)
    assert (phrases.sample_lines, phrases.rule_lines) == ((6,), (5,))
    assert phrases.lists == (
        SlotList("known", "world.things", line=8, by_name=True, who_are="here"),
        SlotList("speed", values=(("slow", ("slowly", "slow")),), line=9),
    )


def test_rules_of_the_language_core_are_left_to_it(tmp_path: Path) -> None:
    file = tmp_path / "phrases.yaml"
    file.write_text('say: ["track <object>"]')
    assert read_phrases(file, [THING]).say == ("track <object>",)


@pytest.mark.parametrize(
    ("text", "always", "sometimes", "empty"),
    [
        ("show (me|) the [big] room", (), (), False),
        ("{a} then {b}", ("a", "b"), ("a", "b"), False),
        ("{a} [then {b}]", ("a",), ("a", "b"), False),
        ("({a}|{b})", (), ("a", "b"), False),
        ("(go to {a}|to {a} [go])", ("a",), ("a",), False),
        ("{list:a} {b:=it}", ("a", "b"), ("a", "b"), False),
        ("[a|b] [c]", (), (), True),
        ("(a|)", (), (), True),
    ],
)
def test_which_slots_are_always_said(
    text: str, always: tuple[str, ...], sometimes: tuple[str, ...], empty: bool
) -> None:
    template = parse_template(text)
    found_always, found_sometimes, _ = slots_of(template, {})
    assert found_always == frozenset(always)
    assert found_sometimes == frozenset(sometimes)
    assert can_be_empty(template) is empty
