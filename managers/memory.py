"""What operators have the robot remember: places, views, motions and poses, kept in the state folder.

A name means one thing: what is a device, a known thing or a word of the language already is refused.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any

import msgspec

from framework.errors import InstallationError, PilothouseError
from framework.registrar import Supply
from framework.state import StateFolder
from framework.transport.messages import Command
from framework.unreadable import UNREADABLE
from resources.types.memory import (
    MOST_WAYPOINTS,
    Check,
    Forget,
    Kept,
    Memory,
    MemoryAnswer,
    MemoryOrder,
    Remembered,
    RememberedPath,
    RememberedPlace,
    RememberedPose,
    RememberedView,
    decode_memory_order,
)
from resources.types.naming import plain, unknown
from resources.types.routes import Departure

log = logging.getLogger("pilothouse.managers")

FILE = "memory"
_MOST_CHARACTERS = 60
_MOST_ENTRIES = 500
_ANSWERS = 16
_MOST_ORDERS = 64

#: Words that mean something else wherever a name can stand.
_MEANING = "camera scan cloud environment surroundings place view motion home everything all"
_POINTING = "it them him her this that here there these those one same"
_TAKEN = frozenset(
    # What actions take besides names, what stands for everything, what points or refers, where it has been.
    [
        *_POINTING.split(),
        *_MEANING.split(),
        *(each.value for each in Departure),
    ]
)


class _Kept(msgspec.Struct, frozen=True):
    """The file."""

    places: tuple[RememberedPlace, ...] = ()
    views: tuple[RememberedView, ...] = ()
    paths: tuple[RememberedPath, ...] = ()
    poses: tuple[RememberedPose, ...] = ()


#: By kind: what people call it, and the field it is kept in.
_KINDS: dict[type, tuple[str, str]] = {
    RememberedPlace: ("place", "places"),
    RememberedView: ("view", "views"),
    RememberedPath: ("motion", "paths"),
    RememberedPose: ("pose", "poses"),
}


class MemoryBook:
    """Places, views, motions and poses by name, and the provider of `Memory`.

    Args:
        state: where they are kept between runs; None keeps them for this run.
        others: names that are taken: of devices and things.
        changed: called after each change.
    """

    def __init__(
        self,
        state: StateFolder | None,
        others: Callable[[], Iterable[str]],
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self._state = state
        self._others = others
        self._changed = changed
        self._answers: deque[MemoryAnswer] = deque(maxlen=_ANSWERS)
        self._kept = _Kept()
        if state is not None:
            self._kept = state.restore(FILE, _Kept, _check_entry) or _Kept()

    @property
    def places(self) -> tuple[RememberedPlace, ...]:
        """All remembered places, in the order of their names."""
        return self._kept.places

    @property
    def views(self) -> tuple[RememberedView, ...]:
        """All remembered views, in the order of their names."""
        return self._kept.views

    @property
    def paths(self) -> tuple[RememberedPath, ...]:
        """All motions that were taught, in the order of their names."""
        return self._kept.paths

    @property
    def poses(self) -> tuple[RememberedPose, ...]:
        """All remembered poses of arms, in the order of their names."""
        return self._kept.poses

    @asynccontextmanager
    async def provide(self, request: Memory, supply: Supply) -> AsyncIterator[Remembered]:
        """The memory as a resource that takes orders."""
        orders: asyncio.Queue[MemoryOrder] = asyncio.Queue(_MOST_ORDERS)
        supply.on_command(lambda command: _hear(command, orders))
        obeying = asyncio.create_task(self._obey(orders, supply), name="memory")
        try:
            yield self._handle()
        finally:
            obeying.cancel()

    def keep(self, what: Kept) -> str:
        """Remember it; says what was done. Raises PilothouseError if the name will not do.

        This and `forget` wait for the disk; orders that come through a lease do not hold up the loop.
        """
        words, kept = self._with(what)
        self._write(kept)
        self._adopt(kept)
        return words

    def _with(self, what: Kept) -> tuple[str, _Kept]:
        """What would be said, and remembered."""
        noun, field = _KINDS[type(what)]
        name = plain(what.name)
        self._check(name, what)
        if isinstance(what, RememberedPath):
            _check_path(what)
        what = msgspec.structs.replace(what, name=name)
        entries: dict[str, Any] = {each.name: each for each in getattr(self._kept, field)}
        before = f"; the {noun} that was called so before is forgotten" if name in entries else ""
        entries[name] = what
        kept = tuple(entry for _, entry in sorted(entries.items()))
        words = f"I remember the {noun} {name!r}{before}"
        return words, msgspec.structs.replace(self._kept, **{field: kept})

    def check(self, what: Kept) -> str:
        """Whether its name will do; raises PilothouseError with the reason if it will not."""
        name = plain(what.name)
        self._check(name, what)
        return f"{name!r} can be remembered"

    def forget(self, name: str) -> str:
        """Forget what has this name; says what was done. Raises PilothouseError if nothing has."""
        words, kept = self._without(name)
        self._write(kept)
        self._adopt(kept)
        return words

    def _without(self, name: str) -> tuple[str, _Kept]:
        name = plain(name)
        left = {
            field: tuple(each for each in getattr(self._kept, field) if each.name != name)
            for _, field in _KINDS.values()
        }
        kept = _Kept(**left)
        if kept == self._kept:
            raise PilothouseError(unknown(name, (name for name, _ in self._names()), "what I remember is"))
        return f"I have forgotten {name!r}", kept

    def _names(self) -> tuple[tuple[str, type], ...]:
        """Everything that is remembered: name and kind."""
        return tuple(
            (each.name, kind) for kind, (_, field) in _KINDS.items() for each in getattr(self._kept, field)
        )

    def _check(self, name: str, what: Kept) -> None:
        if not name or len(name) > _MOST_CHARACTERS or not any(letter.isalpha() for letter in name):
            raise PilothouseError(
                f"{what.name!r} is no name to remember; a word or some, {_MOST_CHARACTERS} characters at most"
            )
        if name in _TAKEN:
            raise PilothouseError(f"{name!r} means something already; give it another name")
        names = self._names()
        for other, kind in names:
            if other == name and kind is not type(what):
                noun = _KINDS[kind][0]
                raise PilothouseError(
                    f"a {noun} is called {name!r} already; take another name, or forget that"
                )
        # Remembered places are among the known things: calling one of them anew is no clash.
        own = {other for other, kind in names if kind is RememberedPlace is type(what)}
        if name in {plain(each) for each in self._others()} - own:
            raise PilothouseError(f"something else is called {name!r} already; give it another name")
        if len(names) >= _MOST_ENTRIES:
            raise PilothouseError(f"I remember {_MOST_ENTRIES} names already; forget one first")

    def _write(self, kept: _Kept) -> None:
        """From any thread."""
        if self._state is not None:
            try:
                self._state.write(FILE, kept)
            except InstallationError as error:
                raise PilothouseError(f"that cannot be kept: {error}") from error

    def _adopt(self, kept: _Kept) -> None:
        self._kept = kept
        self._changed()

    async def _obey(self, orders: asyncio.Queue[MemoryOrder], supply: Supply) -> None:
        """One order after the other."""
        while True:
            order = await orders.get()
            try:
                answer = MemoryAnswer(order.id, await self._carry_out(order))
            except PilothouseError as error:
                answer = MemoryAnswer(order.id, str(error), is_refused=True)
            except Exception as error:  # the next order is to be carried out all the same
                log.exception("the memory cannot carry out an order")
                answer = MemoryAnswer(order.id, f"{type(error).__name__}: {error}", is_refused=True)
            self._answers.append(answer)
            supply.update(self._handle(), answer.words)

    async def _carry_out(self, order: MemoryOrder) -> str:
        match order.what:
            case Check(what=wanted):
                return self.check(wanted)
            case Forget(name=name):
                words, kept = self._without(name)
            case what:
                words, kept = self._with(what)
        await asyncio.to_thread(self._write, kept)
        self._adopt(kept)
        return words

    def _handle(self) -> Remembered:
        kept = self._kept
        return Remembered(kept.places, kept.views, tuple(self._answers), kept.paths, kept.poses)


def _hear(command: Command, orders: asyncio.Queue[MemoryOrder]) -> None:
    try:
        orders.put_nowait(decode_memory_order(command.payload))
    except UNREADABLE as error:
        log.warning("an order to the memory cannot be read: %s", error)
    except asyncio.QueueFull:
        log.warning("more than %d orders to the memory wait: one is dropped", _MOST_ORDERS)


def _check_entry(entry: Kept) -> None:
    """Of a file, which anybody may have written. Raises PilothouseError."""
    if not entry.name or entry.name != plain(entry.name):
        raise PilothouseError(f"{entry.name!r} is no name to remember")
    if isinstance(entry, RememberedPath):
        _check_path(entry)


def _check_path(path: RememberedPath) -> None:
    """It may come from a client of whatever kind: nobody replays what is no motion."""
    points = path.waypoints
    if not 2 <= len(points) <= MOST_WAYPOINTS:
        raise PilothouseError(f"a motion of {len(points)} points is none; from 2 to {MOST_WAYPOINTS} will do")
    if not all(math.isfinite(value) for point in points for value in (point.time_s, *point.joints)):
        raise PilothouseError("the motion has numbers that are not finite")
    times = [point.time_s for point in points]
    if times[0] != 0.0 or any(later <= before for before, later in pairwise(times)):
        raise PilothouseError("the times of the motion have to rise, from 0 s")
