"""Corrections of the last instruction: "no, the scan", "not the camera, the scan", "I mean track the target".

Purely textual: what was said before is said once more with other words in it, part
by part, and the parser says whether that means something. Nothing here knows a grammar.

`referring` comes first: it tells what is wanted by signs, and finds the place of a value in the plan. What is
left for here has no such place: a whole instruction instead, a condition, what was refused, and a text that
corrects itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice

import msgspec

from framework.dialogue.choices import best_of
from framework.dialogue.pointing import pointing_words
from framework.dialogue.spelling import clean, words_of
from framework.dialogue.values import Place, actions_in, at, different, parts_with_values, with_value
from framework.plan.ast import CONDITIONS, Cancel, Do, Plan, Wait
from framework.plan.parser import NotUnderstood, Reading, Understood

#: Of a longer instruction only the parts are looked at, and not the whole with other words in it.
MOST_WORDS_CORRECTED = 12
#: More words in a row are no name.
MOST_WORDS_REPLACED = 6
MOST_WORDS_OF_A_NAME = 10
#: Inside an instruction, a correction may take the place of the last few words before it.
MOST_WORDS_TAKEN_BACK = 3
#: A plan of more parts is said again as a whole: each part is parsed several times.
MOST_PARTS_CORRECTED = 12

#: How sure it is at most that a whole instruction takes the place of the one before it.
_IF_WHOLE = 0.8
_ENDS_OPENING = tuple(",;:.-–—…")

_WORD = re.compile(r"[^\s,;!?]+")
_COMMA = re.compile(r"\s*[,;:.]\s+|\s+[–—-]\s+")

Parse = Callable[[str], Understood | NotUnderstood]


class CorrectionWords(msgspec.Struct, frozen=True):
    """How corrections begin. openings: "no", "i mean"; instead_of: "not"; but: what parts wrong from right.

    filling: words that tell nothing apart ("the"). closings: how corrections end that do not begin so: "20 cm
    i meant". ending: openings that may also say what is not wanted: "never mind the noise".
    pronouns: words for something without its name. back: words of what leaves it to what was said before.
    determined: words behind an opening that say with it that nothing is wanted: "need" of "no need to".
    in_place: what stands before that in whose place something is wanted: "instead of".
    """

    openings: tuple[str, ...] = ()
    instead_of: tuple[str, ...] = ()
    but: tuple[str, ...] = ()
    filling: tuple[str, ...] = ()
    closings: tuple[str, ...] = ()
    ending: tuple[str, ...] = ()
    pronouns: tuple[str, ...] = ()
    back: tuple[str, ...] = ()
    determined: tuple[str, ...] = ()
    in_place: tuple[str, ...] = ()


class Correction(msgspec.Struct, frozen=True):
    """What somebody says instead. right: what was meant; wrong: what it replaces, if that was said."""

    right: str
    wrong: str = ""


class Corrected(msgspec.Struct, frozen=True):
    """One thing that a correction could mean. text: it as an instruction of its own, empty if there is none.

    is_whole: it was said as a whole, and is no change of the last instruction.
    """

    text: str
    reading: Reading
    is_whole: bool = False


class LastSaid(msgspec.Struct, frozen=True):
    """An instruction that is corrected. plans: what it was understood as; several if that was not clear."""

    text: str
    plans: tuple[Plan, ...]


def read_correction(text: str, words: CorrectionWords, *, most_openings: int = 4) -> Correction | None:
    """The correction that a text begins like; None if it does not. What it corrects is not looked at."""
    text = clean(text)
    if _says_nothing_is_wanted(text, words):
        return None
    for opening, rest in _opened(text, _opening_phrases(words.openings, words.instead_of)):
        if opening in words.instead_of:
            for wrong, right in _parted(rest, words):
                return Correction(_unclosed(right, words) or right, wrong)
        else:
            # "no, not the camera, the scan"
            inner = read_correction(rest, words, most_openings=most_openings - 1) if most_openings else None
            return inner if inner is not None else Correction(_unclosed(rest, words) or rest)
    right = _unclosed(text, words)
    return Correction(right) if right else _in_the_place_of(text, words)


def corrected(
    correction: Correction,
    last: LastSaid,
    parse: Parse,
    in_words: Callable[[Plan], str],
    words: CorrectionWords,
) -> tuple[Corrected, ...]:
    """All that a correction of an instruction could mean, each plan once; empty if nothing.

    A change of the last instruction counts if it is a plan of that with another value in one place, or
    the same plan if that has other things to point at now.
    """
    found: list[Corrected] = []

    def add(text: str, reading: Reading, is_whole: bool = False) -> None:
        if all(reading.plan != other.reading.plan for other in found):
            found.append(Corrected(text, reading, is_whole))

    wrong = _telling(correction.wrong, words)
    # "Show the scan instead of the camera": a whole instruction names in whose place it is.
    if not wrong or set(wrong) <= set(_telling(last.text, words)):
        for reading in _best(parse, correction.right):
            add(correction.right, reading, True)
    if len(words_of(correction.right)) > MOST_WORDS_OF_A_NAME:
        return tuple(found)
    if not wrong:
        for plan in last.plans:
            # An instruction in itself is hardly what somebody was to say until the end, for example.
            for reading in _with_another_value(plan, correction.right, parse, in_words, not found):
                text = in_words(reading.plan)
                is_said_so = any(each.plan == reading.plan for each in _best(parse, text))
                add(text if is_said_so else "", reading)
    is_short = len(_WORD.findall(last.text)) <= MOST_WORDS_CORRECTED
    if wrong or (is_short and not found):
        for text in _changed_texts(correction.right, wrong, clean(last.text), words):
            for reading in _best(parse, text):
                if not reading.left_out and any(_changes_one(plan, reading.plan) for plan in last.plans):
                    add(text, reading)
    surest = max((each.reading.confidence for each in found), default=0.0)
    return tuple(each for each in found if each.reading.confidence >= surest)


def corrected_inside(
    text: str, parse: Parse, in_words: Callable[[Plan], str], words: CorrectionWords
) -> tuple[Corrected, ...]:
    """What an instruction means that corrects itself: "turn left, I mean right"; empty if none does.

    What is corrected is its last action, or its last few words, if that gives an instruction. One that takes
    the place of the whole is less sure: it may be wanted besides.
    """
    for before, right in _insides(clean(text), words):
        plans = tuple(each.plan for each in _best(parse, before) if not each.is_assumed)
        found = [
            msgspec.structs.replace(each, reading=_less_sure(each.reading)) if each.is_whole else each
            for each in corrected(Correction(right), LastSaid(before, plans), parse, in_words, words)
            if plans and (each.is_whole or any(_changes_last(plan, each.reading.plan) for plan in plans))
        ]
        said = list(_WORD.finditer(before))
        for count in range(1, min(MOST_WORDS_TAKEN_BACK, len(said) - 1) + 1):
            if not all(each.is_whole for each in found):
                break
            # What stands as a whole, too, says less: "left arm in. Forward I mean, 2 cm" is about the arm.
            text = f"{before[: said[-count].start()]}{right}"
            behind = [each for each in _best(parse, text) if not each.is_assumed]
            if found:
                behind = [each for each in behind if any(_is_as(plan, each.plan) for plan in plans)]
            found = [Corrected(text, each) for each in behind] or found
        if found:
            return tuple(each for each in found if not isinstance(each.reading.plan, Cancel))
    return ()


def _insides(text: str, words: CorrectionWords) -> Iterator[tuple[str, str]]:
    """What is said before and behind each correction behind a mark; of several words, one needs no mark.

    Behind a single word like "no" there is a mark as well: "turn left, no right turns" corrects nothing.
    """
    marks = [(mark.start(), mark.end(), True) for mark in _COMMA.finditer(text)]
    ends = {end for _, end, _ in marks}
    firsts = {opening.split()[0] for opening in words.openings if " " in opening}
    marks += [
        (word.start(), word.start(), False)
        for word in _WORD.finditer(text)
        if word[0].casefold() in firsts and word.start() and word.start() not in ends
    ]
    for start, end, is_marked in sorted(marks):
        before, rest = text[:start].strip(), text[end:]
        if is_marked and before and (right := _said_before_its_opening(rest, words)):
            yield before, right
            continue
        for opening, right in _opened(rest, _opening_phrases(words.openings)) if before else ():
            if not is_marked and " " not in opening:
                continue
            between = rest[: len(rest) - len(right)].rstrip()
            if (" " not in opening or opening in words.ending) and between[-1:] not in _ENDS_OPENING:
                continue
            inner = read_correction(right, words)
            right = inner.right if inner is not None and not inner.wrong else right
            if inner is not None and inner.wrong:
                continue
            # "It" would be what was said before, and that is not what is meant; nor is a second correction.
            is_clear = set(words.pronouns).isdisjoint(words_of(right)) and not any(_insides(right, words))
            if not is_clear:
                return
            yield before, right
            break


def _said_before_its_opening(rest: str, words: CorrectionWords) -> str:
    """What is meant, where "I mean" stands behind it: "turn left. Right I mean, thirty degrees"."""
    part, mark, more = _cut_at_mark(rest)
    for opening in words.openings:
        said = words_of(opening)
        if opening in words.but and len(said) > 1 and words_of(part)[-len(said) :] == said:
            right = part[: list(_WORD.finditer(part))[-len(said)].start()].strip()
            return f"{right}{mark}{more}" if right else ""
    return ""


def _cut_at_mark(text: str) -> tuple[str, str, str]:
    mark = _COMMA.search(text)
    return (text, "", "") if mark is None else (text[: mark.start()], mark[0], text[mark.end() :])


def _is_as(last: Plan, plan: Plan) -> bool:
    """Whether both are one action, and the same."""
    return isinstance(last, Do) and isinstance(plan, Do) and last.action == plan.action


def _changes_last(last: Plan, plan: Plan) -> bool:
    """Whether only its last action is another."""
    places, actions = different(last, plan), actions_in(last)
    where = actions[-1][0] if actions else ()
    return bool(places) and bool(actions) and all(place[: len(where)] == where for place in places or ())


def _less_sure(reading: Reading) -> Reading:
    return msgspec.structs.replace(reading, confidence=min(reading.confidence, _IF_WHOLE))


def with_a_bit(do: Do, bit: str, parse: Parse, in_words: Callable[[Plan], str]) -> Do | None:
    """An action with "a bit" for how far; None if it cannot be said so."""
    said = in_words(do)
    for text in (*_changed_texts(bit, [], said, CorrectionWords()), f"{said} {bit}"):
        for reading in _best(parse, text):
            plan = reading.plan
            places = different(do, plan) if isinstance(plan, Do) else None
            if isinstance(plan, Do) and (plan == do or (places and _is_number(plan, places))):
                return plan
    return None


def _is_number(plan: Plan, places: Sequence[Place]) -> bool:
    return len(places) == 1 and isinstance(at(plan, places[0]), float)


def _with_another_value(
    plan: Plan, right: str, parse: Parse, in_words: Callable[[Plan], str], with_conditions: bool
) -> Iterator[Reading]:
    """The plan with what `right` stands for in one of its parts; as sure as that part is understood."""
    for place, part in parts_with_values(plan)[:MOST_PARTS_CORRECTED]:
        if isinstance(part, CONDITIONS) and not with_conditions:
            continue
        # A condition is said as what one waits for.
        alone: Plan = Wait(part) if isinstance(part, CONDITIONS) else part
        for text in _changed_texts(right, [], in_words(alone), CorrectionWords()):
            for reading in _best(parse, text):
                # "1 metre metres" leaves one out
                if not reading.left_out and _changes_one(alone, reading.plan):
                    changed = reading.plan.condition if isinstance(reading.plan, Wait) else reading.plan
                    yield msgspec.structs.replace(reading, plan=with_value(plan, place, changed))


def _best(parse: Parse, text: str) -> tuple[Reading, ...]:
    result = parse(text)
    return best_of(result.readings) if isinstance(result, Understood) else ()


def _changes_one(last: Plan, plan: Plan) -> bool:
    places = different(last, plan)
    return places is not None and (len(places) == 1 or (not places and bool(pointing_words(plan))))


def changed_texts(correction: Correction, text: str, words: CorrectionWords) -> tuple[str, ...]:
    """A text that meant nothing, with what was meant in the place of each few words; none of a long one."""
    if len(_WORD.findall(text)) > MOST_WORDS_CORRECTED:
        return ()
    return tuple(_changed_texts(correction.right, _telling(correction.wrong, words), text, words))


def _changed_texts(right: str, wrong: list[str], last_text: str, words: CorrectionWords) -> Iterator[str]:
    """The last text with each few words in a row replaced; with `wrong`, only where it says just these."""
    said = list(_WORD.finditer(last_text))
    for first in range(len(said)):
        for last in range(first, min(first + MOST_WORDS_REPLACED, len(said))):
            start, end = said[first].start(), said[last].end()
            if wrong and _telling(last_text[start:end], words) != wrong:
                continue
            if first > 0 or last < len(said) - 1:
                yield f"{last_text[:start]}{right}{last_text[end:]}"


def _unclosed(text: str, words: CorrectionWords) -> str:
    """What "20 cm i meant, not 2 m" and "10 are enough" say was meant; empty if a text does not end so."""
    for instead in words.instead_of:
        found = re.search(rf"[\s,;]+{re.escape(instead)}\s", text, re.IGNORECASE)
        if found and (right := _unclosed(text[: found.start()], words)):
            return right
    said = list(_WORD.finditer(text))
    for closing in _longest_first(words.closings):
        count = len(words_of(closing))
        if len(said) > count and words_of(text[said[-count].start() :]) == words_of(closing):
            return text[: said[-count - 1].end()].strip()
    return ""


def _in_the_place_of(text: str, words: CorrectionWords) -> Correction | None:
    """What "the scan on the screen, instead of the camera" says is to be in the place of what."""
    for place in words.in_place:
        found = re.search(rf"[\s,;]+{re.escape(place)}\s+", text, re.IGNORECASE)
        if found and words_of(text[found.end() :]) and _COMMA.search(text, found.end()) is None:
            return Correction(text[: found.start()].strip(" ,;"), text[found.end() :].strip(" .!?"))
    return None


def _says_nothing_is_wanted(text: str, words: CorrectionWords) -> bool:
    """Whether it begins like "no need to go there": no mark parts the "no" from what it denies."""
    first, *more = [each[0].casefold() for each in islice(_WORD.finditer(text), 2)] or [""]
    is_apart = text[len(first) :].lstrip()[:1] in _ENDS_OPENING
    return first in words.openings and not is_apart and bool(more) and more[0] in words.determined


def _telling(text: str, words: CorrectionWords) -> list[str]:
    return [word for word in words_of(text) if word not in words.filling]


def _opened(text: str, phrases: Mapping[tuple[str, ...], Sequence[str]]) -> list[tuple[str, str]]:
    """Each opening that a text begins with, the longest first, and what follows it, without the comma."""
    said = list(_WORD.finditer(text))
    most = max(map(len, phrases), default=0) + 1
    found: list[tuple[str, str]] = []
    seen: set[tuple[str, ...]] = set()
    for count in range(1, min(most + 1, len(said))):
        begins = tuple(words_of(text[: said[count - 1].end()]))
        # A dash between two words is none: one such may stand there.
        if begins in phrases and begins not in seen and count <= len(begins) + 1:
            seen.add(begins)
            rest = text[said[count].start() :].strip()
            found += [(opening, rest) for opening in phrases[begins] if rest]
    return sorted(found, key=lambda each: -len(each[0]))


@lru_cache(maxsize=8)  # languages, each with a thousand
def _opening_phrases(*phrases: tuple[str, ...]) -> dict[tuple[str, ...], list[str]]:
    """Openings by their words."""
    found: dict[tuple[str, ...], list[str]] = {}
    for opening in (each for some in phrases for each in some):
        found.setdefault(tuple(words_of(opening)), []).append(opening)
    return found


def _parted(rest: str, words: CorrectionWords) -> Iterator[tuple[str, str]]:
    """The wrong and the right words of "the camera, the scan" and "the camera but the scan"."""
    for but in _longest_first(words.but):
        found = re.search(rf"[\s,]+{re.escape(but)}[\s,]+", rest, re.IGNORECASE)
        if found and rest[: found.start()].strip() and rest[found.end() :].strip():
            yield rest[: found.start()].strip(" ,"), rest[found.end() :].strip(" ,")
    comma = _COMMA.search(rest)
    if comma and rest[: comma.start()].strip() and rest[comma.end() :].strip():
        yield rest[: comma.start()].strip(), rest[comma.end() :].strip()


def _longest_first(phrases: Sequence[str]) -> list[str]:
    return sorted(phrases, key=lambda phrase: -len(phrase))
