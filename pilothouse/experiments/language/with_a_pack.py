"""What becomes of instructions to a robot at home in an installation with the pack `home`.

A line says which kinds of doing it wants, in order. Right is: carried out where each of them can be done, or
refused by the name of one of them that cannot. What is refused otherwise is not understood; what is carried
out although a part of it cannot be done is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path

from framework.events import Subject
from framework.plan.parser import NotUnderstood, Understood
from grammars.packs.pack import OURS, Pack, read_pack
from pilothouse.experiments.definition import Figures, Progress
from pilothouse.experiments.language.at_home import read_kinds
from pilothouse.experiments.language.judged import is_unasked
from pilothouse.experiments.language.sets import Wanted
from pilothouse.grammar_trial import GrammarTrial

PACK = OURS / "home"


class Fate(Enum):
    """What becomes of one line."""

    DONE = "done"
    CANNOT = "cannot"
    ASKED = "asked"
    REFUSED = "refused"
    WRONG = "wrong"


def measure_with_a_pack(kinds: Path, lines: Sequence[Wanted], progress: Progress) -> Figures:
    """Of each half [%]: right (done, or refused by what is missing), wrong, asked. Raises as `fates_of`."""
    fates = fates_of(kinds, lines, progress)
    figures: Figures = {}
    for half in ("dev", "held"):
        counts = Counter(fate for fate, line in zip(fates, lines, strict=True) if line.half == half)
        if every := counts.total():
            right = counts[Fate.DONE] + counts[Fate.CANNOT]
            figures[f"pack_{half}_right_pct"] = 100.0 * right / every
            figures[f"pack_{half}_done_pct"] = 100.0 * counts[Fate.DONE] / every
            for fate in (Fate.WRONG, Fate.ASKED):
                figures[f"pack_{half}_{fate.value}_pct"] = 100.0 * counts[fate] / every
    return figures


def fates_of(kinds: Path, lines: Sequence[Wanted], progress: Progress) -> list[Fate]:
    """What becomes of each line; everything that the pack names is there. Raises DescriptionError."""
    pack, trial, kind_of = read_pack(PACK), GrammarTrial(PACK), read_kinds(kinds)
    progress.begin("at home, with a pack", len(lines))
    found: list[Fate] = []
    for line in lines:
        found.append(_fate(trial.parse(line.text), line, pack, kind_of))
        progress.step()
    return found


def _fate(answer: Understood | NotUnderstood, line: Wanted, pack: Pack, kind_of: Mapping[str, str]) -> Fate:
    wanted = [deed for action, deed in pack.deeds.items() if kind_of.get(action) in line.does]
    if isinstance(answer, Understood):
        if not is_unasked(answer.readings):
            return Fate.ASKED
        can = {kind_of.get(action) for action, deed in pack.deeds.items() if deed.ways}
        return Fate.DONE if can.issuperset(line.does) else Fate.WRONG
    names_it = any(deed.cannot in answer.reason for deed in wanted)
    return Fate.CANNOT if answer.kind is Subject.NO_ACTION and names_it else Fate.REFUSED
