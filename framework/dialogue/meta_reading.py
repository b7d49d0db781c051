"""Finding a meta command in an utterance, before any grammar sees it. Pure: no state, no plans.

"stop" in all its forms must be understood without anything else working. What
is ambiguous with an action's own phrases ("stop at the door") is told apart
later, by what is running.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable

from framework.dialogue.meta import (
    ALWAYS,
    EMERGENCY_ALONE,
    EMERGENCY_WORDS,
    PLAIN,
    STOP_WORDS,
    Meta,
    MetaKind,
    MetaPhrases,
)
from framework.dialogue.referring import Sign
from framework.dialogue.spelling import words_of
from framework.dialogue.stopping import meant_stop

_MOST_WORDS = 30
_FIRST_MARK = re.compile(r"[,;:.!]\s+|\s+[–—-]\s+")
#: The parts of a text, each with the mark behind it.
_PARTS = re.compile(r".+?(?:[,.;:!?]+(?:\s+|$)|\s[-–—]\s|$)")
_MARKS = re.compile(r"[,.;:!?]+\s+|\s[-–—]\s")
#: Nobody says in more words that something goes on.
_MOST_RESUMING = 8
_MOST_DIGITS = 3
_MOST_OF_COURTESIES = 4
_LONGEST_STOP = 200
_WITH_OBJECT = (MetaKind.CANCEL, MetaKind.PAUSE, MetaKind.RESUME)


class _Politeness:
    """What is left of an utterance without it."""

    def __init__(self, *sources: MetaPhrases) -> None:
        self._before = _longest_first(each for source in sources for each in source.polite_before)
        self._after = _longest_first(each for source in sources for each in source.polite_after)
        self._openings = _longest_first(each for source in sources for each in source.polite_openings)

    def without(self, text: str) -> str:
        """Lower case, without punctuation, control characters and politeness."""
        said = f"{' '.join(words_of(text))} "
        while polite := next((each for each in self._before if said.startswith(f"{each} ")), ""):
            said = said[len(polite) + 1 :]
        said = f" {said.strip()}"
        while polite := next((each for each in self._after if said.endswith(f" {each}")), ""):
            said = said[: -len(polite) - 1]
        said = said.strip()
        return next((said[len(each) + 1 :] for each in self._openings if _opens(said, each)), said)


class MetaReader:
    """Knows the phrases of one language, and the built-in stop."""

    def __init__(self, phrases: MetaPhrases = PLAIN) -> None:
        self.phrases = phrases
        self._politeness = _Politeness(phrases, ALWAYS)
        self._kinds: dict[str, MetaKind] = {}
        for kind, texts in phrases.phrases.items():
            self._kinds |= {" ".join(words_of(text)): kind for text in texts}
            self._kinds |= {self.normal(text): kind for text in texts if self.normal(text)}
        self._openings = [
            (opening, kind, True)
            for kind in _WITH_OBJECT
            for opening in _longest_first(phrases.openings.get(kind, ()))
        ]
        self._openings += [
            (opening, MetaKind.CANCEL, False) for opening in _longest_first(phrases.doubtful_openings)
        ]
        self._openings.sort(key=lambda each: -len(each[0]))
        self._numbers = _counted(phrases.numbers)
        self._ordinals = _counted(phrases.ordinals)
        self._all_of_it = frozenset(" ".join(words_of(each)) for each in phrases.all_of_it)
        self._last = frozenset(phrases.last)
        self._going_on = frozenset(self.normal(text) for text in phrases.going_on)
        self._courtesies = frozenset(tuple(words_of(each)) for each in phrases.courtesies)
        self._beside_courtesies = frozenset(
            word for each in phrases.beside_courtesies for word in words_of(each)
        )
        self._again = tuple(
            f" {' '.join(words_of(each))} "
            for sign in (Sign.ONCE_MORE, Sign.BACK)
            for each in phrases.referring.get(sign, ())
        )
        self._beside_numbers = frozenset((*phrases.number_words, *phrases.filling))

    def normal(self, text: str) -> str:
        """Lower case, without punctuation, control characters and politeness; for comparing."""
        return self._politeness.without(text)

    def command(self, text: str) -> Meta | None:
        """The command that the whole utterance is, or None."""
        if (stop := _built_in_stop(text)) is not None:
            return stop
        # "please now" is politeness around nothing; "now" may be all there is.
        said = self.normal(text) or " ".join(words_of(text))
        words = said.split()
        if not words or len(words) > _MOST_WORDS:
            return None
        if (kind := self._kinds.get(said)) is not None:
            return Meta(kind)
        if self._calls_off_first(text):
            return None
        if (choice := self.choice(words)) != 0:
            return Meta(MetaKind.CHOICE, choice=choice)
        for opening, kind, is_certain in self._openings:
            if said == opening:
                return Meta(kind)
            if _opens(said, opening):
                what = said[len(opening) + 1 :]
                what = "" if what in self._all_of_it else what
                number = self._plan_number(what)
                # The number of a plan is nobody else's: no action is called that.
                return Meta(kind, what=number or what, is_certain=is_certain or bool(number))
        return None

    def _calls_off_first(self, text: str) -> bool:
        """Whether it calls something off and says what to do instead: "never mind, show the camera"."""
        first, rest = first_part(text)
        calls_off = bool(rest) and self._kinds.get(self.normal(first)) is MetaKind.CANCEL
        return calls_off and bool(self.normal(rest)) and self.normal(rest) not in self._kinds

    def stops(self, text: str) -> bool:
        """Whether the utterance is a stop of any kind: what nobody may hold up."""
        command = self.command(text)
        return command is not None and command.kind in (MetaKind.STOP, MetaKind.EMERGENCY)

    def without_courtesies(self, text: str) -> str:
        """A text without the parts in which "again" or "back" asks for nothing to be done again.

        "Thanks again", "hello again, it's me", "welcome back": they are about the talk itself.
        """
        parts = [*_PARTS.finditer(text)] if self._courtesies else []
        said = [part for part in parts if not self._is_courtesy(words_of(part[0]))]
        return text if len(said) == len(parts) else "".join(part[0] for part in said).strip()

    def _is_courtesy(self, words: list[str]) -> bool:
        at, is_one = 0, False
        said = f" {' '.join(words)} "
        if not any(each in said for each in self._again):
            return False
        while at < len(words):
            longest = range(min(_MOST_OF_COURTESIES, len(words) - at), 0, -1)
            size = next((n for n in longest if tuple(words[at : at + n]) in self._courtesies), 0)
            if not size and words[at] not in self._beside_courtesies:
                return False
            is_one |= size > 0
            at += size or 1
        return is_one

    def may_go_on(self, text: str) -> bool:
        """Whether it may say that what is paused goes on, and may be an instruction as well: "drive on"."""
        return self.normal(text) in self._going_on

    def goes_on(self, text: str) -> bool:
        """Whether a text says that what is paused goes on, in one of its parts or with its last words.

        The rest of it is remarks, unless a word of it may be about that: "don't move, carry on talking".
        """
        words = words_of(text)
        if not self.phrases.holding or len(words) > _MOST_WORDS:
            return False
        ends = [
            (words[:at], " ".join(words[at:]))
            for at in range(max(0, len(words) - _MOST_RESUMING), len(words))
        ]
        parts = [words_of(part) for part in _MARKS.split(text)]
        for at, part in enumerate(parts):
            before = [word for each in (*parts[:at], *parts[at + 1 :]) for word in each]
            ends.append((before, " ".join(part)))
        for rest, said in ends:
            if rest and said and not set(rest).isdisjoint(self.phrases.holding):
                continue
            if self.normal(said) in self._going_on:
                return True
            command = self.command(said) if said else None
            if command is not None and command.kind is MetaKind.RESUME and not command.what:
                return True
        return False

    def forbids(self, text: str) -> bool:
        """Whether it is a "no" that may be to what is being done: "don't", "no, don't do that"."""
        said = self.normal(text).removeprefix("no ")
        return any(said == each or _opens(said, each) for each in self.phrases.doubtful_openings)

    def choice(self, words: list[str]) -> int:
        """The number that is chosen ("2", "number two", "the second one"), -1 for the last; 0 if none is."""
        rest = [word for word in words if word not in self._beside_numbers or len(words) == 1]
        if len(rest) != 1:
            return 0
        word = rest[0]
        if word in self._last:
            return -1
        if word.isascii() and word.isdigit():
            return int(word) if len(word) <= _MOST_DIGITS else 0
        return self._numbers.get(word) or self._ordinals.get(word) or 0

    def _plan_number(self, what: str) -> str:
        """ "plan 2" for "plan two" and "the second plan"; empty if it is something else."""
        words = what.split()
        rest = [word for word in words if word not in self.phrases.plan_words]
        number = self.choice(rest) if rest and len(rest) < len(words) else 0
        return f"plan {number}" if number > 0 else ""

    def is_by_place(self, text: str) -> bool:
        """Whether it chooses by its place and cannot be part of an option: "the second", "number two"."""
        words = words_of(text)
        return any(word in self._ordinals or word in self._last for word in words) or any(
            word in self.phrases.number_words for word in words
        )


def reader_of(phrases: MetaPhrases) -> MetaReader:
    """Its reader: the same one for the same phrases, as it knows nothing else and takes 20 ms to make."""
    for reader in _READERS:
        if reader.phrases is phrases:
            return reader
    _READERS.append(MetaReader(phrases))
    return _READERS[-1]


def meta_command(text: str, phrases: MetaPhrases = PLAIN) -> Meta | None:
    """The command that the whole utterance is, or None."""
    return reader_of(phrases).command(text)


def meta_swallows(text: str, phrases: MetaPhrases = PLAIN) -> MetaKind | None:
    """The command that would be carried out if somebody said this phrase of an action; None if it is safe.

    For the lint: such a phrase never, or not always, reaches the action.
    """
    command = meta_command(text, phrases)
    return None if command is None or command.what else command.kind


def _built_in_stop(text: str) -> Meta | None:
    """A stop, whatever a language's own phrases say: they come from a file, and files have mistakes."""
    for said in (" ".join(words_of(text)), _BUILT_IN_POLITENESS.without(text)):
        words = set(map(meant_stop, said.split()))
        if not words or len(said) > _LONGEST_STOP:
            continue
        if (words <= EMERGENCY_WORDS and words & EMERGENCY_ALONE) or said in _STOPS[MetaKind.EMERGENCY]:
            return Meta(MetaKind.EMERGENCY)
        if words <= STOP_WORDS or said in _STOPS[MetaKind.STOP]:
            return Meta(MetaKind.STOP)
    return None


