"""What a scenario runs on when it is real: an installation in this process, with the processes below it."""

from __future__ import annotations

import asyncio
import math
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

import msgspec

from framework.errors import (
    InstallationError,
    PilothouseError,
    ResourceFailed,
    ResourceUnavailable,
    StreamError,
)
from framework.registrar import ResourceView
from framework.registrar.journal import Journal
from framework.registrar.records import ResourceState
from framework.scenarios.scenario import How, Scenario
from framework.scenarios.stage import (
    StageActivity,
    StageDevice,
    StageMotion,
    StagePlace,
    StageProcess,
    StageResource,
    StageView,
    SupervisedStage,
    dangling_of,
    leaked_of,
)
from framework.status import Priority
from framework.supervisor import EventKind
from framework.transport.ring import RingReader
from framework.unreadable import UNREADABLE
from managers.process_manager import ProcessView
from pilothouse.installation import Installation, Settings
from pilothouse.robots import robot_of
from pilothouse.running import started_ticks
from pilothouse.testbed.room import Room
from resources.children.failing import FailMode
from resources.console.graph import label
from resources.console.server import DEFAULT_PORT
from resources.controllers.modes import ArmMode
from resources.operator.spec import NAME as OPERATOR_PROCESS
from resources.types.arms import Motion
from resources.types.control import SimulatedControl, Simulation
from resources.types.device_states import DeviceState
from resources.types.motion import SAMPLES, ArmSample, BaseSample, ControllerKind, GripperSample, MotionSample
from resources.types.naming import plain
from resources.types.operator import OperatorLinks
from resources.types.processes import Process
from resources.types.speech import Speech

SignalProcess = Callable[[ProcessView, int], None]

START_S: Final = 90.0
"""The simulated robot is up after so long, or does not come up at all."""


DRIVERS: Final = Path(__file__).with_name("drivers")
"""Of devices that only a scenario has."""

PROCESS: Final = "process "
PROCESSES: Final = ("world *", "view encoder *", "stitcher *", OPERATOR_PROCESS)
"""The processes that are no device's own."""

_MODES: Final = frozenset(mode.value for mode in FailMode)
_SIGNALS: Final = {How.DIE: (signal.SIGKILL, "was killed"), How.HANG: (signal.SIGSTOP, "stands still")}

COMMON_WAYS: Final = frozenset({How.DIE, How.HANG, How.GARBAGE, How.STALE})
PROCESS_WAYS: Final = frozenset(_SIGNALS)

_WHY_NOT: Final = {
    How.REFLEX: "only an arm has reflexes",
    How.LOSSY: "only a person's link can lose: samples of devices go through shared memory",
    How.STEP: "only the clock can be stepped",
    How.FULL: "only the disk can be full",
}


def ways_of(kind: str) -> frozenset[How]:
    """In which a real device of this kind can be made to fail."""
    return COMMON_WAYS | {How.REFLEX} if kind == ControllerKind.ARM else COMMON_WAYS


def cannot(ways: frozenset[How]) -> dict[How, str]:
    """All other ways to fail, each with why there is none."""
    return {how: _WHY_NOT.get(how, "nothing here can do that to it") for how in How if how not in ways}


def motion_of(device: str, sample: MotionSample, reported_s: float, life: int) -> StageMotion:
    """How it stands, from what its loop says, or would say."""
    place: tuple[float, ...]
    force_n: float | None = None
    match sample:
        case ArmSample(base_T_tool=pose, wrench_measured=wrench):
            place = pose[:3]
            force_n = math.hypot(*wrench[:3]) if wrench is not None else None
        case BaseSample(odometry=(x, y, _)):
            place = (x, y)
        case GripperSample(width_m=width_m, force_n=force_n):
            place = (width_m,)
    loop = sample.loop
    return StageMotion(
        device, place, loop.is_at_rest, reported_s, bool(loop.engaged), force_n, life, TOP_SPEED[type(sample)]
    )


_SEEN_WITHIN_S: Final = 0.15
"""An older report says where something was, and not where it is: its loop hangs, and its brakes are on."""

TOP_SPEED: Final = {ArmSample: 1.7, BaseSample: 1.0, GripperSample: 0.3}
"""Nothing of these is ever faster [m/s]."""


