"""One clause: an action in its words, with the politeness around it; waiting for or ending something.

What joins clauses is in `joins.py`. The first word of a clause may be an activity ("showing"), where the
joins ask for one; everything else is taken as the templates have it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import cast

import msgspec

from framework.plan.ast import Cancel, Do, Plan, Reference, Value, Wait
from grammars.core import Marker
from grammars.lexicon import is_verb
from grammars.reading.activity import Activity
from grammars.reading.anaphora import same_theme
from grammars.reading.combining import Steps, at_once, in_sequence
from grammars.reading.coverage import Coverage
from grammars.reading.manners import DOUBT_ABOUT_MANNER, about, costs_nothing, in_manner, meant
from grammars.reading.markers import Markers
from grammars.reading.matching import Head, Matching, Offer, Part, Rank, distinct
from grammars.reading.network import AnyOrder, Constant, Node, Words, below
from grammars.reading.network import Row as RowNode
from grammars.reading.outcome import Asked, Outcome, Row, best, with_more
from grammars.reading.phrasebook import Entry, Phrasebook
from grammars.reading.roles import Passing, RoleFrame
from grammars.reading.roles import ways as role_ways
from grammars.reading.slots import SlotNode
from grammars.reading.tokens import MARKS
from grammars.reading.utterance import Manner, Utterance

#: How unsure it is that verbs share what they are about; that clauses follow one another without a join, or a
#: part was not said again; and that a number which was not said again is still meant.
DOUBT_IF_SHARED, DOUBT_IF_LOOSE, DOUBT_IF_INHERITED = 0.04, 0.05, 0.2
#: Whatever says what it means goes before what leaves something open.
DOUBT_IF_ASKED = 0.02
#: A verb may have so many words: "pick up".
_MOST_VERB_WORDS = 2
_MOST_OPENINGS = 24
_MOST_POLITE = 2
_MOST_CANCELLED_WORDS = 12
_POSSIBLE = ("possible",)
_PASSING = ("passing",)
#: Behind its verb and its theme, what a frame says.
_ROLES = 2
FindConditions = Callable[[Matching, int, bool], Sequence[Asked]]


class Clauses:
    """Finds clauses. conditions: finds what can be waited for; its last argument allows "to be" for "is"."""

    def __init__(self, phrasebook: Phrasebook) -> None:
        self._phrasebook = phrasebook
        self._ways_of_verbs: dict[str, tuple[tuple[str, str], ...]] = {}
        every = [(action, each) for action, spec in phrasebook.actions.items() for each in spec.parameters]
        self._with_ways = [(action, each.name) for action, each in every if each.opposites]
        self._way_nodes: list[tuple[str, Node]] | None = None
        self._with_which = [(action, each.name) for action, each in every if each.which]
        self.markers: Markers
        self.conditions: FindConditions
        self.strange: Callable[[Utterance], frozenset[int]]
        self.coverage: Coverage

    @property
    def phrasebook(self) -> Phrasebook:
        """The phrases of all actions."""
        return self._phrasebook

    @property
    def heads(self) -> Collection[str]:
        """Words that phrases begin with."""
        return self._phrasebook.heads

    def clauses(self, matching: Matching, at: int, head: Head) -> list[Row]:
        """Every clause that begins here: mostly one plan, several if it names several things."""
        key = ("clause", at, head)
        found = matching.memory.get(key)
        if found is None:
            matching.memory[key] = ()  # what is inside of itself is nothing
            found = matching.memory[key] = best(self._closed(matching, self._opened(matching, at, head)))
        return cast("list[Row]", found)

    def activities(self, matching: Matching, at: int) -> list[Activity]:
        """What is named as being done here: "tracking the hand", "the tracking"; in an action's words."""
        found: list[Activity] = []
        heads = [word for word in matching.forms(at, Head.GERUND)[1:] if word in self._phrasebook.heads]
        if not heads:
            return []
        for each in self.actions(matching, at, Head.GERUND):
            rest = matching.said(at, each.end)[len(matching.said(at, at + 1)) :]
            found.append(Activity(f"{heads[0]}{rest}".casefold(), each.end, each.known, each.free))
        found.append(Activity(heads[0], at + 1))
        for begin in self.markers.ends(matching, Marker.CANCEL_OF, at + 1):
            for end in matching.boundaries_after(begin):
                words = f"{heads[0]} {matching.said(begin, end)}".casefold()
                found.append(Activity(words, end, free=end - begin))
        return found

    def actions(self, matching: Matching, at: int, head: Head) -> list[Outcome[Do]]:
        """Every action that is asked for from here on, without anything around it."""
        key = ("action", at, head)
        found = matching.memory.get(key)
        if found is None:
            if at >= matching.furthest:
                matching.stuck(at, _Beginnings(self._phrasebook), head)
            outcomes = [
                Outcome(
                    _done(matching, entry, part),
                    part.end,
                    part.known,
                    part.free,
                    len(part.values),
                    style=int(entry.phrase.is_asked),
                    doubt=max(part.doubt, DOUBT_IF_ASKED if entry.phrase.is_asked else 0.0),
                    manners=part.manners,
                    left_out=part.left_out,
                )
                for entry, part in self._matches(matching, at, head)
                if not part.others
            ]
            found = matching.memory[key] = best(outcomes)
        return cast("list[Outcome[Do]]", found)

    def actions_of(self, verb: str) -> frozenset[str]:
        """The actions that a verb asks for."""
        entries = self._phrasebook.heads.get(verb, ())
        return frozenset(entry.phrase.action for entry in entries)

    def unsaid_amount(self, do: Do, unit: str) -> str:
        """The parameter that says how far, in a unit, a motion goes its way; empty if that was said."""
        spec = self._phrasebook.actions.get(do.action)
        for way in spec.parameters if spec is not None else ():
            if not way.opposites or way.name not in do.parameters:
                continue
            for amount in spec.parameters if spec is not None and unit else ():
                if amount.unit == unit and self._says_both(do, way.name, amount.name):
                    return amount.name if amount.name not in do.parameters else ""
        return ""

    def _says_both(self, do: Do, way: str, amount: str) -> bool:
        """Whether a phrase of an action can say its way, and how far: no turn is so many metres."""
        for entry in self._phrasebook.entries:
            if entry.phrase.action == do.action:
                inside = [*below(entry.node)]
                says_way = any(
                    isinstance(node, Constant) and (node.slot, node.value) == (way, do.parameters[way])
                    for node in inside
                )
                if says_way and any(isinstance(node, SlotNode) and node.slot == amount for node in inside):
                    return True
        return False

    def in_manner(self, plan: Plan, manner: Manner) -> Plan:
        """A plan of which every action is done so that knows how."""
        return in_manner(plan, manner, self._phrasebook.actions)

    def ways_with(self, matching: Matching, at: int) -> tuple[tuple[str, str], ...]:
        """The actions that are asked for with the verb that stands here, in the order of their phrases, and
        each way that can be said with it ("turn" left); "" for one without. "Lower" says its way itself.
        """
        word = matching.tokens[at] if at < matching.size else ""
        if word not in self._phrasebook.heads:
            return ()
        found = self._ways_of_verbs.get(word)
        if found is None:
            entries = self._phrasebook.heads[word]
            pairs = [(entry.phrase.action, way) for entry in entries for way in self._ways(entry)]
            own = [*self._own_ways(word)]
            is_own = {action for action, _ in own}
            pairs = [(action, way) for action, way in pairs if not way or action not in is_own]
            found = self._ways_of_verbs[word] = tuple(dict.fromkeys((*pairs, *own)))
        return found

    def _own_ways(self, word: str) -> Iterator[tuple[str, str]]:
        """The way that a verb says itself: down, of "lower"."""
        for entry, frame in self._phrasebook.role_frames:
            action = entry.phrase.action
            if frame.verb >= 0 and word in frame.parts[frame.verb].first:
                ways = [(action, str(way)) for name, way in frame.sets if (action, name) in self._with_ways]
                yield from ways or [(action, way) for way in self._ways(entry) if way]

    def _ways(self, entry: Entry) -> Iterator[str]:
        """Values of what has another way round ("up") that a phrase can say, and ""."""
        yield ""
        spec = self._phrasebook.actions[entry.phrase.action]
        turned = {each.name: each.opposites for each in spec.parameters if each.opposites}
        for node in below(entry.node) if turned else ():
            if isinstance(node, Constant) and node.slot in turned:
                yield str(node.value)
            elif isinstance(node, SlotNode) and node.slot in turned:
                yield from map(str, turned[node.slot])

    def ways_named(self, matching: Matching, at: int) -> dict[int, tuple[tuple[str, str], ...]]:
        """By where it ends, what a way is the way of that stands here: "down", of an arm and of a base."""
        if self._way_nodes is None:
            self._way_nodes = [*self._nodes_of_ways()]
        found: dict[int, dict[tuple[str, str], None]] = {}
        for action, node in self._way_nodes if at < matching.size else ():
            if matching.can_begin(node.first, at):
                for part in node.match(matching, at, Head.PLAIN):
                    for _, way in part.values:
                        found.setdefault(part.end, {})[action, str(way)] = None
        return {end: tuple(ways) for end, ways in found.items()}

    def _nodes_of_ways(self) -> Iterator[tuple[str, Node]]:
        """What says a way in words alone, in phrases."""
        seen: set[tuple[str, int]] = set()
        for entry in self._phrasebook.entries:
            action = entry.phrase.action
            names = {name for each, name in self._with_ways if each == action}
            for node in below(entry.node) if names else ():
                inside = [*below(node)] if isinstance(node, RowNode) and node is not entry.node else []
                values = [each for each in inside if isinstance(each, Constant)]
                if (action, id(node)) in seen or len(values) != 1 or values[0].slot not in names:
                    continue
                seen.add((action, id(node)))
                is_alone = isinstance(node, RowNode) and node.parts[-1] is values[0]
                if is_alone and not any(isinstance(each, SlotNode) for each in inside):
                    yield action, node

    def ones_named(self, matching: Matching, at: int) -> dict[int, tuple[str, ...]]:
        """By where it ends, what is named here of which there are several: "both arms", "both"."""
        found: dict[int, tuple[str, ...]] = {}
        for action, name in self._with_which:
            for slot in self._phrasebook.slots.get((action, name), ()):
                for part in slot.match(matching, at, Head.PLAIN):
                    if part.others:  # "left" alone is a way, too
                        found[part.end] = _ones_of(part, name)
        for _, frame in self._phrasebook.role_frames:
            if frame.which and frame.has_theme and matching.can_begin(frame.parts[1].first, at):
                for part in frame.parts[1].match(matching, at, Head.PLAIN):
                    if ones := _ones_of(part, frame.which):
                        found[part.end] = ones
        return found

    def pronoun_ends(self, matching: Matching, at: int) -> list[int]:
        """The places behind what stands for something that was named, if it begins here: "it"."""
        if at >= matching.size:
            return []
        ways = self.markers.references.get(matching.tokens[at], ())
        return [at + len(words) for words, _ in ways if tuple(matching.tokens[at : at + len(words)]) == words]

    def with_its_theme(self, matching: Matching, at: int) -> Iterator[Row]:
        """A verb about what was named last, of which there is one or the other: "close it (again, gently)",
        "open it, but only three centimetres".
        """
        if at + 1 >= matching.size:
            return
        for entry, frame in self._phrasebook.role_frames:
            if frame.verb < 0 or not frame.which:
                continue
            verb = frame.parts[frame.verb]
            if not matching.can_begin(verb.first, at):
                continue
            for part in verb.match(matching, at, Head.PLAIN):
                for end in self.pronoun_ends(matching, part.end) if part.end > at else ():
                    for rest in self._roles_behind(matching, frame, end):
                        said = msgspec.structs.replace(rest, values=part.values + rest.values)
                        if matching.gaps:
                            said = self._in_its_manner(matching, entry, said, at)
                            if said.doubt > rest.doubt:
                                continue  # it is not known how that is done so
                        values = dict(said.values + frame.sets)
                        step = same_theme(entry.phrase.action, frame.which, values)
                        yield Outcome(
                            (step,),
                            said.end,
                            said.known,
                            said=len(said.values),
                            doubt=said.doubt,
                            manners=said.manners,
                        )

    def _roles_behind(self, matching: Matching, frame: RoleFrame, at: int) -> Iterator[Part]:
        """What a frame says behind its theme, also behind "again" and a comma; nothing at all, too."""
        roles = AnyOrder(frame.parts[_ROLES:], frame.whole.between)
        begins = [at, *self.markers.ends(matching, Marker.ONCE_MORE, at)]
        yield from map(Part, begins)
        for begin in begins:
            if begin < matching.size and matching.tokens[begin] in roles.between:
                begins.append(begin + 1)
        for begin in dict.fromkeys(begins) if roles.parts else ():
            for part in roles.match(matching, begin, Head.PLAIN):
                if part.end > begin and not (part.free or part.others):
                    yield part

    def once_more(self, matching: Matching, at: int, do: Do) -> list[Row]:
        """The same action with something else, of which only the name is said: "… then the scan"."""
        found: list[Row] = []
        for parameter, value in do.parameters.items():
            for slot in self._phrasebook.slots.get((do.action, parameter), ()):
                for part in slot.match(matching, at, Head.PLAIN):
                    if (
                        part.free
                        or part.others
                        or _is_number(part)
                        or dict(part.values).get(parameter) == value
                    ):
                        continue
                    other = Do(do.action, {**do.parameters, **dict(part.values)})
                    found.append(Outcome((other,), part.end, part.known, said=len(part.values), style=1))
        return best(self._closed(matching, iter(best(found))))

    def elided(self, matching: Matching, at: int, do: Do) -> list[Row]:
        """The same action, of which the beginning is not said again: "turn left, then | right"."""
        key = ("elided", at, id(do))
        found = matching.memory.get(key)
        if found is None:
            found = matching.memory[key] = best(
                self._closed(matching, iter(best(self._elided(matching, at, do))))
            )
        return cast("list[Row]", found)

    # -- inside

    def _elided(self, matching: Matching, at: int, do: Do) -> Iterator[Row]:
        origin = matching.origins.get(id(do))
        entry = origin[1] if origin is not None else None
        if (
            not isinstance(entry, Entry)
            or not isinstance(entry.node, RowNode | AnyOrder)
            or at >= matching.size
        ):
            return
        spec = self._phrasebook.actions[do.action]
        manners = {name for name, _ in spec.phrases.manner}
        for part in entry.node.again(matching, at):
            if part.end <= at or part.free or part.others:
                continue
            part = self._in_its_manner(matching, entry, part, at) if matching.gaps else part
            said = dict(part.values)
            only_numbers = all(isinstance(value, int | float) for value in said.values())
            if matching.tokens[at - 1] == "," and only_numbers and said.keys() <= do.parameters.keys():
                continue  # "back a bit, 20 cm" says how far once more, and is no second step
            if only_numbers and not self.markers.parting.isdisjoint(matching.tokens[max(0, at - 2) : at + 1]):
                continue  # "open up, but only halfway" says how far
            inherits = any(
                isinstance(value, int | float) and name not in said and name not in manners
                for name, value in do.parameters.items()
            )
            is_bare = any(
                not each.unit and each.end == part.end
                for begin in range(at, part.end)
                for each in matching.quantities(begin)
            )
            doubt = max(part.doubt, DOUBT_IF_INHERITED if inherits or is_bare else DOUBT_IF_LOOSE)
            again = Do(do.action, {**do.parameters, **said})
            matching.origins[id(again)] = (again, entry)
            yield Outcome(
                (again,),
                part.end,
                part.known,
                said=len(said),
                style=1,
                doubt=doubt,
                manners=part.manners,
            )

    def _opened(self, matching: Matching, at: int, head: Head) -> Iterator[Row]:
        for begin, form in self._beginnings(matching, at, head):
            # Politeness counts like a name, and no more however long: words of an action go before it, as
            # "quickly" does as a value; but "I'd love it if you could …" is no "I'd love it".
            polite = Outcome(None, begin, min(begin - at, _MOST_POLITE))
            for each in self._bare(matching, begin, form):
                yield with_more(polite, each, each.what) if begin > at else each

    def _beginnings(self, matching: Matching, at: int, head: Head) -> list[tuple[int, Head]]:
        """Where a clause may really begin, after "could you" and the like."""
        found = [(at, head)]
        for begin, form in found:
            openings = [
                (end, Head.PLAIN) for end in self.markers.ends(matching, Marker.COMMANDING, begin, form)
            ]
            openings += [
                (end, Head.GERUND) for end in self.markers.ends(matching, Marker.STARTING, begin, form)
            ]
            openings += [
                (end, Head.DONE) for end in self.markers.ends(matching, Marker.SUPPOSING, begin, form)
            ]
            for end, next_form in openings:
                if end < matching.size and matching.tokens[end] == ",":
                    end += 1
                if (end, next_form) not in found and len(found) < _MOST_OPENINGS:
                    found.append((end, next_form))
        return found

    def _bare(self, matching: Matching, at: int, head: Head) -> Iterator[Row]:
        for each in self.actions(matching, at, head):
            yield with_more(Outcome(None, at), each, (each.what,))
        yield from self._of_several(matching, at, head)
        if matching.is_loose:
            yield from self._sharing(matching, at, head)
        for begin in self.markers.ends(matching, Marker.WAIT_UNTIL, at, head):
            for asked in self.conditions(matching, begin, True):
                yield with_more(Outcome(None, begin), asked, (Wait(asked.what),))
        for begin in self.markers.ends(matching, Marker.CANCEL, at, head):
            yield from self._cancelled(matching, begin)
        for end in self.markers.ends(matching, Marker.CANCEL_BARE, at, head):
            yield Outcome((Cancel(),), end, style=1)

    def _matches(self, matching: Matching, at: int, head: Head) -> list[tuple[Entry, Part]]:
        """Every phrase that is said from here on, and what it says; they are asked for several times."""
        key = ("matches", at, head)
        found = matching.memory.get(key)
        if found is None:
            by_roles = matching.by_roles and head is Head.PLAIN and at < matching.size
            found = matching.memory[key] = [
                *(self._by_roles(matching, at) if by_roles else ()),
                *self._templates(matching, at, head),
            ]
        return cast("list[tuple[Entry, Part]]", found)

    def _templates(self, matching: Matching, at: int, head: Head) -> list[tuple[Entry, Part]]:
        """The same of phrases as they are written; what depends on the words alone."""
        key = ("templates", at, head)
        found = matching.of_words.get(key)
        if found is None:
            found = matching.of_words[key] = [*self._find_matches(matching, at, head)]
        return cast("list[tuple[Entry, Part]]", found)

    def _find_matches(self, matching: Matching, at: int, head: Head) -> Iterator[tuple[Entry, Part]]:
        if at >= matching.size:
            return
        possible: Collection[int]
        if matching.is_thorough:
            possible = self._phrasebook.possible(matching.there).indices
        else:
            possible = self.coverage.sayable(matching, at, head)
            if not possible:
                return
        seen: set[int] = set()
        for word in matching.forms(at, head):
            for entry in self._phrasebook.beginning_with(word, matching.marks(at)):
                if entry.index in seen:
                    continue
                if entry.index not in possible and not (
                    matching.is_thorough and matching.reach(entry.words, at, head) >= matching.furthest
                ):
                    continue  # it cannot be said, and gets no further than others do
                seen.add(entry.index)
                silent_at, matching.silent_at = matching.silent_at, at
                parts = entry.node.match(matching, at, head)
                matching.silent_at = silent_at
                for part in parts:
                    if part.end > at:
                        yield (
                            entry,
                            self._in_its_manner(matching, entry, part, at) if matching.gaps else part,
                        )

    def _by_roles(self, matching: Matching, at: int) -> Iterator[tuple[Entry, Part]]:
        """What is said in words of a frame in whatever order, if no template has them so."""
        passing = self._passing(matching)
        for entry, frame in self._possible_frames(matching):
            for part in role_ways(frame, matching, at, passing, matching.is_boundary):
                yield entry, self._in_its_manner(matching, entry, part, at) if matching.gaps else part

    def _passing(self, matching: Matching) -> Passing:
        found = matching.memory.get(_PASSING)
        if found is None:
            free = {
                at: ends
                for at in range(matching.size)
                if (ends := self.markers.ends(matching, Marker.PASSING, at))
            }
            strange = self.strange(matching.utterance) if matching.passes_strange else frozenset()
            strange = frozenset(at for at in strange if self._may_pass(matching, at))
            pronouns = frozenset(
                at for at, token in enumerate(matching.tokens) if _is_pronoun(matching, token)
            )
            tokens = matching.tokens
            values = frozenset(at for at, token in enumerate(tokens) if token in self._phrasebook.value_words)
            joining = frozenset(at for at, token in enumerate(tokens) if token in self.markers.prepositions)
            found = matching.memory[_PASSING] = Passing(free, strange, pronouns, values, joining)
        return cast("Passing", found)

    def _may_pass(self, matching: Matching, at: int) -> bool:
        """Whether a word that nobody knows may only say more of what follows: no verb that begins a clause,
        and no last word, which says how far or how ("halfway").
        """
        is_first = at == 0 or matching.is_boundary(at - 1) or matching.tokens[at - 1] in MARKS
        return not matching.is_boundary(at + 1) and not (is_first and is_verb(matching.tokens[at]))

    def _possible_frames(self, matching: Matching) -> list[tuple[Entry, RoleFrame]]:
        """The frames that may be said anywhere in a text, by its words."""
        found = matching.memory.get(_POSSIBLE)
        if found is None:
            found = matching.memory[_POSSIBLE] = self.coverage.frames(matching)
        return cast("list[tuple[Entry, RoleFrame]]", found)

    def _in_its_manner(self, matching: Matching, entry: Entry, part: Part, at: int) -> Part:
        """The same done slowly, gently, fast, if that was said of it."""
        spec = self._phrasebook.actions[entry.phrase.action]
        values, doubt, count = part.values, part.doubt, 0
        for manner in about(matching.gaps, matching, at, part.end):
            said = meant(manner, spec)
            if said is None and manner.quantity is not None:
                continue  # a number that it can do nothing with is not left out: that is no reading
            count += 1
            if said is not None and said[0] not in dict(values):
                values = (*values, said)
            elif said is not None and said in values[len(part.values) :]:
                continue  # "slowly and carefully"
            elif not costs_nothing(manner):
                doubt = max(doubt, DOUBT_ABOUT_MANNER)
        if not count:
            return part
        return msgspec.structs.replace(part, values=values, doubt=doubt, manners=count)

    def _of_several(self, matching: Matching, at: int, head: Head) -> Iterator[Row]:
        """ "show the camera and the scan": the last slot once more."""
        for entry, part in self._matches(matching, at, head):
            if part.others:
                yield _with_others(entry, part)
                continue
            if (
                part.tail is None
                or part.free
                or not any(
                    self.markers.ends(matching, marker, part.end) for marker in (Marker.AND, Marker.THEN)
                )
            ):
                continue
            do = Do(entry.phrase.action, dict(part.values))
            first = Outcome[Steps](
                (do,),
                part.end,
                part.known,
                part.free,
                len(part.values),
                style=1,
                doubt=part.doubt,
                manners=part.manners,
                left_out=part.left_out,
            )
            yield from self._and_others(matching, first, do, part, head)

    def _sharing(self, matching: Matching, at: int, head: Head) -> Iterator[Row]:
        """ "Open and close | the gripper": the first verb with what the second one is about."""
        if not self.markers.comes_after(matching, Marker.AND, at):
            return
        thorough = matching.is_thorough  # how far a verb gets is told, too
        places = () if thorough else range(at + 1, matching.size)
        ands = {place for place in places if self.markers.ends(matching, Marker.AND, place)}
        for word in matching.forms(at, head) if at < matching.size and (ands or thorough) else ():
            for entry in self._phrasebook.beginning_with(word):
                if not isinstance(entry.node, RowNode | AnyOrder):
                    continue
                first = entry.node.parts[0]
                if isinstance(first, Words) and at + len(first.words) not in ands and not thorough:
                    continue
                for verb in entry.node.parts[0].match(matching, at, head):
                    for begin in self.markers.ends(matching, Marker.AND, verb.end) if verb.end > at else ():
                        for second in self.actions(matching, begin, head):
                            yield from self._shared(matching, entry, verb, begin, second)

    def _shared(
        self, matching: Matching, entry: Entry, verb: Part, begin: int, second: Outcome[Do]
    ) -> Iterator[Row]:
        assert isinstance(entry.node, RowNode | AnyOrder)
        for place in range(begin + 1, min(begin + _MOST_VERB_WORDS, second.end - 1) + 1):
            shared = [
                part
                for part in entry.node.behind(matching, place, 1)
                if part.end == second.end and part.end > place and not part.free and not part.others
            ]
            for part in shared:
                first = Do(entry.phrase.action, {**dict(verb.values), **dict(part.values)})
                both = Outcome(None, begin, part.known, doubt=max(part.doubt, DOUBT_IF_SHARED))
                yield with_more(both, second, (first, second.what), style=1)
            if shared:
                return  # what stands behind more words is a part of it

    def _and_others(self, matching: Matching, so_far: Row, do: Do, part: Part, head: Head) -> Iterator[Row]:
        for begin in self.markers.ends(matching, Marker.AND, so_far.end):
            for other in self._same_slot(matching, begin, do, part):
                yield _with_other(so_far, do, other)
        for begin in self.markers.ends(matching, Marker.THEN, so_far.end) if len(so_far.what) == 1 else ():
            if begin > so_far.end + 1 or matching.tokens[so_far.end] != ",":
                for other in self._same_slot(matching, begin, do, part):
                    both = _with_other(so_far, do, other)
                    yield with_more(Outcome(None, 0), both, (in_sequence(both.what),))
        if so_far.end < matching.size and matching.tokens[so_far.end] == ",":
            for other in self._same_slot(matching, so_far.end + 1, do, part):
                yield from self._and_others(matching, _with_other(so_far, do, other), do, part, head)

    def _same_slot(self, matching: Matching, at: int, do: Do, part: Part) -> list[Part]:
        """What could also have been said for the last slot, by any phrase of the action."""
        assert part.tail is not None
        slots = self._phrasebook.slots[do.action, part.tail.slot]
        found = [other for slot in slots for other in slot.match(matching, at, Head.PLAIN)]
        return distinct([other for other in found if not (other.free or other.others or _is_number(other))])

    def _cancelled(self, matching: Matching, at: int) -> Iterator[Row]:
        for longer, end in enumerate(self.markers.ends(matching, Marker.EVERYTHING, at)):
            yield Outcome((Cancel(),), end, style=2 * longer)  # "everything else" before "everything"
        if at >= matching.size:
            return
        named: set[int] = set()
        for activity in self.activities(matching, at):
            named.add(activity.end)
            yield Outcome((Cancel(activity.words),), activity.end, activity.known, activity.free)
        for each in self.actions(matching, at, Head.PLAIN):
            named.add(each.end)
            words = matching.said(at, each.end).casefold()
            yield with_more(Outcome(None, at), each, (Cancel(words),), style=1)
        if matching.tokens[at] in self.markers.prepositions or is_verb(matching.tokens[at]):
            return  # "halt at some distance", "don't bump it": that is no name of what is being done
        for end in matching.boundaries_after(at):
            if end - at > _MOST_CANCELLED_WORDS:
                break
            if end not in named and matching.tokens[end - 1] not in MARKS:
                what = Cancel(matching.said(at, end).casefold())
                yield Outcome((what,), end, free=end - at, is_stray=True)

    def _closed(self, matching: Matching, outcomes: Iterator[Row]) -> Iterator[Row]:
        """With and without politeness behind it."""
        for outcome in outcomes:
            yield outcome
            ends = [outcome.end]
            is_speech = outcome.free > 0 and isinstance(outcome.what[-1], Do) and self._says(outcome.what[-1])
            for begin in ends:
                # "Say ladies first": behind words to be said, what is not set off by a comma is one of them.
                is_one = is_speech and matching.tokens[begin : begin + 1] != (",",)
                marker = Marker.CLOSING_SPEECH if is_one else Marker.CLOSING
                for end in self.markers.ends(matching, marker, begin):
                    if end not in ends:
                        ends.append(end)
                        polite = Outcome(None, end, end - outcome.end)
                        yield with_more(outcome, polite, outcome.what, style=1)

    def _says(self, do: Do) -> bool:
        """Whether an action says words."""
        return any(
            slot.is_speech
            for name in do.parameters
            for slot in self._phrasebook.slots.get((do.action, name), ())
        )


