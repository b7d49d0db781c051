"""Which devices there are, which can be opened, and how they have been: what both device managers share.

It opens none: that is the managers' business, and choosing among them too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from framework.clock import Clock
from framework.errors import PilothouseError, ResourceUnavailable
from framework.plugins.driver import Driver, DriverSpec
from framework.registrar import Supply
from framework.status import Reason, ReasonKind
from managers.reliability import Reliability
from managers.steadiness import Steadiness
from resources.robots.description import DeviceDescription
from resources.types.device_states import DeviceState

#: A device that keeps failing is left alone for no longer than this [s], unless its description says so.
LONGEST_REST_S = 300.0


class DeviceView(msgspec.Struct, frozen=True):
    """One device as it is now.

    says: what else people call it.
    mode: what its control loop does, in a word ("move", "guide"); "" if it has none, or does not run.
    """

    name: str
    kind: str
    driver: str
    mount: str
    state: DeviceState
    detail: str
    reliability: float
    mode: str = ""
    says: tuple[str, ...] = ()


class HasDevices(Protocol):
    """Whoever can say how devices are: a manager, or all of them together."""

    def devices(self) -> tuple[DeviceView, ...]: ...


class Devices:
    """The devices of one manager.

    Args:
        owner: what has them, for messages ("inspector").
        what: how they are called together ("device", "arm, gripper or base").
        drivers: what opens them, by name.
    """

    def __init__(
        self,
        owner: str,
        what: str,
        described: Sequence[DeviceDescription],
        drivers: Mapping[str, DriverSpec],
        clock: Clock,
        reliability: Reliability,
    ) -> None:
        self.described = tuple(described)
        self.reliability = reliability
        self._owner = owner
        self._what = what
        self._drivers = drivers
        self._clock = clock
        self._up: dict[str, Supply] = {}
        self._unplugged: set[str] = set()
        self._rests_until_s: dict[str, float] = {}
        self._steadiness: dict[str, Steadiness] = {}
        self._reasons: dict[str, str] = {}
        self._did_not_start: dict[str, tuple[float, str]] = {}  # told until, why
        self._changed = asyncio.Event()

    def known(self, name: str) -> DeviceDescription:
        """The device of that name; raises ResourceUnavailable with those there are."""
        for device in self.described:
            if device.name == name:
                return device
        known = ", ".join(device.name for device in self.described) or "none"
        raise ResourceUnavailable(f"{self._owner} has no {self._what} {name!r}; it has {known}")

    def driver(self, device: DeviceDescription) -> Driver:
        """Its driver, with its parameters. Raises ResourceUnavailable in words, with file and line."""
        try:
            return self._drivers[device.driver].make(device.parameters)
        except PilothouseError as error:
            where = f" ({device.where})" if device.where else ""
            raise ResourceUnavailable(f"{device.name}{where}: {error}") from error

    def why_not(self, device: DeviceDescription) -> str:
        """Why it cannot be opened now; "" if it can be tried."""
        if device.name in self._unplugged:
            return f"{device.name} is unplugged"
        driver = self._drivers.get(device.driver)
        if driver is None:
            known = ", ".join(sorted(self._drivers)) or "none"
            return f"{device.name} needs the driver {device.driver!r}; installed are {known}"
        if driver.unavailable:
            return f"{device.name}: its driver {device.driver!r} is unavailable: {driver.unavailable}"
        rests_s = self._rests_until_s.get(device.name, 0.0) - self._clock.now_s()
        if rests_s > 0:
            times = self._steadiness[device.name].in_a_row
            often = f" {times} times in a row, the last time because" if times > 1 else ""
            why = self._reasons[device.name]
            return f"{device.name} failed{often} ({why}) and is tried again in {rests_s:.0f} s"
        return ""

    def refusal(self, device: DeviceDescription) -> ResourceUnavailable | None:
        """Why it cannot be opened now, as an error; None if it can be tried."""
        why_not = self.why_not(device)
        if not why_not:
            return None
        is_there = device.name not in self._unplugged  # what is gone is not tried again by itself
        rests = is_there and self._rests_until_s.get(device.name, 0.0) > self._clock.now_s()
        kind = ReasonKind.RETRYING if rests else ReasonKind.FAILED
        return ResourceUnavailable(why_not, reason=Reason(kind, device=device.name))

    def best_first(self, devices: Sequence[DeviceDescription]) -> list[DeviceDescription]:
        """Whole ones before resting ones, then by priority, then by reliability."""
        of = self.reliability.of
        return sorted(devices, key=lambda d: (bool(self.why_not(d)), -d.priority, -of(d.name)))

    def opened(self, name: str, supply: Supply) -> None:
        """It works, and `supply` speaks for it."""
        self._up[name] = supply
        self._did_not_start.pop(name, None)
        self._steadiness.setdefault(name, Steadiness()).up(self._clock.now_s())
        self.reliability.loaded(name)

    def closed(self, name: str) -> None:
        """Nobody has it open any more."""
        self._up.pop(name, None)

    def failed(self, device: DeviceDescription, why: str, *, rests: bool) -> None:
        """It failed by itself, at the start or in use; with `rests` it is left alone for a while, each time
        for longer while it keeps failing."""
        self.reliability.failed(device.name)
        if rests:
            now_s = self._clock.now_s()
            steadiness = self._steadiness.setdefault(device.name, Steadiness())
            steadiness.lost(now_s)
            grown_s = device.retry_after_s * 2.0 ** min(steadiness.in_a_row - 1, 20)
            self._reasons[device.name] = why
            self._rests_until_s[device.name] = now_s + min(grown_s, max(LONGEST_REST_S, device.retry_after_s))

    def did_not_start(self, device: DeviceDescription, why: str) -> None:
        """It is shown as resting for a while, with the reason; who asks for it tries it all the same."""
        self._did_not_start[device.name] = (self._clock.now_s() + device.retry_after_s, why)

    def unplug(self, name: str, *, noticed: bool = True) -> None:
        """The device is gone, and nobody gets it before `plug_in`.

        noticed: what uses it fails at once; else whoever drives the device has to find out.
        """
        self.known(name)
        self._unplugged.add(name)
        supply = self._up.get(name)
        if supply is not None and noticed:
            supply.fail(f"{name} was unplugged")

    def retry(self, name: str) -> None:
        """Somebody says "retry now": it has rested, and what was before is forgotten."""
        self.known(name)
        self._steadiness.pop(name, None)
        self._rests_until_s.pop(name, None)
        self._did_not_start.pop(name, None)
        self.tell_changed()

    def plug_in(self, name: str) -> None:
        """The device is there again, rested. Whoever prefers it may go back to it."""
        self.known(name)
        self._unplugged.discard(name)
        self.retry(name)

    def view(
        self, device: DeviceDescription, *, fault: str = "", detail: str = "", mode: str = ""
    ) -> DeviceView:
        """As it is now. fault: what it has to be recovered from; detail: what it does while it is in use."""
        why_not = self.why_not(device)
        if device.name in self._unplugged:
            state = DeviceState.UNPLUGGED if device.name not in self._up else DeviceState.IN_USE
        elif fault:
            state, why_not = DeviceState.FAULT, fault
        elif device.name in self._up:
            state, why_not = DeviceState.IN_USE, why_not or detail
        elif why_not:
            state = DeviceState.RESTING if device.name in self._rests_until_s else DeviceState.UNAVAILABLE
        elif self._did_not_start.get(device.name, (-1.0, ""))[0] > self._clock.now_s():
            state, why_not = DeviceState.RESTING, f"it did not start: {self._did_not_start[device.name][1]}"
        else:
            state = DeviceState.FREE
        reliability = self.reliability.of(device.name)
        return DeviceView(
            device.name,
            device.kind,
            device.driver,
            device.mount,
            state,
            why_not,
            reliability,
            mode,
            device.says,
        )

    @property
    def next_change(self) -> asyncio.Event:
        """Set when one has been plugged in, released from its rest, or given back. Each is set once."""
        return self._changed

    async def until_changed(self) -> None:
        """Wait for the next change."""
        await self._changed.wait()

    def tell_changed(self) -> None:
        """Wake all who wait; the next wait is for the next change."""
        self._changed.set()
        self._changed = asyncio.Event()