def _opens(text: str, opening: str) -> bool:
    return text.startswith(opening + " ")


def _longest_first(phrases: Iterable[str]) -> tuple[str, ...]:
    normal = dict.fromkeys(" ".join(words_of(phrase)) for phrase in phrases)
    return tuple(sorted((phrase for phrase in normal if phrase), key=lambda phrase: -len(phrase)))


def _counted(ways: tuple[tuple[str, ...], ...]) -> dict[str, int]:
    return {" ".join(words_of(word)): number for number, words in enumerate(ways, start=1) for word in words}


_BUILT_IN_POLITENESS = _Politeness(ALWAYS)
_STOPS = {kind: frozenset(texts) for kind, texts in ALWAYS.phrases.items()}
#: Those of the last few phrases that were asked for; a program has one language, tests have several.
_READERS: deque[MetaReader] = deque(maxlen=4)


def first_part(text: str) -> tuple[str, str]:
    """What stands before the first mark of a text, and what behind it; nothing behind it without one."""
    first, _, rest = _FIRST_MARK.sub("\n", text, count=1).partition("\n")
    return first, rest


def last_part(text: str, holding: Collection[str]) -> str:
    """What a text ends with, behind its last mark; "" if there is no other part, or one may change that.

    holding: words of a part that may be about what is said behind it: "don't do anything, carry on" is none
    of our business. A language without any has no such parts.
    """
    *before, last = _MARKS.split(text.rstrip(" ,.;:!?"))
    words = {word for part in before for word in words_of(part)}
    return last if before and last and holding and words.isdisjoint(holding) else ""
