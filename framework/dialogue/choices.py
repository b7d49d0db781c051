"""The options of one question among several readings of a text. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from framework.dialogue.values import Place, at, different, values_of, with_value
from framework.plan.ast import Plan
from framework.plan.parser import Known, Reading

#: More cannot be kept in mind; the operator is asked to be more precise.
MOST_OPTIONS = 9


def best_of(readings: Sequence[Reading]) -> tuple[Reading, ...]:
    """Those that nothing tells from the first one, each plan once."""
    best = list(readings[:1])
    for reading in readings:
        is_best = reading.confidence == readings[0].confidence
        if is_best and all(reading.plan != other.plan for other in best):
            best.append(reading)
    return tuple(best)


def options_for(
    plans: Sequence[Plan], in_words: Callable[[Plan], str], known: Mapping[Any, Known]
) -> tuple[str, ...]:
    """Words for each plan that tell it from the others.

    Things in which the plans differ are named with their hints ("the red cup on the table"); where the
    words are the same nevertheless, the things' own values stand behind.
    """
    places = _differing(plans)
    words = [_hinted(plan, places, in_words, known) for plan in plans]
    told_apart = tuple(words)
    for index, text in enumerate(told_apart):
        if told_apart.count(text) > 1 and places:
            words[index] = f"{text} ({', '.join(str(at(plans[index], place)) for place in places)})"
    return tuple(words)


def read_back(plan: Plan, in_words: Callable[[Plan], str], known: Mapping[Any, Known]) -> str:
    """The plan's words; things that share their name with others are named with their hints."""
    names = Counter(thing.name for thing in known.values())
    shared = [
        place
        for place, value in values_of(plan).items()
        if _is_known(value, known) and names[known[value].name] > 1
    ]
    return _hinted(plan, shared, in_words, known)


def named(value: Any, known: Mapping[Any, Known]) -> str:
    """A thing for people, with its hint."""
    if not _is_known(value, known):
        return str(value)
    thing = known[value]
    return f"{thing.name} {thing.hint}" if thing.hint else thing.name


def told_apart_by(plans: Sequence[Plan]) -> tuple[str, ...]:
    """The one value in which each of several plans differs from the others; none if they differ in more."""
    places = _differing(plans)
    return tuple(str(at(plan, places[0])) for plan in plans) if len(places) == 1 else ()


def _differing(plans: Sequence[Plan]) -> tuple[Place, ...]:
    places: dict[Place, None] = {}
    for plan in plans[1:]:
        found = different(plans[0], plan)
        if found is None:
            return ()
        places |= dict.fromkeys(found)
    return tuple(places)


def _hinted(
    plan: Plan, places: Sequence[Place], in_words: Callable[[Plan], str], known: Mapping[Any, Known]
) -> str:
    """The plan's words, with hints for the things at these places."""
    things = {place: known[at(plan, place)] for place in places if _is_known(at(plan, place), known)}
    things = {place: thing for place, thing in things.items() if thing.hint}
    text = in_words(plan)
    for place, thing in things.items():
        said = list(re.finditer(rf"\b{re.escape(thing.name)}\b", text, re.IGNORECASE))
        is_only = [each.name for each in things.values()].count(thing.name) == 1
        if len(said) == 1 and is_only:
            text = f"{text[: said[0].end()]} {thing.hint}{text[said[0].end() :]}"
        else:
            # Which of several it is cannot be told from the words: the value is called by name and hint.
            rest = [other for other in places if other != place]
            return _hinted(with_value(plan, place, named(thing.value, known)), rest, in_words, known)
    return text


def _is_known(value: Any, known: Mapping[Any, Known]) -> bool:
    return isinstance(value, str) and value in known
