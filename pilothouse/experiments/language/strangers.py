"""What becomes of what strangers say: read, asked about, guessed (`grammars.intent`), refused, or misread.

They are people whose sentences nobody who works on the language looks at; only these figures are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from framework.dialogue.meta import MetaKind
from framework.errors import DescriptionError
from framework.plan.ast import Plan
from framework.plan.parser import Understood
from grammars.intent.heard import TO_BE_ASKED, Heard
from pilothouse.experiments.definition import Figures, Progress
from pilothouse.experiments.language.judged import is_same, is_unasked
from pilothouse.experiments.language.lab import Lab


class Fate(StrEnum):
    """What becomes of something that a stranger said."""

    RIGHT = "right"
    """It is done at once, as it was meant."""
    ASKED = "asked"
    """It is asked about, and what was meant is among the answers."""
    GUESSED = "guessed"
    """What was meant is offered."""
    OFFERED = "offered_otherwise"
    """Something else is offered, or asked about."""
    WRONG = "wrong"
    """Something else is done at once."""
    REFUSED = "refused"


STOPS: Final = (MetaKind.STOP, MetaKind.EMERGENCY)


def fate_of(here: Lab, heard: Heard) -> Fate:
    """What becomes of it. What cannot be done, or has to be asked about, is meant to be refused or asked.

    Raises DescriptionError for what the grammar does not read that it means.
    """
    meant = None if heard.means in ("", TO_BE_ASKED) else _meant(here, heard.means)
    command = here.meta.command(heard.say)
    if command is not None and not command.what:
        is_same_stop = command.kind in STOPS and meant in STOPS
        return Fate.RIGHT if is_same_stop or command.kind == meant else Fate.WRONG
    language, world = here.language, here.world
    found = language.parse(heard.say, world)
    if isinstance(found, Understood):
        if is_unasked(found.readings):
            return Fate.RIGHT if _is_meant(here, found.readings[0].plan, meant) else Fate.WRONG
        if meant is None:
            return Fate.ASKED
        is_there = any(_is_meant(here, each.plan, meant) for each in found.readings)
        return Fate.ASKED if is_there else Fate.OFFERED
    if meant in STOPS and language.wants_a_stop(heard.say, world):
        return Fate.RIGHT
    guessed = language.guess(heard.say, world)
    if not guessed:
        return Fate.REFUSED
    return Fate.GUESSED if any(_is_meant(here, each.plan, meant) for each in guessed) else Fate.OFFERED


def measure_strangers(here: Lab, lines: Sequence[Heard], progress: Progress) -> Figures:
    """Of what can be done, and of what cannot or has to be asked about: what becomes of it [%]."""
    progress.begin("strangers", len(lines))
    fates: list[tuple[Heard, Fate]] = []
    for line in lines:
        fates.append((line, fate_of(here, line)))
        progress.step()
    figures: Figures = {"strangers": len(lines)}
    parts = {
        "strangers": [fate for line, fate in fates if line.means not in ("", TO_BE_ASKED)],
        "strangers_impossible": [fate for line, fate in fates if not line.means],
        "strangers_unclear": [fate for line, fate in fates if line.means == TO_BE_ASKED],
    }
    for name, of in parts.items():
        counts = Counter(of)
        figures |= {f"{name}_{fate}_pct": 100.0 * counts[fate] / len(of) if of else None for fate in Fate}
    return figures


def _meant(here: Lab, means: str) -> Plan | MetaKind:
    command = here.meta.command(means)
    if command is not None and not command.what:
        return command.kind
    found = here.language.by_grammar(means, here.world)
    if not isinstance(found, Understood):
        raise DescriptionError(f'"{means}" is not understood: {found}')
    return found.readings[0].plan


def _is_meant(here: Lab, plan: Plan, meant: Plan | MetaKind | None) -> bool:
    return not isinstance(meant, MetaKind | None) and is_same(plan, meant, here.signatures)
