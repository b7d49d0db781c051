"""The names a language may use just now, read anew at each parse (`framework.plan.World`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from framework.plan import Known
from resources.types.context import ThingKind

if TYPE_CHECKING:
    from managers.console_backend import House


class KnownNames:
    """Names of devices, things and running actions of an installation, by the kinds that phrases use."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._kinds: dict[str, Callable[[], tuple[str, ...]]] = {
            "devices": self._devices,
            "running": self._running,
            "world.things": lambda: (*self._markers(), *self._things(ThingKind.OBJECT)),
            "world.objects": lambda: self._things(ThingKind.OBJECT),
            "world.places": lambda: self._things(ThingKind.PLACE),
        }

    def names(self, kind: str) -> tuple[str, ...]:
        """Names of the known things of a kind; none of a kind that nobody knows."""
        names = self._kinds.get(kind)
        return tuple(dict.fromkeys(names())) if names is not None else ()

    def known(self, kind: str) -> tuple[Known, ...]:
        """The same as known things."""
        return tuple(Known(name, name) for name in self.names(kind))

    def _devices(self) -> tuple[str, ...]:
        return tuple(device.name for device in self._house.sensors.devices())

    def _running(self) -> tuple[str, ...]:
        return tuple(plan.words for plan in self._house.supervisor.plans())

    def _markers(self) -> tuple[str, ...]:
        return self._house.context.trackable()

    def _things(self, kind: ThingKind) -> tuple[str, ...]:
        return tuple(thing.name for thing in self._house.context.things() if thing.kind is kind)
