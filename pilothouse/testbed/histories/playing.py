"""All histories, and one of them played with a seed."""

from __future__ import annotations

import asyncio
import logging
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from framework.scenarios.invariants import Breach, Broken
from framework.testing.runner import run
from pilothouse.testbed.histories import contention, distance, upbringing
from pilothouse.testbed.histories.stage import Broke, History, HistoryStage

MOST_S: Final = 600.0
"""Of virtual time: none takes so long."""

_KINDS: Final = (contention, upbringing, distance)
_HISTORIES: Final[dict[str, History]] = {
    f"{kind.__name__.rpartition('.')[2]}.{history.play.__name__}": history
    for kind in _KINDS
    for history in kind.HISTORIES
}


def names() -> tuple[str, ...]:
    """Of all histories."""
    return tuple(_HISTORIES)


def play_all(seed: int) -> tuple[Broken, ...]:
    """Each of them once; what did not hold, with the name of the history."""
    return tuple(broken for name in _HISTORIES if (broken := play_history(name, seed)) is not None)


def play_history(name: str, seed: int) -> Broken | None:
    """One of them; None if all held. Raises KeyError."""
    history = _HISTORIES[name]

    async def played() -> None:
        with tempfile.TemporaryDirectory(prefix="pilothouse-history-") as folder:
            async with (
                asyncio.timeout(MOST_S),
                HistoryStage(random.Random(seed), Path(folder), beat_s=history.beat_s) as stage,
            ):
                await history.play(stage)

    with _quiet():
        try:
            run(played, seed=seed)
        except Exception as error:
            first: BaseException = error
            while isinstance(first, BaseExceptionGroup):
                first = first.exceptions[0]
            breach, words = (
                (first.breach, str(first)) if isinstance(first, Broke) else (Breach.ERROR, repr(first))
            )
            return Broken(breach, f"{name}, seed {seed}: {words}")
    return None


@contextmanager
def _quiet() -> Iterator[None]:
    """Here providers crash and are abandoned all the time: their registrars' warnings are no news."""
    log = logging.getLogger("pilothouse")
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)
