"""Of the drawn mutants (`operators.py`): which nobody outside could notice, whatever fails, and why.

Said from the changed line alone, and, for those held back, before they were tried; those of lots 7733, 8101
and 8102, which were learnt from, after that.
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
    "processes.emergency:_number_of:compare:645e": "only a page that was pressed 65 535 times would tell",
    "supervisor.account:Account._who_ended:compare:2310": "only two things at the very same instant tell",
    "state:_holds:join:6874": "what is converted from a dictionary is one, and nothing else is",
    "registrar.serving:Serving._set_priority:drop:6971": "the books are compared, and agree again",
    "supervisor.understanding:Understanding._proposed:drop:1fcb": "nobody proposes until one is set up",
    "registrar.records:ServerLease.__init__:drop:6cec": "it is written before it is read",
    "tree.composites:SequenceNode.__init__:constant:d00c": "it is set anew when it begins",
    "registrar.shell:Shell._restore:drop:84b9": "nothing is provided twice by one registrar",
    "registrar.marshalling:made_whole:constant:07f1": "the provider's end has been as strict before",
    "tree.ticker:Ticker.next:drop:95f9": "it ticks more often than it needs to, and finds nothing new",
    "processes.watchdog:ChildWatchdog.is_overdue:join:874b": "what its threads do is looked at for nothing",
    "processes.backoff:Backoff.was_ready_for:compare:24be": "only a time that is equal to the last bit tells",
    "processes.supervise:ChildProcess._start_error:off by one:db80": "a thirteenth line of what it printed",
    "processes.emergency:EmergencyStop.remove:constant:07f1": "nobody else removes it",
    # of lots 7733, 8101 and 8102
    "processes.adoption:AdoptedBody._connect:off by one:db80": "the kernel gives no more than it has",
    "processes.adoption:AdoptedBody._connect:off by one:8f10": "0 is what is typed, and never a process",
    "processes.emergency:is_press:off by one:8f10": "only a page with nothing but zeros for a key would tell",
    "registrar.holding:Holding.queued:constant:d00c": "only what is an end cancels a body",
    "registrar.serving:Serving._remove:join:2692": "who has no clients, or holds nothing, tells nobody",
    "registrar.provider_tasks:ProviderTasks.make_safe:drop:21ab": "what has to come to rest has a provider",
    "state:set_aside:off by one:c194": "the second of one second is called the third",
    "state:set_aside:off by one:1fcb": "only a thousand of them in one second would tell",
    "supervisor.conversation:Proposals.propose:drop:1bfa": "a sleep that nobody waits for runs out",
}


def drawn_mutants(seed: int) -> Iterator[tuple[int, Mutant]]:
    """All of both halves that somebody outside could notice: 0 is the shown half, 1 the one held back."""
    for half in (0, 1):
        for change in drawn(seed, half):
            if change.name not in UNNOTICED:
                before, after = change.unique((ROOT / change.file).read_text(encoding="utf-8"))
                yield half, Mutant(change.name, change.file, before, after, change.operator)
