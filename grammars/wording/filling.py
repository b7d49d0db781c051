"""Templates turned round: the words for given values, in the ways a template allows, the plainest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice

import msgspec

from framework.plan.ast import Value
from framework.plugins import template as syntax
from framework.plugins.template import Template
from grammars.reading.tokens import is_article

_NOTHING = syntax.Sequence(())
_MOST_WAYS = 200
_MOST_PARTS = 24
#: Parts that are looked at for one wording; the usual one is found among the first hundred.
MOST_STEPS = 500

#: A name that is a clause takes no article: where you started.
_CLAUSES = frozenset(("where", "what", "who"))


class Piece(msgspec.Struct, frozen=True):
    """Some words. is_name: they name a thing, so that an article may stand before them."""

    text: str
    is_name: bool = False


class Way(msgspec.Struct, frozen=True):
    """One way through a template. said: the slots that it says."""

    pieces: tuple[Piece, ...] = ()
    said: frozenset[str] = frozenset()


class Effort:
    """How much may still be tried for one wording: whoever words a plan must not take long over it."""

    def __init__(self, steps: int = MOST_STEPS) -> None:
        self.left = steps

    def spend(self) -> bool:
        """Take one step; False if none is left."""
        self.left -= 1
        return self.left >= 0


#: The words for a slot's value, the best first; none if it cannot be said there.
Say = Callable[[syntax.Slot, Value], Iterator[Piece]]


def ways(
    template: Template,
    rules: Mapping[str, Template],
    values: Mapping[str, Value],
    say: Say,
    effort: Effort | None = None,
) -> Iterator[str]:
    """The ways to say all of the values and nothing else. What may be left out is left out, but articles.

    effort: shared by all the templates that are tried for one plan; there are no more ways once it is spent.
    """
    filling = _Filling(rules, values, say, effort or Effort())
    for way in islice(filling.whole(template), _MOST_WAYS):
        yield joined(way.pieces)


def joined(pieces: tuple[Piece, ...]) -> str:
    """The words with articles where a person would say them: the hand, but Ann."""
    words: list[str] = []
    after_name = False
    for piece in pieces:
        first = piece.text.partition(" ")[0]
        has_one = bool(words) and (is_article(words[-1]) or after_name or words[-1].endswith("'s"))
        takes_one = first[:1].islower() and not is_article(first) and first not in _CLAUSES
        if piece.is_name and not has_one and takes_one:
            words.append("the")
        words += piece.text.split()
        after_name = piece.is_name
    return " ".join(words)


class _Filling:
    """Walks a template towards the values: a part is entered only if it can say what nothing else can."""

    def __init__(
        self, rules: Mapping[str, Template], values: Mapping[str, Value], say: Say, effort: Effort
    ) -> None:
        self._rules = rules
        self._values = values
        self._say = say
        self._effort = effort
        self._sayable: dict[int, frozenset[str]] = {}

    def whole(self, template: Template) -> Iterator[Way]:
        """The ways through a whole template that say all values."""
        yield from self._ways(template, (), frozenset(self._values))

    def _can_say(self, template: Template, inside: tuple[str, ...]) -> frozenset[str]:
        """The slots whose values could be said somewhere in a template."""
        found = self._sayable.get(id(template))
        if found is not None:
            return found
        said: frozenset[str] = frozenset()
        match template:
            case syntax.Slot(name=name, constant=constant) if name in self._values:
                if not constant or _plain(self._values[name]) == constant.casefold():
                    said = frozenset((name,))
            case syntax.Rule(name=name) if name in self._rules and name not in inside:
                said = self._can_say(self._rules[name], (*inside, name))
            case syntax.Sequence(parts=several) | syntax.Choice(options=several):
                said = said.union(*(self._can_say(part, inside) for part in several))
        self._sayable[id(template)] = said
        return said

    def _ways(self, template: Template, inside: tuple[str, ...], needed: frozenset[str]) -> Iterator[Way]:
        """The ways through a part that say at least the needed slots."""
        if not needed <= self._can_say(template, inside) or not self._effort.spend():
            return
        match template:
            case syntax.Word(text=text):
                yield Way((Piece(text),))
            case syntax.Slot():
                yield from self._slot(template)
            case syntax.Rule(name=name):
                if name in self._rules and name not in inside:
                    yield from self._ways(self._rules[name], (*inside, name), needed)
            case syntax.Sequence(parts=parts):
                yield from self._row(parts, Way(), inside, needed)
            case syntax.Choice(options=options):
                yield from self._choice(options, inside, needed)

    def _row(
        self, parts: tuple[Template, ...], begun: Way, inside: tuple[str, ...], needed: frozenset[str]
    ) -> Iterator[Way]:
        if not parts:
            yield begun
            return
        later = begun.said.union(*(self._can_say(part, inside) for part in parts[1:]))
        for way in islice(self._ways(parts[0], inside, needed - later), _MOST_PARTS):
            if not (way.said & begun.said):
                both = Way(begun.pieces + way.pieces, begun.said | way.said)
                yield from self._row(parts[1:], both, inside, needed)

    def _choice(
        self, options: tuple[Template, ...], inside: tuple[str, ...], needed: frozenset[str]
    ) -> Iterator[Way]:
        later: list[Template] = []
        says_nothing: list[Way] = []
        is_empty = _NOTHING in options
        for option in options:
            # Of an option that may be left out, only an article is said, and what gives a value.
            is_said = _is_article(option) or option == _NOTHING or bool(self._can_say(option, inside))
            if is_empty and not is_said:
                later.append(option)
            elif is_empty and option != _NOTHING and not _is_article(option):
                for way in self._ways(option, inside, needed):
                    if way.said:
                        yield way
                    else:
                        says_nothing.append(way)
            else:
                yield from self._ways(option, inside, needed)
        yield from says_nothing
        for option in later:
            yield from self._ways(option, inside, needed)

    def _slot(self, slot: syntax.Slot) -> Iterator[Way]:
        if slot.name not in self._values:
            return
        value = self._values[slot.name]
        said = frozenset((slot.name,))
        if slot.constant:
            if _plain(value) == slot.constant.casefold():
                yield Way((), said)
            return
        for piece in self._say(slot, value):
            yield Way((piece,), said)


def _plain(value: Value) -> str:
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return str(value).casefold()


def _is_article(template: Template) -> bool:
    """Whether it is an article, or several to choose from."""
    if isinstance(template, syntax.Choice):
        return all(map(_is_article, template.options))
    return isinstance(template, syntax.Word) and is_article(template.text)
