"""`phrases.yaml`: how people ask for an action. Read and checked here, with file and line; matched elsewhere.

    say: ["track {thing}", "show [the] {kind:what}"]
    rules: {quickly: "[quickly|fast]"}          # parts that phrases share, written <quickly>
    lists:                                      # what may be said for a slot, by its name or as {list:slot}
      thing: {provider: world.things}           # whatever is known under that heading when it is said
      kind: {scan: [scan, laser scan]}          # values, and the ways to say each
    manner: {speed_mps: {slow: 0.1, fast: 0.8}} # what "slowly" and "fast" mean for which parameter
    samples: ["track the hand"]                 # sentences that must parse back to this action
    asked: ["track ({thing:=hand}|{thing:=face})"]  # phrases that leave something open: that is asked
    frames:                                     # verbs and what takes part, in every construction of the core
      - {verbs: [raise, lift], goes: [rise], theme: "<arm>", roles: ["[by {far}]"], sets: "{way:=up}"}
    shared_with: [look_at]                      # actions that a sentence may mean as well: that is asked
    topics: {hold: ["hold|holding|in your hand"]} # words that tell what a question is about
    answers:                                    # questions that this action answers, whatever their words
      - {asks: [how_far], of: [thing], do: {thing: "{thing}", asked: "how_far"}}
    names:                                      # what is known by its name then, for what is said behind it
      - {by: name, of: places, if: {kind: place}}

Only `say` or `frames` is necessary; a slot without a list takes any words. Every slot is a parameter of the
action, but `{known:unused}`, which says nothing (back 1 m "from the table"); and every parameter without a
default is said in every phrase.
Rules that the file does not define belong to the language core and are not looked into here; whether
the phrases of all actions can live together is `grammars.tools.lint`'s question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
import yaml

from framework.errors import DescriptionError
from framework.plugins.described import Described, Entry, Text
from framework.plugins.parameters import ParameterSpec
from framework.plugins.template import (
    UNUSED,
    Rules,
    Template,
    can_be_empty,
    parse_template,
    slots_of,
    slots_within,
)
from framework.yaml_reader import line_of, text_of

FILE_NAME = "phrases.yaml"
#: A list that is always there: what is being done just now ("tracking the hand").
ACTIVITIES = "activities"
#: Another: any words that say that something is so ("dinner is ready"), or stand in quotes or behind a colon.
STATEMENTS = "statements"
#: Another: words that are themselves to be said ("hello"), none that only tell of them ("something funny").
TEXTS = "texts"
#: In which manner something may be done, where a number says it.
MANNERS = ("slow", "gentle", "fast", "firm")
_KEYS = (
    "say",
    "frames",
    "asked",
    "rules",
    "lists",
    "manner",
    "samples",
    "shared_with",
    "topics",
    "answers",
    "names",
)
_FRAME = ("acts", "verbs", "goes", "nouns", "state", "theme", "roles", "sets")
_ANSWERS = ("asks", "about", "of", "do")
_NAMES = ("by", "of", "if")


class SlotList(msgspec.Struct, frozen=True):
    """What may be said for a slot: values with the ways to say each, or whatever `provider` knows then.

    by_name: only so; "it" and "that" will not do ("hand it over to phone 2" is about somebody, not a thing).
    who_are: what is so of those whom `provider` knows ("connected"), for whoever names somebody else.
    called: they are people, whom somebody may call before an instruction: "Robin, find my book".
    known_only: no word that nobody knows is taken for one, not even to say that there is none: of what a name
    alone stands for.
    """

    name: str
    provider: str = ""
    values: tuple[tuple[str, tuple[str, ...]], ...] = ()
    line: int = 0
    by_name: bool = False
    who_are: str = ""
    called: bool = False
    known_only: bool = False


class Answers(msgspec.Struct, frozen=True):
    """Questions that an action answers (`grammars.reading.questions` says which kinds, topics and subjects
    there are). None of them said: all of them.

    do: the action's parameters, by name; "{thing}" and the like is what was asked about.
    """

    asks: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    of: tuple[str, ...] = ()
    do: tuple[tuple[str, str], ...] = ()
    line: int = 0


class Names(msgspec.Struct, frozen=True):
    """What an action makes known: under the provider `of`, by the name that its parameter `by` says.

    given: values that other parameters must have for that.
    """

    by: str
    of: str
    given: tuple[tuple[str, str], ...] = ()


class VerbFrame(msgspec.Struct, frozen=True):
    """What is done, and what takes part in it; how English may say so is the core's (`constructions`).

    acts: what one does oneself ("go"); such a frame needs no theme. verbs: what somebody does to the theme
    ("raise"). goes: what the theme does then ("rise"). nouns: what is given it, or done with it ("a lift").
    state: how it is then ("open"). theme, roles, sets: templates: what it is about, the rest in any order,
    what is set.
    """

    theme: str = ""
    verbs: tuple[str, ...] = ()
    goes: tuple[str, ...] = ()
    state: str = ""
    roles: tuple[str, ...] = ()
    sets: str = ""
    line: int = 0
    acts: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()


class Phrases(msgspec.Struct, frozen=True):
    """A phrases file. `rules` are (name, template); `lines` are those of `say`, and so on.

    manner: of parameters that say how something is done, their values for words like "slow".
    asked: phrases that leave open which of several values is meant; who says one is asked; with lines, too.
    shared_with: other actions that some of its sentences may mean as well; who says one is asked.
    """

    file: str = ""
    say: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()
    rules: tuple[tuple[str, str], ...] = ()
    samples: tuple[str, ...] = ()
    lists: tuple[SlotList, ...] = ()
    sample_lines: tuple[int, ...] = ()
    rule_lines: tuple[int, ...] = ()
    manner: tuple[tuple[str, tuple[tuple[str, float], ...]], ...] = ()
    shared_with: tuple[str, ...] = ()
    answers: tuple[Answers, ...] = ()
    topics: tuple[tuple[str, tuple[Template, ...]], ...] = ()
    asked: tuple[str, ...] = ()
    asked_lines: tuple[int, ...] = ()
    frames: tuple[VerbFrame, ...] = ()
    names: tuple[Names, ...] = ()

    @property
    def can_be_said(self) -> bool:
        """Whether there is any way to ask for it."""
        return bool(self.say or self.frames)


class Rule(msgspec.Struct, frozen=True):
    """A rule of a file: its text, and what it is."""

    name: str
    text: str
    template: Template
    line: int


def read_phrases(file: Path, parameters: Sequence[ParameterSpec] | None = None) -> Phrases:
    """Read a phrases file and check it, against a signature too if one is given.

    What has not changed since it was read last is not read again: most files are the same at the next start
    or reload. Raises DescriptionError with file, line, what stands there and what may.
    """
    text = text_of(file, "it")
    last = _LAST_READ.get(file)
    if last is not None and last[:2] == (text, parameters):
        return last[2]
    phrases = _read_phrases(Described(file, 'say: ["..."]', text), parameters)
    _LAST_READ[file] = text, parameters, phrases
    return phrases


_LAST_READ: Final[dict[Path, tuple[str, Sequence[ParameterSpec] | None, Phrases]]] = {}
"""Of each file: what stood in it, the signature that it was checked against, and what it was read as."""


def _read_phrases(described: Described, parameters: Sequence[ParameterSpec] | None) -> Phrases:
    entries = described.mapping(described.root, "the file", _KEYS)
    if not entries.keys() & {"say", "frames"}:
        raise described.error(described.root, 'the phrases are missing: say: ["track {thing}"]')
    rules = rules_in(described, entries)
    return phrases_in(described, entries, rules, lists_in(described, entries), parameters)


def phrases_in(
    described: Described,
    entries: Mapping[str, Entry],
    rules: Sequence[Rule],
    lists: Sequence[SlotList],
    parameters: Sequence[ParameterSpec] | None,
) -> Phrases:
    """The phrases of one action: `say` and `samples` of its entries, with rules and lists read before."""
    say = described.texts(entries["say"].value, "say") if "say" in entries else []
    samples = described.texts(entries["samples"].value, "samples") if "samples" in entries else []
    others = described.texts(entries["shared_with"].value, "shared_with") if "shared_with" in entries else []
    asked = described.texts(entries["asked"].value, "asked") if "asked" in entries else []
    if "say" in entries and not say:
        raise described.error(entries["say"].value, "say names no phrase; give at least one")
    known = Rules({rule.name: rule.template for rule in rules})
    seen: dict[str, int] = {}
    for phrase in (*say, *asked):
        tree = check(described, phrase, known, parameters)
        check_lists(described, phrase, tree, known, lists)
        if phrase.text in seen:
            raise described.error(
                phrase.node, f"{phrase.text!r} stands in line {seen[phrase.text]} already; leave one out"
            )
        seen[phrase.text] = phrase.line
    return Phrases(
        described.file,
        tuple(phrase.text for phrase in say),
        tuple(phrase.line for phrase in say),
        tuple((rule.name, rule.text) for rule in rules),
        tuple(sample.text for sample in samples),
        tuple(lists),
        tuple(sample.line for sample in samples),
        tuple(rule.line for rule in rules),
        _manner(described, entries, parameters),
        tuple(each.text for each in others),
        _answers(described, entries, parameters),
        _topics(described, entries),
        tuple(phrase.text for phrase in asked),
        tuple(phrase.line for phrase in asked),
        _frames(described, entries, known, lists, parameters),
        _names(described, entries, parameters),
    )


def _frames(
    described: Described,
    entries: Mapping[str, Entry],
    rules: Mapping[str, Template],
    lists: Sequence[SlotList],
    parameters: Sequence[ParameterSpec] | None,
) -> tuple[VerbFrame, ...]:
    """The `frames` of a mapping, if it has any; each is checked as the plainest way to say it."""
    if "frames" not in entries:
        return ()
    node = entries["frames"].value
    if not isinstance(node, yaml.SequenceNode) or not node.value:
        raise described.error(node, 'frames has to be a list: [{verbs: [raise], theme: "<arm>"}]')
    found = []
    for each in node.value:
        said = described.mapping(each, "a frame", _FRAME)
        several = {
            key: tuple(text.text for text in described.texts(said[key].value, key))
            for key in ("acts", "verbs", "goes", "nouns", "roles")
            if key in said
        }
        single = {
            key: described.text(said[key].value, key) for key in ("theme", "state", "sets") if key in said
        }
        if "theme" not in single and not several.keys() >= {"acts", "roles"}:
            raise described.error(
                each, 'a frame needs a theme, what it is about: theme: "<arm>"; or acts and roles'
            )
        frame = VerbFrame(line=line_of(each), **single, **several)  # type: ignore[arg-type]  # by their keys
        if (frame.verbs or frame.goes or frame.state) and not frame.theme:
            raise described.error(each, 'verbs, goes and state need a theme: theme: "<arm>"')
        heads = (*frame.acts, *frame.verbs, *frame.goes, *frame.nouns, *filter(None, (frame.state,)))
        if not heads:
            raise described.error(
                each, "a frame needs acts or verbs (what is done), goes (what it does) or a state"
            )
        plain = " ".join((f"({'|'.join(heads)})", frame.theme, *frame.roles, frame.sets))
        tree = check(described, Text(plain, each), rules, parameters)
        check_lists(described, Text(plain, each), tree, rules, lists)
        found.append(frame)
    return tuple(found)


def _manner(
    described: Described, entries: Mapping[str, Entry], parameters: Sequence[ParameterSpec] | None
) -> tuple[tuple[str, tuple[tuple[str, float], ...]], ...]:
    """What "slowly" and the like mean for which parameters."""
    if "manner" not in entries:
        return ()
    known = {each.name: each for each in parameters or ()}
    found = []
    for name, (key, node) in described.mapping(entries["manner"].value, "manner").items():
        parameter = known.get(name)
        if parameters is not None and (parameter is None or parameter.type not in (int, float)):
            raise described.error(key, f"{name} is no parameter of the action that is a number")
        values = []
        for word, (_, value) in described.mapping(node, f"manner of {name}", MANNERS).items():
            number = described.number(value, f"{name} for {word}")
            if parameter is not None and (problem := parameter.problem_with(number)):
                raise described.error(value, f"{name} for {word} will not do, {problem}")
            values.append((word, number))
        found.append((name, tuple(values)))
    return tuple(found)


def _topics(
    described: Described, entries: Mapping[str, Entry]
) -> tuple[tuple[str, tuple[Template, ...]], ...]:
    """The `topics` of a mapping, if it has any."""
    if "topics" not in entries:
        return ()
    named = described.mapping(entries["topics"].value, "topics")
    return tuple(
        (name, tuple(parsed(described, text) for text in described.texts(node, name)))
        for name, (_, node) in named.items()
    )


def _answers(
    described: Described, entries: Mapping[str, Entry], parameters: Sequence[ParameterSpec] | None
) -> tuple[Answers, ...]:
    """The `answers` of a mapping, if it has any."""
    if "answers" not in entries:
        return ()
    node = entries["answers"].value
    if not isinstance(node, yaml.SequenceNode):
        raise described.error(node, 'answers has to be a list: [{asks: [where], do: {thing: "{thing}"}}]')
    names = [parameter.name for parameter in parameters or ()]
    found = []
    for each in node.value:
        said = described.mapping(each, "an answer", _ANSWERS)
        lists = {
            key: tuple(text.text for text in described.texts(said[key].value, key))
            for key in ("asks", "about", "of")
            if key in said
        }
        given = described.mapping(said["do"].value, "do") if "do" in said else {}
        for name, (key, _) in given.items():
            if parameters is not None and name not in names:
                has = ", ".join(names) or "none"
                raise described.error(key, f"{name!r} is no parameter of the action; it has {has}")
        do = tuple((name, described.text(value, name)) for name, (_, value) in given.items())
        found.append(Answers(do=do, line=line_of(each), **lists))
    return tuple(found)


def _names(
    described: Described, entries: Mapping[str, Entry], parameters: Sequence[ParameterSpec] | None
) -> tuple[Names, ...]:
    """The `names` of a mapping, if it has any."""
    if "names" not in entries:
        return ()
    node = entries["names"].value
    if not isinstance(node, yaml.SequenceNode):
        raise described.error(node, "names has to be a list: [{by: name, of: places}]")
    known = [parameter.name for parameter in parameters or ()]
    found = []
    for each in node.value:
        said = described.mapping(each, "a name", _NAMES)
        if not said.keys() >= {"by", "of"}:
            raise described.error(
                each, "say by which parameter it is named, and of what: {by: name, of: places}"
            )
        given = described.mapping(said["if"].value, "if") if "if" in said else {}
        by = described.text(said["by"].value, "by")
        for name, at in ((by, said["by"].value), *((name, key) for name, (key, _) in given.items())):
            if parameters is not None and name not in known:
                has = ", ".join(known) or "none"
                raise described.error(at, f"{name!r} is no parameter of the action; it has {has}")
        values = tuple((name, described.text(value, name)) for name, (_, value) in given.items())
        found.append(Names(by, described.text(said["of"].value, "of"), values))
    return tuple(found)


def rules_in(described: Described, entries: Mapping[str, Entry]) -> tuple[Rule, ...]:
    """The `rules` of a mapping, if it has any."""
    if "rules" not in entries:
        return ()
    rules = []
    for name, (_, node) in described.mapping(entries["rules"].value, "rules").items():
        if not isinstance(node, yaml.ScalarNode) or not node.tag.endswith(":str"):
            raise described.error(node, f'rule {name} has to be a text in quotes: {name}: "[the|a]"')
        rules.append(Rule(name, node.value, parsed(described, Text(node.value, node)), line_of(node)))
    templates = Rules({rule.name: rule.template for rule in rules})
    for rule in rules:
        try:
            slots_of(rule.template, templates)
        except DescriptionError as error:
            raise DescriptionError(str(error), file=described.file, line=rule.line) from error
    return tuple(rules)


def lists_in(described: Described, entries: Mapping[str, Entry]) -> tuple[SlotList, ...]:
    """The `lists` of a mapping, if it has any."""
    if "lists" not in entries:
        return ()
    return tuple(
        _list(described, name, node)
        for name, (_, node) in described.mapping(entries["lists"].value, "lists").items()
    )


def parsed(described: Described, text: Text) -> Template:
    """The tree of a template in a file."""
    try:
        return parse_template(text.text)
    except (DescriptionError, RecursionError) as error:
        raise described.error(text.node, str(error)) from error


def check(
    described: Described,
    phrase: Text,
    rules: Mapping[str, Template],
    parameters: Sequence[ParameterSpec] | None,
) -> Template:
    """The tree of a phrase, if it can be said and its slots are those of a signature."""
    tree = parsed(described, phrase)
    try:
        always, sometimes, all_known = slots_of(tree, rules)
    except DescriptionError as error:
        raise described.error(phrase.node, str(error)) from error
    if can_be_empty(tree, rules):
        raise described.error(
            phrase.node, f"{phrase.text!r} could be said by saying nothing; make one word of it necessary"
        )
    if parameters is None:
        return tree
    names = [parameter.name for parameter in parameters]
    for slot in sorted(sometimes):
        if slot not in (*names, UNUSED):
            has = ", ".join(names) or "none"
            raise described.error(
                phrase.node, f"{phrase.text!r}: {{{slot}}} is no parameter of the action; it has {has}"
            )
    missing = [
        parameter.name for parameter in parameters if parameter.is_required and parameter.name not in always
    ]
    if missing and all_known:
        raise described.error(
            phrase.node,
            f"{phrase.text!r} can be said without {{{missing[0]}}}, which has no default: say it in every "
            "phrase, or give the parameter a default",
        )
    return tree


def check_lists(
    described: Described,
    phrase: Text,
    tree: Template,
    rules: Mapping[str, Template],
    lists: Sequence[SlotList],
) -> None:
    """Whether every list that is named in `{list:slot}` is there."""
    names = [each.name for each in lists]
    for slot in slots_within(tree, rules):
        if slot.list not in (*names, slot.name, ACTIVITIES, STATEMENTS, TEXTS, ""):
            has = f"lists are {', '.join(names)}" if names else "there are no lists in this file"
            raise described.error(
                phrase.node, f"{phrase.text!r}: nobody says what the list {slot.list!r} is; {has}"
            )


def _list(described: Described, name: str, node: yaml.Node) -> SlotList:
    entries = described.mapping(node, f"list {name}")
    if "provider" in entries:
        provider = entries["provider"].value
        others = entries.keys() - {"provider", "by_name", "who_are", "called", "known_only"}
        if others or not isinstance(provider, yaml.ScalarNode) or not provider.value:
            raise described.error(
                node,
                f"list {name} has a provider, so nothing else: {{provider: world.things}}, or "
                "{provider: world.people, by_name: true, who_are: present}",
            )
        by_name = "by_name" in entries and described.flag(entries["by_name"].value, "by_name")
        called = "called" in entries and described.flag(entries["called"].value, "called")
        who_are = ""
        if "who_are" in entries:
            who_are = described.text(entries["who_are"].value, "who_are")
            if not by_name:
                raise described.error(node, f"list {name} says who_are, so it is about people: by_name: true")
        known_only = "known_only" in entries and described.flag(entries["known_only"].value, "known_only")
        return SlotList(
            name,
            provider.value,
            line=line_of(node),
            by_name=by_name,
            who_are=who_are,
            called=called,
            known_only=known_only,
        )
    if not entries:
        raise described.error(node, f"list {name} is empty; give values, or a provider")
    values = []
    for said, (_, ways) in entries.items():
        texts = described.texts(ways, said)
        if not texts:
            raise described.error(ways, f"nobody can say {said!r}: give at least one way to say it")
        values.append((said, tuple(text for text, _ in texts)))
    return SlotList(name, values=tuple(values), line=line_of(node))
