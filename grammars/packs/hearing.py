"""What the words of one pack mean here: said in the installation's own, or refused by what is missing.

Nothing is carried out of what can only be done in part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

import msgspec

from framework.dialogue.choices import best_of
from framework.dialogue.confirmation import LEAST_CONFIDENCE
from framework.events import Subject
from framework.plan.ast import Do, Plan, actions_of
from framework.plan.ast import Sequence as Steps
from framework.plan.parser import Known, NotUnderstood, Understood, World
from framework.plan.value import Reference, Value
from grammars.language import Language
from grammars.packs.pack import Pack, said_by

_THEN = ", then "
_MOST_SHOWN = 5

Parse = Callable[[str, World], Understood | NotUnderstood]


def is_certain(found: Understood | NotUnderstood) -> bool:
    """Whether it is understood without any doubt; a question that nobody can answer is not."""
    if not isinstance(found, Understood):
        return False
    best = found.readings[0]
    return best.confidence >= LEAST_CONFIDENCE and not best.is_assumed


class PackHearing:
    """One pack with its language, which takes a moment to make: once for all who listen with it.

    language: of the commands alone, which knows the names of the pack.
    """

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self.language = Language(pack.domain.actions, conditions=pack.domain.conditions)
        self._actions = {spec.name: spec for spec in pack.domain.actions}

    def read(
        self, text: str, world: World, own: Parse, *, only_first: bool
    ) -> Understood | NotUnderstood | None:
        """What its words mean here, or why they are refused; None if they are none of its.

        only_first: nor if nothing of it goes before what the installation understands for certain ("how many
        people are in the kitchen?" would be answered about the kitchen).
        """
        names = _BothWorlds(self.pack, world)
        heard = self.language.parse(text, names)
        steps = _steps(heard)
        if not isinstance(heard, Understood) or not steps:
            return None
        goes_first = is_certain(heard) and any(self.pack.deeds[step.action].is_first for step in steps)
        if only_first and not goes_first:
            return None
        said = self._said(steps, names)
        missing = [step for step, words in zip(steps, said, strict=True) if not words]
        if missing:
            return _refused([self.pack.deeds[step.action].cannot for step in missing], of=len(steps))
        best = heard.readings[0]
        # Its words are said anew, as if somebody had typed them: so nothing of that is doubted.
        if not is_certain(heard) or best.follows or not _is_plain(best.plan):
            return None
        unknown = next(
            filter(None, (names.unknown(value) for step in steps for value in step.parameters.values())), None
        )
        return unknown or self._anew(heard, names, own, world)

    def knows(self, text: str, world: World) -> bool:
        """Whether these are words of its, whatever becomes of them."""
        return is_certain(self.language.parse(text, _BothWorlds(self.pack, world)))

    def _anew(
        self, heard: Understood, names: _BothWorlds, own: Parse, world: World
    ) -> Understood | NotUnderstood | None:
        """What its words mean, said in the installation's own; if they may mean several things, all."""
        plans = [reading.plan for reading in best_of(heard.readings)]
        every = (self._said(tuple(actions_of(plan)), names) for plan in plans)
        ways = dict.fromkeys(_joined(words) for words in every if all(words))
        found = [own(way, world) for way in ways]
        understood = [each for each in found if isinstance(each, Understood)]
        if not understood:
            return self._not_said(heard, names, own, world, found)
        if len(understood) < 2:
            return understood[0]
        alike = [msgspec.structs.replace(each.readings[0], confidence=1.0) for each in understood]
        return msgspec.structs.replace(understood[0], readings=tuple(alike))

    def _not_said(
        self,
        heard: Understood,
        names: _BothWorlds,
        own: Parse,
        world: World,
        refused: Sequence[Understood | NotUnderstood],
    ) -> Understood | NotUnderstood | None:
        """Why nothing of it is done although there is a way: what is not known here, or else is missing."""
        unknown = (each for each in refused if isinstance(each, NotUnderstood) and each.unknown)
        steps = _steps(heard)
        said = zip(steps, self._said(steps, names), strict=True)
        cannot = [
            self.pack.deeds[step.action].cannot
            for step, words in said
            if isinstance(own(words, world), NotUnderstood)
        ]
        return next(unknown, None) or (
            _refused(cannot, of=len(steps)) if cannot else next(iter(refused), None)
        )

    def _said(self, steps: Sequence[Do], names: _BothWorlds) -> list[str]:
        """Each action in the installation's own words; "" of one if no way says just this.

        "Him" is who was named last.
        """
        said: list[str] = []
        somebody: Value | None = None
        for step in steps:
            people = {name for name in step.parameters if self._is_person(step, name)}
            if somebody is None and any(isinstance(step.parameters[name], Reference) for name in people):
                said.append("")
                continue
            given = dict(step.parameters)
            for name in people:
                if isinstance(given[name], Reference):
                    given[name] = somebody
                elif given[name]:
                    somebody = given[name]
            said.append(self._words(msgspec.structs.replace(step, parameters=given), names))
        return said

    def _is_person(self, step: Do, name: str) -> bool:
        """Whether a parameter is filled by people's names, or by "him" and "them"."""
        lists = self._actions[step.action].phrases.lists
        return any(each.called and name == each.name for each in lists)

    def _words(self, step: Do, names: _BothWorlds) -> str:
        """An action in the installation's own words; "" if no way says just this."""
        says = said_by(step.parameters, self._actions[step.action])
        way = next((way for way in self.pack.deeds[step.action].ways if way.says == says), None)
        if way is None:
            return ""
        return way.words.format(**{name: names.called(step.parameters[name]) for name in says})


def _steps(heard: Understood | NotUnderstood) -> tuple[Do, ...]:
    return tuple(actions_of(heard.readings[0].plan)) if isinstance(heard, Understood) else ()


def _joined(said: Sequence[str]) -> str:
    """One after the other; who has just gone somewhere does not go there again."""
    words = said[0]
    for before, each in pairwise(said):
        words += _THEN + each.removeprefix(before.rpartition(_THEN)[2] + _THEN)
    return words


def _is_plain(plan: Plan) -> bool:
    """Whether it is one action, or some, one after the other."""
    return isinstance(plan, Do) or (
        isinstance(plan, Steps) and all(isinstance(step, Do) for step in plan.steps)
    )


def _refused(missing: Sequence[str], *, of: int) -> NotUnderstood:
    what = list(dict.fromkeys(missing))
    listed = what[0] if len(what) == 1 else f"{', '.join(what[:-1])} or {what[-1]}"
    nothing = "" if of == 1 else " I have done nothing of all that."
    return NotUnderstood("", reason=f"I cannot {listed}.{nothing}", kind=Subject.NO_ACTION)


class _BothWorlds:
    """The names of a pack, and beside them those of the installation that are meant, too."""

    def __init__(self, pack: Pack, world: World) -> None:
        self._pack = pack
        self._world = world

    def names(self, kind: str) -> tuple[str, ...]:
        """See `World.names`."""
        return tuple(dict.fromkeys(known.name for known in self.known(kind)))

    def known(self, kind: str) -> tuple[Known, ...]:
        """See `World.known`. What both know under one name is the pack's."""
        own = self._own(kind)
        said = {_plain(name) for known in own for name in (known.name, *known.says)}
        return (*own, *(known for known in self._installed(kind) if _plain(known.name) not in said))

    def unknown(self, value: object) -> NotUnderstood | None:
        """What is said of a name that stands in the pack, and that nobody knows here; None of any other.

        Only of kinds of which the installation knows names.
        """
        kinds = [kind for kind in self._pack.known if any(value == each.value for each in self._own(kind))]
        here = [known for kind in kinds for known in self._installed(kind)]
        asked = _plain(str(value))
        if not kinds or any(asked in map(_plain, (known.name, *known.says)) for known in here):
            return None
        names = tuple(dict.fromkeys(known.name for known in here))
        shown = f"; I know {', '.join(names[:_MOST_SHOWN])}" if names else ""
        reason = f'I know no "{value}" here{shown}.'
        return NotUnderstood("", reason=reason, kind=Subject.NO_THING, unknown=str(value))

    def _own(self, kind: str) -> tuple[Known, ...]:
        return self._pack.domain.world.known(kind)

    def _installed(self, kind: str) -> Iterator[Known]:
        return (known for each in self._pack.known.get(kind, ()) for known in self._world.known(each))

    def called(self, value: object) -> str:
        """What people call it."""
        if isinstance(value, Reference):
            return value.word
        every: Mapping[object, str] = {
            known.value: known.name for kind in self._pack.domain.world.kinds for known in self.known(kind)
        }
        return every.get(value, str(value))


def _plain(name: str) -> str:
    return " ".join(name.casefold().split())
