"""Generated household commands, with a language of data alone: are the slots those of the templates?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from framework.plan.parser import Understood
from grammars import Language
from grammars.domain import read_domain
from pilothouse.experiments.definition import Figures, Progress
from pilothouse.experiments.language.sets import Annotated
from pilothouse.experiments.language.slots import Slot, plan_slots, template_slots


class Compared(msgspec.Struct, frozen=True):
    """A command, the slots of its template, and those of our plan; None if it was refused."""

    text: str
    meant: tuple[Slot, ...]
    found: tuple[Slot, ...] | None
    is_ambiguous: bool = False

    @property
    def is_right(self) -> bool:
        """The same types and words in the same order."""
        return self.found == self.meant


def compared(file: Path, commands: Sequence[Annotated], progress: Progress) -> list[Compared]:
    """All commands with the language of a domain file. Raises DescriptionError."""
    domain = read_domain(file)
    language = Language(domain.actions, conditions=domain.conditions)
    progress.begin("household commands", len(commands))
    results: list[Compared] = []
    for command in commands:
        meant = template_slots(command.text, command.anonymized)
        answer = language.parse(command.text, domain.world)
        found: tuple[Slot, ...] | None = None
        is_ambiguous = False
        if isinstance(answer, Understood):
            best, *others = answer.readings
            found = plan_slots(best.plan, command.text)
            is_ambiguous = any(other.confidence == best.confidence for other in others)
        results.append(Compared(command.text, meant, found, is_ambiguous))
        progress.step()
    return results


def measure_household(file: Path, commands: Sequence[Annotated], progress: Progress) -> Figures:
    """Commands with exactly the slots of their templates [%]; those that would be asked about."""
    results = compared(file, commands, progress)
    return {
        "gpsr_types_slots_pct": 100.0 * sum(each.is_right for each in results) / len(results),
        "gpsr_ambiguous": sum(each.is_ambiguous for each in results),
    }
