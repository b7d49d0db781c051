"""Templates as a network of nodes that is walked over an utterance. Compiled once, matched often.

Each node answers with every way in which it can be said from one token on. Ways that end at the same place
with the same values are one, and rules remember what they found, so the work grows with the length of the
text and not with the number of paths. What may stand for a slot is in `slots.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import cast

import msgspec

from framework.plan.ast import Value
from framework.plugins import template as syntax
from framework.plugins.template import Template
from grammars.reading.inflection import gerund
from grammars.reading.matching import Head, Matching, Offer, Part, Rank, distinct
from grammars.reading.tokens import is_article

#: Makes the node of a slot, given whether the template allows an article just before it, and its rank.
SlotMaker = Callable[[syntax.Slot, bool, Rank], "Node"]
#: Cuts a text into comparable words, as `Recogniser.words` does.
Split = Callable[[str], tuple[str, ...]]


#: How unsure it is that a comma means nothing.
DOUBT_AT_A_COMMA = 0.04


class Node:
    """A part of a template. No ABC: these are told apart by their types very often, which takes long there.

    first: the words that it can begin with, and marks (`Matching.marks`). is_open: it can begin
    with something else, too. can_be_empty: nothing at all may be said for it.
    follow: the words that can come after it; is_last: the clause may end after it; before_any: anything may
    come after it. They are known when the whole network is (`connect`), of what is_placed.
    needs: of each of these sets a text has to have a word, or this cannot be said anywhere in it
    (`Matching.may_have`).
    is_certain: where none of `first` stands it is not said, and nothing is lost if it can be empty.
    is_placed: what can come after it tells how far it goes, so that it is not the same node in two places.
    """

    __slots__ = (
        "before_any",
        "can_be_empty",
        "first",
        "follow",
        "is_certain",
        "is_last",
        "is_open",
        "is_placed",
        "needs",
    )

    def __init__(
        self,
        first: frozenset[str] = frozenset(),
        *,
        is_open: bool = False,
        can_be_empty: bool = False,
        needs: tuple[frozenset[str], ...] = (),
        says_nothing: bool = True,
        is_placed: bool = False,
    ) -> None:
        self.first = first
        self.is_placed = is_placed
        self.is_certain = not is_open and says_nothing
        self.needs = () if can_be_empty else needs
        self.is_open = is_open
        self.can_be_empty = can_be_empty
        self.follow: frozenset[str] = frozenset()
        self.is_last = False
        self.before_any = False

    def match(self, matching: Matching, at: int, head: Head) -> Sequence[Part]:
        """Every way in which this is said from the token `at` on."""
        raise NotImplementedError

    def offers(self, matching: Matching, head: Head) -> Iterable[Offer]:
        """What could be said for this, or for its beginning."""
        raise NotImplementedError

    def inside(self) -> Iterator[tuple[Node, Sequence[Node], bool]]:
        """Its parts: (part, what comes after it in this node, whether this node may end after it)."""
        yield from ()


def below(*nodes: Node) -> Iterator[Node]:
    """Nodes and all that they are made of, each once."""
    to_see = [*reversed(nodes)]
    seen: set[Node] = set()
    while to_see:
        each = to_see.pop()
        if each not in seen:
            seen.add(each)
            yield each
            to_see += [part for part, _, _ in each.inside()]


class Words(Node):
    """Words that have to be said."""

    __slots__ = ("rank", "text", "words")

    def __init__(self, text: str, words: tuple[str, ...], rank: Rank = Rank.ACTION) -> None:
        super().__init__(frozenset(words[:1]), needs=tuple(frozenset((word,)) for word in words))
        self.text = text
        self.words = words
        self.rank = rank

    def match(self, matching: Matching, at: int, head: Head) -> Sequence[Part]:
        """One way, or none."""
        words = self.words
        if at < matching.size and (
            matching.tokens[at] == words[0] if head is Head.PLAIN else words[0] in matching.forms(at, head)
        ):
            end = at + len(words)
            if len(words) == 1 or matching.tokens[at + 1 : end] == words[1:]:
                return (Part(end),)
        if at >= matching.furthest:
            matching.stuck(at, self, head)
        return ()

    def offers(self, matching: Matching, head: Head) -> Iterable[Offer]:
        """The words as they are written, in the form that is expected here."""
        if head is Head.GERUND and self.rank is Rank.ACTION:
            yield Offer(said := " ".join((gerund(self.words[0]), *self.words[1:])), said, self.rank)
        elif head is Head.PLAIN:
            yield Offer(self.text, self.text, self.rank)


class Nothing(Node):
    """What does not count: an article, or an option that is left out."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(can_be_empty=True)

    def match(self, matching: Matching, at: int, head: Head) -> Sequence[Part]:
        """Always."""
        return (Part(at),)

    def offers(self, matching: Matching, head: Head) -> Iterable[Offer]:
        """Nothing."""
        return ()


