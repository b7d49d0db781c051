"""A speech grammar (JSGF) of what can be said just now: available actions, known names, the language core.

A recogniser needs it again whenever actions or names have changed. Names and numbers are written as they are
spoken. What takes free words (a message, a new name) cannot be in a grammar and is left out; comments in the
grammar say so. What is accepted is somewhat more than what is understood: the parser has the last word.
Format: https://www.w3.org/TR/jsgf (JSpeech Grammar Format).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from framework.dialogue.meta import ALWAYS, MetaKind
from framework.plan.parser import World
from framework.plugins.template import Template
from grammars.conditions import VALUE
from grammars.core import COUNTED, DURATION, Marker
from grammars.language import Language
from grammars.reading.accepting import Accepts
from grammars.reading.manners import MANNERS
from grammars.reading.phrasebook import Phrase
from grammars.tools.jsgf_templates import (
    ARTICLE,
    Expansion,
    Scope,
    Templates,
    either,
    in_gerund,
    optional,
    reachable,
    row,
)

HEADER = "#JSGF V1.0 UTF-8 en;"
NAME = "instructions"
ROOT = "instruction"


def jsgf(language: Language, world: World) -> str:
    """The grammar as a text. Its public rule is <instruction>; no rule is undefined or left-recursive."""
    return _Writer(language, world).text()


class _Writer:
    def __init__(self, language: Language, world: World) -> None:
        self._language = language
        self._templates = Templates(language, world)

    def text(self) -> str:
        core = self._language.core
        plain, doing = self._actions(), self._doing()
        condition = self._conditions()
        markers = {marker: self._marker(marker) for marker in Marker if marker not in MANNERS}
        step = self._steps(plain, doing, condition, markers)
        meta = self._meta(doing)
        join = either(markers[each] for each in (Marker.THEN, Marker.AND, Marker.MEANWHILE, Marker.OTHERWISE))
        join = self._templates.rule("join", join)
        ways = [meta]
        if step is not None:
            ways.append(f"{step} ({optional(join)} {step})*")
        self._templates.rules[ROOT] = either(ways) or "<VOID>"
        if any("<doing>" in said for said in self._templates.rules.values()):
            self._templates.rules.setdefault("doing", "<VOID>")
        used = reachable(self._templates.rules, ROOT)
        lines = [HEADER, f"// {core.language or 'a language'}, as it is just now", f"grammar {NAME};"]
        lines += [f"// left out, because it takes any words: {each}" for each in self._templates.left_out]
        lines += [
            f"<{name}> = {said};" for name, said in self._templates.rules.items() if name in used - {ROOT}
        ]
        return "\n".join([*lines, f"public <{ROOT}> = {self._templates.rules[ROOT]};", ""])

    # -- clauses

    def _actions(self) -> Expansion:
        ways = []
        for action in dict.fromkeys(phrase.action for phrase in self._language.phrases):
            own = [self._phrase(each) for each in self._language.phrases if each.action == action]
            said = self._templates.rule(f"do__{action}", either(own))
            if said is not None and self._language.phrasebook.actions[action].phrases.manner:
                manner = optional(self._manner())
                said = f"{manner} {said} {manner}"
            ways.append(said)
        return self._templates.rule("action", either(ways))

    def _manner(self) -> Expansion:
        """Words like "slowly"; without those that say a number."""
        ways = [self._marker(each) for each in MANNERS if each not in (Marker.RATE, Marker.SHARE)]
        return self._templates.rule("manner", either(ways))

    def _phrase(self, phrase: Phrase) -> Expansion:
        return self._templates.template(phrase.template, Scope(phrase, self._templates))

    def _doing(self) -> Expansion:
        ways = []
        for action in dict.fromkeys(phrase.action for phrase in self._language.phrases):
            own = []
            for phrase in self._language.phrases:
                if phrase.action == action:
                    template = in_gerund(phrase.template, phrase.rules)
                    own.append(
                        self._templates.template(template, Scope(phrase, self._templates))
                        if template is not None
                        else None
                    )
            ways.append(self._templates.rule(f"doing__{action}", either(own)))
        return self._templates.rule("doing", either(ways))

    def _conditions(self) -> Expansion:
        ways = []
        for template, scope in self._sayable_conditions():
            said = self._templates.template(template, scope)
            ways.append(said if not said or said.startswith(ARTICLE) else f"{ARTICLE} ({said})")
        core = (Marker.SAID, Marker.ELAPSED, Marker.RUNNING, Marker.NOT_RUNNING)
        ways += [self._marker(marker) for marker in core]
        one = self._templates.rule("condition", either(ways))
        if one is None:
            return None
        join = either(self._marker(each) for each in (Marker.CONDITION_AND, Marker.CONDITION_OR))
        opening = optional(self._marker(Marker.CONDITION_OPENING))
        closing = optional(self._marker(Marker.CONDITION_CLOSING))
        whole = f"{opening} {one} {closing}".strip()
        more = f"({self._templates.rule('condition_join', join)} {whole})*" if join else ""
        return self._templates.rule("conditions", f"{whole} {more}".strip())

    def _sayable_conditions(self) -> Iterable[tuple[Template, Scope]]:
        for said in self._language.conditions.sayables:
            rules = {**self._language.core.rules, **said.rules}
            numbers = (
                {VALUE: Accepts(is_text=False, is_number=True, unit=said.unit)} if said.comparison else {}
            )
            yield said.template, Scope.of(said.name, rules, said.lists, numbers, self._templates)

    def _steps(
        self, plain: Expansion, doing: Expansion, condition: Expansion, markers: Mapping[Marker, Expansion]
    ) -> Expansion:
        """One clause with whatever may stand around it."""
        clauses = [plain]
        clauses.append(row(markers[Marker.STARTING], doing))
        clauses.append(row(markers[Marker.WAIT_UNTIL], condition))
        clauses.append(row(markers[Marker.CANCEL], either((doing, markers[Marker.EVERYTHING]))))
        clause = self._templates.rule("clause", either(clauses))
        if clause is None:
            return None
        asking = either(markers[each] for each in (Marker.IF, Marker.UNLESS, Marker.WHEN, Marker.AS_LONG_AS))
        then = optional(markers[Marker.CONDITION_THEN])
        sides = either(markers[each] for each in (Marker.WHILE_DOING, Marker.BEFORE, Marker.AFTER))
        beside = row(self._templates.rule("beside", sides), doing)
        before = either((
            row(self._templates.rule("asking", asking), condition, then),
            markers[Marker.DELAY_BEFORE], markers[Marker.FIRST], beside,
        ))  # fmt: skip
        lasting = either((self._templates.rule("asking", asking), markers[Marker.UNTIL]))
        after = either((
            row(lasting, condition), markers[Marker.FOR_TIME], markers[Marker.DELAY_AFTER],
            beside, markers[Marker.AT_ONCE],
        ))  # fmt: skip
        before, after = self._templates.rule("before", before), self._templates.rule("after", after)
        opening, closing = markers[Marker.COMMANDING], markers[Marker.CLOSING]
        parts = (optional(before), optional(opening), clause, optional(closing), optional(after))
        return self._templates.rule("step", " ".join(part for part in parts if part))

    def _meta(self, doing: Expansion) -> Expansion:
        said: dict[str, None] = {}
        for phrases in (self._language.meta, ALWAYS):
            for kind in MetaKind:
                said.update(dict.fromkeys(phrases.phrases.get(kind, ())))
        ways: list[Expansion] = [self._templates.spoken(text) for text in said]
        openings = [
            self._templates.spoken(text) for texts in self._language.meta.openings.values() for text in texts
        ]
        ways.append(row(either(openings), doing))
        ways += [self._templates.spoken(way) for ways_of in self._language.meta.numbers for way in ways_of]
        ordinals = (way for ways_of in self._language.meta.ordinals for way in ways_of)
        ways += [self._templates.spoken(way) for way in ordinals if way.isalpha()]  # nobody says "2nd"
        return self._templates.rule("command", either(dict.fromkeys(ways)))

    def _marker(self, marker: Marker) -> Expansion:
        name = f"core__{marker.value.replace('.', '__')}"
        time = {
            DURATION: Accepts(is_text=False, is_number=True, unit="s"),
            COUNTED: Accepts(is_text=False, is_number=True, is_whole=True),
        }
        scope = Scope.of("core", self._language.core.rules, {}, time, self._templates)
        templates = self._language.core.markers.get(marker, ())

        def made() -> Expansion:
            return either(self._templates.template(each, scope) or None for each in templates)

        return self._templates.named(name, made)


_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|<[^>]*>|([^\s|()\[\]*+;=<>"]+)')


def vocabulary(language: Language, world: World) -> tuple[str, ...]:
    """Every word, sorted; those of the speech grammar, so names and numbers as they are spoken."""
    found: set[str] = set()
    for line in jsgf(language, world).splitlines():
        _, equals, body = line.partition(" = ")
        if not equals or line.startswith("//"):
            continue
        for quoted, plain in _TOKEN.findall(body):
            word = re.sub(r"\\(.)", r"\1", quoted) or plain
            if word:
                found.add(word)
    return tuple(sorted(found))
