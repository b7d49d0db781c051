"""What may be said for a slot: known names, listed values, numbers with units, yes and no, "it", free text.

A slot's parameter says which of these it takes. A list that its author has given, and whatever a provider
knows, is all that may be said for it; while the provider knows nothing at all, any words may.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Final, cast

import msgspec

from framework.dialogue.discourse import OTHER
from framework.plan.ast import Reference, Value
from framework.plugins import template as syntax
from framework.plugins.parameters import ParameterSpec
from framework.plugins.phrases import SlotList
from grammars.core import WORDS, Statements, Texts
from grammars.reading.accepting import Accepts, accepts, choices, pair_of
from grammars.reading.matching import (
    A_NUMBER,
    A_REFERENCE,
    A_SUPPOSED_NAME,
    Head,
    Matching,
    Offer,
    Part,
    Rank,
    a_name,
    distinct,
)
from grammars.reading.network import Constant, Node, Split
from grammars.reading.quantities import converted, guessed
from grammars.reading.tokens import MARKS
from grammars.reading.utterance import Quantity
from grammars.units import ANGLE, COUNT, LENGTH

#: How unsure a number is whose unit was not said.
DOUBT_WITHOUT_UNIT = 0.2
#: And one that is beyond what the parameter allows: what it fits is meant before.
DOUBT_BEYOND = 0.05
MOST_FREE_WORDS = 60
_MOST_SHOWN = 12
#: How unsure it is that words are all to be said that sound like another clause, or stand before a colon.
DOUBT_ABOUT_WORDS = 0.2
_OPENING_QUOTES = {'"': '"', "“": "”", "”": "”", "„": "“”", "«": "»", "‘": "’", "'": "'"}
_MOST_BEFORE_A_COLON = 3
_CALLED = {
    COUNT: "a number of times",
    "m": "a length",
    "s": "a time",
    "rad": "an angle",
    "N": "a force",
    "N m": "a torque",
    "kg": "a mass",
    "Hz": "a rate",
    "m/s": "a speed",
    "rad/s": "a turning speed",
    "fraction": "a share",
}
#: A number and a unit of each dimension, as somebody might say it.
EXAMPLES = {
    "m": ("0.5", "metres"),
    "s": ("10", "seconds"),
    "rad": ("30", "degrees"),
    "N": ("5", "newtons"),
    "kg": ("1", "kilograms"),
    "Hz": ("10", "hertz"),
    "m/s": ("0.1", "metres per second"),
    "rad/s": ("10", "degrees per second"),
    "fraction": ("50", "percent"),
}


#: Who says one of these with a unit does not mean the other without.
_SPATIAL: Final = frozenset((LENGTH, ANGLE))


class SlotNode(Node):
    """`{slot}` or `{list:slot}`.

    kind: under which the world knows names for it; empty if it is never asked. has_list: its author has said
    what there is, so that no other words will do (while anything is known). only: what words have to be like
    that nobody knows, unless they stand in quotes or behind a colon. takes_several: "the camera and the scan"
    are two things to do the same with. both: words for both values of a list that has two. same: what nodes
    have in common that find the same at one place, as long as no free words will do. other: words for the
    other of two.
    """

    __slots__ = (
        "accepts",
        "both",
        "by_name",
        "called",
        "drops_article",
        "flags",
        "has_list",
        "is_name",
        "is_speech",
        "joining",
        "kind",
        "known_only",
        "label",
        "never",
        "no_names",
        "only",
        "other",
        "rank",
        "same",
        "slot",
        "takes_several",
        "values",
        "ways",
        "who_are",
    )

    def __init__(
        self,
        slot: syntax.Slot,
        accepts: Accepts,
        said: SlotList | None,
        flags: Mapping[str, bool],
        split: Split,
        *,
        drops_article: bool = False,
        rank: Rank = Rank.ACTION,
        only: Statements | Texts | None = None,
        takes_several: bool = False,
        same: object = None,
        both: Sequence[str] = (),
        other: Sequence[str] = (),
        never: Sequence[str] = (),
        joining: frozenset[str] = frozenset(),
        no_names: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(is_placed=accepts.is_text)
        self.same = self if same is None else same
        self.takes_several = takes_several
        self.rank = rank
        self.only = only
        self.slot = slot.name
        self.accepts = accepts
        self.flags = flags
        self.has_list = said is not None
        self.by_name = said is not None and said.by_name
        self.called = said is not None and said.called
        #: Words that stand for other things or people than these.
        self.never = frozenset(split(each) for each in never)
        self.who_are = said.who_are if said is not None else ""
        # A name goes without it ("remember this as the dock"), a text has it ("say the door is open").
        self.is_name = is_name = slot.name == "name" or slot.name.endswith("_name")
        self.joining = joining
        self.no_names = no_names
        self.known_only = said is not None and said.known_only
        # What is called "text" is for somebody to read or hear.
        self.is_speech = slot.name == "text" or slot.name.endswith("_text")
        self.drops_article = drops_article or self.has_list or is_name
        self.label = slot.name.removesuffix(f"_{accepts.unit}" if accepts.unit else "").replace("_", " ")
        values = said.values if said is not None else ()
        self.kind = said.provider if said is not None else slot.list or slot.name
        if only is not None:
            self.kind = ""
        if not accepts.is_text:
            self.kind = ""
            listed = {value for value, _ in values}
            values = (
                *values,
                *((each, (each.replace("_", " "),)) for each in accepts.choices if each not in listed),
            )
        #: (value, way to say it), as the author wrote them: the first way of a value is what it is called.
        self.ways: list[tuple[str, str]] = []
        self.values: dict[str, list[tuple[tuple[str, ...], str, str]]] = {}
        for value, ways in values:
            for way in ways:
                if words := split(way):
                    self.ways.append((value, way))
                    self.values.setdefault(words[0], []).append((words, value, way))
        pair = pair_of(said) if takes_several else ()
        #: (words, values): what is said for both at once.
        self.both = [(split(way), pair) for way in both] if pair else []
        #: What is said for the other of two, whichever that is.
        self.other = [split(way) for way in other]
        self.is_open = accepts.is_text or bool(self.kind)
        self.is_certain = not self.is_open
        self.needs = self._needed()
        if not self.is_open:
            self.first = frozenset().union(*self.needs)

    def _needed(self) -> tuple[frozenset[str], ...]:
        """See `Node.needs`; nothing if words that nobody knows may do."""
        accepted = self.accepts
        if accepted.is_text and not (self.values or self.kind):
            return ()
        words = {*self.values, *(words[0] for words, _ in self.both), *(words[0] for words in self.other)}
        if accepted.is_flag:
            words |= {*self.flags}
        if accepted.is_number:
            words.add(A_NUMBER)
        if accepted.is_text:
            words.add(A_REFERENCE)
            if not self.has_list:
                return ()
        if self.has_list:
            words.add(A_SUPPOSED_NAME)
        if self.kind:
            words.add(a_name(self.kind))
        return (frozenset(words),)

    @property
    def words(self) -> frozenset[str]:
        """All that its author has listed."""
        listed = (words for several in self.values.values() for words, _, _ in several)
        both = (words for words, _ in self.both)
        flags = self.flags if self.accepts.is_flag else ()
        return frozenset(word for words in (*listed, *both, *self.other, flags) for word in words)

    def match(self, matching: Matching, at: int, head: Head) -> Sequence[Part]:
        """Everything that stands here and will do."""
        if at >= matching.furthest:
            matching.stuck(at, self, head)
        if at >= matching.size:
            return ()
        if self.takes_any_words(matching):
            return self._all(matching, at)
        key = (self.same, at)
        found = matching.of_words.get(key)
        if found is None:
            found = matching.of_words[key] = self._all(matching, at)
        return cast("Sequence[Part]", found)

    def _all(self, matching: Matching, at: int) -> Sequence[Part]:
        token = matching.tokens[at]
        found: list[Part] = []
        for words, value, _ in self.values.get(token, ()):
            end = at + len(words)
            if matching.tokens[at:end] == words:
                found.append(Part(end, ((self.slot, value),), known=end - at, tail=self))
        for words, (one, other) in self.both:
            end = at + len(words)
            if matching.tokens[at:end] == words:
                others = ((self.slot, other),)
                found.append(Part(end, ((self.slot, one),), end - at, others=others, at_once=True))
        for words in self.other:
            end = at + len(words)
            if matching.tokens[at:end] == words:
                found.append(Part(end, ((self.slot, Reference(OTHER)),), known=end - at))
        accepted = self.accepts
        if self.kind:
            for named in matching.named(self.kind, at):
                known = named.end - at + self._is_cut(matching, at, named.end)
                found.append(Part(named.end, ((self.slot, named.known.value),), known=known, tail=self))
        if accepted.is_number:
            self._numbers(matching, at, found)
        if accepted.is_flag and token in self.flags:
            found.append(Part(at + 1, ((self.slot, self.flags[token]),), known=1))
        if accepted.is_text:
            is_thing = self.only is None and not self.by_name
            references = matching.references.get(token, ()) if is_thing else ()
            for words, reference in references:
                if words in self.never:
                    continue
                end = at + len(words)
                if matching.tokens[at:end] == words:
                    found.append(Part(end, ((self.slot, reference),), known=end - at))
        if self.takes_several and (accepted.is_text or accepted.choices):
            found += self._several(matching, at, found)
        if self.takes_any_words(matching):
            self._free(matching, at, found)
        elif self.has_list and matching.supposing is not None and not self.known_only:
            for end, value in matching.supposing.names(self, at):
                if not self.kind and not self.is_attribute(matching, end):
                    continue
                found.append(Part(end, ((self.slot, value),), known=end - at, tail=self))
        matching.steps += 1 + len(found)
        return distinct(found)

    def _is_cut(self, matching: Matching, at: int, end: int) -> bool:
        """Whether a name is the end of a longer one: "orange juice" goes before a juice that is orange."""
        return at > 0 and any(longer.end == end for longer in matching.named(self.kind, at - 1))

    def _several(self, matching: Matching, at: int, found: Sequence[Part]) -> list[Part]:
        """Several things by name: "the camera and the scan", "the camera, the scan and the cloud"."""
        several: list[Part] = []
        for first in found:
            for is_last, begin in _and_more(matching, first.end):
                for other in self.match(matching, begin, Head.PLAIN):
                    # A comma alone joins no two things, but the first of three.
                    if not other.free and bool(other.others) is not is_last:
                        # The "and" counts like a part of a name: "salt and pepper" goes before both.
                        others = (*other.values, *other.others)
                        several.append(Part(other.end, first.values, other.end - at, others=others))
        return several

    def is_attribute(self, matching: Matching, end: int) -> bool:
        """Whether a value that ends here says which one of several with a name: "left" before "arm"."""
        return end < matching.size and bool(matching.ending_in(matching.tokens[end]))

    def takes_any_words(self, matching: Matching) -> bool:
        """Whether words that nobody knows will do."""
        if not self.accepts.is_text or self.values or self.known_only:
            return False
        # An author's list is all there is. Only where nothing is known at all (a language without its
        # installation) any words will do, so that phrases can be tried.
        return not self.has_list or not (matching.known(self.kind) or matching.knows_anything)

    def _numbers(self, matching: Matching, at: int, found: list[Part]) -> None:
        accepted = self.accepts
        has_unit = bool(accepted.dimension)
        for quantity in matching.quantities(at):
            value: float | None
            doubt = 0.0
            if has_unit and not quantity.unit:
                bare = self._bare(matching, at, quantity)
                if bare is None:
                    continue
                value, is_sure = bare
                doubt = 0.0 if is_sure else DOUBT_WITHOUT_UNIT
            else:
                value = converted(quantity, accepted.unit)
            said = matching.said(at, quantity.end)
            if value is None and self.rank is not Rank.ACTION and quantity.unit == COUNT:
                continue  # "twice" is no time before something else
            if value is None:
                called = _CALLED.get(quantity.unit, quantity.unit)
                wanted = _CALLED.get(accepted.dimension, accepted.dimension) if has_unit else "a plain number"
                label = "what is wanted there" if wanted.endswith(f" {self.label}") else self.label
                sentence = f'"{said}" is {called}, but {label} is {wanted}{self._for_example()}.'
                matching.problem(at, quantity.end, sentence, self)
                continue
            if quantity.is_vague:
                doubt = max(doubt, DOUBT_WITHOUT_UNIT)
            if accepted.is_whole:
                if value != int(value):
                    sentence = f'"{said}" will not do, {self.label} is a whole number.'
                    matching.problem(at, quantity.end, sentence, self)
                    continue
                value = int(value)
            if not accepted.fits(value):
                doubt = max(doubt, DOUBT_BEYOND)
            found.append(
                Part(quantity.end, ((self.slot, value),), known=quantity.end - at, doubt=doubt, tail=self)
            )

    def _bare(self, matching: Matching, at: int, quantity: Quantity) -> tuple[float, bool] | None:
        """A number without a unit: in the unit of the last one of its kind, or in the usual one."""
        accepted = self.accepts
        if accepted.dimension == ANGLE and abs(quantity.value) < 1:
            return None  # "then another .5" is no half of a degree
        if accepted.dimension in _SPATIAL and quantity.value == 1 and matching.tokens[at].isalpha():
            return None  # "the left one" is no degree
        scale = matching.last_scale(accepted.dimension, at)
        if scale:
            meant = msgspec.structs.replace(
                quantity, value=quantity.value * scale, unit=accepted.dimension, scale=scale
            )
            value = converted(meant, accepted.unit)
            if value is not None and accepted.fits(value):
                return value, True
        elif accepted.dimension in _SPATIAL and any(
            matching.last_scale(other, at) for other in _SPATIAL - {accepted.dimension}
        ):
            return None  # "turn 45 degrees, then 45 back": these are no 45 centimetres
        usual = guessed(quantity.value, accepted.unit, accepted.fits)
        # With a verb before it, it is a turn that is meant; "5 to the left" may be anything.
        begins = at == 0 or matching.is_boundary(at - 1)
        return (usual[0], False) if usual is not None and begins else usual

    def _free(self, matching: Matching, at: int, found: list[Part]) -> None:
        begin = at
        while begin < matching.size and matching.tokens[begin] in (":", ","):
            begin += 1
        if begin < matching.size and (quoted := self._quoted(matching, begin)):
            found.append(quoted)
            return
        is_announced = ":" in matching.tokens[at:begin]
        ends: Iterable[int] = matching.boundaries_after(begin) if self.is_last else ()
        if self.before_any:
            ends = range(begin + 1, matching.size + 1)
        elif self.follow:
            ends = sorted(
                {
                    *ends,
                    *(end for end in range(begin + 1, matching.size) if matching.can_begin(self.follow, end)),
                }
            )
        for end in ends:
            if end - begin > MOST_FREE_WORDS and end < matching.size:
                break
            if matching.tokens[end - 1] in MARKS:
                continue  # a comma is no part of what is to be said
            if self.is_name and self.no_names.issuperset(matching.tokens[begin:end]):
                continue  # "I teach you a motion now"
            if self.slot == WORDS and "," in matching.tokens[begin:end]:
                break  # "until I say enough, open the gripper"
            is_joined = not self._is_one(matching, begin, end)
            if is_joined and (self.is_name or (not is_announced and self._goes_on(matching, begin, end))):
                break
            if self.only is not None and not (is_announced or self.only.has(matching.tokens[begin:end])):
                continue
            said = begin if is_announced else self._behind_a_colon(matching, begin, end)
            doubt = DOUBT_ABOUT_WORDS if said > begin or (is_joined and not is_announced) else 0.0
            if value := self._original(matching, said, end):
                found.append(Part(end, ((self.slot, value),), free=end - begin, doubt=doubt))

    def _is_one(self, matching: Matching, begin: int, end: int) -> bool:
        """Whether no other clause seems to begin within these words."""
        return self.joining.isdisjoint(matching.tokens[begin:end]) and not (
            self.is_name and MARKS.intersection(matching.tokens[begin:end])
        )

    def _goes_on(self, matching: Matching, begin: int, end: int) -> bool:
        """Whether a measure is said behind "then": hardly to be said, though nobody knows its verb."""
        joined = next(at for at in range(begin, end) if matching.tokens[at] in self.joining)
        found = (each.unit for at in range(joined, end) for each in matching.quantities(at))
        return any(unit and unit != COUNT for unit in found)

    def _behind_a_colon(self, matching: Matching, begin: int, end: int) -> int:
        """Where the words begin that are to be said: in "say very loudly: stand back" behind the colon."""
        if not self.is_speech:
            return begin
        last = min(begin + _MOST_BEFORE_A_COLON + 1, end - 1)
        return next((at + 1 for at in range(begin, last) if matching.tokens[at] == ":"), begin)

    def _original(self, matching: Matching, at: int, end: int) -> str:
        """The characters as they were typed; one word, or what has a list, without an article before it."""
        if self.drops_article or end - at == 1:
            return matching.said(at, end)
        before = matching.between(at).strip()
        said = matching.said(at, end)
        return f"{before} {said}" if before.isalpha() else said

    def _quoted(self, matching: Matching, at: int) -> Part | None:
        """What stands in quotes, as it stands there."""
        before = matching.between(at)
        place = max((_opening(before, mark) for mark in _OPENING_QUOTES), default=-1)
        if place < 0:
            return None
        tokens = matching.utterance.tokens
        start = tokens[at].start
        closings = _OPENING_QUOTES[before[place]]
        close = min(
            (end for mark in closings if (end := _closing(matching.text, mark, start)) >= 0), default=-1
        )
        if close < 0:
            return None
        end = next((i for i in range(at, matching.size) if tokens[i].start >= close), matching.size)
        begin = start - len(before) + place + 1
        value = matching.text[begin:close].strip()
        return Part(end, ((self.slot, value),), known=end - at) if value else None

    # -- what could be said

    def offers(self, matching: Matching, head: Head) -> Iterable[Offer]:
        """Names that are known now, values, an example of a number; else a description."""
        accepted = self.accepts
        seen: set[str] = set()
        for value, way in self.ways:
            is_other_way = value in seen
            seen.add(value)
            yield Offer(way, way, Rank.SYNONYM if is_other_way else self.rank, is_name=not is_other_way)
        for index, (words, _) in enumerate(self.both):
            yield Offer(said := " ".join(words), said, Rank.SYNONYM if index else self.rank)
        if self.kind:
            for known in matching.known(self.kind):
                yield Offer(known.name, known.name, is_name=True)
        if accepted.is_number:
            shown = self.label if not accepted.unit else f"{self.label} in {accepted.unit}"
            number, unit = EXAMPLES.get(accepted.dimension, ("2" if accepted.is_whole else "1.5", ""))
            yield Offer(f"{number} {unit}".strip(), f"<{shown}>", self.rank)
        if accepted.is_flag:
            flags = list(self.flags.items())
            for index, (word, flag) in enumerate(flags):
                is_other_way = any(flag is other for _, other in flags[:index])
                yield Offer(word, word, Rank.SYNONYM if is_other_way else self.rank)
        if accepted.is_text:
            if self.takes_any_words(matching):
                yield Offer("", f"<{self.label}>")
            for references in () if self.by_name else matching.references.values():
                for words, reference in references:
                    if isinstance(reference, Reference) and reference.word == "it":
                        yield Offer(" ".join(words), "it")

    @property
    def noun(self) -> str:
        """What its names are the names of."""
        return "thing" if self.label in _NO_NOUNS else self.label

    def unknown_person(self, said: str, known: Sequence[str]) -> str:
        """A sentence for somebody's name that is not among the known ones; empty of things."""
        if not self.who_are:
            return ""
        others = f"{self.who_are}: {', '.join(known[:_MOST_SHOWN])}" if known else "nobody is"
        return f'Nobody called "{said}" is {self.who_are}; {others}.'

    def _for_example(self) -> str:
        number, unit = EXAMPLES.get(self.accepts.dimension, ("", ""))
        return f', like "{number} {unit}"' if number and self.accepts.unit else ""


