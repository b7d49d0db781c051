"""What an action that is corrected, or taken back, hands on to the one that takes its place.

"Move up 20 centimetres" – "no, 10" ends 10 above where the first one began, wherever that has come to. So the
memory of an action that moves something (`Action.memory`) may say from where it has begun, and the action
that takes its place begins with that. A memory without these methods is not handed on, and what was done
cannot be taken back.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class HandsOn(Protocol):
    """A memory that knows from where its action has begun."""

    @property
    def device(self) -> str:
        """What it moves; "" before it has begun."""
        ...

    def handed_on(self, *, back: bool) -> Any:
        """The memory of what takes this one's place: it counts from the same start. None if there is none.

        back: it goes back there, and no further.
        """
        ...


def handed_on(memory: Any, *, back: bool = False) -> Any:
    """See `HandsOn.handed_on`; None of memories that know nothing of it."""
    return memory.handed_on(back=back) if isinstance(memory, HandsOn) and memory.device else None


def memory_of(kind: Any, begins_with: Any) -> Any:
    """The memory of an action that begins: what it begins with, if that is of its kind; else an empty one."""
    if kind is None:
        return None
    return begins_with if isinstance(begins_with, kind) else kind()
