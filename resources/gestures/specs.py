"""The `ProcessSpec`s of the process that reads gestures, and of the one that looks for hands in a camera's
pictures. Imports nothing heavy.

They are started again by themselves. The reader's successor knows nothing of what was held before: a gesture
that is shown when it begins has to be seen to be over first, if it matters when it began.
"""

from __future__ import annotations

from typing import Final

from framework.processes.spec import ProcessSpec, RestartPolicy, python_child
from resources.children.specs import ENV, STALE_AFTER_S
from resources.gestures.arguments import ReaderArguments, TrackerArguments
from resources.gestures.tracker_library import python

RESTARTS: Final = RestartPolicy(first_s=0.1, longest_s=1.0, most=5, within_s=60.0)
"""Whoever shows their hands waits before it; one that dies on and on is told to them instead."""

TRACKER_STARTS_WITHIN_S: Final = 30.0
"""Importing MediaPipe takes a second here, and several where its files are read for the first time."""

PICTURE_WITHIN_S: Final = 1.5
"""MediaPipe computes in threads of its own; meanwhile the main loop waits for them."""


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


def tracker_spec(arguments: TrackerArguments) -> ProcessSpec:
    """Looks for hands before a camera. Its handle is a `HandsFeed` as JSON.

    Raises PluginUnavailable if MediaPipe has no environment on this machine.
    """
    return ProcessSpec(
        python_child("resources.gestures.tracker_child:main", arguments, python=python()),
        f"hands {arguments.source}",
        env=ENV,
        start_timeout_s=TRACKER_STARTS_WITHIN_S,
        blocks_s=PICTURE_WITHIN_S,
        stale_after_s=max(STALE_AFTER_S, 4 / arguments.camera.stream.rate_hz),
        stop_timeouts_s=(0.5, 0.5),
        restart=RESTARTS,
    )
