"""Whether a motion was ended by a busy machine, from the words that a page or an event shows of it.

Programs know that by kind (`LoopState.ended`, `MotionFailed.passes`); a test that looks at what a person sees
has only the words.
"""

from __future__ import annotations

from resources.types.motion import GIVEN_BEFORE, HEARTBEAT_MISSING, ORDERS_CEASED, STOOD_STILL

_TOO_OLD = "the command is"


def passes_by_itself(words: str) -> bool:
    """Whether a person would just say it again."""
    hiccups = (HEARTBEAT_MISSING, ORDERS_CEASED, STOOD_STILL, GIVEN_BEFORE, _TOO_OLD)
    return any(each in words.lower() for each in hiccups)
