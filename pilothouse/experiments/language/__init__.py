"""What the language understands and how fast: generated sentences, paraphrases, other people's commands.

    language_sets.py       the sets of sentences: where they are, how they are read
    language_lab.py        our language in the paraphrases' lab; paraphrases, refusals, foreign sentences
    language_judged.py     what becomes of one sentence, and when two plans are the same
    language_generated.py  sentences made from the grammar
    language_crowd.py      a thousand known objects
    language_household.py  generated household commands; their slots are in language_slots.py
    language_beside.py     others on the same sentences: language_hassil, language_lark, language_peers

This file puts their figures together and says what they have to reach.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pilothouse.experiments.definition import (
    Experiment,
    Figures,
    Progress,
    Run,
    at_least,
    at_most,
    exactly,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture


def measure_on(given: Mapping[str, Path]) -> Run:
    """The measurement on files that were handed in, by option; our own for the rest."""

    def measure(progress: Progress, seed: int) -> Figures:
        """All figures; takes about half a minute. Raises InstallationError if sets are missing."""
        from pilothouse.experiments.language.beside import measure_beside
        from pilothouse.experiments.language.crowd import measure_crowd
        from pilothouse.experiments.language.generated import measure_generated
        from pilothouse.experiments.language.household import measure_household
        from pilothouse.experiments.language.lab import lab, measure_paraphrases, measure_refusals
        from pilothouse.experiments.language.sets import (
            Annotated,
            Foreign,
            Paraphrase,
            Refused,
            files,
            read,
        )

        sets = files(given)
        paraphrases = read(sets["paraphrases"], Paraphrase)
        refused, foreign = read(sets["refused"], Refused), read(sets["foreign"], Foreign)
        commands = read(sets["gpsr"], Annotated)
        here = lab(sets["lab"])
        # Times first: what the other parts leave behind would be collected in the midst of a parse.
        times = measure_crowd(here.language, here.world, progress, seed)
        figures = measure_generated(here, progress, seed)
        figures |= measure_paraphrases(here, paraphrases, progress)
        figures |= measure_refusals(here, refused, foreign, progress)
        figures |= measure_household(sets["household"], commands, progress)
        figures |= times
        figures |= measure_beside(here, progress, seed)
        return figures

    return measure


def draw(drawing: Picture, figures: Figures) -> None:
    """What is understood, in percent; and the times of a parse, ours beside the others'."""
    left, right = drawing.subplots(1, 2, width_ratios=(3, 2))
    shares = {
        "generated, exact": "generated_exact_pct",
        "paraphrases, exact": "paraphrase_exact_pct",
        "… of the held half": "paraphrase_held_exact_pct",
        "paraphrases, asked": "paraphrase_asked_pct",
        "paraphrases, wrong": "paraphrase_wrong_pct",
        "near, refused": "refused_pct",
        "foreign, accepted": "foreign_accepted_pct",
        "household slots": "gpsr_types_slots_pct",
    }
    known = {label: float(figures[name] or 0.0) for label, name in shares.items()}
    bars = left.barh(list(known), list(known.values()), color="tab:blue")
    left.bar_label(bars, fmt="%.1f", padding=2, fontsize="small")
    left.set_xlim(0, 112)
    left.invert_yaxis()
    left.set_xlabel("%")
    left.set_title("understood")
    times = {
        "ours": "ours_ms_median",
        "ours, 1000 objects": "parse_ms_p50_1000",
        "the same, p99": "parse_ms_p99_1000",
        "hassil": "hassil_ms_median",
        "lark, Earley": "lark_ms_median",
    }
    measured = {label: figures[name] for label, name in times.items() if figures[name] is not None}
    right.barh(list(measured), [float(figure or 0.0) for figure in measured.values()], color="tab:green")
    right.set_xscale("log")
    right.set_xlim(left=0.01)
    right.invert_yaxis()
    right.set_xlabel("one parse [ms]")
    right.set_title("time")


EXPERIMENT = Experiment(
    name="language",
    summary="what is understood of what people say, and how fast",
    run=measure_on({}),
    run_on=measure_on,
    goals={
        "generated": at_least(5000),
        "generated_exact_pct": exactly(100.0),
        "ambiguous": exactly(0),
        "paraphrase_exact_pct": at_least(85.0),
        "paraphrase_wrong_pct": at_most(2.0),
        "foreign_accepted_pct": at_most(0.5),
        "gpsr_types_slots_pct": at_least(95.0),
        "parse_ms_p99_1000": at_most(5.0),
    },
    plot=draw,
    notes=(
        "exact: carried out unasked, just as meant. wrong: carried out unasked, otherwise than meant. "
        "asked: a question or a confirmation comes first.",
        "paraphrases were written before the grammar was seen; whoever widens the grammar sees failures of "
        "the half dev, never of held.",
        "refused: sentences near our domain that have to be refused. foreign: a mere question counts as "
        "accepted too.",
        "gpsr: RoboCup@Home commands with a language of data alone; slot types and words in the order of the "
        "template.",
        "…_ms: processor time of one parse, so that a busy machine does not count; parse_wall_ms_p99_1000 is "
        "the clock on the wall.",
        "ours, hassil and lark parse the same single sentences; they get the same phrases as far as their "
        "own form can say them. They are compared only if installed (pip install hassil lark).",
    ),
)
