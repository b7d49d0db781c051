"""Ours beside others' recognisers on the same single sentences: how long one takes, how many are right."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from framework.errors import PluginUnavailable
from framework.plan.ast import Plan
from framework.plan.parser import Understood
from grammars.wording.samples import Sample, single_samples
from pilothouse.experiments.definition import Figures, Progress
from pilothouse.experiments.language.crowd import quantile
from pilothouse.experiments.language.hassil import Hassil
from pilothouse.experiments.language.judged import is_same
from pilothouse.experiments.language.lab import Lab
from pilothouse.experiments.language.lark import Lark
from pilothouse.experiments.language.peers import grammar_of

SENTENCES: Final = 300
Understand = Callable[[str], Plan | None]


def measure_beside(lab: Lab, progress: Progress, seed: int) -> Figures:
    """Medians of the processor time [ms] and shares of right plans [%]; None of what is not installed."""
    sentences = list(single_samples(lab.language, lab.world, SENTENCES, seed))
    figures: Figures = {"beside_sentences": len(sentences)}
    grammar = grammar_of(lab.language, lab.world)
    makers: dict[str, Callable[[], Understand]] = {
        "ours": lambda: _ours(lab),
        "hassil": lambda: Hassil(grammar).understand,
        "lark": lambda: Lark(grammar).understand,
    }
    for name, make in makers.items():
        progress.begin(f"{name} on single sentences", len(sentences))
        median_ms: float | None = None
        right_pct: float | None = None
        with suppress(PluginUnavailable):
            median_ms, right_pct = measure_one(lab, make(), sentences, progress)
        figures[f"{name}_ms_median"] = median_ms
        figures[f"{name}_right_pct"] = right_pct
    return figures


def measure_one(
    lab: Lab, understand: Understand, sentences: Sequence[Sample], progress: Progress
) -> tuple[float, float]:
    """Median time [ms] and share of right plans [%] of one recogniser, which has been warmed up before."""
    for sample in sentences[:5]:
        understand(sample.text)
    times_ms: list[float] = []
    right = 0
    for sample in sentences:
        begun_s = time.thread_time()
        plan = understand(sample.text)
        times_ms.append(1e3 * (time.thread_time() - begun_s))
        right += plan is not None and is_same(plan, sample.plan, lab.signatures)
        progress.step()
    return quantile(times_ms, 0.5), 100.0 * right / len(sentences)


def _ours(lab: Lab) -> Understand:
    def understand(text: str) -> Plan | None:
        answer = lab.language.parse(text, lab.world)
        return answer.readings[0].plan if isinstance(answer, Understood) else None

    return understand
