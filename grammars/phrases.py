"""The parser: the phrases of all actions, each instruction against all of them.

Of several readings the one counts in which the fewest words are vouched for by
nothing, then the one with the most words of its own; readings equal in that are
all given, and the operator is asked. Behind `framework.plan.Parser`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from framework.plan.ast import Do
from framework.plan.parser import Completions, NotUnderstood, Reading, Understood, World
from framework.plan.words import plain_wording
from framework.plugins.parameters import ParameterSpec
from framework.plugins.phrases import SlotList
from framework.plugins.service import Help
from framework.plugins.signature import ActionSpec
from framework.plugins.template import Template, parse_template
from grammars.matcher import Match, Matcher, Progress
from grammars.tokens import tokens_of
from grammars.wording import filled

MOST_WORDS = 200
_LESS_LIKELY = 0.5


class Phrase(msgspec.Struct, frozen=True):
    """One template of an action, and where it stands."""

    text: str
    template: Template
    file: str = ""
    line: int = 0


class ActionPhrases(msgspec.Struct, frozen=True):
    """All ways to ask for one action. samples: sentences that its author promises to be understood."""

    name: str
    phrases: tuple[Phrase, ...]
    parameters: Mapping[str, ParameterSpec]
    rules: Mapping[str, Template]
    lists: Mapping[str, SlotList]
    samples: tuple[str, ...] = ()


class PhraseParser:
    """Understands one action at a time, by its phrases (`framework.plan.Parser`).

    Actions without phrases cannot be asked for.
    """

    def __init__(self, specs: Iterable[ActionSpec]) -> None:
        self.actions = {
            spec.name: _compiled(spec) for spec in specs if spec.phrases.say and not spec.unavailable
        }

    def parse(self, text: str, world: World) -> Understood | NotUnderstood:
        """Every reading, the best first; or how much was understood. Never raises because of the text."""
        tokens = tokens_of(text)
        if len(tokens) > MOST_WORDS:
            return NotUnderstood(
                "", reason=f"{len(tokens)} words are too many; {MOST_WORDS} are the most at once."
            )
        words = tuple(token.text for token in tokens)
        furthest = Progress()
        found: list[tuple[Match, Do]] = []
        for action in self.actions.values():
            for phrase in action.phrases:
                progress = Progress()
                matcher = Matcher(action.parameters, action.rules, action.lists, words, world, progress)
                for match in matcher.whole(phrase.template):
                    found.append((match, Do(action.name, dict(match.values))))
                _merge(furthest, progress)
        if found and words:
            return Understood(_ranked(found))
        end = tokens[furthest.furthest - 1].end if furthest.furthest else 0
        start = tokens[0].start if tokens else 0
        return NotUnderstood(text[start:end], tuple(sorted(furthest.expected)))

    def complete(self, text: str, world: World) -> Completions:
        """What could follow."""
        result = self.parse(text, world)
        return Completions(result.expected) if isinstance(result, NotUnderstood) else Completions((), 0, True)

    def help(self, topic: str, world: World) -> tuple[Help, ...]:
        """What can be asked for."""
        return tuple(Help(each.name, "", each.samples) for each in self.actions.values())

    def wording(self, do: Do) -> str:
        """The action as an operator would ask for it (`framework.plan.Wording`)."""
        action = self.actions.get(do.action)
        for phrase in action.phrases if action is not None else ():
            if action is not None and (words := filled(phrase.template, action.rules, do.parameters)):
                return words
        return plain_wording(do)


def _compiled(spec: ActionSpec) -> ActionPhrases:
    file = spec.phrases
    rules = {name: parse_template(text) for name, text in file.rules}
    lines = file.lines or (0,) * len(file.say)
    phrases = tuple(
        Phrase(text, parse_template(text), file.file, line)
        for text, line in zip(file.say, lines, strict=True)
    )
    parameters = {parameter.name: parameter for parameter in spec.parameters}
    lists = {each.name: each for each in file.lists}
    return ActionPhrases(spec.name, phrases, parameters, rules, lists, file.samples)


def _ranked(found: list[tuple[Match, Do]]) -> tuple[Reading, ...]:
    found.sort(key=lambda each: _rank(each[0]))
    best = _rank(found[0][0])
    readings: list[Reading] = []
    for match, do in found:
        if all(reading.plan != do for reading in readings):
            readings.append(Reading(do, 1.0 if _rank(match) == best else _LESS_LIKELY))
    return tuple(readings)


def _rank(match: Match) -> tuple[int, int]:
    return match.free, -match.literal


def _merge(furthest: Progress, progress: Progress) -> None:
    if progress.furthest > furthest.furthest:
        furthest.furthest = progress.furthest
        furthest.expected = dict(progress.expected)
    elif progress.furthest == furthest.furthest:
        furthest.expected.update(progress.expected)
