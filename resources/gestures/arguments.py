"""What the process that reads gestures is told when it is started, readable in its command line."""

from __future__ import annotations

from framework.plugins.parameters import Parameters
from resources.types.gestures import HandsFeed


class ReaderArguments(Parameters, frozen=True):
    """Of one source of hands."""

    run_directory: str
    hands: HandsFeed
