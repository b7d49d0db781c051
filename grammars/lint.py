"""Whether the phrases of all actions can live together: every sample means its own action, and no other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from framework.errors import DescriptionError
from framework.plan.ast import Do
from framework.plan.parser import NothingKnown, NotUnderstood, World
from framework.plugins import template as syntax
from framework.plugins.template import Template
from grammars.phrases import ActionPhrases, PhraseParser
from grammars.slots import choices, known_names

MOST_SAMPLES = 40
_UNSAYABLE = "it can never be said, because nobody defines one of its <rules>"


def lint(parser: PhraseParser, world: World | None = None) -> tuple[DescriptionError, ...]:
    """Everything that is wrong, each with file and line; not raised.

    Samples are generated from each phrase (every option of it at least once, up to 40 a phrase) and
    taken from the `samples` of the files.
    """
    world = world or NothingKnown()
    problems: list[DescriptionError] = []
    for action in parser.actions.values():
        for phrase in action.phrases:
            sayings = list(islice(_samples(phrase.template, action, world), MOST_SAMPLES))
            found = (_problem(parser, " ".join(words), action.name, world) for words in sayings)
            problem = next(filter(None, found), "" if sayings else _UNSAYABLE)
            if problem:
                shown = f"{phrase.text!r}: {problem}"
                problems.append(DescriptionError(shown, file=phrase.file, line=phrase.line))
        for sample in action.samples:
            problem = _problem(parser, sample, action.name, world)
            if problem:
                problems.append(DescriptionError(problem, file=action.phrases[0].file))
    return tuple(problems)


def _problem(parser: PhraseParser, text: str, own: str, world: World) -> str:
    result = parser.parse(text, world)
    if isinstance(result, NotUnderstood):
        return f'"{text}" is not understood: {result}'
    sure = result.readings[0].confidence
    best = [reading.plan for reading in result.readings if reading.confidence == sure]
    names = sorted({plan.action for plan in best if isinstance(plan, Do)})
    if names == [own]:
        return ""
    others = ", ".join(name for name in names if name != own)
    return f'"{text}" asks for {others}, not only for {own}; change the words of one of them'


def _samples(template: Template, action: ActionPhrases, world: World) -> Iterator[tuple[str, ...]]:
    match template:
        case syntax.Word():
            yield (template.text,)
        case syntax.Slot():
            yield () if template.constant else _sample_of(template, action, world)
        case syntax.Rule():
            if template.name in action.rules:
                yield from _samples(action.rules[template.name], action, world)
        case syntax.Choice():
            for option in template.options:
                yield from _samples(option, action, world)
        case syntax.Sequence():
            yield from _sequence(template.parts, action, world)


def _sequence(parts: tuple[Template, ...], action: ActionPhrases, world: World) -> Iterator[tuple[str, ...]]:
    """Each option of each part at least once: the first ways of all, then one part after the other varied."""
    ways = [list(islice(_samples(part, action, world), MOST_SAMPLES)) for part in parts]
    if not all(ways):
        return
    first = [way[0] for way in ways]
    yield tuple(word for words in first for word in words)
    for position, options in enumerate(ways):
        for option in options[1:]:
            varied = [*first[:position], option, *first[position + 1 :]]
            yield tuple(word for words in varied for word in words)


def _sample_of(slot: syntax.Slot, action: ActionPhrases, world: World) -> tuple[str, ...]:
    parameter = action.parameters.get(slot.name)
    if parameter is None:
        return (slot.name,)
    known = tuple(ways[0] for _, ways in known_names(slot, action.lists, world) if ways)
    if sayable := known or choices(parameter):
        return (sayable[0].replace("_", " "),)
    if parameter.type in (int, float):
        return ("three",)
    return ("on",) if parameter.type is bool else ("something",)
