"""Whoever hears must hear "emergency stop": no sound is used without its ear.

An ear is a process of its own (`resources/speech/ear_child.py`). Sound whose ear cannot be kept is closed.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from framework.errors import ResourceUnavailable
from framework.processes.spec import ProcessSpec
from framework.registrar import Supply
from framework.status import ReasonKind, Status
from resources.types.processes import Process
from resources.types.sensors import AudioFeed

EarFor = Callable[[AudioFeed], ProcessSpec]
"""The process that listens for "emergency stop" at a microphone."""


def must_listen(name: str, ear_for: EarFor | None) -> EarFor:
    """To be asked before anything is opened. Raises ResourceUnavailable if nobody would listen."""
    if ear_for is None:
        raise ResourceUnavailable(f'{name} is not opened: nobody would listen for "emergency stop" here')
    return ear_for


@asynccontextmanager
async def with_ear(name: str, feed: Any, ear_for: EarFor, supply: Supply) -> AsyncIterator[None]:
    """An ear at this sound, for as long as it is open; the resource fails if it cannot be kept.

    Raises ResourceUnavailable if it is no sound.
    """
    if not isinstance(feed, AudioFeed):
        raise ResourceUnavailable(f"the driver of {name} gives a {type(feed).__name__}, which is no sound")

    def heard_of(status: Status) -> None:
        if status.reason.kind is ReasonKind.NEEDS_HUMAN:
            supply.fail(f'{name} is closed: nobody listens for "emergency stop" there ({status.message})')

    try:
        async with supply.request(Process(ear_for(feed)), on_status=heard_of):
            yield
    finally:
        _forget(feed)


def _forget(feed: AudioFeed) -> None:
    """What was said does not stay in memory, also if the microphone's process was killed."""
    Path(feed.stream.ring).unlink(missing_ok=True)
