"""Numbers in a row of words, exactly: "twenty five", "a hundred and two", "1,5", "two and a half", "½".

Worked out as fractions and rounded only by whoever uses them. Ordinals are no numbers. Nothing raises
because of what somebody said, and the time is bounded whatever it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence, Set
from fractions import Fraction

import msgspec

_TO_TEN = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_TEENS = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
#: Zero to nineteen, and the tens.
ONES: Mapping[str, int] = {word: at for at, word in enumerate((*_TO_TEN, "eleven", "twelve", *_TEENS))}
TENS: Mapping[str, int] = {word: 10 * at for at, word in enumerate(_TENS, start=2)}
#: Digits as they are called on the radio and in speech, behind or before others.
_DIGITS_CALLED: Mapping[str, int] = {"oh": 0, "o": 0, "nought": 0, "naught": 0, "niner": 9}
#: "once" and its like: how often.
TIMES: Mapping[str, int] = {"once": 1, "twice": 2, "thrice": 3}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_PARTS = {
    "half": Fraction(1, 2),
    "halves": Fraction(1, 2),
    "quarter": Fraction(1, 4),
    "quarters": Fraction(1, 4),
    "third": Fraction(1, 3),
    "thirds": Fraction(1, 3),
    "fourths": Fraction(1, 4),
    "fifth": Fraction(1, 5),
    "fifths": Fraction(1, 5),
    "sixth": Fraction(1, 6),
    "sixths": Fraction(1, 6),
    "eighth": Fraction(1, 8),
    "eighths": Fraction(1, 8),
    "tenth": Fraction(1, 10),
    "tenths": Fraction(1, 10),
}
_PLURAL = frozenset(("halves", "quarters", "thirds", "fourths", "fifths", "sixths", "eighths", "tenths"))
_COUNTS = {"couple": 2, "dozen": 12}
#: What people say who have not counted, and what that is at least.
_VAGUE = {"few": 3, "several": 4}
_POINTS = frozenset(("point", "decimal", "dot", "comma"))
#: Behind these "one" is no number: "the left one eighty centimetres", "that one twenty degrees".
_BEFORE_ONE = frozenset((
    "left", "right", "other", "this", "that", "which", "same", "first", "second", "third", "last", "next",
    "each", "every", "either", "another", "red", "blue", "green", "yellow", "white", "black",
))  # fmt: skip
_MINUS = frozenset(("minus", "negative", "-"))
_SIGNS = _MINUS | {"plus", "+"}
_CALLED_FIRST = frozenset(("nought", "naught", "niner"))
_BEGINNINGS = frozenset(
    (*ONES, *TENS, *_SCALES, *_PARTS, *_COUNTS, *_VAGUE, *TIMES, *_SIGNS, *_CALLED_FIRST, "point")
)
#: Words that numbers begin with.
NUMBERS = frozenset((*ONES, *TENS, *_SCALES, *_PARTS, *_COUNTS, *_VAGUE, *TIMES))
_DIGITS = re.compile(r"\d+")
_DECIMAL = re.compile(r"\d*[.,]\d+")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
_ORDINAL = frozenset(("st", "nd", "rd", "th"))
_MOST_DIGITS = 400
_MOST_DECIMALS = 20


class Number(msgspec.Struct, frozen=True):
    """A number that stands in the words. end: the position after it.

    is_part: "half", "three quarters": "of" may follow. has_sign: a plus or minus was said. is_spelt: digit by
    digit, as on the radio: "one five zero". is_vague: "a few". may_begin_later: its first word may be part of
    what stands before it: "the left-hand one sixty centimetres".
    """

    value: Fraction
    end: int
    is_part: bool = False
    has_sign: bool = False
    is_spelt: bool = False
    is_vague: bool = False
    may_begin_later: bool = False


def begins_number(word: str) -> bool:
    """Whether a number could begin with a word (spaCy's own LIKE_NUM knows neither "half" nor "minus")."""
    return word in _BEGINNINGS or word[:1].isnumeric() or (word[:1] == "." and len(word) > 1)


def numbers_at(words: Sequence[str], at: int, after_a: Set[int] = frozenset()) -> tuple[Number, ...]:
    """The numbers that begin at a position, each as long as it goes.

    More than one only for what can be read in two ways: "1,250" is 1250 or 1.25.
    after_a: positions before which "a" or "an" was dropped ("a hundred", "a third").
    """
    if at >= len(words):
        return ()
    if words[at] not in _SIGNS:
        return tuple(_unsigned(words, at, after_a))
    before = words[at - 1] if at else ""
    if words[at] in ("-", "+") and (before[:1].isdigit() or before in ("-", "+")):
        return ()  # "10-20", "--3"
    sign = -1 if words[at] in _MINUS else 1
    return tuple(
        Number(sign * number.value, number.end, number.is_part, True)
        for number in _unsigned(words, at + 1, after_a)
    )


def part_at(words: Sequence[str], at: int, after_a: Set[int]) -> Number | None:
    """ "half", "a third", "one half", "three quarters", "3 tenths" at a position."""
    if at >= len(words):
        return None
    word = words[at]
    if word in _PARTS and word not in _PLURAL:
        is_number = word in ("half", "quarter") or at in after_a
        return Number(_PARTS[word], at + 1, is_part=True) if is_number else None
    count = ONES.get(word) or (int(word) if word.isdecimal() and len(word) < 3 else 0)
    following = words[at + 1] if at + 1 < len(words) else ""
    if count and following in _PARTS and (following in _PLURAL or count == 1):
        return Number(count * _PARTS[following], at + 2, is_part=True)
    return None


def _unsigned(words: Sequence[str], at: int, after_a: Set[int]) -> Iterator[Number]:
    if at >= len(words):
        return
    word = words[at]
    if (part := part_at(words, at, after_a)) is not None:
        dozens = _counted(part.value, part.end, words)  # "half a dozen"
        yield dozens if dozens.end > part.end else part
    elif word[0].isnumeric() or word[0] == ".":
        for value, end in _in_digits(words, at):
            yield _continued(value, end, words, after_a)
    elif word == "dozen" or (word == "couple" and (at in after_a or _word(words, at + 1) == "of")):
        yield _counted(Fraction(1), at, words)
    elif word in _VAGUE:
        yield Number(Fraction(_VAGUE[word]), at + 1, is_vague=True)
    elif word == "point" or (word in ("nought", "naught") and _word(words, at + 1) == "point"):
        value, end = _decimals(words, at if word == "point" else at + 1)
        if end > at:
            yield Number(value, end)
    elif word in _CALLED_FIRST:
        if (digits := _digit_by_digit(words, at)) is not None:
            yield digits
    elif (spelled := _spelled(words, at, after_a)) is not None:
        if (digits := _digit_by_digit(words, at)) is not None:
            yield digits
        yield _continued(*spelled, words, after_a)


def _digit_by_digit(words: Sequence[str], at: int) -> Number | None:
    end, value = at, 0
    while end < len(words) and end - at < _MOST_DECIMALS and (digit := _digit(words[end])) is not None:
        value = 10 * value + digit
        end += 1
    size = end - at  # "the left one three metres" has none
    has_called = any(word == "zero" or word in _DIGITS_CALLED for word in words[at:end])
    if size > 2 or (size == 2 and has_called):
        return Number(Fraction(value), end, is_spelt=True)
    if size == 1 and value and end < len(words) and words[end] in TENS:
        tens, after = _below_hundred(words, end)  # "one eighty", "two seventy five"
        before = words[at - 1] if words[at] == "one" and at else ""
        is_pronoun = before in _BEFORE_ONE  # "the left one eighty centimetres"
        may_begin_later = is_pronoun or before == "hand"  # there it may be either
        return Number(
            Fraction(100 * value + tens), after, is_vague=is_pronoun, may_begin_later=may_begin_later
        )
    return Number(Fraction(value), end) if size == 1 and words[at] in _DIGITS_CALLED else None


def _digit(word: str) -> int | None:
    digit = ONES.get(word, _DIGITS_CALLED.get(word, 10))
    return digit if digit < 10 else None


def _continued(value: Fraction, end: int, words: Sequence[str], after_a: Set[int]) -> Number:
    """A number with what may follow it: "two and a half", "two dozen"."""
    if value.denominator == 1 and end < len(words) and words[end] == "and":
        part = part_at(words, end + 1, after_a)
        if part is not None and part.value < 1:
            return Number(value + part.value, part.end)
    return _counted(value, end, words)


def _counted(value: Fraction, end: int, words: Sequence[str]) -> Number:
    if end >= len(words) or words[end] not in _COUNTS:
        return Number(value, end)
    after = end + 1
    is_of = after < len(words) and words[after] == "of"
    return Number(value * _COUNTS[words[end]], after + 1 if is_of else after)


def _in_digits(words: Sequence[str], at: int) -> Iterator[tuple[Fraction, int]]:
    """ "12", "1.5", "1,5", "1,250" (two ways), "1/2", "1 1/2", "2½", "2 point 5", "2 million"."""
    word = words[at]
    if len(word) > _MOST_DIGITS:
        return
    after = words[at + 1] if at + 1 < len(words) else ""
    if after in _ORDINAL:
        return
    values: list[Fraction] = []
    if _DIGITS.fullmatch(word):
        found = _mixed(words, at, after)
        if found is not None:
            yield found
            return
        values.append(Fraction(int(word)))
    elif len(word) == 1:
        vulgar = _vulgar(word)
        if vulgar is not None:
            yield vulgar, at + 1
        return
    if _THOUSANDS.fullmatch(word):
        values.append(Fraction(word.replace(",", "")))
    if _DECIMAL.fullmatch(word):
        values.append(Fraction("0" + word.replace(",", ".")))
    for value in dict.fromkeys(values):
        yield (value * _SCALES[after], at + 2) if after in _SCALES else (value, at + 1)


def _mixed(words: Sequence[str], at: int, after: str) -> tuple[Fraction, int] | None:
    """A whole number in digits with a fraction, or as part of one."""
    over = _over(words, at)
    if over is not None:
        return over, at + 3
    whole = Fraction(int(words[at]))
    if len(after) == 1 and (part := _vulgar(after)) is not None and part < 1:
        return whole + part, at + 2
    if (part := _over(words, at + 1)) is not None and part < 1:
        return whole + part, at + 4
    decimals, end = _decimals(words, at + 1)
    return (whole + decimals, end) if end > at + 1 else None


def _over(words: Sequence[str], at: int) -> Fraction | None:
    """ "1/2" at a position."""
    if at + 2 >= len(words) or words[at + 1] != "/":
        return None
    above, below = words[at], words[at + 2]
    if not (above.isdecimal() and below.isdecimal() and len(above) + len(below) <= _MOST_DIGITS):
        return None
    return Fraction(int(above), int(below)) if int(below) else None


def _vulgar(character: str) -> Fraction | None:
    """ "½" and its like; other characters that only look like numbers ("²", "Ⅳ") are none."""
    parts = unicodedata.decomposition(character).split() if character else []
    if not parts or parts[0] != "<fraction>":
        return None
    above, slash, below = "".join(chr(int(part, 16)) for part in parts[1:]).partition("\u2044")
    return Fraction(int(above), int(below)) if slash and above.isdecimal() and below.isdecimal() else None


def _spelled(words: Sequence[str], at: int, after_a: Set[int]) -> tuple[Fraction, int] | None:
    """A number in words: "twenty five", "a hundred and two", "two thousand and one", "one point five"."""
    total, end = 0, at
    for scale, name in ((1_000_000, "million"), (1000, "thousand"), (1, "")):
        begin = end + 1 if total and end < len(words) and words[end] == "and" else end
        group, after = _below_thousand(words, begin, after_a if begin == at else frozenset())
        if not name:
            if after > begin:
                total, end = total + group, after
        elif after < len(words) and words[after] == name and (after > begin or begin in after_a):
            total, end = total + (group if after > begin else 1) * scale, after + 1
    if end == at:
        return None
    decimals, end = _decimals(words, end)
    return total + decimals, end


def _below_thousand(words: Sequence[str], at: int, after_a: Set[int]) -> tuple[int, int]:
    """(value, end); the end is `at` if there is nothing."""
    value, end = _below_hundred(words, at)
    is_counted = value > 0 if end > at else at in after_a
    if not is_counted or end >= len(words) or words[end] != "hundred":
        return value, end
    value, end = max(value, 1) * 100, end + 1
    begin = end + 1 if end < len(words) and words[end] == "and" else end
    more, after = _below_hundred(words, begin)
    return (value + more, after) if more else (value, end)


def _below_hundred(words: Sequence[str], at: int) -> tuple[int, int]:
    word = words[at] if at < len(words) else ""
    if word in TENS:
        more = ONES.get(words[at + 1], 0) if at + 1 < len(words) else 0
        return (TENS[word] + more, at + 2) if 0 < more < 10 else (TENS[word], at + 1)
    return (ONES[word], at + 1) if word in ONES else (0, at)


def _decimals(words: Sequence[str], at: int) -> tuple[Fraction, int]:
    """ "point five oh two" at a position; the end is `at` if there is nothing of the kind."""
    if at >= len(words) or words[at] not in _POINTS:
        return Fraction(0), at
    digits, end = "", at + 1
    while end < len(words) and len(digits) < _MOST_DECIMALS:
        word = words[end]
        called = ONES.get(word, _DIGITS_CALLED.get(word, ""))
        digit = word if word.isdecimal() else str(called)
        if not digit or (len(digit) > 1 and not word.isdecimal()):
            break
        digits += digit[:_MOST_DECIMALS]
        end += 1
    return (Fraction("0." + digits), end) if digits else (Fraction(0), at)


def _word(words: Sequence[str], at: int) -> str:
    return words[at] if at < len(words) else ""
