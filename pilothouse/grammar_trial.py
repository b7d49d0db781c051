"""A grammar pack tried out with our actions' language, without a robot: for the tests of who writes one."""

from __future__ import annotations

from pathlib import Path

from framework.plan.parser import NotUnderstood, Understood
from framework.plan.words import in_words
from grammars.domain import read_names
from grammars.packs.checking import NamesOfPack, mistakes_of
from grammars.packs.hearing import PackHearing
from grammars.packs.pack import read_pack
from pilothouse.catalogue import action_catalogue
from pilothouse.language import TYPICAL_NAMES, language_of


class GrammarTrial:
    """The pack in a folder, beside our own actions and those of PILOTHOUSE_ACTIONS. Raises DescriptionError.

    Everything that the pack names is there.
    """

    def __init__(self, folder: Path) -> None:
        self._heard = PackHearing(read_pack(folder))
        catalogue = action_catalogue()
        self._own = language_of(catalogue)
        self._language = language_of(catalogue, packs=(self._heard,))
        self._world = NamesOfPack(self._heard.pack, read_names(TYPICAL_NAMES))

    def parse(self, said: str) -> Understood | NotUnderstood:
        """What becomes of a command."""
        return self._language.parse(said, self._world)

    def heard(self, said: str) -> str:
        """The same in words: of the plan, or why it is refused."""
        found = self.parse(said)
        if isinstance(found, Understood):
            return in_words(found.readings[0].plan, self._language.wording)
        return str(found)

    @property
    def mistakes(self) -> tuple[str, ...]:
        """All that is wrong with it, each with file and line."""
        return tuple(map(str, mistakes_of(self._heard, self._own, read_names(TYPICAL_NAMES))))
