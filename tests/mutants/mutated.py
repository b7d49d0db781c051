"""A mutant in this process: the module that it changes is imported as mutated, everything else as it is.

Nothing is copied, and the file on the disk stays as it is. What is imported already cannot be mutated any
more, so this is for a process that has imported nothing of the repository yet which could import that module.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import PurePath
from types import CodeType, ModuleType

from tests.mutants.areas import ROOT
from tests.mutants.catalogue import Mutant


class DoesNotApply(Exception):
    """A mutation that does not fit the code, or comes too late; says why."""


def texts_of(mutant: Mutant) -> tuple[str, str]:
    """Its file's text, and that text as mutated. Raises DoesNotApply."""
    text = (ROOT / mutant.file).read_text(encoding="utf-8")
    if (count := text.count(mutant.before)) != 1:
        raise DoesNotApply(f"its `before` occurs {count} times in {mutant.file}: rewrite the mutation")
    return text, text.replace(mutant.before, mutant.after)


class _Loader(SourceFileLoader):
    """Loads a file's module from another source than the file's; no bytecode of it is kept."""

    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self._source = source

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self._source.encode(), self.path)


class Mutated(MetaPathFinder):
    """Finds the one module of a mutant. Raises DoesNotApply."""

    def __init__(self, mutant: Mutant) -> None:
        self._path = ROOT / mutant.file
        _, self._text = texts_of(mutant)
        parts = PurePath(mutant.file).with_suffix("").parts
        self._name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        self.is_imported = False

    def install(self) -> None:
        """From here on. Raises DoesNotApply."""
        if self._name in sys.modules:
            raise DoesNotApply(f"{self._name} has been imported before its mutation")
        sys.meta_path.insert(0, self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module of the mutant; of all others nothing is known here."""
        if fullname != self._name:
            return None
        self.is_imported = True
        loader = _Loader(fullname, str(self._path), self._text)
        return spec_from_file_location(fullname, self._path, loader=loader)