class Constant(Node):
    """`{slot:=value}`: whoever comes along here has said the value. other: another one, at the same time."""

    __slots__ = ("other", "slot", "value")

    def __init__(self, slot: str, value: Value, other: Value = None) -> None:
        super().__init__(can_be_empty=True, says_nothing=False)
        self.slot = slot
        self.value = value
        self.other = other

    def match(self, matching: Matching, at: int, head: Head) -> Sequence[Part]:
        """Always, with the value."""
        others = () if self.other is None else ((self.slot, self.other),)
        return (Part(at, ((self.slot, self.value),), others=others, at_once=bool(others)),)

    def offers(self, matching: Matching, head: Head) -> Iterable[Offer]:
        """Nothing."""
        return ()


class Row(Node):
    """One after the other."""

    __slots__ = ("_rests", "parts")

    def __init__(self, parts: tuple[Node, ...]) -> None:
        first: frozenset[str] = frozenset()
        is_open = False
        for part in parts:
            first |= part.first
            is_open |= part.is_open
            if not part.can_be_empty:
                break
        super().__init__(
            first,
            is_open=is_open,
            can_be_empty=all(part.can_be_empty for part in parts),
            needs=_needs_of_all(parts),
            says_nothing=_says_nothing(parts),
            is_placed=any(part.is_placed for part in parts),
        )
        self.parts = parts
        self._rests: tuple[Row, ...] | None = None

    def match(self, matching: Matching, at: int, head: Head) -> Sequence[Part]:
        """Each way of the first part, with each way of the rest after it."""
        ways: Sequence[Part] = (Part(at),)
        tokens, size = matching.tokens, matching.size
        for node in self.parts:
            grown: list[Part] = []
            for way in ways:
                matching.steps += 1
                end = way.end
                if (
                    node.is_certain
                    and end < matching.furthest
                    and (head is Head.PLAIN or end > at)
                    and (end >= size or tokens[end] not in node.first)
                    and (end >= size or not matching.is_marked(node.first, end))
                ):  # most parts are not there
                    if node.can_be_empty:
                        grown.append(way)
                    if matching.is_loose and at < end < size and tokens[end] == ",":
                        grown += self._behind_a_comma(matching, way, node)
                    continue
                for more in node.match(matching, way.end, head if way.end == at else Head.PLAIN):
                    grown.append(_joined(way, more))
                if matching.is_loose and at < way.end < matching.size and matching.tokens[way.end] == ",":
                    grown += self._behind_a_comma(matching, way, node)
            if not grown or matching.is_exhausted:
                return ()
            ways = distinct(grown)
        return ways

    def _behind_a_comma(self, matching: Matching, way: Part, node: Node) -> Iterator[Part]:
        """ "Left arm, up ten centimetres": a comma where somebody took breath."""
        for more in node.match(matching, way.end + 1, Head.PLAIN):
            if more.end > way.end + 1 and not more.free:
                said = _joined(way, more)
                yield msgspec.structs.replace(said, doubt=max(said.doubt, DOUBT_AT_A_COMMA))

    def behind(self, matching: Matching, at: int, count: int) -> Sequence[Part]:
        """What it is without its first parts: "right" of "turn left, then right"."""
        return self._behind(count).match(matching, at, Head.PLAIN)

    def again(self, matching: Matching, at: int) -> Iterator[Part]:
        """Without any number of its first parts."""
        for count in range(1, len(self.parts)):
            yield from self.behind(matching, at, count)

    def _behind(self, count: int) -> Row:
        if self._rests is None:
            self._rests = tuple(Row(self.parts[begin:]) for begin in range(len(self.parts) + 1))
        return self._rests[count]

    def offers(self, matching: Matching, head: Head) -> Iterable[Offer]:
        """What its first parts offer, up to the first one that has to be said."""
        for part in self.parts:
            yield from part.offers(matching, head)
            if not part.can_be_empty:
                return

    def inside(self) -> Iterator[tuple[Node, Sequence[Node], bool]]:
        """The parts, each with the ones behind it."""
        for index, part in enumerate(self.parts):
            rest = self.parts[index + 1 :]
            yield part, rest, all(each.can_be_empty for each in rest)


