"""What operators have the robot remember: places and views, kept in the state folder.

A name means one thing: what is a device, a known thing or a word of the language already is refused.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import TypeVar

import msgspec

from framework.errors import DescriptionError, InstallationError, PilothouseError
from framework.registrar import Supply
from framework.state import StateFolder
from framework.transport.messages import Command
from resources.types.memory import (
    Forget,
    Memory,
    MemoryAnswer,
    Remembered,
    RememberedPlace,
    RememberedView,
    decode_memory_order,
)
from resources.types.naming import plain, unknown

log = logging.getLogger("pilothouse.managers")

FILE = "memory"
_MOST_CHARACTERS = 60
_MOST_ENTRIES = 500
_ANSWERS = 16

_Entry = TypeVar("_Entry", RememberedPlace, RememberedView)

#: Words that mean something else wherever a name can stand.
_POINTING = "it them him her this that here there these those one same"
_TAKEN = frozenset(
    # What `show` takes besides names, what stands for everything, and what points or refers.
    f"camera scan cloud environment surroundings place view everything all {_POINTING}".split()
)


class _Kept(msgspec.Struct, frozen=True):
    """The file."""

    places: tuple[RememberedPlace, ...] = ()
    views: tuple[RememberedView, ...] = ()


class MemoryBook:
    """Places and views by name, and the provider of `Memory`.

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
        self._unreadable = ""
        self._kept = _Kept()
        if state is not None:
            try:
                self._kept = state.read(FILE, _Kept) or _Kept()
            except DescriptionError as error:
                # What is in there may be dear to somebody: it is not written over.
                self._unreadable = f"what was remembered cannot be read, and is left as it is: {error}"
                log.error(self._unreadable)

    @property
    def places(self) -> tuple[RememberedPlace, ...]:
        """All remembered places, in the order of their names."""
        return self._kept.places

    @property
    def views(self) -> tuple[RememberedView, ...]:
        """All remembered views, in the order of their names."""
        return self._kept.views

    @asynccontextmanager
    async def provide(self, request: Memory, supply: Supply) -> AsyncIterator[Remembered]:
        """The memory as a resource that takes orders."""
        supply.on_command(lambda command: self._obey(command, supply))
        yield self._handle()

    def keep(self, what: RememberedPlace | RememberedView) -> str:
        """Remember it; says what was done. Raises PilothouseError if the name will not do."""
        name = plain(what.name)
        self._check(name, what)
        what = msgspec.structs.replace(what, name=name)
        if isinstance(what, RememberedPlace):
            places = {place.name: place for place in self._kept.places}
            replaced = name in places
            self._write(_Kept(_sorted(places | {name: what}), self._kept.views))
            noun = "place"
        else:
            views = {view.name: view for view in self._kept.views}
            replaced = name in views
            self._write(_Kept(self._kept.places, _sorted(views | {name: what})))
            noun = "view"
        before = f"; the {noun} that was called so before is forgotten" if replaced else ""
        return f"I remember the {noun} {name!r}{before}"

    def forget(self, name: str) -> str:
        """Forget a place or a view; says what was done. Raises PilothouseError if there is none."""
        name = plain(name)
        places = tuple(place for place in self._kept.places if place.name != name)
        views = tuple(view for view in self._kept.views if view.name != name)
        if (places, views) == (self._kept.places, self._kept.views):
            names = [place.name for place in self.places] + [view.name for view in self.views]
            raise PilothouseError(unknown(name, names, "what I remember is"))
        self._write(_Kept(places, views))
        return f"I have forgotten {name!r}"

    def _check(self, name: str, what: RememberedPlace | RememberedView) -> None:
        if not name or len(name) > _MOST_CHARACTERS or not any(letter.isalpha() for letter in name):
            raise PilothouseError(
                f"{what.name!r} is no name to remember; a word or some, {_MOST_CHARACTERS} characters at most"
            )
        if name in _TAKEN:
            raise PilothouseError(f"{name!r} means something already; give it another name")
        is_place = isinstance(what, RememberedPlace)
        places, views = [each.name for each in self.places], [each.name for each in self.views]
        if name in (views if is_place else places):
            other = "view" if is_place else "place"
            raise PilothouseError(f"a {other} is called {name!r} already; take another name, or forget that")
        # Remembered places are among the known things: calling one of them anew is no clash.
        if name in {plain(each) for each in self._others()} - set(places if is_place else ()):
            raise PilothouseError(f"something else is called {name!r} already; give it another name")
        if len(places) + len(views) >= _MOST_ENTRIES:
            raise PilothouseError(f"I remember {_MOST_ENTRIES} names already; forget one first")

    def _write(self, kept: _Kept) -> None:
        if self._unreadable:
            raise PilothouseError(self._unreadable)
        if self._state is not None:
            try:
                self._state.write(FILE, kept)
            except InstallationError as error:
                raise PilothouseError(f"that cannot be kept: {error}") from error
        self._kept = kept
        self._changed()

    def _obey(self, command: Command, supply: Supply) -> None:
        try:
            order = decode_memory_order(command.payload)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            log.warning("an order to the memory cannot be read: %s", error)
            return
        what = order.what
        try:
            words = self.forget(what.name) if isinstance(what, Forget) else self.keep(what)
            answer = MemoryAnswer(order.id, words)
        except PilothouseError as error:
            answer = MemoryAnswer(order.id, str(error), is_refused=True)
        self._answers.append(answer)
        supply.update(self._handle(), answer.words)

    def _handle(self) -> Remembered:
        return Remembered(self._kept.places, self._kept.views, tuple(self._answers))


def _sorted(entries: dict[str, _Entry]) -> tuple[_Entry, ...]:
    return tuple(entry for _, entry in sorted(entries.items()))
