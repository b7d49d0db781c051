"""What lies between the nodes of a Graph: edges with responses, and what a node takes in.

The words are those of UMRF, the format of TeMoto's action engine; `umrf/` reads and writes it. The nodes
and the graph itself are plans and stand in `ast.py`. What a response does is said in `framework.tree`.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from framework.plan.value import Plain, Value

#: What edges call the beginning and the end of their graph.
ENTRY = "graph_entry"
EXIT = "graph_exit"


class Mode(StrEnum):
    """How a node runs.

    SYNC, ASYNC: once each time it is begun (whether it stays is the action's own affair; ASYNC is kept for
    other readers). SPONTANEOUS: again and again; each end stops all that comes after it, then its children
    are told.
    """

    SYNC = "sync"
    ASYNC = "async"
    SPONTANEOUS = "spontaneous"


class Ended(StrEnum):
    """How a node ended: with success, with the answer no, stopped by somebody, or failed."""

    TRUE = "on_true"
    FALSE = "on_false"
    STOPPED = "on_stopped"
    ERROR = "on_error"


class Response(StrEnum):
    """What a child does when a parent has ended. BYPASS: its own children are told instead."""

    RUN = "run"
    PAUSE = "pause"
    RESTART = "restart"
    STOP = "stop"
    BYPASS = "bypass"
    IGNORE = "ignore"


class Edge(msgspec.Struct, frozen=True):
    """From a parent to a child: what the child does when the parent has ended, and what it is given.

    parent, child: node ids; ENTRY and EXIT are the graph's own beginning and end.
    required: the child does not begin before this parent has ended.
    remap: parent's output → child's input, where their names differ.
    """

    parent: str
    child: str
    required: bool = True
    on_true: Response = Response.RUN
    on_false: Response = Response.RUN
    on_stopped: Response = Response.IGNORE
    on_error: Response = Response.BYPASS
    remap: dict[str, str] = {}

    def response(self, ended: Ended) -> Response:
        """What the child does when the parent has ended so."""
        match ended:
            case Ended.TRUE:
                return self.on_true
            case Ended.FALSE:
                return self.on_false
            case Ended.STOPPED:
                return self.on_stopped
        return self.on_error

    @property
    def responses(self) -> frozenset[Response]:
        """All that it may ask of the child."""
        return frozenset((self.on_true, self.on_false, self.on_stopped, self.on_error))

    @property
    def is_awaited(self) -> bool:
        """Whether the child does not begin before the parent has ended.

        Not where the edge can only stop or pause the child: nobody waits to be started by what ends it.
        """
        begins = self.responses & {Response.RUN, Response.RESTART}
        ends = self.responses & {Response.STOP, Response.PAUSE}
        return self.required and (bool(begins) or not ends)


class Input(msgspec.Struct, frozen=True):
    """What is said about a node's input beyond its value.

    name: nested names are joined by "::" ("pose::x").
    type: "string", "number", "bool", their plurals for lists, or a name of somebody's own; "" means any.
    updatable: a parent's output of this name takes the place of a value of its own.
    allowed: the only values it takes; empty means any. A parent's other values are not taken.
    value: for a node that is itself a Graph; an action has its values in its parameters.
    """

    name: str
    type: str = ""
    required: bool = True
    updatable: bool = True
    allowed: tuple[Plain, ...] = ()
    value: Value | msgspec.UnsetType = msgspec.UNSET
