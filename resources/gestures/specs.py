"""The `ProcessSpec` of the process that reads gestures. Imports nothing heavy.

It is started again by itself. Its successor knows nothing of what was held before: a gesture that is shown
when it begins has to be seen to be over first, if it matters when it began.
"""

from __future__ import annotations

from typing import Final

from framework.processes.spec import ProcessSpec, RestartPolicy, python_child
from resources.children.specs import ENV, STALE_AFTER_S
from resources.gestures.arguments import ReaderArguments

RESTARTS: Final = RestartPolicy(first_s=0.1, longest_s=1.0, most=5, within_s=60.0)
"""Whoever shows their hands waits before it; one that dies on and on is told to them instead."""


def reader_spec(arguments: ReaderArguments) -> ProcessSpec:
    """Reads what the hands of a source show. Its handle is a `GesturesFeed` as JSON."""
    return ProcessSpec(
        python_child("resources.gestures.reader_child:main", arguments),
        f"gestures {arguments.hands.stream.name}",
        env=ENV,
        stale_after_s=STALE_AFTER_S,
        stop_timeouts_s=(0.5, 0.5),
        restart=RESTARTS,
    )
