"""Of the drawn mutants (`operators.py`): which nobody outside could notice, whatever fails, and why.

Said from the changed line alone, and, for those held back, before they were tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tests.mutants.areas import ROOT
from tests.mutants.catalogue import Mutant
from tests.mutants.operators import drawn

#: The lots of docs/reliability.md.
SEED: Final = 14

UNNOTICED: Final[dict[str, str]] = {
    "registrar.heartbeats:Heartbeats.returned:drop:bc91": "an empty book is dropped one message later",
    "registrar.provider_task:ProviderTask.abandon:constant:07f1": (
        "the core does not listen either to a provider that does not run any more"
    ),
    "processes.adoption:AdoptedBody.start:drop:6344": "its processes are adopted from nobody",
    "processes.adoption:AdoptedBody._send_claim:drop:f92b": "its processes are adopted from nobody",
    "processes.emergency:_number_of:compare:645e": "only a page that was pressed 65 535 times would tell",
    "supervisor.account:Account._who_ended:compare:2310": "only two things at the very same instant tell",
    "state:_holds:join:6874": "what is converted from a dictionary is one, and nothing else is",
    "registrar.serving:Serving._set_priority:drop:6971": "the books are compared, and agree again",
    "supervisor.interpreter:Interpreter._proposed:drop:1fcb": "nobody proposes until one is set up",
}


def drawn_mutants(seed: int) -> Iterator[tuple[int, Mutant]]:
    """All of both halves that somebody outside could notice: 0 is the shown half, 1 the one held back."""
    for half in (0, 1):
        for change in drawn(seed, half):
            if change.name not in UNNOTICED:
                before, after = change.unique((ROOT / change.file).read_text(encoding="utf-8"))
                yield half, Mutant(change.name, change.file, before, after, change.operator)