def _done(matching: Matching, entry: Entry, part: Part) -> Do:
    do = Do(entry.phrase.action, dict(part.values))
    if matching.is_loose:
        matching.origins[id(do)] = (do, entry)
    return do


def _ones_of(part: Part, name: str) -> tuple[str, ...]:
    """What a part names of which there are several, all of them."""
    values = (value for slot, value in (*part.values, *part.others) if slot == name)
    return tuple(value for value in values if isinstance(value, str))


def _is_pronoun(matching: Matching, token: str) -> bool:
    """Whether a word stands for a thing that was named, and is not pointing at one."""
    return any(
        len(words) == 1 and isinstance(value, Reference) and not value.is_pointing
        for words, value in matching.references.get(token, ())
    )


class _Beginnings:
    """What clauses can begin with."""

    def __init__(self, phrasebook: Phrasebook) -> None:
        self._phrasebook = phrasebook

    def offers(self, matching: Matching, head: Head) -> Iterator[Offer]:
        """The beginnings of all phrases; what says most is the first way to ask for each action."""
        seen: set[str] = set()
        for entry in self._phrasebook.entries:
            for offer in entry.node.offers(matching, head):
                is_first = entry.phrase.action not in seen
                seen.add(entry.phrase.action)
                yield offer if is_first else msgspec.structs.replace(offer, rank=Rank.SYNONYM)


def _with_other(so_far: Row, do: Do, other: Part) -> Row:
    values: dict[str, Value] = {**do.parameters, **dict(other.values)}
    # The "and" counts like a part of a name: the thing "salt and pepper" goes before salt and pepper.
    more = Outcome(None, other.end, other.end - so_far.end)
    return with_more(so_far, more, (*so_far.what, Do(do.action, values)))


def _with_others(entry: Entry, part: Part) -> Row:
    """One action for each thing that one slot names."""
    values = dict(part.values)
    others = [Do(entry.phrase.action, {**values, slot: value}) for slot, value in part.others]
    dos: Steps = (Do(entry.phrase.action, values), *others)
    if part.at_once:
        dos = (at_once(dos),)
    said, manners = len(part.values), part.manners
    return Outcome(
        dos,
        part.end,
        part.known,
        part.free,
        said,
        style=1,
        doubt=part.doubt,
        manners=manners,
        left_out=part.left_out,
    )


def _is_number(part: Part) -> bool:
    """ "One minute and thirty seconds" are no two things."""
    return any(isinstance(value, int | float) for _, value in part.values)
