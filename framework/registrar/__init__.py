"""The resource registrar: who has what, what depends on what, and who has to be told.

Read `registrar.py` (what people call), `core.py` (the state machine that decides,
and its rulebooks), `shell.py` (what moves: timer, link, effects; with `provider_tasks.py` and
`claims.py`), then `request.py` and `lease.py` (the client's side of a lease).

Names load when they are first used: a control loop's process, which only checks stamps, has no registrar.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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

_HOME = {
    "CommandGate": "fencing",
    "CommandStamp": "fencing",
    "JournalEntry": "journal",
    "Lease": "lease",
    "LeaseView": "snapshot",
    "ResourceRegistrar": "registrar",
    "ResourceView": "snapshot",
    "Snapshot": "snapshot",
    "Supply": "supply",
}


def __getattr__(name: str) -> object:
    # A submodule's name comes here first while it is being imported: that is no name of the table.
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    found = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = found
    return found
