"""A text as words that can be compared: what letters, marks and articles count for. No spaCy in here.

`folded` makes the text that spaCy's tokenizer gets (case, width, control characters), with the way back to
the characters as they were typed; `SEPARATORS` and `LEADING` are what the tokenizer splits at; `kept` says
which of its tokens stay. What stands where in the words is `grammars.reading.recogniser`'s business.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence

import msgspec

from grammars.reading.utterance import Token

#: Longer texts are read up to here; one token that no grammar knows stands for the rest.
MOST_CHARACTERS = 20_000
#: The token that stands for a rest that was not read.
UNREAD = "…"
MARKS = frozenset(",;.:?!")

#: So many words a way has that `begins_with` looks for.
_MOST_OF_A_WAY = 5
_INDEFINITE = frozenset(("a", "an"))
#: What never counts in a text.
ARTICLES = _INDEFINITE | {"the", "my", "your", "our"}
#: In front of these "a" is no article but a name: "go to point A and wait".
NEVER_AFTER_AN_ARTICLE = frozenset(
    (
        *("and", "or", "then", "until", "till", "while", "if", "unless", "when", "once", "as", "for", "with"),
        *("on", "onto", "in", "into", "to", "at", "from", "of", "by", "after", "before", "otherwise", "else"),
        *("is", "are", "was", "has", "please", "now", "again", "also", "but", "the", "a", "an"),
    )
)

#: What the tokenizer splits at, inside of what stands between spaces: numbers are one piece, hyphens and
#: underscores, marks and symbols are pieces, and between a letter and a digit nothing is ("10cm").
SEPARATORS = re.compile(
    r"(?<!\d)\.\d+|\d+(?:[.,]\d+)*"
    r"|[,;.:?!]+|_+|'+(?!\w)|(?<!\w)'+|[^\w\s']"
    r"|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])"
)
#: The same at the beginning of a piece, where the tokenizer does not look for the above: all of it at once.
LEADING = re.compile(r"\.\d+|[^\w\s]+?(?=\.\d)|[^\w\s]+|_+")
_IN_LEADING = re.compile(r"[,;.:?!]+|.", re.DOTALL)

_QUOTES = dict.fromkeys(map(ord, '"“”„‟«»‹›()[]{}〈〉《》「」'), " ") | dict.fromkeys(
    map(ord, "‘’‛ʼ＇`´′"), "'"
)
_DASHES = dict.fromkeys(map(ord, "‐‑‒–−﹣－"), "-") | {ord("—"): " - ", ord("―"): " - "}
_CONTROL = dict.fromkeys((*range(32), *range(127, 160), 8232, 8233), " ")
_ASCII = str.maketrans(
    {**{chr(code): " " for code in (*range(0x20), 0x7F)}, **dict.fromkeys('"()[]{}', " "), "`": "'"}
)
_SAID = {"%": "percent", "°": "degrees", "&": "and"}
#: Feet and inches.
_PRIMES = frozenset("′″")
_MEASURE = re.compile(r"(?<=\d)(?:''|\"|”|′|″|'|’)(?!\w)|(?<=\d)(?:'|’|′)(?=\s?\d{1,2}\s?(?:\"|”|″|''))")
_OPENS_QUOTE = re.compile(r"(?<!\w)['‘](?=\w)")
# Combining marks of one letter; more than a language needs are cut into pieces, so that time stays bounded.
_MOST_MARKS = 16


class Folded(msgspec.Struct, frozen=True):
    """A text made comparable.

    places: for each of its characters (start, end) in the text as typed; None if they are the same.
    unread: (start, end) of a rest that was too long to be read.
    """

    text: str
    places: tuple[tuple[int, int], ...] | None = None
    unread: tuple[int, int] | None = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a part of the folded text stands in the text as typed."""
        if self.places is None or start >= end:
            return start, end
        return self.places[start][0], self.places[end - 1][1]


class Words(msgspec.Struct, frozen=True):
    """The tokens that count. after_a: positions of those that "a" or "an" stood before."""

    tokens: tuple[Token, ...]
    after_a: frozenset[int]


def folded(text: str) -> Folded:
    """Case, width, compatibility forms, control and invisible characters folded away; of any text at all."""
    text = _measured(text)
    if text.isascii():
        unread = (MOST_CHARACTERS, len(text)) if text[MOST_CHARACTERS:].strip() else None
        return Folded(text[:MOST_CHARACTERS].translate(_ASCII).lower(), unread=unread)
    pieces: list[str] = []
    places: list[tuple[int, int]] = []
    at = 0
    while at < len(text) and len(places) < MOST_CHARACTERS:
        end = at + 1
        while end < len(text) and end - at <= _MOST_MARKS and unicodedata.combining(text[end]):
            end += 1
        piece = _folded(text[at:end])
        pieces.append(piece)
        places.extend([(at, end)] * len(piece))
        at = end
    return Folded("".join(pieces), tuple(places), (at, len(text)) if text[at:].strip() else None)


