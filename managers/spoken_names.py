"""The names that are known now, in the words in which they are spoken: for recognisers."""

from __future__ import annotations

import asyncio

from framework.plan import Known, World
from grammars import Language
from grammars.tools.spoken_sentences import Names
from resources.types.speech import SpokenName


class SpokenNames:
    """Asks the world again each time; what it answers is made anew only when that has changed."""

    def __init__(self, language: Language, world: World) -> None:
        self._language = language
        self._world = world
        self._made_of: tuple[tuple[Known, ...], ...] = ()
        self._names: tuple[SpokenName, ...] = ()

    async def now(self) -> tuple[SpokenName, ...]:
        """The very same tuple as long as nothing has changed."""
        known = {kind: self._world.known(kind) for kind in self._language.kinds}
        made_of = tuple(known.values())
        if made_of != self._made_of:
            self._names = await asyncio.to_thread(self._made, known)
            self._made_of = made_of
        return self._names

    def _made(self, known: dict[str, tuple[Known, ...]]) -> tuple[SpokenName, ...]:
        names = Names(self._language, _AsItWas(known))
        return tuple(SpokenName(words, kinds) for words, kinds in names.kinds.items())


class _AsItWas:
    """What was known at one moment, for a thread that must not ask the world itself."""

    def __init__(self, known: dict[str, tuple[Known, ...]]) -> None:
        self._known = known

    def names(self, kind: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.name for each in self.known(kind)))

    def known(self, kind: str) -> tuple[Known, ...]:
        return self._known.get(kind, ())
