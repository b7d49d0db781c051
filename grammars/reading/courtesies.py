"""What is said out of politeness or in passing, and asks for nothing, by its words. Pure.

outcry     "snap snap!", "mamma mia"; greeting: "good morning, everyone"
tag        behind an instruction: "shall we?", "isn't it?"
courtesy   "if it isn't too much trouble", "if you'd be so kind": a condition in form alone
idiom      "while you're at it": looks like a condition, and is left out before anything else; "closer, say
           eight inches": looks like something to be said
"""

from __future__ import annotations

from collections.abc import Sequence

from grammars.core import Asides, Core
from grammars.reading.tokens import MARKS, begins_with
from grammars.reading.utterance import Utterance

#: Between these stands what is to be said.
_QUOTES = ("'", '"', "‘", "“")
Span = tuple[int, int]
"""Tokens, from and to."""


def is_outcry(said: Sequence[str], words: Asides) -> bool:
    """Whether a part is made of outcries and greetings, and of who is greeted."""
    at = 0
    while at < len(said) and (
        size := begins_with(said, at, words.greetings) or begins_with(said, at, words.outcries)
    ):
        at += size
    is_greeted = begins_with(said, 0, words.greetings) > 0 and words.vocatives.issuperset(said[at:])
    return at > 0 and (at == len(said) or is_greeted)


def is_tag(said: Sequence[str], words: Asides) -> bool:
    """Whether a part, behind another, asks for no more than "yes": "shall we", "isn't it, everyone"."""
    size = begins_with(said, 0, words.tags)
    return size > 0 and words.vocatives.issuperset(said[size:])


def is_courtesy(said: Sequence[str], core: Core) -> bool:
    """Whether a part says only that one may as well not: "if it isn't too much trouble"."""
    words, asking = core.asides, core.questions
    if len(said) < 2 or said[0] not in words.enabling:
        return False
    polite = (asking.courtesy, asking.modal, asking.asked, asking.asked_to, words.troubling)
    if not all(any(each in several for several in polite) for each in said):
        return False
    of_which = words.kindly if asking.denying.isdisjoint(said) else words.troubling
    return any(begins_with(said, at, of_which) for at in range(len(said)))


def _is_all_of_a_part(utterance: Utterance, tokens: Sequence[str], at: int) -> bool:
    """Whether nothing but a number with its unit stands from here to the next mark."""
    return any(
        each.unit and tokens[each.end : each.end + 1] in ([], *([mark] for mark in MARKS))
        for each in utterance.quantities.get(at, ())
    )


def idioms(utterance: Utterance, core: Core) -> tuple[Span, ...]:
    """Where idioms stand that mean nothing, with a comma behind, and that in front; none if that is all.

    None is where words begin that are to be said ("say 'while you're at it'").
    """
    tokens, words = [token.text for token in utterance.tokens], core.asides
    found: list[Span] = []
    at = 0
    while at < len(tokens):
        # "A and, while you're at it, B"; without the comma in front it joins A and B
        is_apart = at > 1 and tokens[at - 1] in MARKS and tokens[at - 2] in core.skimming.joining
        may_be_first = at == 0 or is_apart
        end = at + begins_with(tokens, at, words.idle | words.idle_first if may_be_first else words.idle)
        if end == at and at and tokens[at - 1] == ",":
            supposed = at + begins_with(tokens, at, words.supposing)
            if _is_all_of_a_part(utterance, tokens, supposed):
                end = supposed
        before = tokens[at - 1] if at else ""
        start = utterance.tokens[at].start
        is_quoted = before in core.skimming.naming or utterance.text[:start].rstrip().endswith(_QUOTES)
        if end > at and not is_quoted:
            has_comma = tokens[end : end + 1] == [","]
            is_between = has_comma and at > 0 and tokens[at - 1] in MARKS
            end += has_comma
            found.append((at - is_between, end))
        at = max(end, at + 1)
    return tuple(found) if sum(end - begin for begin, end in found) < len(tokens) else ()
