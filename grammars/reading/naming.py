"""Names that a text gives and uses later: "save this pose as p1, up 30 cm, back to p1". Pure.

Actions say in their phrases.yaml what is known by a name once they are done (`names`). Where a text is not
understood, what stands in it up to a mark or a join is read alone; if that gives a name, the whole is read
once more with that name known. It is believed only if nothing in the plan uses the name before it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from framework.plan.ast import Do, Plan, actions_of
from framework.plan.parser import Known, Reading, World
from framework.plugins.signature import ActionSpec
from grammars.reading.markers import Markers
from grammars.reading.tokens import MARKS
from grammars.reading.utterance import Utterance

#: So many beginnings of a text are read.
_MOST_BEGINNINGS: Final = 4


class Given(msgspec.Struct, frozen=True):
    """A name, under which provider it is known then, and by what it is given."""

    name: str
    kind: str
    by: Do


class WithName:
    """A world with one name more."""

    def __init__(self, world: World, given: Given) -> None:
        self._world = world
        self._given = given

    def names(self, kind: str) -> tuple[str, ...]:
        """Those of the world, and the new one."""
        also = (self._given.name,) if kind == self._given.kind else ()
        return (*self._world.names(kind), *also)

    def known(self, kind: str) -> tuple[Known, ...]:
        """The same with values."""
        given = self._given
        also = (Known(given.name, given.name),) if kind == given.kind else ()
        return (*self._world.known(kind), *also)


class Naming:
    """Finds the names that texts give. actions: by name; plainly: the readings of a text as it stands."""

    def __init__(
        self,
        actions: Mapping[str, ActionSpec],
        giving: frozenset[str],
        markers: Markers,
        plainly: Callable[[str, World], Sequence[Reading]],
    ) -> None:
        self._actions = {name: spec for name, spec in actions.items() if spec.phrases.names}
        self._giving = giving
        self._boundaries = markers.boundaries
        self._plainly = plainly

    def given(self, utterance: Utterance, text: str, world: World) -> Iterator[Given]:
        """What a text gives a name to before its end. utterance: the same text, cut."""
        tokens = utterance.tokens
        first = next((at for at, each in enumerate(tokens) if each.text in self._giving), -1)
        if not self._actions or first < 0:
            return
        ends = [
            at
            for at in range(first + 2, len(tokens) - 1)
            if tokens[at].text in MARKS or tokens[at].text in self._boundaries
        ]
        for at in ends[:_MOST_BEGINNINGS]:
            readings = self._plainly(text[: tokens[at].start], world)
            dos = [*actions_of(readings[0].plan)] if readings else []
            for given in map(self._of, dos[-1:]):
                if given is not None and given.name not in world.names(given.kind):
                    yield given

    def _of(self, do: Do) -> Given | None:
        spec = self._actions.get(do.action)
        if spec is None:
            return None
        defaults = {each.name: each.default for each in spec.parameters}
        for each in spec.phrases.names:
            name = do.parameters.get(each.by)
            is_so = all(do.parameters.get(key, defaults.get(key)) == value for key, value in each.given)
            if is_so and isinstance(name, str) and name:
                return Given(name, each.of, do)
        return None


def gives_first(plan: Plan, given: Given) -> bool:
    """Whether a plan gives a name, and uses it only later."""
    dos = [*actions_of(plan)]
    gives = [at for at, do in enumerate(dos) if do == given.by]
    uses = [at for at, do in enumerate(dos) if do != given.by and given.name in do.parameters.values()]
    return bool(gives) and bool(uses) and gives[0] < uses[0]
