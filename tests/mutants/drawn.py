"""Of the drawn mutants (`operators.py`): which nobody outside could notice, whatever fails, and why.

Said from the changed line alone, and, for those held back, before they were tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tests.mutants.areas import ROOT
from tests.mutants.catalogue import Mutant
from tests.mutants.operators import drawn

#: The lots of docs/reliability.md.
SEED: Final = 14

UNNOTICED: Final[dict[str, str]] = {}


def drawn_mutants(seed: int) -> Iterator[tuple[int, Mutant]]:
    """All of both halves that somebody outside could notice: 0 is the shown half, 1 the one held back."""
    for half in (0, 1):
        for change in drawn(seed, half):
            if change.name not in UNNOTICED:
                before, after = change.unique((ROOT / change.file).read_text(encoding="utf-8"))
                yield half, Mutant(change.name, change.file, before, after, change.operator)
