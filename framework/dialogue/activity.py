"""What a plan, or one action of it, is as an activity: after "I end", "I have paused", "I am".

One action in the -ing form; a question is answered; of several steps the instruction stands as it is, as only
its first verb could be put so.
"""

from __future__ import annotations

import re

from framework.plan.words import doing

#: As the operator says it, and as it is said to them.
_OPERATOR = re.compile(r"\bme\b")

_ASKING = frozenset(
    (
        "what",
        "what's",
        "where",
        "where's",
        "which",
        "who",
        "who's",
        "how",
        "how's",
        "is",
        "are",
        "can",
        "could",
    )
)
_ASKING_WHY = frozenset(
    ("why", "when", "whose", "whom", "does", "do", "did", "was", "were", "will", "should")
)


def activity(words: str, is_single: bool) -> str:
    """ "show the scan" → "showing the scan"; "where is the cup" → "answering: where is the cup".

    What the operator says of themselves is said to them: "let me drive" → "letting you drive".

    words: as they are read back. is_single: whether they are those of one action.
    """
    if not is_single:
        return f"this: {words}"
    asks = words.split(" ", 1)[0].casefold() in _ASKING
    return f"answering: {words}" if asks else _OPERATOR.sub("you", doing(words))


def is_question(text: str) -> bool:
    """Whether somebody asks something, rather than answering: "what fault?", "is the way clear"."""
    first = text.split(" ", 1)[0].casefold()
    return text.rstrip().endswith("?") or first in _ASKING or first in _ASKING_WHY


def i_am(words: str, is_single: bool) -> str:
    """The same after "I am"."""
    return f"I am {'' if is_single else 'doing '}{activity(words, is_single)}"
