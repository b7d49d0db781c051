"""What is said to a question that nobody can answer: which part of it is not known, and what is. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from framework.plan.parser import NotUnderstood, World
from grammars.reading.questions import Question

_MOST_NAMES: Final = 6
#: What can always be asked.
_SAMPLES: Final = ("what do you see?", "what are you doing?")


def not_known(asked: Sequence[Question], refused: NotUnderstood, world: World) -> NotUnderstood:
    """The refusal of a question, with the answer that it gets instead."""
    question = next((each for each in asked if each.unknown), asked[0])
    names = tuple(dict.fromkeys(each.name for each in world.known("world.known")))
    unknown = " and ".join(f'"{each}"' for each in question.unknown)
    why = f"I know nothing of {unknown}" if unknown else "none of my devices tells me that"
    knows = f" What I know is: {', '.join(names[:_MOST_NAMES])}." if names and unknown else ""
    samples = " or ".join(f'"{each}"' for each in _SAMPLES)
    answer = f'I cannot know that ("{question.text}"): {why}.{knows} You could ask {samples}.'
    return msgspec.structs.replace(refused, answer=answer)
