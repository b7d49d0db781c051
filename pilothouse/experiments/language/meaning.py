"""What somebody meant, from the plain words that stand for it (`Heard.means`)."""

from __future__ import annotations

from typing import Final

from framework.dialogue.meta import MetaKind
from framework.errors import DescriptionError
from framework.plan.ast import Plan
from framework.plan.parser import Understood
from grammars.intent.heard import NO_PLAN
from pilothouse.experiments.language.lab import Lab

STOPS: Final = (MetaKind.STOP, MetaKind.EMERGENCY)


def meant(here: Lab, means: str) -> Plan | MetaKind | None:
    """What plain words come to, whatever people usually mean by them; None if no one thing is meant.

    Raises DescriptionError for what the grammar does not read.
    """
    if means in NO_PLAN:
        return None
    command = here.meta.command(means)
    if command is not None and not command.what:
        return command.kind
    found = here.language.by_grammar(means, here.world)
    if isinstance(found, Understood):
        return found.readings[0].plan
    if command is None:
        raise DescriptionError(f'"{means}" is not understood: {found}')
    return command.kind