class AnyOrder(Node):
    """All of several, one after the other in whatever order. between: words that may stand between them."""

    __slots__ = ("_others", "_required", "between", "parts")

    def __init__(self, parts: tuple[Node, ...], between: frozenset[str] = frozenset()) -> None:
        super().__init__(
            frozenset().union(*(part.first for part in parts)),
            is_open=any(part.is_open for part in parts),
            can_be_empty=all(part.can_be_empty for part in parts),
            needs=_needs_of_all(parts),
            says_nothing=_says_nothing(parts),
            is_placed=any(part.is_placed for part in parts),
        )
        self.parts = parts
        self._required = frozenset(index for index, part in enumerate(parts) if not part.can_be_empty)
        self.between = between
        self._others = tuple(Choice((*parts[:at], *parts[at + 1 :])) for at in range(len(parts)))

    def match(self, matching: Matching, at: int, head: Head) -> Sequence[Part]:
        """Every order in which all that has to be said is said, each part at most once."""
        return self._orders(matching, at, head, self._required)

    def behind(self, matching: Matching, at: int, count: int) -> Sequence[Part]:
        """What it is without its first parts: "the gripper" of "open and close the gripper"."""
        return AnyOrder(self.parts[count:], self.between).match(matching, at, Head.PLAIN)

    def again(self, matching: Matching, at: int) -> Iterator[Part]:
        """Some of what it says, without the words that only name it: "right" of "turn left, then right"."""
        values = tuple(part for part in self.parts if any(hasattr(each, "slot") for each in below(part)))
        if values:
            yield from AnyOrder(values, self.between)._orders(matching, at, Head.PLAIN, frozenset())

    def _orders(self, matching: Matching, at: int, head: Head, required: frozenset[int]) -> Sequence[Part]:
        found: list[Part] = []
        known: dict[tuple[int, int], Sequence[Part]] = {}
        ways: dict[frozenset[int], Sequence[Part]] = {frozenset(): (Part(at),)}
        while ways:
            found += [way for said, several in ways.items() if required <= said for way in several]
            grown: dict[frozenset[int], list[Part]] = {}
            for said, several in ways.items():
                for index in range(len(self.parts)):
                    if index not in said:
                        more = grown.setdefault(said | {index}, [])
                        for way in several:
                            more += self._next(matching, at, head, way, index, known)
            ways = {said: distinct(several) for said, several in grown.items() if several}
            if matching.is_exhausted:
                return ()
        return distinct(found)

    def _next(
        self,
        matching: Matching,
        at: int,
        head: Head,
        way: Part,
        index: int,
        known: dict[tuple[int, int], Sequence[Part]],
    ) -> Iterator[Part]:
        """The ways with one part more. known: by its index and a place, how it is said there, once found."""
        matching.steps += 1
        begin, node = way.end, self.parts[index]
        if begin == at and head is not Head.PLAIN:
            yield from self._more(node.match(matching, begin, head), way, begin)
            return
        has_comma = False
        while True:
            if node.is_open or node.can_be_empty or matching.can_begin(node.first, begin):
                parts = known.get((index, begin))
                if parts is None:
                    parts = known[index, begin] = node.match(matching, begin, Head.PLAIN)
                for more in self._more(parts, way, begin):
                    yield (
                        msgspec.structs.replace(more, doubt=max(more.doubt, DOUBT_AT_A_COMMA))
                        if has_comma
                        else more
                    )
            elif begin >= matching.furthest:
                matching.stuck(begin, node, Head.PLAIN)
            if not at < begin < matching.size or matching.tokens[begin] not in self.between:
                return
            has_comma |= matching.tokens[begin] == ","
            begin += 1

    def _more(self, parts: Iterable[Part], way: Part, begin: int) -> Iterator[Part]:
        return (_joined(way, part) for part in parts if part.end > begin)

    def offers(self, matching: Matching, head: Head) -> Iterable[Offer]:
        """What each of them offers."""
        for part in self.parts:
            yield from part.offers(matching, head)

    def inside(self) -> Iterator[tuple[Node, Sequence[Node], bool]]:
        """The parts, each with any of the others behind it."""
        for part, others in zip(self.parts, self._others, strict=True):
            yield part, (others,), True


