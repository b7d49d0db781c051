"""What is said to a question that nobody can answer: what cannot be known, and what could be asked. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from framework.plan.parser import NotUnderstood, World
from grammars.reading.questions import Question

#: What can always be asked.
_SAMPLES: Final = ("what do you see?", "what are you doing?")
#: What can be asked of a known thing in the same way.
_OF_A_THING: Final[Mapping[str, str]] = {
    "where": "where is the {thing}?",
    "how_far": "how far away is the {thing}?",
    "size": "how big is the {thing}?",
    "colour": "what colour is the {thing}?",
    "who": "who drives?",
    "why": "why did you stop?",
    "how_long": "how long until you are done?",
    "when": "how long until you are done?",
}


def not_known(asked: Sequence[Question], refused: NotUnderstood, world: World) -> NotUnderstood:
    """The refusal of a question, with the answer that it gets instead."""
    question = next((each for each in asked if each.unknown), asked[0])
    match question.unknown:
        case (unknown,):
            why = f'nothing that I have tells me about "{unknown}"'
        case _:
            why = "nothing that I have tells me"
    answer = f'I cannot know that ("{question.text}"): {why}. You could ask {_samples(question, world)}.'
    return msgspec.structs.replace(refused, answer=answer)


def _samples(question: Question, world: World) -> str:
    """Two questions that have answers, the first one like that which has none."""
    thing = next((each.name for each in world.known("world.known") if each.name != question.thing), "")
    like = _OF_A_THING.get(question.kind, "")
    first = like.format(thing=thing) if like and (thing or "{" not in like) else ""
    samples = dict.fromkeys(each for each in (first, *_SAMPLES) if each)
    return " or ".join(f'"{each}"' for each in list(samples)[:2])
