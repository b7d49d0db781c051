"""The resource registrar: who has what, what depends on what, and who has to be told.

Read `registrar.py` (what people call), `core.py` (the state machine that decides,
and its rulebooks), `shell.py` (what moves: timer, link, effects; with `provider_tasks.py` and
`claims.py`), then `request.py` and `lease.py` (the client's side of a lease).
"""

from framework.registrar.fencing import CommandGate, CommandStamp
from framework.registrar.journal import JournalEntry
from framework.registrar.lease import Lease
from framework.registrar.registrar import ResourceRegistrar
from framework.registrar.snapshot import LeaseView, ResourceView, Snapshot
from framework.registrar.supply import Supply

__all__ = [
    "CommandGate",
    "CommandStamp",
    "JournalEntry",
    "Lease",
    "LeaseView",
    "ResourceRegistrar",
    "ResourceView",
    "Snapshot",
    "Supply",
]
