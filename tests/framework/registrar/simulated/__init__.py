"""A world of several registrar cores, without loops, tasks or sockets: what the core's tests are written in.

A `Node` is one core together with the smallest shell that can be: its providers
and bodies are state machines too, each of whose steps waits in `todo` until
somebody runs it, as tasks of a real loop would. A `World` joins the nodes by a
`wire` and keeps the time. While it runs it checks what has to hold at every
moment; `check_books` says what has to hold when nothing is on its way any more.
"""

from tests.framework.registrar.simulated.node import Node
from tests.framework.registrar.simulated.parties import Body, Provider
from tests.framework.registrar.simulated.recipes import (
    CORE_POLICY,
    KIND,
    PROVIDER_POLICY,
    Need,
    Recipe,
    Thing,
)
from tests.framework.registrar.simulated.wires import BadWire, Wire, messages
from tests.framework.registrar.simulated.world import World, fail, named

__all__ = [
    "CORE_POLICY",
    "KIND",
    "PROVIDER_POLICY",
    "BadWire",
    "Body",
    "Need",
    "Node",
    "Provider",
    "Recipe",
    "Thing",
    "Wire",
    "World",
    "fail",
    "messages",
    "named",
]