class Amounts:
    """What could be said for an amount in one of some units, where no slot is."""

    def __init__(self, units: Iterable[str]) -> None:
        self.examples = tuple(" ".join(EXAMPLES[unit]) for unit in dict.fromkeys(units) if unit in EXAMPLES)

    def offers(self, matching: Matching, head: Head) -> Iterable[Offer]:
        """An example of each unit."""
        for each in self.examples:
            yield Offer(each, each, Rank.SYNONYM)


def _and_more(matching: Matching, at: int) -> Iterator[tuple[bool, int]]:
    """(whether it is the last one, where it begins) of what may be named after "and" or a comma."""
    if matching.tokens[at : at + 1] == (",",):
        at += 1
        yield False, at
    if matching.tokens[at : at + 1] == (_AND,):
        yield True, at + 1


OPEN: Final = "?"
"""`{thing:=?nearer}`: the thing was not said; it is asked for: "what do you mean by nearer?"."""
BOTH: Final = "both"
"""`{side:=both}` is said for both values of a parameter that has just two."""


class UnusedNode(SlotNode):
    """`{known:unused}`: a known name that says no more than what is said besides."""

    __slots__ = ()

    def match(self, matching: Matching, at: int, head: Head) -> Sequence[Part]:
        """The names that stand here, without values; "it" is none, as it would have to be known."""
        found = super().match(matching, at, head)
        ends = {part.end: part.known for part in found if _is_name(part)}
        return [Part(end, (), known=known) for end, known in ends.items()]


