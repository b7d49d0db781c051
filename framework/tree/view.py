"""A running tree as data, for the console and the command line; and as a text picture. Views never change."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class NodeState(StrEnum):
    """What a node is at. READY: continuous and established; STOPPING: told to end, not over yet."""

    IDLE = "idle"
    WAITING = "waiting"
    RUNNING = "running"
    READY = "ready"
    ASKING = "asking"
    PAUSED = "paused"
    STOPPING = "stopping"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen here."""
        return self in _OVER


_OVER = (NodeState.SUCCEEDED, NodeState.FAILED, NodeState.CANCELLED, NodeState.SKIPPED)

_SIGN = {
    NodeState.IDLE: "·",
    NodeState.WAITING: "…",
    NodeState.RUNNING: "▸",
    NodeState.READY: "●",
    NodeState.ASKING: "?",
    NodeState.PAUSED: "‖",
    NodeState.STOPPING: "◂",
    NodeState.SUCCEEDED: "✓",
    NodeState.FAILED: "✗",
    NodeState.CANCELLED: "–",
    NodeState.SKIPPED: "–",
}


class TreeView(msgspec.Struct, frozen=True):
    """One node and what is below it.

    id: unique within the installation ("3.2": the second node of plan 3).
    kind: "do", "sequence", "parallel", "alongside", "while", "until", "if", "wait", "decide", "cancel",
        "graph".
    name: what the graph around it calls it; empty elsewhere.
    words: what it does; detail: what it is at just now, may be empty.
    since_s: when it came into this state, on the installation's clock.
    condition: of "while", "until" and "if": what they look at, in words; else empty.
    fraction: how much is done, 0 to 1, of an action that says so and is under way; else -1.
    """

    id: str
    kind: str
    words: str
    state: NodeState
    detail: str
    since_s: float
    children: tuple[TreeView, ...] = ()
    name: str = ""
    fraction: float = -1.0
    condition: str = ""


def sign(state: NodeState) -> str:
    """One character for a state."""
    return _SIGN[state]


def state_words(state: str, fraction: float) -> str:
    """A state, and how much is done if that is known: "running 40 %"."""
    if fraction < 0.0:
        return state
    percent = 100 if fraction >= 1.0 else min(99, round(100 * fraction))  # what is not quite done is not done
    return f"{state} {percent} %"


def picture(view: TreeView) -> str:
    """The tree as lines of text, one a node, indented."""
    lines: list[str] = []
    _draw(view, 0, lines)
    return "\n".join(lines)


def _draw(view: TreeView, depth: int, lines: list[str]) -> None:
    label = view.words if not view.children else view.kind
    detail = f": {view.detail}" if view.detail else ""
    name = f"{view.name}: " if view.name else ""
    lines.append(
        f"{'  ' * depth}{_SIGN[view.state]} {name}{label} [{state_words(view.state, view.fraction)}]{detail}"
    )
    for child in view.children:
        _draw(child, depth + 1, lines)
