"""All histories, and one of them played with a seed."""

from __future__ import annotations

import asyncio
import logging
import random
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import Final

from framework.scenarios.invariants import Breach, Broken
from framework.testing.runner import run
from pilothouse.testbed.histories import (
    accounts,
    adopting,
    asking,
    changing,
    children,
    contention,
    distance,
    edges,
    faulty,
    following,
    graphs,
    hands,
    kept,
    latches,
    mishaps,
    naming,
    outcries,
    plans,
    recovering,
    remembering,
    results,
    services,
    talking,
    upbringing,
    wires,
    words,
)
from pilothouse.testbed.histories.breaches import Broke
from pilothouse.testbed.histories.networks import Network
from pilothouse.testbed.histories.stage import BEAT_S, History, HistoryStage

MOST_S: Final = 600.0
"""Of virtual time: none takes so long."""

MOST_PROCESSOR_S: Final = 10.0
"""Of processor time: a history that computes for so long does not end. One takes about 0.02 s."""

_KINDS: Final = (
    contention,
    naming,
    faulty,
    upbringing,
    distance,
    hands,
    children,
    adopting,
    following,
    remembering,
    plans,
    changing,
    edges,
    graphs,
    wires,
    words,
    outcries,
    kept,
    asking,
    results,
    recovering,
    accounts,
    latches,
    mishaps,
    services,
    talking,
)
_AT_A_DISTANCE: Final = (contention, upbringing, recovering, faulty)
"""What is played within one process is played also as if each registrar had a machine of its own, with a
network that doubles and jumbles, one of bytes, and one in which strangers speak."""

_AT_ONCE: Final = ("contention.heirs", "upbringing.chains")
"""There several say something at the same moment, and who is heard first matters."""


def _all() -> Iterator[tuple[str, History]]:
    for kind in _KINDS:
        for history in kind.HISTORIES:
            name = f"{kind.__name__.rpartition('.')[2]}.{history.play.__name__}"
            yield name, history
            if kind in _AT_A_DISTANCE:
                if history.network is not Network.STEADY:
                    continue
                yield f"{name}.far", history._replace(beat_s=BEAT_S)
                for network in (Network.DOUBLED, Network.JUMBLED, Network.BYTES, Network.STRANGE):
                    if network is Network.JUMBLED and name in _AT_ONCE:
                        continue
                    far = history._replace(beat_s=BEAT_S, network=network, times=1)
                    yield f"{name}.{network.value}", far


_HISTORIES: Final[dict[str, History]] = dict(_all())


def names() -> tuple[str, ...]:
    """Of all histories."""
    return tuple(_HISTORIES)


def play_all(seed: int) -> tuple[Broken, ...]:
    """All of them; what did not hold, with the name of the history and its own seed."""
    return tuple(broken_in(seed))


def play_few(seed: int) -> tuple[Broken, ...]:
    """Each once, those of registrars over one of the networks: a fourth of the time that `play_all` takes.

    But for those in a real language, which takes as long to be put together as all others to be played.
    """
    networks = [each.value for each in Network if each is not Network.STEADY]
    others = {each for number, each in enumerate(networks) if number != seed % len(networks)}
    others |= {"far"}
    left_out = talking.IN_ENGLISH
    chosen = [
        name
        for name, history in _HISTORIES.items()
        if name.rpartition(".")[2] not in others and history.play not in left_out
    ]
    return tuple(broken for name in chosen if (broken := play_history(name, seed)) is not None)


def broken_in(seed: int) -> Iterator[Broken]:
    """As `play_all`, each as soon as it is found."""
    return (
        broken
        for name, history in _HISTORIES.items()
        for number in range(history.times)
        if (broken := play_history(name, seed * history.times + number)) is not None
    )


def play_history(name: str, seed: int) -> Broken | None:
    """One of them; None if all held. Raises KeyError."""
    history = _HISTORIES[name]

    async def played() -> None:
        with ExitStack() as stack:

            def folder() -> Path:
                return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pilothouse-history-")))

            async with (
                asyncio.timeout(MOST_S),
                HistoryStage(
                    random.Random(seed), folder, beat_s=history.beat_s, network=history.network
                ) as stage,
            ):
                await history.play(stage)

    with _quiet(), _bounded():
        try:
            run(played, seed=seed)
        except _Endless:
            words = f"{name}, seed {seed}: it computes for more than {MOST_PROCESSOR_S:g} s"
            return Broken(Breach.NEVER_ENDED, words)
        except Exception as error:
            first: BaseException = error
            while isinstance(first, BaseExceptionGroup):
                first = first.exceptions[0]
            breach, words = (
                (first.breach, str(first)) if isinstance(first, Broke) else (Breach.ERROR, repr(first))
            )
            return Broken(breach, f"{name}, seed {seed}: {words}")
    return None


class _Endless(KeyboardInterrupt):
    """It does not end: nothing else but an interrupt gets out of a loop's callbacks."""


@contextmanager
def _bounded() -> Iterator[None]:
    """A history that computes for ever is interrupted; only a process's main thread can be."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise _Endless

    before = signal.signal(signal.SIGVTALRM, interrupt)
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_PROCESSOR_S, 1.0)  # and again, while it winds down
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)


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
