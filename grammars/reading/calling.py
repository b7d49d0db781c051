"""Who is called before an instruction: "Robin, find my book", "hey Alice show the map".

A text is only looked at so if it makes no sense as it stands. After "hey" it is the robot that is called,
whatever somebody calls it. A name alone may be that of somebody else who listens: then it is asked.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from grammars.reading.utterance import Utterance

#: How sure it is that somebody who is called by name is the robot.
SURE, UNSURE = 1.0, 0.8


class Called(NamedTuple):
    """Where the instruction begins behind who is called; how sure it is that it is for the robot."""

    begin: int
    sureness: float


def called(
    utterance: Utterance,
    callings: Collection[str],
    words: Collection[str],
    kinds: Collection[str],
    heads: Collection[str],
) -> Called | None:
    """Somebody whom an utterance begins with; None if it calls nobody.

    callings: words like "hey". words: all that the grammar knows. kinds: of names of people. heads: what an
    instruction may begin with.
    """
    said = [token.text for token in utterance.tokens[:6]]
    if len(said) < 3:
        return None
    if said[0] in callings and len(said) > 3 and said[1] not in words:
        if said[2] == ",":
            return Called(3, SURE)
        return Called(2, SURE) if utterance.text[utterance.tokens[1].start].isupper() else None
    at = 1 if said[0] in callings else 0
    ends = [named.end for kind in kinds for named in utterance.names.get(kind, {}).get(at, ())]
    end = max(ends, default=at + 1 if said[at] not in words else 0)
    if 0 < end < len(said) - 1:
        if said[end] == ",":
            return Called(end + 1, UNSURE)
        if ends and said[end] in heads:
            return Called(end, UNSURE)
    return None
