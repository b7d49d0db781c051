"""What people say to a robot at home: is it understood as what they want done, and with what?

A line of the set says what is wanted as kinds of doing, in order ("find", "tell"), and the names that it is
to be done with ("person", "waving", "kitchen"). The actions of a domain file that are of a kind are data too
(`household_kinds.yaml`), so neither the set nor this file knows what a grammar calls its parameters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from framework.errors import DescriptionError
from framework.plan.ast import Plan, Reference, actions_of
from framework.plan.parser import Understood
from framework.unreadable import UNREADABLE
from grammars import Language
from grammars.domain import read_domain
from pilothouse.experiments.definition import Figures, Progress
from pilothouse.experiments.language.judged import Judged, Verdict, is_unasked
from pilothouse.experiments.language.sets import Wanted
from pilothouse.experiments.language.slots import PERSONAL

_UNSAID = frozenset(
    (
        *("the", "a", "an", "my", "your", "this", "of", "in", "on", "at", "to", "here"),
        *("near", "next", "by", "under", "behind", "above", "front"),
    )
)


def judged_at_home(file: Path, kinds: Path, lines: Sequence[Wanted], progress: Progress) -> list[Judged]:
    """What becomes of each line with the language of a domain file. Raises DescriptionError."""
    domain = read_domain(file)
    language = Language(domain.actions, conditions=domain.conditions)
    kind_of = read_kinds(kinds)
    progress.begin("what people say at home", len(lines))
    found: list[Judged] = []
    for line in lines:
        answer = language.parse(line.text, domain.world)
        if not isinstance(answer, Understood):
            found.append(Judged(line.text, Verdict.REFUSED, said=str(answer)))
        else:
            plans = tuple(reading.plan for reading in answer.readings)
            verdict = Verdict.ASKED
            if is_unasked(answer.readings):
                verdict = Verdict.EXACT if is_wanted(plans[0], line, kind_of) else Verdict.WRONG
            found.append(Judged(line.text, verdict, plans))
        progress.step()
    return found


def measure_at_home(file: Path, kinds: Path, lines: Sequence[Wanted], progress: Progress) -> Figures:
    """Of each half: understood as wanted, otherwise, asked about [%]. Raises DescriptionError."""
    return {"at_home": len(lines), **shares(judged_at_home(file, kinds, lines, progress), lines)}


def shares(found: Sequence[Judged], lines: Sequence[Wanted]) -> Figures:
    """What became of the lines of each half [%]."""
    figures: Figures = {}
    for half in ("dev", "held"):
        counts = Counter(each.verdict for each, line in zip(found, lines, strict=True) if line.half == half)
        if all_of_half := counts.total():
            for verdict in (Verdict.EXACT, Verdict.WRONG, Verdict.ASKED):
                figures[f"at_home_{half}_{verdict.value}_pct"] = 100.0 * counts[verdict] / all_of_half
    return figures


def read_kinds(file: Path) -> Mapping[str, str]:
    """The kind of each action: the file has a list of actions for each kind. Raises DescriptionError."""
    try:
        stated = msgspec.yaml.decode(file.read_bytes(), type=dict[str, tuple[str, ...]])
    except (OSError, *UNREADABLE) as error:
        raise DescriptionError(f"it has to say `kind: [action, …]`: {error}", file=str(file)) from error
    kind_of: dict[str, str] = {}
    for kind, actions in stated.items():
        for action in actions:
            if action in kind_of:
                raise DescriptionError(f"{action} is of {kind_of[action]} and of {kind}", file=str(file))
            kind_of[action] = kind
    return kind_of


def is_wanted(plan: Plan, line: Wanted, kind_of: Mapping[str, str]) -> bool:
    """Whether a plan does what is wanted, and with just those names.

    A number (an angle in radians) counts if the line names it; how fast something is done does not.
    """
    does = tuple(kind_of.get(do.action, do.action) for do in actions_of(plan))
    values = [value for do in actions_of(plan) for value in do.parameters.values()]
    said = [word for value in values for word in _words(value)]
    names = [word for name in line.names for word in _words(name)]
    numbers = [f"{value:.4g}" for value in values if isinstance(value, float)]
    said += [number for number in numbers if number in names]
    return does == line.does and sorted(said) == sorted(names)


def _words(value: Any) -> list[str]:
    """The words of a name that tell it from others: folded, one of several; of numbers none.

    Where a thing is said to be of another ("near", "under") is not compared.
    """
    if isinstance(value, Reference):
        return [value.word] if value.word in PERSONAL else []
    if not isinstance(value, str):
        return []
    words = str(value).casefold().replace(",", " ").replace("?", " ").split()
    return [word.removesuffix("s") for word in words if word not in _UNSAID]