class Choice(Node):
    """One of several. Which ones can begin with a word is known beforehand."""

    __slots__ = ("_marked", "by_word", "options", "others")

    def __init__(self, options: tuple[Node, ...]) -> None:
        super().__init__(
            frozenset().union(*(option.first for option in options)),
            is_open=any(option.is_open for option in options),
            can_be_empty=any(option.can_be_empty for option in options),
            needs=_needs_of_any(options),
            says_nothing=all(option.is_certain or not option.can_be_empty for option in options),
            is_placed=any(option.is_placed for option in options),
        )
        self.options = options
        self.others = tuple(each for each in options if each.is_open or each.can_be_empty)
        self.by_word = {
            word: tuple(each for each in options if word in each.first or each.is_open or each.can_be_empty)
            for word in self.first
        }
        self._marked: dict[tuple[str, tuple[str, ...]], tuple[Node, ...]] = {}

    def match(self, matching: Matching, at: int, head: Head) -> Sequence[Part]:
        """The ways of all options."""
        options = self.options
        if head is Head.PLAIN:
            if at >= matching.furthest:
                matching.stuck(at, self, head)
            options = self._possible(matching, at)
        elif at < matching.size and (at < matching.furthest or at == matching.silent_at):
            options = self._begun((matching.tokens[at], *matching.forms(at, head), *matching.marks(at)))
        if len(options) == 1:
            return options[0].match(matching, at, head)
        found: list[Part] = []
        for option in options:
            found.extend(option.match(matching, at, head))
        matching.steps += len(found)
        return distinct(found)

    def _possible(self, matching: Matching, at: int) -> tuple[Node, ...]:
        if at >= matching.size:
            return self.others
        word, marks = matching.tokens[at], matching.marks(at)
        begun = self.by_word.get(word, self.others)
        if not marks:
            return begun
        key = (word if word in self.by_word else "", marks)
        found = self._marked.get(key)
        if found is None:
            for mark in marks:
                if mark in self.by_word:
                    begun = (*begun, *(each for each in self.by_word[mark] if each not in begun))
            found = self._marked[key] = begun
        return found

    def _begun(self, words: Sequence[str]) -> tuple[Node, ...]:
        """The options that may begin with one of several words, in their order."""
        found = [self.by_word[word] for word in dict.fromkeys(words) if word in self.by_word]
        if len(found) > 1:
            return tuple(each for each in self.options if any(each in several for several in found))
        return found[0] if found else self.others

    def offers(self, matching: Matching, head: Head) -> Iterable[Offer]:
        """What all options offer."""
        for option in self.options:
            yield from option.offers(matching, head)

    def inside(self) -> Iterator[tuple[Node, Sequence[Node], bool]]:
        """The options."""
        for option in self.options:
            yield option, (), True


class Shared(Node):
    """A `<rule>`: used in several places, matched once a place."""

    __slots__ = ("node",)

    def __init__(self, node: Node) -> None:
        super().__init__(
            node.first,
            is_open=node.is_open,
            can_be_empty=node.can_be_empty,
            needs=node.needs,
            says_nothing=node.is_certain,
            is_placed=node.is_placed,
        )
        self.node = node

    def match(self, matching: Matching, at: int, head: Head) -> Sequence[Part]:
        """What the rule gives; remembered. What was wanted is known too: places only get further."""
        key = (id(self), at, head)
        found = matching.of_words.get(key)
        if found is None:
            found = matching.of_words[key] = self.node.match(matching, at, head)
        return cast("Sequence[Part]", found)

    def offers(self, matching: Matching, head: Head) -> Iterable[Offer]:
        """What the rule offers."""
        yield from self.node.offers(matching, head)

    def inside(self) -> Iterator[tuple[Node, Sequence[Node], bool]]:
        """The rule."""
        yield self.node, (), True


def _says_nothing(parts: Sequence[Node]) -> bool:
    """Whether parts say nothing if nothing is said for them."""
    return all(part.is_certain for part in parts) or not all(part.can_be_empty for part in parts)


def _needs_of_all(parts: Sequence[Node]) -> tuple[frozenset[str], ...]:
    return tuple(dict.fromkeys(need for part in parts for need in part.needs))


