"""Slot types and words of generated household commands: what the template says, what a plan says.

A template is a sentence with placeholders, "take the {object alike ?} from the
{location placement 1}", as the RoboCup@Home command generators write them
(kyordhel/GPSRCmdGen; nickswalker/gpsr-command-understanding). A slot's type is the
placeholder without its number, its "?" (vaguely said) and its "where …" condition.
In a plan it is a parameter named after the type, "object_alike"; a digit at its end
tells a second one of a type. A reference to a person ("them") is a "pron". "it" is
no slot there, nor are parameters of other names, whatever stands in them ("tell them").
"""

from __future__ import annotations

import itertools
import re
from typing import Final, NamedTuple

from framework.errors import DescriptionError
from framework.plan.ast import Do, Plan, Reference, actions_of

TYPES: Final = frozenset(
    {
        "location room",
        "location placement",
        "location beacon",
        "object",
        "object alike",
        "object known",
        "name",
        "gesture",
        "category",
        "question",
        "pron",
        "pron paj",
        "whattosay",
    }
)
"""The generators' slot types."""

PERSONAL: Final = frozenset({"them", "him", "her", "they"})
"""References that the generators count as slots."""


class Slot(NamedTuple):
    """One slot; words are folded, with single spaces and no mark at the end."""

    type: str
    words: str


def template_slots(text: str, template: str) -> tuple[Slot, ...]:
    """The slots of a sentence, from its template, in the order of the sentence.

    Raises DescriptionError if the sentence is not of this template.
    """
    pieces = re.split(r"\{([^{}]*)\}", template)
    types = [_type_of(placeholder) for placeholder in pieces[1::2]]
    fixed = [r"\s+".join(map(re.escape, piece.split())) for piece in pieces[0::2]]
    pattern = r"\s*(?<!\w)(.+?)(?!\w)\s*".join(fixed)  # whole words
    found = re.fullmatch(pattern, text.strip(), re.IGNORECASE)
    if found is None:
        raise DescriptionError(f"the sentence {text!r} is not of its template {template!r}")
    return tuple(Slot(kind, _words(words)) for kind, words in zip(types, found.groups(), strict=True))


def plan_slots(plan: Plan, text: str) -> tuple[Slot, ...]:
    """The slots of a plan in the order in which the sentence says them.

    A plan keeps the order of its actions, not that within an action: there it is the order
    of the words in the sentence, after those of the action before.
    """
    sentence = _words(text)
    position = 0
    slots: list[Slot] = []
    for do in actions_of(plan):
        ordered, position = _ordered(_slots_of(do), sentence, position)
        slots += ordered
    return tuple(slots)


def _type_of(placeholder: str) -> str:
    """ "object alike 2 ? where fruit=True" → "object alike"."""
    kind = re.split(r"\b(?:where|meta:)", placeholder)[0]
    return " ".join(re.sub(r"[?\d]", " ", kind).split())


def _slots_of(do: Do) -> list[Slot]:
    slots: list[Slot] = []
    for name, value in do.parameters.items():
        kind = re.sub(r"_?\d+$", "", name).replace("_", " ")
        if kind not in TYPES:
            continue
        if isinstance(value, Reference):
            if value.word in PERSONAL:
                slots.append(Slot("pron", value.word))
        else:
            slots.append(Slot(kind, _words(str(value))))
    return slots


def _ordered(slots: list[Slot], sentence: str, position: int) -> tuple[list[Slot], int]:
    """The order in which they are said earliest, and where its last word ends.

    Slots whose words do not stand there keep the order of the parameters.
    """
    orders = (
        (end, order)
        for order in itertools.permutations(range(len(slots)))
        if (end := _end_of([slots[place].words for place in order], sentence, position)) >= 0
    )
    best = min(orders, default=None)
    if best is None:
        return slots, position
    end, order = best
    return [slots[place] for place in order], end


def _end_of(said: list[str], sentence: str, position: int) -> int:
    """Where the last of these ends if they stand one after the other; -1 if they do not."""
    for words in said:
        found = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)").search(sentence, position)
        if found is None:
            return -1
        position = found.end()
    return position


def _words(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".?!")