def _is_name(part: Part) -> bool:
    return not part.at_once and all(isinstance(value, str) for _, value in part.values)


def constant(slot: str, text: str, parameter: ParameterSpec | None, flags: Mapping[str, bool]) -> Node:
    """The node of `{slot:=text}`, with the text as the parameter's type has it."""
    value: Value = text
    if text.startswith(OPEN) and parameter is not None and accepts(parameter).is_text:
        return Constant(slot, Reference(text.removeprefix(OPEN), "", True))
    if text == BOTH and parameter is not None:
        values = choices(parameter)
        if BOTH not in values and len(values) == _PAIR:
            return Constant(slot, values[0], values[1])
    if parameter is not None:
        accepted = accepts(parameter)
        try:
            if accepted.is_flag and text.casefold() in flags:
                value = flags[text.casefold()]
            elif accepted.is_number:
                number = float(text)
                value = int(number) if accepted.is_whole and number == int(number) else number
        except (ValueError, OverflowError):
            pass  # the text stays; the lint says that it does not fit
    return Constant(slot, value)


def plain_value(value: object) -> Value:
    """A default as a plan would have it."""
    if isinstance(value, Enum):
        return str(value.value)
    return value  # type: ignore[return-value]  # signatures allow only plain data and enums here


_PAIR = 2
_AND = "and"
# Names of parameters that do not say what they are for.
_NO_NOUNS = frozenset(("what", "which", "object", "one", "name", "who", "where"))


def _opening(before: str, mark: str) -> int:
    """Where a mark stands that opens a quotation; an apostrophe does so only behind a space."""
    place = before.rfind(mark)
    return -1 if mark == "'" and place > 0 and not before[place - 1].isspace() else place


def _closing(text: str, mark: str, start: int) -> int:
    """Where it ends; an apostrophe within a word does not end it."""
    place = text.find(mark, start)
    while mark == "'" and place >= 0 and text[place + 1 : place + 2].isalnum():
        place = text.find(mark, place + 1)
    return place
