"""Sample sentences for single actions and conditions, with what each means and where its slots stand.

Made from the same templates that the parser matches, at random but from a seed; what a sentence means is
known because it was made from that, not because it was parsed. Sentences of several parts: `compounds.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random

import msgspec

from framework.plan.ast import Compare, Condition, Do, Plan, State, Value
from framework.plan.parser import World
from framework.plugins import template as syntax
from framework.plugins.parameters import ParameterSpec
from framework.plugins.phrases import ACTIVITIES, STATEMENTS, SlotList
from framework.plugins.template import Template
from grammars.conditions import VALUE, Sayable
from grammars.reading.accepting import Accepts, accepts
from grammars.reading.network import Constant
from grammars.reading.phrasebook import Phrase
from grammars.reading.reader import Reader
from grammars.reading.slots import constant
from grammars.reading.tokens import MARKS, is_article
from grammars.units import SIGNATURE_UNITS, SPOKEN
from grammars.wording.spoken import in_letters

_TRIES = 30
_LEAVE_OUT = 0.6  # how often what is optional is left out
_ARTICLE = 0.7  # how often a name gets an article
#: What nobody has listed is said with these: words that mean nothing to any grammar.
_STATEMENTS = ("lunch is ready", "all is well", "spare parts are here")
FREE_TEXTS = (
    "lunch",
    "green corner",
    "home base",
    "good morning",
    "spare parts",
    "north wing",
    "tea",
    "coffee corner",
)
_WHOLE = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 1)
_AMOUNTS = (10, 20, 30, 5, 2, 3, 15, 45, 60, 90, 4, 8, 25, 40, 75, 1, 100)


class Span(msgspec.Struct, frozen=True):
    """Where a slot's value stands in a sentence (characters, end excluded)."""

    slot: str
    start: int
    end: int
    value: Value


class Sample(msgspec.Struct, frozen=True):
    """A sentence, its plan, and its slots. action: of a single action. is_free: some words are anybody's."""

    text: str
    plan: Plan
    spans: tuple[Span, ...] = ()
    action: str = ""
    is_free: bool = False


class Piece(msgspec.Struct, frozen=True):
    """Some words of a sentence. slot: which one they are said for, if any. is_join: they join clauses."""

    text: str
    slot: str = ""
    value: Value = None
    is_free: bool = False
    is_join: bool = False


Pieces = tuple[Piece, ...]
_THE = Piece("the")


def single_samples(reader: Reader, world: World, count: int, seed: int = 0) -> Iterator[Sample]:
    """At most so many different sentences, every phrase in turn; fewer if there are no more."""
    sampler = Sampler(reader, world, Random(seed))
    seen: set[str] = set()
    idle = 0
    phrases = reader.phrases
    while phrases and idle < 3 and len(seen) < count:
        idle += 1
        for phrase in phrases:
            sample = next(
                (each for each in sampler.sentences(phrase, _TRIES) if each.text.casefold() not in seen), None
            )
            if sample is not None and len(seen) < count:
                seen.add(sample.text.casefold())
                idle = 0
                yield sample


def sentence(pieces: Iterable[Piece]) -> tuple[str, tuple[Span, ...]]:
    """The text of some pieces, and where their slots stand in it."""
    text = ""
    spans: list[Span] = []
    for piece in pieces:
        if not piece.text:
            spans += [Span(piece.slot, len(text), len(text), piece.value)] if piece.slot else []
            continue
        if text and piece.text[0] not in MARKS:
            text += " "
        start = len(text)
        text += piece.text
        if piece.slot:
            spans.append(Span(piece.slot, start, len(text), piece.value))
    return text, tuple(spans)