def kept(pieces: Iterable[tuple[str, int]], text: Folded) -> Words:
    """The tokens that count, of a tokenizer's pieces (text, start in the folded text)."""
    found = [each for piece, start in pieces if not piece.isspace() for each in _apart(piece, start)]
    tokens: list[Token] = []
    after_a: set[int] = set()
    for index, (piece, start) in enumerate(found):
        word = _word(found, index, text.text)
        if not word or (word in MARKS and tokens and tokens[-1].text in MARKS):
            continue
        if word in ARTICLES and _is_article(found, index):
            if word in _INDEFINITE:
                after_a.add(len(tokens))
            continue
        tokens.append(Token(word, *text.span(start, start + len(piece))))
    if text.unread is not None:
        tokens.append(Token(UNREAD, *text.unread))
    return Words(tuple(tokens), frozenset(after_a))


def parts(tokens: Sequence[str], beginning: Collection[str]) -> Iterator[tuple[int, int]]:
    """(begin, end) of each part between marks, with the mark before it.

    beginning: words that begin one, too.
    """
    begin = 0
    for at in range(1, len(tokens)):
        is_new = tokens[at] in MARKS or (tokens[at] in beginning and tokens[at - 1] not in MARKS)
        if is_new and any(each not in MARKS for each in tokens[begin:at]):
            yield begin, at
            begin = at
    if any(each not in MARKS for each in tokens[begin:]):
        yield begin, len(tokens)


def is_article(word: str) -> bool:
    """Whether a word of a template does not count, because it is dropped from texts too."""
    return word.casefold() in ARTICLES


def _measured(text: str) -> str:
    """The text, as long as it was, with primes for the marks of feet and inches; quotes stay quotes."""

    def prime(found: re.Match[str]) -> str:
        before = text[: found.start()]
        if found[0] in ('"', "”") and sum(map(before.count, '"“”')) % 2:
            return found[0]
        if found[0] in ("'", "’") and _OPENS_QUOTE.search(before):
            return found[0]
        if found[0] == "''":
            return "″ "
        return "′" if found[0] in ("'", "’", "′") else "″"

    return _MEASURE.sub(prime, text)


def _folded(piece: str) -> str:
    """One letter with its marks. Several characters may come out, or none."""
    if piece in _PRIMES:
        return piece
    if len(piece) == 1:
        kind = unicodedata.category(piece)
        if kind == "Cf" or "\ufe00" <= piece <= "\ufe0f":
            return ""
        if kind == "Cs":
            return "\ufffd"
        if kind == "Nd":
            return str(unicodedata.digit(piece))
        if kind == "No":
            return piece  # "2½" is not "21/2", and "10²" is not "102"
    said = piece.translate(_CONTROL).translate(_QUOTES).translate(_DASHES)
    said = unicodedata.normalize("NFKC", said).casefold()
    return unicodedata.normalize("NFKC", said).translate(_CONTROL).translate(_QUOTES).translate(_DASHES)


def _apart(piece: str, start: int) -> Iterator[tuple[str, int]]:
    """A row of marks and symbols, one by one."""
    if len(piece) == 1 or piece[0].isalnum() or piece[1].isalnum():
        yield piece, start
        return
    for match in _IN_LEADING.finditer(piece):
        yield match.group(), start + match.start()


def _word(found: Sequence[tuple[str, int]], index: int, text: str) -> str:
    """What a piece counts as; empty if it does not count."""
    piece, start = found[index]
    first = piece[0]
    if first.isalnum():
        return piece
    if first == "." and len(piece) > 1 and piece[1].isdigit():
        return piece
    if first in MARKS:
        return first
    if first in _SAID:
        return _SAID[first]
    if first in "-+":
        return _sign(first, text, start, start + len(piece))
    is_ornament = unicodedata.category(first) in ("So", "Sk", "Mn", "Mc", "Me") and first != "\ufffd"
    return "" if is_ornament or first in "'_" else piece


def _sign(sign: str, text: str, start: int, end: int) -> str:
    """A hyphen joins words; before a number it is a sign, between two numbers unknown; alone, a pause."""
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    if after.isdigit() or (after == "." and text[end + 1 : end + 2].isdigit()):
        return "" if before.isalpha() else sign
    if sign == "+" or after == "-":
        return sign
    return "," if before.isspace() and after.isspace() and text[:start].strip() and text[end:].strip() else ""


def _is_article(found: Sequence[tuple[str, int]], index: int) -> bool:
    if found[index][0] not in _INDEFINITE:
        return True
    if index + 1 >= len(found):
        return False
    following = found[index + 1][0]
    return following[0].isalnum() and following not in NEVER_AFTER_AN_ARTICLE


def begins_with(tokens: Sequence[str], at: int, several: Collection[str]) -> int:
    """How many tokens of the longest of several ways begin here, of five at most; 0 if none does."""
    most = min(_MOST_OF_A_WAY, len(tokens) - at)
    return next((size for size in range(most, 0, -1) if " ".join(tokens[at : at + size]) in several), 0)
