"""Faults that only a played installation has: slow, lying, starved, lossy; clock, disk, main process.

All other ways to fail are those of `pilothouse fail`, and real: see `InstallationStage`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence, Set
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, Protocol

from framework.errors import ResourceUnavailable
from framework.scenarios.scenario import CLOCK, DISK, MAIN_PROCESS, NETWORK, How
from framework.scenarios.stage import StagePlace
from framework.testing.virtual_loop import VirtualLoop
from managers.process_manager import ProcessView
from pilothouse.testbed.installation_stage import PROCESS, PROCESSES, cannot
from pilothouse.testbed.virtual_ailments import AILMENTS, HEALTHY, Ailment
from pilothouse.testbed.virtual_controls import VirtualControl
from pilothouse.testbed.virtual_network import VirtualNetwork
from pilothouse.testbed.virtual_operators import VirtualOperators, VirtualSession

PHONE: Final = "phone 1"
STEP_S: Final = 3600.0
STARVED_S: Final = (0.15, 0.6)

_DEVICE = frozenset({How.DIE, How.HANG, How.GARBAGE, How.STALE, How.SLOW, How.LIE, How.STARVED})
_OF_PROCESS = frozenset({How.DIE, How.HANG, How.SLOW, How.STARVED})
_PERSON = frozenset({How.DIE, How.HANG, How.SLOW, How.LIE, How.STARVED, How.LOSSY})
_OF_NETWORK = frozenset({How.HANG, How.SLOW, How.LOSSY})
_PERSONS: Final = {How.DIE: ("leaves", "comes"), How.HANG: ("falls silent", "is back")}
_WHILE_UP: Final = frozenset(AILMENTS)
_NETWORK_IS: Final = {How.HANG: "cut", How.SLOW: "slow", How.LOSSY: "lossy"}
_MACHINE: Final = {CLOCK: How.STEP, DISK: How.FULL, MAIN_PROCESS: How.STARVED}


def places(
    devices: Sequence[str], moving: Set[str], arms: Set[str], has_people: bool
) -> tuple[StagePlace, ...]:
    """All that can fail in an installation with these devices."""
    found = [
        StagePlace(name, cannot(_DEVICE | {How.REFLEX} if name in arms else _DEVICE), _WHILE_UP)
        for name in devices
    ]
    for name in PROCESSES:
        if has_people or "operator" not in name:
            found.append(StagePlace(f"{PROCESS}{name}", cannot(_OF_PROCESS), _OF_PROCESS))
    if has_people:
        found.append(StagePlace(PHONE, cannot(_PERSON), _PERSON))
    found += [StagePlace(name, cannot(frozenset({how}))) for name, how in _MACHINE.items()]
    found.append(StagePlace(NETWORK, cannot(_OF_NETWORK), _OF_NETWORK))
    return tuple(found)


def up(there: Sequence[str], devices: Set[str]) -> frozenset[str]:
    """The places that are up. there: processes that are ready, and people; devices: that these serve."""
    named = {
        f"{PROCESS}{pattern}" for pattern in PROCESSES if any(fnmatchcase(name, pattern) for name in there)
    }
    return frozenset(devices | named | ({PHONE, NETWORK} & set(there)))


class Played(Protocol):
    """What the launcher of a played installation can do."""

    @property
    def operators(self) -> VirtualOperators | None: ...

    def control(self, device: str) -> VirtualControl | None: ...

    def catch_up(self) -> None: ...

    def ails(self, name: str, ailment: Ailment) -> None: ...


class VirtualFaults:
    """What was done to which place, and how it ends."""

    def __init__(self, launcher: Played, network: VirtualNetwork, state: Path) -> None:
        self._launcher = launcher
        self._network = network
        self._state = state
        self._ends: dict[str, Callable[[], str]] = {}

    def fail(self, place: str, how: How, running: Sequence[ProcessView]) -> str | None:
        """What was done; None if that is none of these faults. Raises ResourceUnavailable."""
        if place in self._ends:
            raise ResourceUnavailable(f"{place} has failed already")
        if place in _MACHINE:
            return self._fail_machine(place, how)
        if place == NETWORK:
            self._network.fail(how)
            self._ends[place] = self._network.restore
            return f"the network between the registrars is {_NETWORK_IS[how]}"
        people = self._launcher.operators
        if people is not None and (session := people.sessions.get(place)) is not None:
            return self._fail_person(people, session, how)
        if place == PHONE:
            raise ResourceUnavailable(f"{place} is not there")
        if how not in AILMENTS:
            return None
        control = self._launcher.control(place)
        if control is not None:
            control.ails(AILMENTS[how])
            self._ends[place] = lambda: self._heal_control(place)
            return f"the control loop of {place} is {how.value}"
        name = self._process(place, running)
        self._launcher.ails(name, AILMENTS[how])
        self._ends[place] = lambda: self._heal_process(name)
        return f"the process {name!r} is {how.value}"

    def restore(self, place: str) -> str | None:
        """What was done; None if nothing of these was to be ended."""
        end = self._ends.pop(place, None)
        return end() if end is not None else None

    def _process(self, place: str, running: Sequence[ProcessView]) -> str:
        for process in running:
            is_named = place.startswith(PROCESS) and fnmatchcase(process.name, place.removeprefix(PROCESS))
            if is_named or process.device == place:
                return process.name
        raise ResourceUnavailable(f"{place} does not run now")

    def _heal_control(self, device: str) -> str:
        control = self._launcher.control(device)
        if control is not None:
            control.ails(HEALTHY)
        return f"{device} is well again"

    def _heal_process(self, name: str) -> str:
        with suppress(
            ResourceUnavailable
        ):  # it is gone meanwhile, perhaps by another fault; a new one is healthy
            self._launcher.ails(name, HEALTHY)
        return f"the process {name!r} is well again"

    def _fail_person(self, people: VirtualOperators, session: VirtualSession, how: How) -> str:
        name = session.name
        now_s = asyncio.get_running_loop().time
        if how in _PERSONS:
            does, undoes = _PERSONS[how]
            words = people.play(f"{name} {does}", now_s())
            self._ends[name] = lambda: people.play(f"{name} {undoes}", now_s())
            return words
        if how not in AILMENTS:
            raise ResourceUnavailable(f"{name} cannot be made {how.value}")
        session.ailment = AILMENTS[how]

        def heal() -> str:
            session.ailment = HEALTHY
            return f"{name} has a good link again"

        self._ends[name] = heal
        return f"the link of {name} is {how.value}"

    def _fail_machine(self, place: str, how: How) -> str:
        if how is not _MACHINE[place]:
            raise ResourceUnavailable(f"of {place} there is only {_MACHINE[place].value}, not {how.value}")
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        match place:
            case "clock":
                step_s = loop.random.choice((-STEP_S, STEP_S))
                loop.virtual_epoch_s += step_s

                def back() -> str:
                    loop.virtual_epoch_s -= step_s
                    return "the wall clock is right again"

                self._ends[place] = back
                return f"the wall clock jumps by {step_s:g} s"
            case "disk":
                # A file in the folder's place: root may write anywhere else.
                away = self._state.with_name(f"{self._state.name}.away")
                self._state.rename(away)
                self._state.touch()

                def room() -> str:
                    self._state.unlink()
                    away.rename(self._state)
                    return "there is room on the disk again"

                self._ends[place] = room
                return "nothing can be written to the state folder"
            case _:
                starved_s = loop.random.uniform(*STARVED_S)
                loop.starve(starved_s)
                self._launcher.catch_up()
                return f"the main process got no processor for {1000 * starved_s:.0f} ms"