class Sampler:
    """Makes sentences. A world that changes meanwhile is noticed by nobody: make a new one."""

    def __init__(self, reader: Reader, world: World, random: Random) -> None:
        self.reader = reader
        self.random = random
        self._world = world
        self._known: dict[str, tuple[tuple[str, str], ...]] = {}

    def sentences(self, phrase: Phrase, tries: int) -> Iterator[Sample]:
        """Random sentences of one phrase; some may be equal."""
        for _ in range(tries):
            pieces = self.clause(phrase)
            if pieces is None:
                continue
            text, spans = sentence(pieces)
            yield Sample(
                text, self.do(phrase, pieces), spans, phrase.action, any(each.is_free for each in pieces)
            )

    def clause(self, phrase: Phrase) -> Pieces | None:
        """Random words of one phrase; None if it could not be said this time."""
        slots = Slots(phrase.parameters, phrase.lists)
        return one_article(self._expanded(phrase.template, phrase.rules, slots, ()))

    def do(self, phrase: Phrase, pieces: Pieces) -> Do:
        """What the words of a phrase mean."""
        return Do(phrase.action, {piece.slot: piece.value for piece in pieces if piece.slot})

    def condition(self, *, only_states: bool = False) -> tuple[Pieces, Condition] | None:
        """A random condition, and its words; None if nothing could be asked this time.

        only_states: nothing that happens ("the door opens"), which is waited for.
        """
        sayables = [each for each in self.reader.conditions.sayables if not (only_states and each.is_event)]
        if not sayables:
            return None
        said = self.random.choice(sayables)
        rules = {**self.reader.core.rules, **said.rules}
        slots = slots_of_condition(said)
        pieces = one_article(self._expanded(said.template, rules, slots, ()))
        if pieces is None or any(piece.is_free for piece in pieces):
            return None
        return pieces, condition_of(said, pieces)

    def words(self, template: Template, duration_s: float | None = None) -> Pieces | None:
        """Random words of a template of the language core; its duration is the one that is given."""
        parameters = {"duration_s": ParameterSpec("duration_s", float, unit="s")}
        slots = Slots(parameters, {}, duration_s=duration_s)
        return self._expanded(template, self.reader.core.rules, slots, ())

    def named(self, slot: syntax.Slot, slots: Slots) -> list[Pieces]:
        """All names and values that may be said for a slot, one way each; none if it takes others too."""
        parameter = slots.parameters.get(slot.name)
        accepted = Accepts() if parameter is None else accepts(parameter)
        if (parameter is None and not slots.is_any_text) or accepted.is_number or accepted.is_flag:
            return []
        found: dict[Value, Pieces] = {}
        for value, way in self._names(slot, accepted, slots.lists):
            # "The cup", but "phone 1": what is numbered takes no article.
            is_named = accepted.is_text and way[:1].islower() and not is_article(way.split()[0])
            is_named = is_named and not way[-1:].isdigit()
            piece = Piece(way, slot.name, value)
            found.setdefault(value, (_THE, piece) if is_named else (piece,))
        return [*found.values()]

    # -- inside

    def _expanded(
        self, template: Template, rules: Mapping[str, Template], slots: Slots, inside: tuple[str, ...]
    ) -> Pieces | None:
        match template:
            case syntax.Word(text=text):
                return (Piece(text),)
            case syntax.Slot():
                return self.slot(template, slots)
            case syntax.Rule(name=name):
                if name not in rules or name in inside:
                    return None
                return self._expanded(rules[name], rules, slots, (*inside, name))
            case syntax.Choice(options=options):
                return self._choice(options, rules, slots, inside)
            case syntax.Sequence(parts=parts):
                found: list[Piece] = []
                for part in parts:
                    more = self._expanded(part, rules, slots, inside)
                    if more is None:
                        return None
                    found += more
                said = [piece.slot for piece in found if piece.slot]
                return tuple(found) if len(said) == len(set(said)) else None
        return None

    def _choice(
        self,
        options: Sequence[Template],
        rules: Mapping[str, Template],
        slots: Slots,
        inside: tuple[str, ...],
    ) -> Pieces | None:
        empty = [option for option in options if isinstance(option, syntax.Sequence) and not option.parts]
        if empty and self.random.random() < _LEAVE_OUT:
            return ()
        some = [option for option in options if option not in empty]
        for option in self.random.sample(some, len(some)):
            found = self._expanded(option, rules, slots, inside)
            if found is not None:
                return found
        return () if empty else None

    def slot(self, slot: syntax.Slot, slots: Slots) -> Pieces | None:
        """Random words for a slot; None if nothing can be said for it."""
        parameter = slots.parameters.get(slot.name)
        if slot.constant:
            if parameter is None and not slots.is_any_text:
                return None
            node = constant(slot.name, slot.constant, parameter, self.reader.core.flags)
            if not isinstance(node, Constant) or node.other is not None:
                return None  # samples say one thing
            return (Piece("", slot.name, node.value),)
        if parameter is None and not slots.is_any_text:
            return None
        accepted = Accepts() if parameter is None else accepts(parameter)
        if slot.name == "duration_s" and slots.duration_s is not None:
            return (Piece(_seconds(slots.duration_s, self.random), slot.name, slots.duration_s),)
        if accepted.is_number and parameter is not None:
            return self._number(slot.name, accepted, parameter)
        if accepted.is_flag:
            words = [*self.reader.core.flags.items()]
            word, flag = self.random.choice(words)
            return (Piece(word, slot.name, flag),)
        named = self._names(slot, accepted, slots.lists)
        if named:
            value, way = self.random.choice(named)
            is_named = accepted.is_text and not is_article(way.split()[0])
            article = "the " if is_named and way[0].islower() and self.random.random() < _ARTICLE else ""
            pieces = (Piece(way, slot.name, value),)
            return (_THE, *pieces) if article else pieces
        said = slots.lists.get(slot.list or slot.name)
        if not accepted.is_text or (said is not None and not said.provider):
            return None
        if ACTIVITIES in (slot.list, slot.name, said.provider if said is not None else ""):
            return None
        text = self.random.choice(_STATEMENTS if slot.list == STATEMENTS else FREE_TEXTS)
        return (Piece(text, slot.name, text, is_free=True),)

    def _names(
        self, slot: syntax.Slot, accepted: Accepts, lists: Mapping[str, SlotList]
    ) -> Sequence[tuple[str, str]]:
        """(value, a way to say it) of what is known for a slot, without names that are shared."""
        kind = slot.list or slot.name
        said = lists.get(kind)
        listed = [(value, way) for value, ways in (said.values if said is not None else ()) for way in ways]
        if not accepted.is_text:
            chosen = {value for value, _ in listed}
            return [
                *listed,
                *((each, each.replace("_", " ")) for each in accepted.choices if each not in chosen),
            ]
        provider = said.provider if said is not None else kind
        return [*listed, *self._provided(provider)] if provider else listed

    def _provided(self, kind: str) -> tuple[tuple[str, str], ...]:
        if kind not in self._known:
            ways: dict[tuple[str, ...], dict[str, str]] = {}
            for known in self._world.known(kind):
                for way in (known.name, *known.says):
                    if words := self.reader.recogniser.words(way):
                        ways.setdefault(words, {})[known.value] = way
            unique = [next(iter(meant.items())) for meant in ways.values() if len(meant) == 1]
            self._known[kind] = tuple((value, way) for value, way in unique)
        return self._known[kind]

    def _number(self, slot: str, accepted: Accepts, parameter: ParameterSpec) -> Pieces | None:
        for _ in range(_TRIES):
            text, value = self._amount(accepted)
            if not parameter.problem_with(value):
                return (Piece(text, slot, value),)
        return None

    def _amount(self, accepted: Accepts) -> tuple[str, int | float]:
        """A number as somebody may say it, and what it is in the unit of the signature."""
        if not SPOKEN.get(accepted.unit):
            number = self.random.choice(_WHOLE)
            return self._number_words(number), number if accepted.is_whole else float(number)
        own = SIGNATURE_UNITS[accepted.unit]
        spoken = self.random.choice(SPOKEN[accepted.unit])
        number = self.random.choice(_AMOUNTS)
        value = float(number * spoken.unit.factor / own.factor)
        if spoken.unit.is_pi and not own.is_pi:
            value *= 3.141592653589793
        unit = spoken.one if number == 1 else spoken.many
        return f"{self._number_words(number)} {unit}", round(value) if accepted.is_whole else value

    def _number_words(self, number: int) -> str:
        return str(number) if self.random.random() < 0.5 else in_letters(number)


