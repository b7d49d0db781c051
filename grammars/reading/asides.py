"""What people say beside an instruction: "drive back half a metre, there is nobody behind you". Pure.

An aside is a part of its own, set off by a mark or a "because", that tells something and asks for nothing.
What may ask for something ("I want", "not", a number, a verb of ours) is none: the whole is not understood.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from grammars.core import Core
from grammars.reading.tokens import MARKS
from grammars.reading.tokens import parts as parts_of
from grammars.reading.utterance import Utterance

#: So many words an aside may have.
MOST_WORDS = 12


def asides(
    utterance: Utterance, core: Core, of_ours: Collection[str]
) -> Iterator[tuple[tuple[int, int], ...]]:
    """(begin, end) of all at the end of a text, of all at its beginning, and of both; each with its mark.

    of_ours: words with which instructions begin.
    """
    tokens = [token.text for token in utterance.tokens]
    parts = [*parts_of(tokens, core.asides.because)]
    tells = [_tells(tokens[begin:end], begin, utterance, core, of_ours) for begin, end in parts]
    if all(tells):
        return
    first, last = tells.index(False), len(tells) - 1 - tells[::-1].index(False)
    before = ((0, parts[first][0]),) if first else ()
    behind = ((parts[last + 1][0], len(tokens)),) if last + 1 < len(parts) else ()
    yield from dict.fromkeys(found for found in (behind, before, (*before, *behind)) if found)


def _tells(part: list[str], begin: int, utterance: Utterance, core: Core, of_ours: Collection[str]) -> bool:
    said = [each for each in part if each not in MARKS]
    words = core.asides
    if not 1 < len(said) <= MOST_WORDS or not words.never.isdisjoint(said) or "you" in said[:-1]:
        return False
    if any(begin <= at < begin + len(part) for at in utterance.quantities):
        return False
    if said[0] in words.because:
        return True
    if said[0] in words.persons:
        return True
    if not words.never_of_others.isdisjoint(said):
        return False
    if said[0] in words.subjects:
        return True
    verbs = core.statements.verbs
    return core.statements.has(said) and all(each in verbs or each not in of_ours for each in said[1:])