def _needs_of_any(options: Sequence[Node]) -> tuple[frozenset[str], ...]:
    """One word of what each option needs: of its own shortest list."""
    if not options or not all(option.needs for option in options):
        return ()
    return (frozenset().union(*(min(option.needs, key=len) for option in options)),)


def no_slots(slot: syntax.Slot, after_article: bool, rank: Rank) -> Node:
    """The slot maker of templates that have no slots: such a place can never be said."""
    return Choice(())


class Compiler:
    """Turns templates that share rules and slots into nodes.

    rules: what each `<rule>` stands for. between: what may stand between parts that come in any order.
    """

    def __init__(
        self,
        rules: Mapping[str, Template],
        split: Split,
        slot: SlotMaker = no_slots,
        rank: Rank = Rank.ACTION,
        *,
        between: frozenset[str] = frozenset(),
    ) -> None:
        self.rank = rank
        self._between = between
        self._rules = rules
        self._split = split
        self._slot = slot
        self._shared: dict[str, Node] = {}
        self._known: dict[tuple[Template, bool], Node] = {}
        self._open: list[str] = []

    def node(self, template: Template, *, after_article: bool = False) -> Node:
        """The node of a template. A rule that nobody defines, or that contains itself, can never be said."""
        key = (template, after_article)
        found = self._known.get(key)
        if found is None:
            found = self._made(template, after_article)
            if not (found.is_placed or self._open):
                self._known[key] = found
        return found

    def _made(self, template: Template, after_article: bool) -> Node:
        match template:
            case syntax.Word():
                words = () if is_article(template.text) else self._split(template.text)
                return Words(template.text, words, self.rank) if words else Nothing()
            case syntax.Slot():
                return self._slot(template, after_article, self.rank)
            case syntax.Rule():
                return self._rule(template.name)
            case syntax.AnyOrder():
                return AnyOrder(tuple(self.node(part) for part in template.parts), self._between)
            case syntax.Sequence():
                return self._row(template.parts)
        options = tuple(self.node(option) for option in template.options)
        if options and all(isinstance(option, Nothing) for option in options):
            return options[0]
        return options[0] if len(options) == 1 else Choice(options)

    def _row(self, parts: tuple[Template, ...]) -> Node:
        nodes: list[Node] = []
        after_article = False
        for part in parts:
            node = self.node(part, after_article=after_article)
            after_article = isinstance(node, Nothing)
            if not after_article:
                nodes.append(node)
        return nodes[0] if len(nodes) == 1 else Row(tuple(nodes)) if nodes else Nothing()

    def _rule(self, name: str) -> Node:
        if name in self._open or name not in self._rules:
            return Choice(())
        if name not in self._shared:
            self._open.append(name)
            self._shared[name] = Shared(self.node(self._rules[name]))
            self._open.pop()
        return self._shared[name]


def connect(roots: Iterable[Node], follow: frozenset[str] = frozenset()) -> None:
    """Tell every node below for which that matters what can come after it (`Node.is_placed`).

    follow: what can come after the roots, besides an end.
    """
    to_see: list[Node] = []
    seen: set[Node] = set()
    for root in roots:
        root.is_last = True
        root.follow |= follow
        to_see.append(root)
    while to_see:
        node = to_see.pop()
        for part, rest, reaches_end in node.inside():
            if not part.is_placed:
                continue
            words, before_any = part.follow, part.before_any
            for later in rest:
                words |= later.first
                before_any |= later.is_open
                if not later.can_be_empty:
                    break
            is_last = part.is_last
            if reaches_end:
                words |= node.follow
                before_any |= node.before_any
                is_last |= node.is_last
            known = (part.follow, part.before_any, part.is_last)
            if part not in seen or (words, before_any, is_last) != known:
                seen.add(part)
                part.follow, part.before_any, part.is_last = words, before_any, is_last
                to_see.append(part)


def _joined(way: Part, more: Part) -> Part:
    if way.end == more.end and not more.values:
        return way
    return Part(
        more.end,
        way.values + more.values if more.values else way.values,
        way.known + more.known,
        way.free + more.free,
        max(way.doubt, more.doubt),
        more.tail if more.end > way.end else way.tail,
        way.others + more.others if more.others else way.others,
        way.at_once or more.at_once,
    )
