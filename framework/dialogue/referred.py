"""Which instruction a text comes to that says something of the last one (`dialogue.referring`). Pure.

Every content takes the place of a few words of the last instruction; it stands for a value if that is an
instruction which differs from the last one in just that. Of a content of several values ("down three") each
part is one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import msgspec

from framework.dialogue.correction import LastSaid
from framework.dialogue.discourse import OTHER, named_one, which_of
from framework.dialogue.follow_up import DOUBLE, HALF, other_way, scaled, turned_round, with_another
from framework.dialogue.pointing import owner
from framework.dialogue.referring import Content, Mode, Referring, Sign
from framework.dialogue.spelling import clean, words_of
from framework.dialogue.values import Place, actions_in, at, different, values_of, with_value
from framework.plan.ast import Do, Plan
from framework.plan.parser import World
from framework.plan.signature import Signatures
from framework.plan.value import Reference

#: More words stand for no value, nor for two.
_MOST_WORDS = 6
#: So many words of the last instruction in a row are replaced.
_MOST_REPLACED = 5
_MOST_WORDS_OF_LAST = 16
#: So many times as far is what nobody means who says only how far.
_MUCH = 10.0
#: How sure it is that something is to be done with a thing that is only named.
_IF_BARE = 0.8
#: So many texts are read at most; one that is read with all care counts for several.
_MOST_READ = 180
_DEAR = 5
#: In what speeds and forces are measured.
_OF_MANNERS = ("m/s", "rad/s", "fraction", "N")
_WORD = re.compile(r"[^\s,;!?]+")

Reads = Callable[[str], Sequence[Plan]]
"""The plan that a text means; none if it means none, or that is not certain."""

Edit = tuple[Place, Any]
"""A value, and the place in the plan where it is another one than before."""

Names = Callable[[str], list[str]]
"""The words of a content that tell one thing from another ("the left one": left); none if it names none."""


class Referred(msgspec.Struct, frozen=True):
    """What a text comes to. plans: several if that is not clear. left_out: remarks that mean nothing here.

    is_another: it is done with another thing, and may be done beside the last one. confidence: 0 … 1.
    """

    mode: Mode
    plans: tuple[Plan, ...]
    left_out: tuple[str, ...] = ()
    is_another: bool = False
    confidence: float = 1.0


class Referent:
    """The last instruction, as far as a text may change it.

    last: of which only one plan is known. plainly, surely: what a text means as it stands, and with all that
    can be put right. in_words: a plan as it would be said. names: as above. is_going_on: it is being done.
    """

    def __init__(
        self,
        last: LastSaid,
        plainly: Reads,
        surely: Reads,
        in_words: Callable[[Plan], str],
        names: Names,
        signatures: Signatures,
        world: World,
        *,
        is_going_on: bool = False,
    ) -> None:
        self._plan = last.plans[0]
        self._is_going_on = is_going_on
        self._plainly = plainly
        self._surely = surely
        self._left = _MOST_READ
        self._in_words = in_words
        self._names = names
        self._signatures = signatures
        self._world = world
        self._denied: frozenset[str] = frozenset()
        self._known: dict[str, tuple[tuple[Edit, ...], ...] | None] = {}
        said = clean(last.text)
        own = in_words(self._plan)
        # As it was said first: a bare number is in the unit that was said.
        self._texts: dict[str, Reads] = {}
        for text in (text for text in (said, own) if len(words_of(text)) <= _MOST_WORDS_OF_LAST):
            if self._plan in plainly(text):
                self._texts[text] = plainly
            elif text == said and self._plan in surely(text):
                self._texts[text] = surely

    def changed(self, referring: Referring) -> Referred | None:
        """What the last instruction becomes; None if a word of the text fits nothing in it."""
        if not all(map(self._was_said, referring.denied)):
            return None
        for content in referring.contents if referring.is_bare and self._is_going_on else ():
            if manner := self._in_another_manner(content.text, self._plan):
                return Referred(Mode.INSTEAD, manner)
        if referring.is_bare and referring.is_bit:
            return None
        self._denied = frozenset(word for each in referring.denied for word in words_of(each))
        before = self._plan
        left_out: list[str] = []
        if referring.mode is Mode.LESS:
            before = self._turned()
            if before == self._plan:
                return None
        plans: tuple[Plan, ...] = (before,)
        for change in referring.changes:
            plans = _each(plans, partial(self._by_sign, change))
        is_another = bool(set(referring.changes) & {Sign.OTHER, Sign.OTHER_SIDE})
        for content in referring.contents:
            found = self._with_content(plans, content)
            if found is None and referring.mode is Mode.AGAIN:  # "again, slower"
                so = _each(plans, partial(self._in_another_manner, content.text))
                found = (so, False) if so else None
            if found is None and content.is_alone and self._is_remark(content):
                left_out.append(content.text)
            elif found is None:
                return None
            else:
                plans, names_thing = found
                is_another |= names_thing
        if not plans or any(map(self._makes_no_sense, plans)) or (referring.is_bare and not is_another):
            return None
        mode = Mode.INSTEAD if referring.replaces and self._is_going_on else referring.mode
        if mode is Mode.INSTEAD and referring.changes == (Sign.OTHER_SIDE,) and not referring.denied:
            # "The other side": another way takes the place of this one, another thing is done besides.
            is_way = all(self.is_way_back(plan) for plan in plans)
            mode = Mode.INSTEAD if is_way or len(plans) > 1 else Mode.AGAIN
        sure = _IF_BARE if referring.is_bare else 1.0
        return Referred(mode, plans, tuple(left_out), is_another, sure)

    def _in_another_manner(self, text: str, whole: Plan) -> tuple[Plan, ...]:
        """A plan of which the last action is done so ("slower"); none if that says no manner."""
        for place, do in actions_in(whole)[-1:]:
            signature = self._signatures.find(do.action)
            parameters = signature.parameters if signature is not None else ()
            manners = {each.name for each in parameters if each.unit in _OF_MANNERS}
            plain = {name: value for name, value in do.parameters.items() if name not in manners}
            for plan in self._plainly(f"{self._in_words(Do(do.action, plain))} {text}") if manners else ():
                if not isinstance(plan, Do) or plan in (do, Do(do.action, plain)):
                    continue
                so = {name: value for name, value in plan.parameters.items() if name in manners}
                if plan == Do(do.action, {**plain, **so}):
                    return (with_value(whole, place, plan),)
        return ()

    def says_how_far(self, referring: Referring) -> bool:
        """Whether a content of it is an amount."""
        edits = (each for content in referring.contents for each in self._edits(content) or ())
        return any(isinstance(value, float) for _, value in edits)

    def says_the_same(self, content: Content) -> bool:
        """Whether a content is a value as it was before."""
        return self._edits(content) == ()

    def says_otherwise(self, referring: Referring) -> bool:
        """Whether each content of it is another value than before."""
        return all(self._edits(content) for content in referring.contents)

    def acts(self, plan: Plan) -> Do | None:
        """The one action in which a plan differs from the last instruction; its last one if in none."""
        places = different(self._plan, plan) or ()
        for place, do in reversed(actions_in(plan)):
            if not places or any(each[: len(place)] == place for each in places):
                return do
        return None

    def is_way_back(self, plan: Plan) -> bool:
        """Whether it goes where the last instruction came from."""
        do = self.acts(plan)
        before = [each for _, each in actions_in(self._plan)]
        backs = [(each, turned_round(each, self._signatures)) for each in before]
        return do is not None and any(
            back != each and self._ways(do) == self._ways(back) for each, back in backs
        )

    # -- inside

    def _makes_no_sense(self, plan: Plan) -> bool:
        """Whether it goes so much further than before that another unit may be meant: "30" after a metre."""
        return goes_too_far(self._plan, plan)

    def _ways(self, do: Do) -> tuple[str, dict[str, Any]]:
        signature = self._signatures.find(do.action)
        names = [each.name for each in signature.parameters if each.opposites] if signature else []
        return do.action, {name: do.parameters.get(name) for name in names}

    def _was_said(self, denied: str) -> bool:
        said = {word for text in self._texts for word in words_of(text)}
        return said.issuperset(words_of(denied))

    def _turned(self) -> Plan:
        """The last measured action the other way."""
        turned = other_way(self._plan, self._signatures)
        return turned[0] if turned else self._plan

    def _by_sign(self, change: Sign, plan: Plan) -> tuple[Plan, ...]:
        match change:
            case Sign.OTHER_WAY:
                return other_way(plan, self._signatures)
            case Sign.OTHER:
                return with_another(plan, [OTHER], self._signatures, self._world)
            case Sign.OTHER_SIDE:
                others = with_another(plan, [OTHER], self._signatures, self._world)
                return (*other_way(plan, self._signatures), *others)
            case Sign.HALF | Sign.DOUBLE:
                factor = HALF if change is Sign.HALF else DOUBLE
                found = scaled(plan, factor, self._signatures, self._says)
                return () if found is None else (found,)
        return ()

    def _with_content(
        self, plans: tuple[Plan, ...], content: Content
    ) -> tuple[tuple[Plan, ...], bool] | None:
        """The plans with what a content says, and whether that is another thing; None if it fits nothing."""
        if telling := self._names(content.thing):
            named = _each(plans, partial(self._another, telling))
            if named:
                return named, True
        parts = self._parts(content)
        if parts is None or (telling and len(parts) > 1):  # "one" of "the left one" is no number
            return None
        for edits in parts:
            plans = _each(plans, partial(_with_edits, edits))
        return plans, False

    def _edits(self, content: Content) -> tuple[Edit, ...] | None:
        parts = self._parts(content)
        return None if parts is None else tuple(edit for part in parts for edit in part)

    def _parts(self, content: Content) -> tuple[tuple[Edit, ...], ...] | None:
        """The values that each part of a content may stand for; None if it stands for none."""
        if content.text not in self._known:
            found = self._looked_up(content.text)
            if found is None and content.bare not in ("", content.text):
                found = self._looked_up(content.bare)
            self._known[content.text] = found
        return self._known[content.text]

    def _looked_up(self, text: str) -> tuple[tuple[Edit, ...], ...] | None:
        words = text.split()
        if len(words) > _MOST_WORDS:
            return None
        whole = self._values(text)
        if whole is not None:
            return (whole,)
        for count in range(1, len(words)):
            first = self._values(" ".join(words[:count]))
            second = None if first is None else self._values(" ".join(words[count:]))
            if first is not None and second is not None:
                return first, second
        return None

    def _another(self, telling: Sequence[str], plan: Plan) -> tuple[Plan, ...]:
        """The plan with that one; itself if it is that one already."""
        if found := with_another(plan, telling, self._signatures, self._world):
            return found
        is_it = any(
            list(telling) == [str(do.parameters.get(parameter.name))]
            for _, do in actions_in(plan)
            for parameter in which_of(do, self._signatures)
        )
        return (plan,) if is_it else ()

    def _values(self, text: str) -> tuple[Edit, ...] | None:
        """The values that a content may stand for, each with its place; None if it stands for none.

        Empty if it says what was said before.
        """
        is_same = False
        for said, reads in self._texts.items():
            # In the place of as few words as possible: "two" of "four inches" means two inches.
            for changed in _replaced(text, said):
                found: dict[str, Edit] = {}
                for plan in self._read(changed, reads):
                    places = different(self._plan, plan)
                    if places is not None and len(places) == 1 and self._may_be(places[0]):
                        value = self._named_by(places[0], at(plan, places[0]))
                        found[repr((places[0], value))] = (places[0], value)
                    is_same |= places == ()
                if found:
                    return tuple(found.values())
        return () if is_same else None  # a remark in its place leaves what was said before, too

    def _may_be(self, place: Place) -> bool:
        """Whether a value there may be meant: what was denied stands there, if it is clear where that is."""
        values = values_of(self._plan)
        denied = [each for each, value in values.items() if str(value) in self._denied]
        return not denied or place in denied

    def _named_by(self, place: Place, value: Any) -> Any:
        """The other of two, where a value stands for that; else the value itself."""
        do = owner(self._plan, place)
        if do is None or not isinstance(value, Reference) or value.word != OTHER:
            return value
        named = [each for each in which_of(do, self._signatures) if each.name == place[-1]]
        known = [known for each in named for known in self._world.known(each.which)]
        return (named_one([OTHER], do, named[0], known) if named else "") or value

    def _read(self, texts: Iterable[str], reads: Reads) -> Iterator[Plan]:
        """What texts mean, as long as that takes no time that anybody would notice."""
        for text in texts:
            self._left -= 1 if reads is self._plainly else _DEAR
            if self._left >= 0:
                yield from reads(text)

    def _says(self, do: Do) -> bool:
        return do in self._plainly(self._in_words(do))

    def _is_remark(self, content: Content) -> bool:
        """Whether nothing else may be wanted by it: no instruction, and nothing in it is a value."""
        is_value = any(self._values(word) for word in content.text.split())
        return not is_value and not self._surely(content.text)


def goes_too_far(before: Plan, plan: Plan) -> bool:
    """Whether a plan goes so much further than the same before that another unit may have been meant."""
    pairs = [(at(before, place), at(plan, place)) for place in different(before, plan) or ()]
    return any(
        isinstance(was, float) and isinstance(value, float) and abs(value) >= _MUCH * abs(was)
        for was, value in pairs
    )


def _with_edits(edits: tuple[Edit, ...], plan: Plan) -> tuple[Plan, ...]:
    return tuple(with_value(plan, place, value) for place, value in edits) if edits else (plan,)


def _each(plans: tuple[Plan, ...], change: Callable[[Plan], tuple[Plan, ...]]) -> tuple[Plan, ...]:
    """All that a change makes of all plans, each once."""
    found: list[Plan] = []
    for plan in plans:
        found += [each for each in change(plan) if each not in found]
    return tuple(found)


def _replaced(right: str, last_text: str) -> Iterator[list[str]]:
    """The last text with one word replaced, in all places; then with two in a row, and so on, but not all."""
    said = list(_WORD.finditer(last_text))
    for count in range(1, min(_MOST_REPLACED, len(said) - 1) + 1):
        spans = zip(said, said[count - 1 :], strict=False)
        yield [f"{last_text[: first.start()]}{right}{last_text[last.end() :]}" for first, last in spans]
