"""Sentences made from the grammar with their plans: is each understood as just that and nothing else?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Final

import msgspec

from framework.plan.ast import Plan
from framework.plan.parser import NotUnderstood, Understood, World
from grammars.wording.compounds import compound_samples
from grammars.wording.samples import Sample, single_samples
from pilothouse.experiments.definition import Figures, Progress
from pilothouse.experiments.language.judged import is_same
from pilothouse.experiments.language.lab import Lab

Reads = Callable[[str, World], Understood | NotUnderstood]

SINGLE: Final = 3000
COMPOUND: Final = 3000


class Missed(msgspec.Struct, frozen=True):
    """A generated sentence that was not understood as it was made. readings: the best, and all as sure."""

    text: str
    meant: Plan
    readings: tuple[Plan, ...]

    @property
    def is_ambiguous(self) -> bool:
        """Whether it would be asked about."""
        return len(self.readings) > 1


def samples(lab: Lab, seed: int, *, single: int, compound: int) -> Iterator[Sample]:
    """So many single sentences, then so many of several parts; fewer if there are no more."""
    return chain(
        single_samples(lab.language, lab.world, single, seed),
        compound_samples(lab.language, lab.world, compound, seed),
    )


def missed(
    lab: Lab, made: Sequence[Sample], progress: Progress, *, read: Reads | None = None
) -> list[Missed]:
    """Those that are refused, taken for something else, or ambiguous.

    read: a parser of its own, instead of what people get.
    """
    read = read or lab.language.parse
    found: list[Missed] = []
    progress.begin("parsing what the grammar generates", len(made))
    for sample in made:
        answer = read(sample.text, lab.world)
        best: tuple[Plan, ...] = ()
        if isinstance(answer, Understood):
            sure = answer.readings[0].confidence
            best = tuple(each.plan for each in answer.readings if each.confidence == sure)
        if len(best) != 1 or not is_same(best[0], sample.plan, lab.signatures):
            found.append(Missed(sample.text, sample.plan, best))
        progress.step()
    return found


def measure_generated(lab: Lab, progress: Progress, seed: int) -> Figures:
    """How many there were, how many are understood as just what they mean [%], how many are ambiguous."""
    made = list(samples(lab, seed, single=SINGLE, compound=COMPOUND))
    wrong = missed(lab, made, progress)
    return {
        "generated": len(made),
        "generated_exact_pct": 100.0 * (1 - len(wrong) / len(made)) if made else None,
        "ambiguous": sum(each.is_ambiguous for each in wrong),
    }
