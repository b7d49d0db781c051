"""Reads the core of a language from its file (`english.yaml`).

Everything that is wrong with such a file is said with file and line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import yaml

from framework.dialogue.meta import MetaKind, MetaPhrases
from framework.dialogue.referring import Sign
from framework.errors import DescriptionError
from framework.plugins import template as syntax
from framework.plugins.described import Described, Entry, Text
from framework.plugins.template import Template, can_be_empty, parse_template, slots_of, ways_of
from grammars.core import (
    COUNTED,
    DURATION,
    PARTS,
    VALUE,
    WHAT,
    WORDS,
    Asides,
    Core,
    Cutting,
    Marker,
    Refusing,
    Respelt,
    Skimming,
    Statements,
    Texts,
)
from grammars.question_words import QuestionWords, Ways, Words

ENGLISH = Path(__file__).with_name("english.yaml")
_SLOTS = {
    **dict.fromkeys((Marker.FOR_TIME, Marker.DELAY_BEFORE, Marker.DELAY_AFTER, Marker.ELAPSED), DURATION),
    Marker.EVERY: DURATION,
    Marker.BETWEEN: DURATION,
    Marker.TIMES: COUNTED,
    Marker.ALL_TIMES: COUNTED,
    Marker.SAID: WORDS,
    Marker.RATE: VALUE,
    Marker.SHARE: VALUE,
    Marker.RUNNING: WHAT,
    Marker.NOT_RUNNING: WHAT,
}


@cache
def english() -> Core:
    """The English core that comes along."""
    return read_core(ENGLISH)


def read_core(file: Path) -> Core:
    """Read a core file. Raises DescriptionError with file, line, what stands there and what may."""
    return _Reader(file).core()


class _Reader:
    """One file, section by section."""

    def __init__(self, file: Path) -> None:
        self._described = Described(file, "language: English")
        self._rules: dict[str, Template] = {}

    def core(self) -> Core:
        described = self._described
        sections = described.mapping(described.root, "the file", _SECTIONS)
        if "rules" in sections:
            for name, (_, node) in described.mapping(sections["rules"].value, "rules").items():
                self._rules[name] = self._template(node)
        conditions = self._section(sections, "conditions", _CONDITIONS)
        return Core(
            markers=self._markers(sections),
            constructions=self._constructions(sections),
            rules=self._rules,
            denied=self._table(conditions, "denied"),
            denied_subject=self._table(conditions, "denied_subject"),
            instead=self._table(conditions, "instead"),
            plural=self._pairs(conditions, "plural"),
            infinitive=self._pairs(conditions, "infinitive"),
            references=self._words(sections, "references"),
            of_people=self._words(sections, "of_people"),
            of_either=self._words(sections, "of_either"),
            pointing=self._words(sections, "pointing"),
            both=self._words(sections, "both"),
            other=self._words(sections, "other"),
            flags=self._flags(sections),
            between=frozenset(self._words(sections, "between")),
            fillers=self._words(sections, "fillers"),
            roughly=self._words(sections, "roughly"),
            roughly_behind=self._words(sections, "roughly_behind"),
            ordinals=self._words(sections, "ordinals"),
            cardinals=self._words(sections, "cardinals"),
            turning_round=self._words(sections, "turning_round"),
            adjectives=frozenset(self._words(sections, "adjectives")),
            contractions=self._pairs(sections, "contractions"),
            aliases=self._words(sections, "aliases"),
            shorthand=self._pairs(sections, "shorthand"),
            respelling=self._respelling(sections),
            statements=Statements(**self._word_sets(sections, "statements", Statements.__struct_fields__)),
            texts=Texts(**self._word_sets(sections, "texts", Texts.__struct_fields__)),
            asides=self._asides(sections),
            cutting=self._cutting(sections),
            skimming=Skimming(**self._word_sets(sections, "skimming", Skimming.__struct_fields__)),
            refusing=self._refusing(sections),
            persons=self._pairs(sections, "persons"),
            pause=self._action_of(sections, "pause", "{action: wait, parameter: duration_s}"),
            again=self._action_of(sections, "again", "{action: repeat, parameter: times}"),
            questions=self._questions(sections),
            meta=self._meta(sections),
            language=described.text(sections["language"].value, "it") if "language" in sections else "",
        )

    def _markers(self, sections: Mapping[str, Entry]) -> dict[Marker, tuple[Template, ...]]:
        found: dict[Marker, tuple[Template, ...]] = {}
        for marker in Marker:
            section, _, key = marker.partition(".")
            entries = self._section(sections, section, _KEYS[section]) if key else sections
            if (key or section) in entries:
                texts = self._described.texts(entries[key or section].value, marker)
                found[marker] = tuple(self._marker(marker, text) for text in texts)
        return found

    def _constructions(self, sections: Mapping[str, Entry]) -> tuple[Template, ...]:
        if "constructions" not in sections:
            return ()
        texts = self._described.texts(sections["constructions"].value, "constructions")
        found = []
        for text in texts:
            template = self._template(text.node)
            strange = sorted(set(_rules_in(template)) - self._rules.keys() - set(PARTS))
            if strange:
                has = ", ".join(f"<{each}>" for each in PARTS)
                raise self._described.error(
                    text.node, f"{text.text!r}: <{strange[0]}> is no rule of this file; a frame has {has}"
                )
            found.append(template)
        return tuple(found)

    def _marker(self, marker: Marker, text: Text) -> Template:
        template = self._template(text.node)
        error = self._described.error
        if can_be_empty(template, self._rules):
            raise error(text.node, f"{text.text!r} could be said by saying nothing")
        try:
            always, sometimes, all_known = slots_of(template, self._rules)
        except DescriptionError as problem:
            raise error(text.node, str(problem)) from problem
        if not all_known:
            raise error(text.node, f"{text.text!r} names a <rule> that this file does not define")
        slot = _SLOTS.get(marker)
        if sometimes != always or always != ({slot} if slot else set()):
            wanted = f"exactly the slot {{{slot}}}" if slot else "no slot"
            raise error(text.node, f"{text.text!r}: what stands under {marker} has {wanted}")
        return template

    def _flags(self, sections: Mapping[str, Entry]) -> dict[str, bool]:
        entries = self._section(sections, "flags", ("true", "false"))
        return {word: name == "true" for name in entries for word in self._words(entries, name)}

    def _word_sets(
        self, sections: Mapping[str, Entry], name: str, keys: tuple[str, ...]
    ) -> dict[str, frozenset[str]]:
        entries = self._section(sections, name, keys)
        return {key: frozenset(self._words(entries, key)) for key in entries}

    def _asides(self, sections: Mapping[str, Entry]) -> Asides:
        sets = self._word_sets(sections, "asides", Asides.__struct_fields__)
        heeded = next(iter(sets.pop("heeded", ())), "")
        own_wish = next(iter(sets.pop("own_wish", ())), "")
        return Asides(heeded=heeded, own_wish=own_wish, **sets)

    def _cutting(self, sections: Mapping[str, Entry]) -> Cutting:
        entries = self._section(sections, "cutting", Cutting.__struct_fields__)
        sets = {key: frozenset(self._words(entries, key)) for key in entries if key != "leading"}
        return Cutting(leading=self._pairs(entries, "leading") if "leading" in entries else {}, **sets)

    def _respelling(self, sections: Mapping[str, Entry]) -> Respelt:
        entries = self._section(sections, "respelling", Respelt.__struct_fields__)
        return Respelt(**{key: self._pairs(entries, key) for key in entries})

    def _refusing(self, sections: Mapping[str, Entry]) -> Refusing:
        sets = self._word_sets(sections, "refusing", Refusing.__struct_fields__)
        senses: dict[tuple[str, ...], tuple[str, ...]] = {}
        for line in sets.pop("senses", ()):
            verbs = tuple(verb.strip() for verb in line.split(","))
            for verb in verbs:
                senses[tuple(verb.split())] = (*senses.get(tuple(verb.split()), ()), *verbs)
        verbs_of: dict[str, dict[tuple[str, ...], str]] = {"without": {}, "ending": {}}
        for name, found in verbs_of.items():
            for line in sets.pop(name, ()):
                verb, *words = (each.strip() for each in line.split(","))
                found |= {tuple(word.split()): verb for word in words}
        pairs = (line.split(",") for line in sets.pop("echoes", ()))
        echoes = {said.strip(): echoed.strip() for said, echoed in pairs}
        without, ending = verbs_of["without"], verbs_of["ending"]
        return Refusing(senses=senses, without=without, ending=ending, echoes=echoes, **sets)

    def _action_of(self, sections: Mapping[str, Entry], name: str, example: str) -> tuple[str, str]:
        """An action and one of its parameters; empty where a language has none."""
        entries = self._section(sections, name, ("action", "parameter"))
        if not entries:
            return ("", "")
        if len(entries) < 2:
            raise self._described.error(sections[name].value, f"{name} needs both: {example}")
        action, parameter = (self._described.text(entries[key].value, key) for key in ("action", "parameter"))
        return action, parameter

    def _questions(self, sections: Mapping[str, Entry]) -> QuestionWords:
        entries = self._section(sections, "questions", QuestionWords.__struct_fields__)
        found: dict[str, object] = {}
        for name in entries:
            if name in ("heads", "topics"):
                kinds = self._section(entries, name)
                named: dict[Words, str] = {}
                for kind in kinds:  # a word may belong to several
                    for way in _words_of(self._ways(kinds, kind)):
                        named[way] = f"{named[way]} {kind}" if way in named else kind
                found[name] = Ways(named)
            elif name == "expanded":
                found[name] = self._pairs(entries, name)
            else:
                is_set = QuestionWords.__annotations__[name] == "frozenset[str]"
                ways = dict.fromkeys(_words_of(self._ways(entries, name)), name)
                found[name] = frozenset(" ".join(way) for way in ways) if is_set else Ways(ways)
        return QuestionWords(**found)  # type: ignore[arg-type]  # by their annotations, just above

    def _meta(self, sections: Mapping[str, Entry]) -> MetaPhrases:
        fields: dict[str, object] = {}
        entries = self._section(sections, "meta", MetaPhrases.__struct_fields__)
        for name, (_, node) in entries.items():
            if name in ("phrases", "openings"):
                kinds = self._section(entries, name, tuple(MetaKind))
                fields[name] = {MetaKind(kind): self._ways(kinds, kind) for kind in kinds}
            elif name == "referring":
                signs = self._section(entries, name, tuple(Sign))
                fields[name] = {Sign(sign): self._ways(signs, sign) for sign in signs}
            elif name == "spelt":
                fields[name] = {**self._pairs(sections, "shorthand"), **self._pairs(entries, name)}
            elif name in ("numbers", "ordinals"):
                if not isinstance(node, yaml.SequenceNode):
                    raise self._described.error(node, f"{name} has to be a list of lists: [[one], [two]]")
                ways = [self._described.texts(each, f"a number of {name}") for each in node.value]
                fields[name] = tuple(tuple(text.text for text in each) for each in ways)
            else:
                fields[name] = self._ways(entries, name)
        return MetaPhrases(**fields)  # type: ignore[arg-type]  # names and types are checked just above

    # -- parts

    def _section(
        self, entries: Mapping[str, Entry], name: str, keys: tuple[str, ...] = ()
    ) -> dict[str, Entry]:
        return self._described.mapping(entries[name].value, name, keys) if name in entries else {}

    def _table(self, entries: Mapping[str, Entry], name: str) -> dict[str, tuple[str, ...]]:
        section = self._section(entries, name)
        table = {word: self._words(section, word) for word in section}
        for word, (_, node) in section.items():
            for way in self._described.texts(node, word):
                self._template(way.node)
        return table

    def _pairs(self, entries: Mapping[str, Entry], name: str) -> dict[str, str]:
        section = self._section(entries, name)
        return {word: self._described.text(node, "the word") for word, (_, node) in section.items()}

    def _words(self, entries: Mapping[str, Entry], name: str) -> tuple[str, ...]:
        if name not in entries:
            return ()
        texts = self._described.texts(entries[name].value, name)
        for text in texts:
            if not text.text.strip():
                raise self._described.error(text.node, "nobody can say nothing: write a word")
        return tuple(text.text for text in texts)

    def _ways(self, entries: Mapping[str, Entry], name: str) -> tuple[str, ...]:
        """Templates without slots and rules, written out."""
        found: dict[str, None] = {}
        for text in self._described.texts(entries[name].value, name):
            try:
                found |= dict.fromkeys(ways_of(self._template(text.node)))
            except DescriptionError as problem:
                raise self._described.error(text.node, str(problem)) from problem
        return tuple(each for each in found if each)

    def _template(self, node: yaml.Node) -> Template:
        text = self._described.text(node, "the phrase")
        try:
            return parse_template(text)
        except (DescriptionError, RecursionError) as error:
            raise self._described.error(node, str(error)) from error


def _rules_in(template: Template) -> Iterator[str]:
    match template:
        case syntax.Rule(name=name):
            yield name
        case syntax.Sequence(parts=parts) | syntax.Choice(options=parts):
            for part in parts:
                yield from _rules_in(part)


def _words_of(ways: Iterable[str]) -> tuple[Words, ...]:
    return tuple(tuple(way.casefold().split()) for way in ways)


def _keys(section: str) -> tuple[str, ...]:
    return tuple(key for marker in Marker for name, _, key in [marker.partition(".")] if name == section)


_CONDITIONS = (*_keys("conditions"), "denied", "denied_subject", "instead", "plural", "infinitive")
_KEYS = {
    "clause": _keys("clause"),
    "joins": _keys("joins"),
    "cancel": _keys("cancel"),
    "conditions": _CONDITIONS,
    "manner": _keys("manner"),
}
_SECTIONS = (
    "language", "rules", "constructions", "clause", "joins", "cancel", "wait_until", "conditions", "manner",
    "references", "of_people", "of_either", "pointing", "both", "other", "flags", "between", "fillers",
    "roughly", "roughly_behind", "ordinals", "cardinals", "turning_round", "adjectives", "contractions",
    "aliases", "shorthand", "respelling", "statements", "texts", "asides", "cutting", "skimming", "refusing",
    "persons", "pause", "again", "questions", "meta",
)  # fmt: skip
