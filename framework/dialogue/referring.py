"""What somebody says of what was done last, word by word: "no that's too far, bring it back up two". Pure.

Such a text is tiled: every run of its words is one of the language's signs ("too far", "the other way", "once
more"), filling ("oh", "lovely, thank you"), or content: words that may stand for one value of the last
instruction. What the signs together mean is decided here; which value a content is, by whoever can parse
(`framework.supervisor.referred`). No word is left: a part without any sign whose content fits nothing is a
remark, and is put to the operator.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum

import msgspec

from framework.dialogue.spelling import clean, words_of


class Sign(StrEnum):
    """What a few words say of the last instruction.

    filling: nothing. wrong: it was not meant. no: that the content behind it was not meant. too_far,
    too_near: it went on too long, or not long enough. more: so much more of it. suffices: the content beside
    it is what was meant. once_more, same: it is to be done again, or with something else. keeps: the rest
    stays as it was. back: some of it the other way. by: the content behind it is by how much. undo: all of it
    the other way. other_way: it was to go the other way; other_side: that, or with the other of two. other:
    the other of two. half, double, bit: how far. only: the content behind it is less than it was. less: so
    much less of it. use: with what it is to be done, instead of what it is done with still.
    """

    FILLING = "filling"
    WRONG = "wrong"
    NO = "no"
    TOO_FAR = "too_far"
    TOO_NEAR = "too_near"
    MORE = "more"
    SUFFICES = "suffices"
    ONCE_MORE = "once_more"
    SAME = "same"
    KEEPS = "keeps"
    BACK = "back"
    BY = "by"
    UNDO = "undo"
    OTHER_WAY = "other_way"
    OTHER_SIDE = "other_side"
    OTHER = "other"
    HALF = "half"
    DOUBLE = "double"
    BIT = "bit"
    ONLY = "only"
    LESS = "less"
    USE = "use"


#: Signs that change a value themselves, without any content.
CHANGES = frozenset((Sign.OTHER_WAY, Sign.OTHER_SIDE, Sign.OTHER, Sign.HALF, Sign.DOUBLE))


#: Those of them that say which way, and how far, and name nothing.
OF_WAYS = frozenset((Sign.OTHER_WAY, Sign.HALF, Sign.DOUBLE))
#: Signs of a text that may take all of it back, if nothing else is said: "no, go back".
_ALL_THE_WAY_BACK = frozenset((Sign.BACK, Sign.WRONG))
#: Signs that say how far by themselves.
_AMOUNTS = frozenset((Sign.HALF, Sign.DOUBLE))
#: Signs that may also begin a value.
_OF_UNITS = (Sign.HALF, Sign.DOUBLE)


class Mode(StrEnum):
    """What is to be done with the changed instruction.

    instead: it counts from where the last one began. again: beside or after that. further, less: so much
    more of it, or back. too_far: how far is to be asked. undo: all of it is taken back.
    """

    INSTEAD = "instead"
    AGAIN = "again"
    FURTHER = "further"
    LESS = "less"
    TOO_FAR = "too far"
    UNDO = "undo"


class Content(msgspec.Struct, frozen=True):
    """Words that may stand for a value. part: of the text, from 0. is_alone: no sign stands in that part.

    naming: the same with what stands before a thing: "with right" of "same with right", which is no way.
    bare: without what stands before a thing: "the door" of "with the door".
    """

    text: str
    part: int
    is_alone: bool = False
    naming: str = ""
    bare: str = ""

    @property
    def thing(self) -> str:
        """It as the name of a thing."""
        return self.naming or self.text


class Referring(msgspec.Struct, frozen=True):
    """What a text says of the last instruction.

    changes: the signs that change values. contents: what values are said, denied: which ones are not meant.
    repeats: it is also done again as it was. is_bit: a little of it. is_less_if_back: it is so much back, if
    a content is the way back from where it went. is_sure: said in words that nobody says of anything else.
    replaces: it is instead of what is still being done. goes_back: it may be an instruction to go back, too.
    way_back: a way that all of it may go back, if what
    was meant is not that way: "sorry, I meant back".
    """

    mode: Mode
    changes: tuple[Sign, ...] = ()
    contents: tuple[Content, ...] = ()
    denied: tuple[str, ...] = ()
    repeats: bool = False
    is_bit: bool = False
    is_less_if_back: bool = False
    is_sure: bool = False
    is_bare: bool = False
    replaces: bool = False
    goes_back: bool = False
    way_back: str = ""

    @property
    def changes_something(self) -> bool:
        """Whether it wants what was said last once more, or otherwise, and not more or less of a motion."""
        is_said = bool(self.changes or self.contents or self.denied or self.repeats)
        return self.mode in (Mode.AGAIN, Mode.INSTEAD) and is_said and not self.is_bare


_MARK = re.compile(r"[,;:.!?…]+(?=\s|$)|\s[-–—]\s")
_HELD = re.compile(r"([a-z])\1{2,}")
_MOST_WORDS = 24


class ReferringReader:
    """Knows the signs of one language.

    spelt: words as some write them, and as they are written. empty: words that say nothing alone: "the".
    asking: how questions begin that request nothing.
    """

    def __init__(
        self,
        signs: Mapping[Sign, Iterable[str]],
        spelt: Mapping[str, str],
        empty: Iterable[str] = (),
        asking: Iterable[str] = (),
    ) -> None:
        self._asking = frozenset(tuple(words_of(way)) for way in asking)
        self._empty = frozenset(empty)
        self._spelt = {tuple(words_of(said)): tuple(words_of(meant)) for said, meant in spelt.items()}
        self._signs = {tuple(words_of(way)): sign for sign, ways in signs.items() for way in ways}
        self._longest = max((*map(len, self._signs), *map(len, self._spelt), 1))

    def read(self, text: str) -> Referring | None:
        """What a whole text says of what was done last; None if nothing."""
        if not self._signs or len(words_of(text)) > _MOST_WORDS or self._asks(text):
            return None
        signs: list[Sign] = []
        contents: list[Content] = []
        denied: list[str] = []
        back = ""
        for number, part in enumerate(filter(str.strip, _MARK.split(clean(text)))):
            tiles = tuple(self._tiles(part))
            said = [sign for sign, _ in tiles if sign is not None and sign is not Sign.FILLING]
            signs += said
            for index, (sign, words) in enumerate(tiles):
                if sign not in (None, Sign.FILLING) and index and tiles[index - 1][0] is Sign.NO:
                    return None  # "not again": what is denied so is none of this
                if sign is Sign.BACK:
                    back = words
                if sign is Sign.TOO_FAR and index and tiles[index - 1][0] is None:
                    signs.append(Sign.BY)  # "half a metre too far"
                if sign is None and not self._empty.issuperset(words.split()):
                    is_denied = index > 0 and tiles[index - 1][0] is Sign.NO
                    if is_denied:
                        denied.append(words)
                    else:
                        before = tiles[index - 1][1].split()[-1] if index else ""
                        naming = f"{before} {words}" if before in self._empty else ""
                        contents.append(Content(words, number, not said, naming, self._bare(words)))
        return _meant(tuple(signs), tuple(contents), tuple(denied), back)

    def _asks(self, text: str) -> bool:
        """Whether it asks how something is, and requests nothing: "and is the other one open too?"."""
        words = tuple(words_of(text)) if text.rstrip().endswith("?") else ()
        for at in range(len(words)):
            if words[at : at + 1] in self._asking or words[at : at + 2] in self._asking:
                return True
            if self._signs.get(words[at : at + 1]) is not Sign.FILLING:
                break
        return False

    def _bare(self, words: str) -> str:
        """Without words that say nothing alone in front."""
        rest = words.split()
        while rest and rest[0] in self._empty:
            rest = rest[1:]
        return " ".join(rest)

    def without_filling(self, text: str) -> str:
        """A text without the parts in front that say nothing: "Lovely. And now …"."""
        while (mark := _MARK.search(text)) is not None and mark.end() < len(text):
            tiles = [*self._tiles(text[: mark.start()])]
            if not tiles or any(sign is not Sign.FILLING for sign, _ in tiles):
                break
            text = text[mark.end() :].strip()
        return text

    def beginnings(self, text: str) -> Iterator[tuple[Referring, str]]:
        """What each first part of a text says of what was done last, and what stands behind it."""
        for mark in _MARK.finditer(text) if self._signs else ():
            rest = text[mark.end() :].strip()
            found = self.read(text[: mark.start()]) if rest else None
            if found is not None and not found.is_bare:
                yield found, rest

    def _tiles(self, part: str) -> Iterator[tuple[Sign | None, str]]:
        """The signs of a part, and the words between them."""
        words = tuple(self._written(words_of(part)))
        rest: list[str] = []
        at = 0
        while at < len(words):
            for count in range(min(self._longest, len(words) - at), 0, -1):
                sign = self._signs.get(words[at : at + count])
                end = at + count
                ends_bare = self._signs.get(words[end - 1 : end]) is sign
                if sign in _OF_UNITS and ends_bare and self._is_content(words[end : end + 1]):
                    continue  # "half a metre" is a length, "at half speed" a manner
                if sign is not None:
                    if rest:
                        yield None, " ".join(rest)
                        rest = []
                    yield sign, " ".join(words[at : at + count])
                    at += count
                    break
            else:
                rest.append(words[at])
                at += 1
        if rest:
            yield None, " ".join(rest)

    def _is_content(self, word: tuple[str, ...]) -> bool:
        return bool(word) and word not in self._signs

    def _written(self, words: list[str]) -> Iterator[str]:
        """Words as they are written: "down" for "doon", "too" for "toooo"."""
        words = [self._unheld(word) for word in words]
        at = 0
        while at < len(words):
            for count in range(min(self._longest, len(words) - at), 0, -1):
                meant = self._spelt.get(tuple(words[at : at + count]))
                if meant is not None:
                    yield from meant
                    at += count
                    break
            else:
                yield words[at]
                at += 1

    def _unheld(self, word: str) -> str:
        once, twice = _HELD.sub(r"\1", word), _HELD.sub(r"\1\1", word)
        return twice if (twice,) in self._signs else once


def _meant(
    signs: tuple[Sign, ...], contents: tuple[Content, ...], denied: tuple[str, ...], back: str
) -> Referring | None:
    """What the signs of a text mean together."""
    has = frozenset(signs)
    changes = tuple(dict.fromkeys(sign for sign in signs if sign in CHANGES))
    said = Referring(
        Mode.INSTEAD, changes, contents, denied, is_bit=Sign.BIT in has, replaces=Sign.USE in has
    )
    is_wrong = bool(denied) or Sign.WRONG in has
    is_changed = bool(changes or contents)
    if Sign.UNDO in has:
        is_all = not (changes or denied) and all(each.is_alone for each in contents)
        return _as(said, Mode.UNDO, is_sure=True) if is_all else None
    if Sign.TOO_FAR in has:
        is_by = bool(contents) and not has.isdisjoint((Sign.BACK, Sign.BY))
        if is_by or {Sign.BACK, Sign.BIT} <= has:
            return _as(said, Mode.LESS, is_sure=True)
        mode = Mode.INSTEAD if is_changed else Mode.TOO_FAR
        return _as(said, mode, is_less_if_back=is_changed, is_sure=True)
    if not is_wrong and Sign.BACK in has and (contents or Sign.BIT in has):
        return msgspec.structs.replace(_as(said, Mode.LESS), goes_back=True)
    if Sign.BACK in has and not is_changed and has <= _ALL_THE_WAY_BACK:
        return msgspec.structs.replace(
            _as(said, Mode.UNDO), goes_back=True, way_back=back if is_wrong else ""
        )
    if not is_wrong and Sign.LESS in has:
        little = msgspec.structs.replace(said, is_bit=said.is_bit or not contents)
        return None if changes else _as(little, Mode.LESS)
    if not is_wrong and Sign.MORE in has:
        return None if changes else _as(said, Mode.FURTHER)
    if not (is_wrong or is_changed) and {Sign.ONCE_MORE, Sign.BIT} <= has:
        return _as(said, Mode.FURTHER)  # "again a little"
    if Sign.TOO_NEAR in has:  # "not enough, 30" may be more, or all of it
        is_all = not has.isdisjoint((Sign.SUFFICES, Sign.ONLY, Sign.WRONG))
        return (said if is_all else None) if is_changed else _as(said, Mode.FURTHER)
    if has <= _AMOUNTS and changes and not contents:
        return said
    if not is_wrong and has & {Sign.ONCE_MORE, Sign.SAME, Sign.USE}:
        return _as(said, Mode.AGAIN, repeats=Sign.ONCE_MORE in has)
    if Sign.OTHER_SIDE in has and not is_wrong:
        return said
    if is_changed and (is_wrong or has & {Sign.SUFFICES, Sign.ONLY, Sign.OTHER_WAY}):
        return said
    if Sign.OTHER in has and not is_wrong:
        return _as(said, Mode.AGAIN)
    is_bare = has <= {Sign.BIT} and len(contents) == 1
    return msgspec.structs.replace(_as(said, Mode.AGAIN), is_bare=True) if is_bare else None


def _as(
    said: Referring,
    mode: Mode,
    *,
    repeats: bool = False,
    is_less_if_back: bool = False,
    is_sure: bool = False,
) -> Referring:
    return msgspec.structs.replace(
        said, mode=mode, repeats=repeats, is_less_if_back=is_less_if_back, is_sure=is_sure
    )
