"""Requests in the shape of questions, of hopes or of thanks, as the plain instruction they come to. Pure.

    I'd be grateful if you raised the left arm      → raise the left arm
    when you face the door, would you wait a minute → when you face the door, wait a minute
    do you fancy rolling back half a metre          → roll back half a metre
    shall we have a look at the drum                → have a look at the drum

What makes a request of a sentence is its person, its mood and its verb: "you" (or "we") behind words that
ask, with nothing but courtesy before them, and behind it a verb of ours that is no perceiving and no telling.
So "did you raise it", "can you reach it" and "I wonder whether you raised it" stay questions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise

import msgspec

from grammars.core import Asides
from grammars.question_words import QuestionWords
from grammars.reading.inflection import base_forms
from grammars.reading.tokens import MARKS
from grammars.reading.utterance import Utterance


def wish_in(utterance: Utterance, words: Asides, core: QuestionWords, own: Collection[int]) -> str:
    """What speakers hope for, or others would like to see or to know or the robot to do, as a plain wish.

    Empty if there is nothing of the kind.

        one of the boys would like to know what you can do → i would like to know what you can do
        my boss wants you to turn left                     → i would like you to turn left
        it would be lovely if we could see the camera      → i would like to see the camera

    own: places of names of the robot's own things, which have no wishes.
    """
    tokens = [token.text for token in utterance.tokens]
    if hoped := _hoped_for(tokens, core):
        return f"{words.own_wish} to {utterance.text[utterance.tokens[hoped].start :]}"
    to = next((at for at, token in enumerate(tokens) if token == "to"), -1)
    is_of_robot = to > 0 and tokens[to - 1] in core.asked
    wish = to - 1 - is_of_robot
    if wish < 1 or to + 1 >= len(tokens) or not words.wishing_of_others.issuperset(tokens[wish : wish + 1]):
        return ""
    begin = 0
    while begin < wish and (tokens[begin] in MARKS or tokens[begin] in words.joining):
        begin += 1
    who = tokens[begin:wish]
    if (
        not who
        or len(who) > _MOST_SUBJECT
        or who[0] in words.persons | words.aux | core.asked | core.asked_to
    ):
        return ""
    never = words.relating | core.supposing | MARKS | words.addressing
    if not never.isdisjoint(who) or not frozenset(own).isdisjoint(range(begin, wish)):
        return ""
    denied = words.denied | core.denying
    if any(each in denied or each.endswith(_DENIED) for each in tokens):
        return ""
    if any(mark in MARKS and word in words.concluding for mark, word in pairwise(tokens)):
        return ""  # it says why something else is asked for
    if not is_of_robot and tokens[to + 1] not in words.learning:
        return ""
    stop = utterance.tokens[wish].end
    return f"{words.own_wish} {utterance.text[stop:].lstrip()}"


#: Of so many words is who wishes something.
_MOST_SUBJECT = 10
#: So contractions end that deny.
_DENIED = ("n't", "n’t")


def _hoped_for(tokens: Sequence[str], core: QuestionWords) -> int:
    """Where that begins which speakers hope that they could do: "it would be lovely if we could | see it"."""
    for at in range(len(tokens) - 3):
        if tokens[at] in core.supposing and tokens[at + 1] in core.hoping and tokens[at + 2] in core.modal:
            opening = tokens[:at]
            is_polite = all(each in core.courtesy or each in core.modal or each in MARKS for each in opening)
            is_wish = is_polite and not core.wishing.isdisjoint(opening)
            return at + 3 if is_wish and core.denying.isdisjoint(tokens) else 0
    return 0


class Asked(msgspec.Struct, frozen=True):
    """Where a request stands.

    begin, end: the tokens that only ask. verbs: by their places, as an instruction would have them.
    """

    begin: int
    end: int
    verbs: dict[int, str]


def instruction_in(utterance: Utterance, words: QuestionWords, is_ours: Callable[[str], bool]) -> str:
    """The text without what only asks for it; empty if it requests nothing so.

    is_ours: whether an instruction may begin with a word as it stands.
    """
    tokens = [token.text for token in utterance.tokens]
    asked = next((each for at in range(len(tokens)) if (each := _at(tokens, at, words, is_ours))), None)
    if asked is None:
        return ""
    text = utterance.text
    for at, verb in sorted(asked.verbs.items(), reverse=True):
        token = utterance.tokens[at]
        text = f"{text[: token.start]}{verb}{text[token.end :]}"
    start, stop = utterance.tokens[asked.begin].start, utterance.tokens[asked.end - 1].end
    return f"{text[:start]}{text[stop:].lstrip()}"


def _at(tokens: Sequence[str], at: int, words: QuestionWords, is_ours: Callable[[str], bool]) -> Asked | None:
    """The request whose subject, or whose suggestion, begins at a token."""
    begins_part = at == 0 or tokens[at - 1] in MARKS or tokens[at - 1] in words.joining
    if begins_part and (suggests := words.suggesting.at(tokens, at)):
        return _with_verb(tokens, at, suggests[0], words, is_ours)
    if invites := words.inviting.at(tokens, at):
        begin = _opening(tokens, at, words)
        return None if begin < 0 else _with_verb(tokens, begin, invites[0], words, is_ours, is_being=True)
    if tokens[at] not in words.asked and tokens[at] not in words.asked_to:
        return None
    begin = _opening(tokens, at, words)
    opening = set(tokens[begin:at])
    if begin < 0 or not opening:
        return None
    if not words.denying.isdisjoint(opening) and words.excusing.isdisjoint(opening) and len(opening) > 1:
        return None
    end = at + 1
    while end < len(tokens) and tokens[end] in (words.courtesy | words.modal) - words.denying:
        end += 1
    is_modal = tokens[at] in words.asked_to or not words.modal.isdisjoint(tokens[at + 1 : end])
    if not words.wondering.isdisjoint(opening):
        return _with_verb(tokens, begin, end, words, is_ours) if is_modal else None
    if_at_all = not words.supposing.isdisjoint(opening)
    if words.wishing.isdisjoint(opening) and (if_at_all or words.modal.isdisjoint(opening)):
        return None
    return _with_verb(tokens, begin, end, words, is_ours, may_be_past=if_at_all)


def _opening(tokens: Sequence[str], at: int, words: QuestionWords) -> int:
    """Where the courtesy in front of a token begins; -1 if something else stands there."""
    begin = at
    while begin and (
        tokens[begin - 1] in words.courtesy or tokens[begin - 1] in words.modal | words.wondering
    ):
        begin -= 1
        if begin > 1 and tokens[begin - 1] == "," and tokens[begin - 2] in words.courtesy:
            begin -= 1
    if begin and tokens[begin - 1] not in MARKS and tokens[begin - 1] not in words.joining:
        return -1
    while begin < at and tokens[begin] in MARKS:
        begin += 1
    return begin


def _with_verb(
    tokens: Sequence[str],
    begin: int,
    at: int,
    words: QuestionWords,
    is_ours: Callable[[str], bool],
    *,
    is_being: bool = False,
    may_be_past: bool = False,
) -> Asked | None:
    """The request, if a verb of ours is what is asked for. is_being: with "-ing"; may_be_past: "moved"."""
    if at >= len(tokens) or tokens[at] in words.abilities | words.telling:
        return None
    verb = tokens[at]
    if is_being or (may_be_past and not is_ours(verb)):
        base = _plain(verb, is_ours) if verb.endswith("ing") == is_being else ""
        if not base:
            return None
        verbs = {at: base}
        for place, (before, word) in enumerate(pairwise(tokens[at:]), at + 1):
            if (
                before in words.joining
                and word.endswith("ing") == is_being
                and (more := _plain(word, is_ours))
            ):
                verbs[place] = more
        return Asked(begin, at, verbs)
    return Asked(begin, at, {}) if is_ours(verb) else None


def _plain(verb: str, is_ours: Callable[[str], bool]) -> str:
    """The verb of ours that this is another form of; empty if there is none."""
    return next((each for each in base_forms(verb)[1:] if is_ours(each)), "")