class InstallationStage(SupervisedStage):
    """`framework.scenarios.Stage` of a running installation. Times are those its samples are stamped with.

    signal_process: delivers a signal to a process. `close` lets go of the streams that were looked at.
    """

    def __init__(self, installation: Installation, *, signal_process: SignalProcess | None = None) -> None:
        super().__init__(installation.supervisor)
        self._installation = installation
        self._signal_process = signal_process or (lambda process, number: os.kill(process.pid, number))
        self._managers = installation.managers
        self._processes = installation.processes
        self._readers: dict[str, RingReader] = {}
        self._readers_of_motion: dict[str, RingReader] = {}
        self._taken: dict[str, asyncio.Task[None]] = {}
        self._listening: asyncio.Task[None] | None = None
        self._room: Room | None = None

    def close(self) -> None:
        """Idempotent."""
        if self._listening is not None:
            self._listening.cancel()
            self._listening = None
        for readers in (self._readers, self._readers_of_motion):
            for reader in readers.values():
                reader.close()
            readers.clear()
        for holding in self._taken.values():
            holding.cancel()
        self._taken.clear()

    @property
    def is_stopped(self) -> bool:
        """Whether the emergency stop is set."""
        return self._managers.emergency.is_latched

    def now_s(self) -> float:
        """CLOCK_MONOTONIC, which is the loop's time as well; on a virtual clock virtual time."""
        return self._installation.monotonic_s()

    async def until_up(self) -> None:
        """Wait for the simulated robot, and for who serves phones: from then on time counts.

        Raises InstallationError.
        """
        await self._until_simulated()
        desk = self._managers.operators
        if not self._installation.settings.phones or desk is None:
            return
        async with asyncio.timeout(START_S):
            while not desk.is_served:  # noqa: ASYNC110 - what is waited for is told by another process
                await asyncio.sleep(0.05)

    async def _until_simulated(self) -> None:
        if not robot_of(self._installation.settings).world:
            return
        try:
            async with asyncio.timeout(START_S):
                async for _ in self.events.follow(since=0):
                    if self._managers.simulation is not None:
                        return
        except TimeoutError as error:
            last = self.events.history()[-1].text if self.events.last_sequence else "nothing was said"
            raise InstallationError(
                f"the simulated robot did not start within {START_S:g} s ({last})"
            ) from error

    # -- faults

    def fail(self, device: str, how: How) -> str:
        """As `pilothouse fail`; processes as by a signal."""
        if device.startswith(PROCESS) and how in _SIGNALS:
            return self._signal(device.removeprefix(PROCESS), *_SIGNALS[how])
        if how not in _MODES:
            raise ResourceUnavailable(f"{device} cannot be made {how.value} here: only on the virtual clock")
        return self._said(self._managers.faults.fail(device, FailMode(how.value)))

    def restore(self, device: str) -> str:
        """As `pilothouse restore`; a process that stands still goes on."""
        if device.startswith(PROCESS):
            return self._signal(device.removeprefix(PROCESS), signal.SIGCONT, "goes on")
        return self._said(self._managers.faults.restore(device))

    def kill(self, process: str) -> str:
        """SIGKILL to the first that fits."""
        return self._signal(process, signal.SIGKILL, "was killed")

    def stop_process(self, process: str) -> str:
        """SIGSTOP to the first that fits."""
        return self._signal(process, signal.SIGSTOP, "stands still")

    def continue_process(self, process: str) -> str:
        """SIGCONT to the first that fits."""
        return self._signal(process, signal.SIGCONT, "goes on")

    # -- an operator of their own

    def take(self, device: str) -> str:
        """With an operator's right, as somebody who drives it by hand does."""
        known = [each.name for each in self._managers.controllers.devices()]
        if device not in known:
            raise ResourceUnavailable(f"nothing that moves is called {device!r}; there is {', '.join(known)}")
        if device in self._taken:
            raise ResourceUnavailable(f"the operator has {device} already")
        self._taken[device] = asyncio.create_task(self._hold(device), name=f"operator with {device}")
        return f"an operator takes {device}"

    def give_back(self, device: str) -> str:
        """As they wish."""
        holding = self._taken.pop(device, None)
        if holding is None:
            raise ResourceUnavailable(f"the operator does not have {device}")
        holding.cancel()
        return f"the operator gives {device} back"

    async def _hold(self, device: str) -> None:
        wish = self._managers.controllers.registrar.request(
            Motion(device), exclusive=True, priority=Priority.OPERATOR, wait=True, who="operator"
        )
        with suppress(ResourceUnavailable, ResourceFailed):
            async with wish as lease:
                lease.lets_go(by_word=True)  # it ends only as they give it back
                await asyncio.Event().wait()

    # -- what is heard

    @property
    def listens(self) -> bool:
        """Until it is taken back, also when nothing is heard any more."""
        return self._listening is not None

    def listen(self, *, is_on: bool) -> str:
        """As `pilothouse listen`; why it ends is told as an event."""
        if is_on and self._listening is None:
            self._listening = asyncio.create_task(self._listen(), name="a scenario listens")
        elif not is_on and self._listening is not None:
            self._listening.cancel()
            self._listening = None
        return "the robot listens" if is_on else "the robot does not listen any more"

    async def _listen(self) -> None:
        try:
            async for _ in self._managers.listening.listen(Speech(), self._who):
                pass
        except PilothouseError as error:
            self.events.emit(EventKind.DEVICE, f"Nobody is heard any more: {error.why}.", who=self._who)

    def speak(self, words: str) -> str:
        """In the room of all its microphones that have one (driver `room_microphone`)."""
        if self._room is None:
            self._room = Room(self._installation.directory)
        self._room.say(words, self.now_s())
        return ""

    # -- what is seen

    def devices(self) -> tuple[StageDevice, ...]:
        """Those of the robot."""
        return tuple(
            StageDevice(device.name, device.state, device.detail) for device in self._managers.devices()
        )

    def views(self) -> tuple[StageView, ...]:
        """What is on the console, with the newest sample of the page's own ring."""
        views = self._managers.outputs.views()
        rings = {handle.encoded.ring for _, handle in views.values()}
        for ring in self._readers.keys() - rings:
            self._readers.pop(ring).close()
        return tuple(
            StageView(view_id, view.source.name, *self._newest(handle.encoded.ring))
            for view_id, (view, handle) in views.items()
        )

    def processes(self) -> tuple[StageProcess, ...]:
        """Those that the process manager runs."""
        return tuple(StageProcess(process.name, process.pid) for process in self._running())

    def resources(self) -> tuple[StageResource, ...]:
        """Of all registrars."""
        return tuple(
            StageResource(f"{view.registrar}/{label(view.request)}", view.state, view.detail)
            for view in self._resources()
        )

    def leaked(self) -> tuple[str, ...]:
        """Whatever is up apart from the simulated robot and who serves operators, which are kept for good."""
        resources = self._resources()
        kept = frozenset(
            view.id for view in resources if isinstance(view.request, Simulation | OperatorLinks)
        )
        left = [f"{view.registrar}/{label(view.request)}" for view in leaked_of(resources, kept)]
        known = {view.request.spec.name for view in resources if isinstance(view.request, Process)}
        left += [f"process {view.name}" for view in self._running() if view.name not in known]
        return tuple(left)

    def ailing(self) -> tuple[str, ...]:
        """Devices, and what is kept for good."""
        found: list[str] = []
        recovers = False
        for device in self._managers.devices():
            if device.state.works:
                continue
            found.append(f"{device.name} is {device.state.value} ({device.detail})")
            if device.state is DeviceState.FAULT and not recovers:
                recovers = True  # one after the other: which one is meant by "carry on" is no question then
                recover = f"recover the {plain(device.name)}"
                is_asking = any(each.words == recover for each in self._supervisor.plans())
                self.say("carry on" if is_asking else recover)  # the way is clear
            elif device.state is DeviceState.RESTING:
                with suppress(PilothouseError):  # it has just begun by itself
                    self._managers.faults.retry(device.name)
        for registrar in self._managers.registrars:
            for view in registrar.snapshot().resources:
                if view.state in (ResourceState.RETRYING, ResourceState.NEEDS_HUMAN):
                    found.append(f"{view.registrar}/{label(view.request)} is {view.state}")
                    with suppress(PilothouseError):  # the same
                        registrar.retry_now(view.id)
        if robot_of(self._installation.settings).world and self._managers.simulation is None:
            found.append("the simulated robot is not up")
        desk = self._managers.operators
        if self._installation.settings.phones and (desk is None or not desk.is_served):
            found.append("operators are not served")
        return tuple(found)

    def dangling(self) -> tuple[str, ...]:
        """Among all registrars."""
        return dangling_of(tuple(registrar.snapshot() for registrar in self._managers.registrars))

    def journals(self) -> tuple[Journal, ...]:
        """Of all registrars."""
        return tuple(registrar.journal for registrar in self._managers.registrars)

    def activities(self) -> tuple[StageActivity, ...]:
        """With what is granted to them, and whether they wait for a word."""
        interlock = self._installation.interlock
        return tuple(
            msgspec.structs.replace(
                each,
                moves=interlock.moved_for(each.node),
                awaits_word=interlock.awaited(each.plan) is not None,
            )
            for each in super().activities()
        )

    def motions(self) -> tuple[StageMotion, ...]:
        """As the control loops of the simulated world report it; arms ride on the base."""
        simulation = self._managers.simulation
        controls = simulation.controls if simulation is not None else ()
        base = next((each.device for each in controls if each.kind is ControllerKind.BASE), "")
        return tuple(motion for each in controls if (motion := self._motion(each, base)) is not None)

    def places(self) -> tuple[StagePlace, ...]:
        """The devices, and the processes beside theirs."""
        devices = [(view.name, view.kind) for view in self._managers.devices()]
        found = [StagePlace(name, cannot(ways_of(kind))) for name, kind in devices]
        found += [StagePlace(f"process {name}", cannot(PROCESS_WAYS)) for name in PROCESSES]
        return tuple(found)

    # -- inside

    def _motion(self, control: SimulatedControl, base: str) -> StageMotion | None:
        ring = control.state.ring
        try:
            reader = self._readers_of_motion.get(ring)
            if reader is None:
                reader = self._readers_of_motion[ring] = RingReader(Path(ring))
            elif reader.replaced():
                reader.reopen()
            sample = reader.latest()
            if sample is None:
                return None
            found = msgspec.msgpack.decode(sample.payload, type=SAMPLES[control.kind])
        except (StreamError, *UNREADABLE):  # it begins, has just ended, or sends garbage
            return None
        life = next((each.pid for each in self._running() if each.name.startswith("world ")), 0)
        motion = motion_of(control.device, found, sample.stamp_s, life)
        if self.now_s() - sample.stamp_s > _SEEN_WITHIN_S:
            return msgspec.structs.replace(motion, is_seen=False)
        if isinstance(found, ArmSample) and found.loop.mode != ArmMode.LOCKED.value:  # brakes do not give way
            return msgspec.structs.replace(motion, carried_by=base, steered_to=found.base_T_target[:3])
        return motion

    def _running(self) -> list[ProcessView]:
        return [process for process in self._processes.processes() if process.pid]

    def _resources(self) -> tuple[ResourceView, ...]:
        return tuple(
            view for registrar in self._managers.registrars for view in registrar.snapshot().resources
        )

    def _newest(self, ring: str) -> tuple[int, float]:
        nothing = (0, float("-inf"))
        try:
            reader = self._readers.get(ring)
            if reader is None:
                reader = self._readers[ring] = RingReader(Path(ring))
            elif reader.replaced():  # what draws it was started again
                reader.reopen()
            sequence = reader.sequence
            if not sequence:
                return nothing
            now_s = self.now_s()
            return sequence, now_s - reader.age_s(now_s)
        except StreamError:  # its encoder has just ended; the view follows in a moment
            return nothing

    def _signal(self, pattern: str, number: signal.Signals, words: str) -> str:
        for process in self._running():
            if fnmatchcase(process.name, pattern):
                try:
                    self._signal_process(process, number)
                except ProcessLookupError as error:
                    raise ResourceUnavailable(f"the process {process.name!r} has just ended") from error
                return self._said(f"the process {process.name!r} {words}")
        names = ", ".join(sorted(process.name for process in self._running())) or "none"
        raise ResourceUnavailable(f"no process {pattern!r} runs; running are {names}")

    def _said(self, words: str) -> str:
        self.events.emit(EventKind.DEVICE, f"{words} (scenario).", who=self._who)
        return words


def settings_of(scenario: Scenario, state: Path, seed: int, *, port: int = DEFAULT_PORT) -> Settings:
    """What it is run with; its robot description and its actions stand beside its file."""
    beside = Path(scenario.file).parent
    return Settings(
        state,
        scenario.world,
        str(beside / scenario.robot) if scenario.robot else "",
        seed,
        (beside / scenario.actions,) if scenario.actions else (),
        port=port,
        driver_folders=(DRIVERS,),
        phones="127.0.0.1" if scenario.phones else "",
        phone_port=0,
    )


def children() -> dict[int, int]:
    """The living children of this process: when each was started [clock ticks], by process id."""
    found: dict[int, int] = {}
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # a thread that has just ended
            for pid in map(int, (task / "children").read_text().split()):
                if ticks := started_ticks(pid):
                    found[pid] = ticks
    return found
