"""Whose code a file is, and what becomes of a plugin whose code has held the main loop."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from contextvars import Context
from functools import lru_cache
from pathlib import Path

import framework
from framework.errors import LoopHeld
from framework.loop_watchdog import FAILS_S, Held, Owner, in_words
from framework.plugins.attempt import running
from framework.plugins.driver import DriverSpec
from framework.plugins.signature import ActionSpec
from framework.registrar.provider_task import scope

#: Files of these names stand for the folder that they lie in.
_OF_A_FOLDER = ("__init__.py", "driver.py")
_HOUSE = Path(framework.__file__).parent.parent
_OURS = ("framework", "grammars", "resources", "managers", "actions", "pilothouse")
_INSTEAD = "await it, or put it into asyncio.to_thread"


class PluginFiles:
    """Whose a file is (`framework.loop_watchdog.Whose`); our own actions and drivers are plugins like any."""

    def __init__(self, actions: Iterable[ActionSpec], drivers: Iterable[DriverSpec]) -> None:
        specs: list[tuple[Owner, ActionSpec | DriverSpec]] = [(Owner.ACTION, spec) for spec in actions]
        specs += [(Owner.DRIVER, spec) for spec in drivers]
        self._plugins: dict[Path, tuple[Owner, str]] = {}
        for owner, spec in specs:
            if spec.type is not None and (file := inspect.getsourcefile(spec.type)) is not None:
                path = Path(file)
                place = path.parent if path.name in _OF_A_FOLDER else path
                self._plugins.setdefault(place, (owner, spec.name))
        self._found = lru_cache(maxsize=1000)(self._look)

    def __call__(self, file: str) -> tuple[Owner, str] | None:
        return self._found(file)

    def _look(self, file: str) -> tuple[Owner, str] | None:
        path = Path(file)
        for place in (path, *path.parents):
            if place in self._plugins:
                return self._plugins[place]
        if path.is_relative_to(_HOUSE) and path.relative_to(_HOUSE).parts[0] in _OURS:
            return Owner.OURS, ""
        return None


def fail_holder(held: Held, context: Context | None) -> bool:
    """The plugin whose code has held the loop for long has failed by that; False if none of its runs has.

    context: of the callback that held it.
    """
    holder = held.holder
    if context is None or holder.owner is Owner.OURS or held.held_s < FAILS_S:
        return False
    words = f"{in_words(held)}; {_INSTEAD}"
    attempt, provider = context.get(running), context.get(scope)
    if holder.owner is Owner.ACTION and attempt is not None:
        attempt.fail(LoopHeld(words))
        return True
    if holder.owner is Owner.DRIVER and provider is not None:
        provider.supply.fail(words)
        return True
    return False
