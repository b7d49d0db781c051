"""What becomes of what strangers say: read, asked about, guessed (`grammars.intent`), refused, or misread.

They are people whose sentences nobody who works on the language looks at; only these figures are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from framework.dialogue.confirmation import instead_of
from framework.dialogue.meta import HARMLESS, MetaKind
from framework.plan.ast import Cancel, Plan
from framework.plan.parser import Understood
from grammars.intent.heard import NO_PLAN, TO_BE_ASKED, Heard
from pilothouse.experiments.definition import Figures, Progress
from pilothouse.experiments.language.judged import is_same, is_unasked
from pilothouse.experiments.language.lab import Lab
from pilothouse.experiments.language.meaning import STOPS, meant

_AS_ASKED: Final = "{text}"


class Fate(StrEnum):
    """What becomes of something that a stranger said."""

    RIGHT = "right"
    """It is done at once, as it was meant."""
    ASKED = "asked"
    """It is asked about, and what was meant is among the answers."""
    GUESSED = "guessed"
    """What was meant is offered, or it is told how to say that."""
    OFFERED = "offered_otherwise"
    """Something else is offered, or asked about."""
    WRONG = "wrong"
    """Something else is done at once."""
    REFUSED = "refused"


def fate_of(here: Lab, heard: Heard) -> Fate:
    """What becomes of it. What cannot be done, or has to be asked about, is meant to be refused or asked.

    Raises DescriptionError for what the grammar does not read that it means.
    """
    wanted = meant(here, heard.means)
    command = here.meta.command(heard.say)
    if command is not None and not command.what:
        is_same_stop = command.kind in STOPS and wanted in STOPS
        return Fate.RIGHT if is_same_stop or command.kind == wanted else Fate.WRONG
    language, world = here.language, here.world
    found = language.parse(heard.say, world)
    if isinstance(found, Understood):
        if is_unasked(found.readings):
            return Fate.RIGHT if _is_meant(here, found.readings[0].plan, wanted) else Fate.WRONG
        if wanted is None:
            return Fate.ASKED
        is_there = any(_is_meant(here, each.plan, wanted) for each in found.readings)
        return Fate.ASKED if is_there else Fate.OFFERED
    like = language.like(heard.say, world)
    if like in STOPS and wanted in STOPS:
        return Fate.RIGHT  # it stops what moves; where nothing moves it is no stop, and what follows counts
    if like in HARMLESS:
        return Fate.RIGHT if like == wanted else Fate.WRONG
    if like and like not in STOPS and like != MetaKind.YES:  # as if no question were open
        return Fate.GUESSED if like == wanted else Fate.OFFERED
    guessed = instead_of(found, language.guess(heard.say, world))
    if not guessed:
        return Fate.REFUSED
    return Fate.GUESSED if any(_is_meant(here, each.plan, wanted) for each in guessed) else Fate.OFFERED


def measure_strangers(here: Lab, lines: Sequence[Heard], progress: Progress) -> Figures:
    """Of what can be done, and of what cannot or has to be asked about: what becomes of it [%]."""
    progress.begin("strangers", len(lines))
    fates: list[tuple[Heard, Fate]] = []
    for line in lines:
        fates.append((line, fate_of(here, line)))
        progress.step()
    figures: Figures = {"strangers": len(lines)}
    parts = {
        "strangers": [fate for line, fate in fates if line.means not in NO_PLAN],
        "strangers_impossible": [fate for line, fate in fates if not line.means],
        "strangers_unclear": [fate for line, fate in fates if line.means == TO_BE_ASKED],
    }
    for name, of in parts.items():
        counts = Counter(of)
        figures |= {f"{name}_{fate}_pct": 100.0 * counts[fate] / len(of) if of else None for fate in Fate}
    return figures


def _is_meant(here: Lab, plan: Plan, wanted: Plan | MetaKind | None) -> bool:
    if isinstance(wanted, MetaKind | None):
        return wanted in STOPS and isinstance(plan, Cancel) and not plan.what  # "stop at once, it hisses"
    return is_same(plan, wanted, here.signatures, beside=_repeated(here))


def _repeated(here: Lab) -> frozenset[tuple[str, str]]:
    """Parameters that are told a question as it was asked: asked in other words it is the same question."""
    return frozenset(
        (spec.name, name)
        for spec in here.language.phrasebook.actions.values()
        for answers in spec.phrases.answers
        for name, value in answers.do
        if value == _AS_ASKED
    )
