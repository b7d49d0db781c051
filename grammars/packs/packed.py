"""An installation's language that hears the words of packs, too.

Its own language comes first. What that does not understand for certain, a pack may know: either as something
that is done here, then it is said in the installation's own words and read once more, so that it is grounded,
asked about and read back like anything else; or as something that nothing here can do, then it is refused by
the name of what is missing (`hearing.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from framework.plan.ast import Do
from framework.plan.parser import NotUnderstood, Reading, Understood, World
from grammars.conditions import Sayable
from grammars.core import Core
from grammars.language import Language
from grammars.packs.hearing import PackHearing, is_certain
from grammars.reading.grammar import Grammar
from grammars.reading.reader import nothing_collides


class PackedLanguage(Language):
    """The language of some actions, with packs. The other arguments are those of `Language`."""

    def __init__(
        self,
        actions: Grammar,
        packs: Sequence[PackHearing],
        *,
        conditions: Iterable[Sayable] = (),
        core: Core | None = None,
        collide: Callable[[Do, Do], str] = nothing_collides,
    ) -> None:
        super().__init__(actions, conditions=conditions, core=core, collide=collide)
        self._packs = tuple(packs)
        heard = (kind for hearing in packs for kinds in hearing.pack.known.values() for kind in kinds)
        self.kinds_heard = tuple(dict.fromkeys(heard))

    def parse(self, text: str, world: World) -> Understood | NotUnderstood:
        """See `Language.parse`."""
        own = super().parse
        found = own(text, world)
        only_first = is_certain(found)
        heard = (pack.read(text, world, own, only_first=only_first) for pack in self._packs)
        return next((each for each in heard if each is not None), found)

    def guess(self, text: str, world: World) -> tuple[Reading, ...]:
        """See `Language.guess`. What a pack understands is not taken for anything else."""
        return () if any(pack.knows(text, world) for pack in self._packs) else super().guess(text, world)