class Slots(msgspec.Struct, frozen=True):
    """What may be said for slots. duration_s: of the core's own slot of that name, if it is settled."""

    parameters: Mapping[str, ParameterSpec]
    lists: Mapping[str, SlotList]
    is_any_text: bool = False
    duration_s: float | None = None


def one_article(pieces: Pieces | None) -> Pieces | None:
    """Without those articles that follow another one: "is there a (the) drum"."""
    if pieces is None:
        return None
    said = [piece for piece in pieces if piece.text or piece.slot]
    return tuple(
        piece
        for before, piece in zip((Piece(""), *said), said, strict=False)
        if not (piece == _THE and before.text and _ends_with_article(before.text))
    )


def _ends_with_article(text: str) -> bool:
    return is_article(text.split()[-1])


def _seconds(duration_s: float, random: Random) -> str:
    whole = int(duration_s)
    return f"{whole if random.random() < 0.5 else in_letters(whole)} {'second' if whole == 1 else 'seconds'}"


def slots_of_condition(said: Sayable) -> Slots:
    """What may be said for the slots of a condition: `{value}` is a number, others are names."""
    number = {VALUE: ParameterSpec(VALUE, float, unit=said.unit)} if said.comparison is not None else {}
    return Slots(number, said.lists, is_any_text=True)


def condition_of(said: Sayable, pieces: Pieces) -> Condition:
    """What the words of a condition mean."""
    values = {piece.slot: piece.value for piece in pieces if piece.slot}
    if said.comparison is None:
        return State(said.name, values, said.is_so)
    value = values.pop(VALUE)
    assert isinstance(value, int | float)
    return Compare(said.name, values, said.comparison, float(value), said.unit)
