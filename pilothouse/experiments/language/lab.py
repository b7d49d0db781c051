"""The language of our own actions in the small lab that the paraphrases are about; no robot runs.

Also what sets of sentences come to there: how many are done as meant, asked about, refused, done wrongly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from framework.dialogue.meta_reading import MetaReader
from framework.plan.parser import World
from framework.plugins.catalogue import ActionCatalogue
from framework.tree.actions import CatalogueSignatures
from grammars import Language
from grammars.domain import read_domain
from pilothouse.catalogue import ACTIONS
from pilothouse.experiments.definition import Figures, Progress
from pilothouse.experiments.language.judged import Judge, Judged, Verdict
from pilothouse.experiments.language.sets import FILES, FOLDER, Foreign, Paraphrase, Refused
from pilothouse.language import language_of


class Lab(msgspec.Struct, frozen=True):
    """A language, what is known, and what becomes of a sentence there."""

    language: Language
    catalogue: ActionCatalogue
    world: World
    signatures: CatalogueSignatures
    meta: MetaReader
    judge: Judge


def lab(file: Path) -> Lab:
    """Our actions and conditions in the world of a file. Raises DescriptionError."""
    world = read_domain(file).world
    catalogue = ActionCatalogue.discover((ACTIONS,))  # whatever the user has besides
    signatures = CatalogueSignatures(catalogue)
    language = language_of(catalogue)
    meta = MetaReader(language.meta)
    judge = Judge(language, world, signatures, meta)
    return Lab(language, catalogue, world, signatures, meta, judge)


def our_lab() -> Lab:
    """That of our own sets of sentences, in a checkout. Raises DescriptionError."""
    return lab(FOLDER / FILES["lab"])


def judged(
    lab: Lab, lines: Sequence[Paraphrase | Refused | Foreign], what: str, progress: Progress
) -> list[Judged]:
    """What becomes of each line of a set."""
    progress.begin(what, len(lines))
    found: list[Judged] = []
    for line in lines:
        meant = (line.plan, *line.also) if isinstance(line, Paraphrase) else ()
        found.append(lab.judge.judge(line.text, meant))
        progress.step()
    return found


def measure_paraphrases(lab: Lab, lines: Sequence[Paraphrase], progress: Progress) -> Figures:
    """Of all and of each half: done as meant, done wrongly, asked about, refused [%]."""
    found = judged(lab, lines, "paraphrases", progress)
    figures: Figures = {"paraphrases": len(lines)}
    figures |= _shares(found, "paraphrase")
    for half in ("dev", "held"):
        of_half = [each for each, line in zip(found, lines, strict=True) if line.half == half]
        figures |= _shares(of_half, f"paraphrase_{half}")
    return figures


def measure_refusals(
    lab: Lab, refused: Sequence[Refused], foreign: Sequence[Foreign], progress: Progress
) -> Figures:
    """Of what has to be refused: refused, and done unasked [%]. Of foreign sentences: not refused [%]."""
    near = judged(lab, refused, "what has to be refused", progress)
    far = judged(lab, foreign, "foreign sentences", progress)
    return {
        "refused_pct": _share(near, lambda each: each.verdict is Verdict.REFUSED),
        "refused_done_pct": _share(near, lambda each: each.verdict is Verdict.WRONG),
        "foreign_accepted_pct": _share(far, lambda each: each.verdict is not Verdict.REFUSED),
    }


def _shares(found: Sequence[Judged], name: str) -> Figures:
    counts = Counter(each.verdict for each in found)
    order = (Verdict.EXACT, Verdict.WRONG, Verdict.ASKED, Verdict.REFUSED)
    return {
        f"{name}_{verdict.value}_pct": 100.0 * counts[verdict] / len(found) if found else None
        for verdict in order
    }


def _share(found: Iterable[Judged], is_so: Callable[[Judged], bool]) -> float | None:
    those = [is_so(each) for each in found]
    return 100.0 * sum(those) / len(those) if those else None
