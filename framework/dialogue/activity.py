"""What a plan, or one action of it, is as an activity: after "I end", "I have paused", "I am".

One action in the -ing form; a question is answered; of several steps the instruction stands as it is, as only
its first verb could be put so.
"""

from __future__ import annotations

import re

from framework.plan.words import doing

#: As the operator says it, and as it is said to them.
_OPERATOR = re.compile(r"\bme\b")


def activity(words: str, is_single: bool, *, answers: bool = False) -> str:
    """ "show the scan" → "showing the scan"; "where is the cup" → "answering: where is the cup".

    What the operator says of themselves is said to them: "let me drive" → "letting you drive".

    words: as they are read back. is_single: whether they are those of one action. answers: whether that
    declares that it only answers a question (`Action.only_answers`).
    """
    if answers:
        return f"answering: {words}"
    return _OPERATOR.sub("you", doing(words)) if is_single else f"this: {words}"


def i_am(words: str, is_single: bool, *, answers: bool = False) -> str:
    """The same after "I am"."""
    return f"I am {'' if is_single or answers else 'doing '}{activity(words, is_single, answers=answers)}"
