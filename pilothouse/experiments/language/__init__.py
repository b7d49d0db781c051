"""What the language understands and how fast: generated sentences, paraphrases, other people's commands.

    sets.py       the sets of sentences: where they are, how they are read
    lab.py        our language in the paraphrases' lab; paraphrases, refusals, foreign sentences
    judged.py     what becomes of one sentence, and when two plans are the same
    generated.py  sentences made from the grammar
    crowd.py      a thousand known objects
    household.py  generated household commands; their slots are in slots.py
    at_home.py    what people say to a robot at home; with_a_pack.py: to ours, with the grammar pack `home`
    in_the_flat.py  the same, generated or said by people, in the world `home` with just what is there
    strangers.py  what strangers say, and what is guessed of it
    beside.py     others on the same sentences: hassil.py, lark.py, peers.py

This file puts their figures together and says what they have to reach.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from grammars.intent.heard import Heard
from pilothouse.experiments.definition import Figures, Progress, Run
from pilothouse.experiments.language.at_home import measure_at_home
from pilothouse.experiments.language.beside import measure_beside
from pilothouse.experiments.language.crowd import measure_crowd
from pilothouse.experiments.language.generated import measure_generated
from pilothouse.experiments.language.household import measure_household
from pilothouse.experiments.language.in_the_flat import measure_in_the_flat
from pilothouse.experiments.language.lab import lab, measure_paraphrases, measure_refusals
from pilothouse.experiments.language.sets import (
    Annotated,
    Foreign,
    Paraphrase,
    Refused,
    Wanted,
    files,
    read,
)
from pilothouse.experiments.language.strangers import measure_strangers
from pilothouse.experiments.language.with_a_pack import measure_with_a_pack

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture


def measure_on(given: Mapping[str, Path]) -> Run:
    """The measurement on files that were handed in, by option; our own for the rest."""

    def measure(progress: Progress, seed: int) -> Figures:
        """All figures; takes about half a minute. Raises InstallationError if sets are missing."""
        sets = files(given)
        paraphrases = read(sets["paraphrases"], Paraphrase)
        refused, foreign = read(sets["refused"], Refused), read(sets["foreign"], Foreign)
        commands = read(sets["gpsr"], Annotated)
        wanted, in_flat = read(sets["at-home"], Wanted), read(sets["in-flat"], Wanted)
        strange = read(sets["strangers"], Heard)
        here = lab(sets["lab"])
        # Times first: what the other parts leave behind would be collected in the midst of a parse.
        times = measure_crowd(here.language, here.world, progress, seed)
        figures = measure_generated(here, progress, seed)
        figures |= measure_paraphrases(here, paraphrases, progress)
        figures |= measure_refusals(here, refused, foreign, progress)
        figures |= measure_household(sets["household"], commands, progress)
        figures |= measure_at_home(sets["household"], sets["kinds"], wanted, progress)
        figures |= measure_with_a_pack(sets["kinds"], wanted, progress)
        figures |= measure_in_the_flat(sets["kinds"], sets["clauses"], commands, in_flat, progress)
        figures |= measure_strangers(here, strange, progress)
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


measure = measure_on({})
