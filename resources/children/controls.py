"""The control loops of a simulated world: orders from mailboxes in, mechanisms moved, reports out.

Each loop can be made to fail alone, as a control process on hardware would, and its drives then do what real
ones do: die: they lock, and the stream ends; hang: the last torque goes on for 20 ms, then they lock, and no
report comes; garbage: what it commands is refused, they lock, and its reports are noise; stale: it goes on,
but reports nothing; reflex: a fault, until it is recovered from.

What one of them raises is its own failure, too: a fault, its drives cut, and all others go on.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from framework.errors import CommandRefused, DescriptionError, StreamError
from resources.arms.pose import Vector3
from resources.children.arguments import ControlArguments
from resources.children.complaints import Complaints
from resources.children.control_port import LoopChannels
from resources.children.failing import FailMode
from resources.children.scan_reading import ScanReading
from resources.controllers.loop import ControlLoopCore, MotionStop
from resources.twin.obstacles import Surroundings
from resources.types.control import ControlReport, SimulatedControl
from resources.types.motion import ControllerKind
from resources.types.streams import StreamFormat
from resources.worlds.arm_part import ArmOptions
from resources.worlds.part import WorldPart
from resources.worlds.reflexes import ReflexLimits
from resources.worlds.world import World

MOTION_HZ = 100.0
"""How often each loop reports."""

_SILENCE_S = 0.02
"""Drives that hear nothing for so long lock: twenty periods, as those of a Franka [s]."""

log = logging.getLogger("pilothouse.world")


class Control:
    """One device: mechanism in the world, loop, mailbox and stream. Raises SharedMemoryFull."""

    def __init__(
        self, arguments: ControlArguments, part: WorldPart, directory: Path, complaints: Complaints
    ) -> None:
        self.device = arguments.device
        self._arguments = arguments
        self._part = part
        self._directory = directory
        self._complaints = complaints
        self._failing: FailMode | None = None
        self._is_broken = False
        self._lives = 0
        self.core = self._new_core()
        self._scans = ScanReading(complaints)
        self._channels = self._new_channels()

    @property
    def handle(self) -> SimulatedControl:
        """What is said of it at the start."""
        part = self._part
        state = self._channels.stream(StreamFormat(part.kind.value), part.frame, MOTION_HZ)
        return SimulatedControl(
            self.device, part.kind, state, frame=part.frame, home=part.home, robot_T_base=part.robot_T_base
        )

    @property
    def report(self) -> ControlReport:
        """What its loop says of itself."""
        return ControlReport(self.device, self.core.state())

    @property
    def is_failing(self) -> bool:
        """Whether it was made to fail, and has not been plugged in since; a reflex is none of that."""
        return self._failing is not None

    @property
    def is_run(self) -> bool:
        """Whether its loop looks and hears at all; it may have been made to fail so that it does not."""
        return self._failing not in (FailMode.DIE, FailMode.HANG, FailMode.GARBAGE)

    def before(self, stop: MotionStop, now_s: float) -> None:
        """What is wanted, and what must not be; before the steps that are due."""
        orders = self._channels.orders(now_s)
        if orders is not None and orders.lives > self._lives:
            self._lives = orders.lives
            self._begin_anew(after=orders.lives_after)
        if not self.is_run:
            return
        core, channels = self.core, self._channels
        core.begin_turn(orders, stop, now_s, hand=channels.hand, recover=self._recover)
        if (guard := self._part.scan_guard) is not None:
            guard.scanners = tuple(name for name, _ in core.scans)
            for name, scan in self._scans.news(core.scans, now_s):
                guard.see(name, scan)

    def after(self, world_s: float, now_s: float) -> None:
        """What has become of it, and its report; after the steps."""
        if self._failing in (FailMode.DIE, FailMode.HANG):
            return
        if self._failing is FailMode.GARBAGE:
            self._channels.ring.write(os.urandom(997), stamp_s=now_s, meta=os.urandom(64))
            return
        self.core.end_turn(now_s, self._part.fault())
        if self._failing is FailMode.STALE:
            return
        try:
            self._channels.write(self._part.sample(self.core.state(), world_s), now_s)
        except StreamError as error:
            self._complaints.add(f"{self.device}: {error}", now_s)

    def release(self, words: str, now_s: float) -> None:
        """Come to rest, and follow nobody."""
        self.core.release(words, now_s)

    def fail(self, how: FailMode, now_s: float) -> None:
        """From now on; see the module."""
        if how is FailMode.REFLEX:
            self.core.fail("reflex: it was made to have one", now_s)
            return
        if self._failing is FailMode.DIE:
            return  # its stream is closed: the dead fail in no other way until they are begun anew
        self._failing = how
        match how:
            case FailMode.DIE:
                self._part.cut()
                self._channels.ring.close()
            case FailMode.HANG:
                self._part.cut(after_s=_SILENCE_S)
            case FailMode.GARBAGE:
                self._part.cut()

    def broke(self, error: Exception, now_s: float) -> None:
        """Its controller has raised what it must not: a fault, and its drives stop by themselves."""
        words = f"its controller broke: {type(error).__name__}: {error}"
        if not self._is_broken:
            log.error("%s: %s", self.device, words, exc_info=error)
        self._complaints.add(f"{self.device}: {words}", now_s)
        self._is_broken = True
        self._part.cut()
        with suppress(Exception):  # what is broken may not even come to rest: its drives do, they are cut
            self.core.fail(words, now_s)

    @property
    def prefix(self) -> str:
        """With it the names of its mechanism begin in the world's model."""
        return self._part.prefix

    def moves(self, part: WorldPart) -> bool:
        """Whether this is its mechanism."""
        return part is self._part

    def close(self) -> None:
        """End the stream, and let go of the mailbox."""
        self._channels.close()
        self._scans.close()

    def _begin_anew(self, after: int) -> None:
        """A new loop after a failure; it holds, and follows nobody who was granted it up to `after`."""
        if self._failing is FailMode.DIE:
            self._channels.close()
            self._channels = self._new_channels()
        if self.is_failing or self._is_broken:
            self._failing = None
            self._is_broken = False
            self._part.restart()
            self.core = self._new_core(after=max(self.core.granted, after))

    def _recover(self) -> None:
        if self._is_broken:
            self._is_broken = False
            self._part.restart()
            self.core.mechanism = self._part.mechanism
        self._part.recover()

    def _new_core(self, after: int = 0) -> ControlLoopCore:
        stop = self._arguments.stop
        return ControlLoopCore(self.device, self._part.mechanism, stop=stop, after=after)

    def _new_channels(self) -> LoopChannels:
        return LoopChannels(self._directory, self.device, self._arguments.orders, self._complaints)


class Controls:
    """All of a world's. Raises SharedMemoryFull, DescriptionError (no such mechanism, or one named twice)."""

    def __init__(
        self,
        arguments: Sequence[ControlArguments],
        world: World,
        directory: Path,
        complaints: Complaints,
    ) -> None:
        _check(arguments)
        self._world = world
        with ExitStack() as made:
            self._controls: dict[str, Control] = {}
            for each in arguments:
                control = Control(each, world.part(each.kind, each.part), directory, complaints)
                made.callback(control.close)
                self._controls[each.device] = control
            self._open = made.pop_all()

    def before(self, stop: MotionStop, now_s: float) -> None:
        """See `Control.before`."""
        for control in self:
            try:
                control.before(stop, now_s)
            except Exception as error:
                control.broke(error, now_s)

    def after(self, now_s: float) -> None:
        """See `Control.after`."""
        for control in self:
            try:
                control.after(self._world.time_s, now_s)
            except Exception as error:
                control.broke(error, now_s)

    def broke(self, part: WorldPart, error: Exception, now_s: float) -> None:
        """A mechanism of the world has raised something: see `Control.broke`. Raises it if it is nobody's."""
        for control in self:
            if control.moves(part):
                control.broke(error, now_s)
                return
        raise error

    def lead(self, device: str, way: Vector3) -> None:
        """Somebody leads an arm by its tool, see `World.lead`. Raises CommandRefused."""
        control = self.of(device)
        if control.handle.kind is not ControllerKind.ARM:
            raise CommandRefused(f"{device} cannot be led by hand: only an arm can")
        self._world.lead(control.prefix, way)

    def of(self, device: str) -> Control:
        """One of them. Raises CommandRefused if there is none."""
        if device not in self._controls:
            raise CommandRefused(
                f"nothing here is called {device!r}; what moves is {', '.join(self._controls)}"
            )
        return self._controls[device]

    def __iter__(self) -> Iterator[Control]:
        return iter(self._controls.values())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()


def arm_options(arguments: Sequence[ControlArguments]) -> dict[str, ArmOptions]:
    """How the world's arms are to be made, by prefix.

    Raises:
        DescriptionError: one keeps away from an arm that is none of these.
    """
    prefixes = {each.device: each.part for each in arguments if each.kind is ControllerKind.ARM}
    return {
        each.part: ArmOptions(
            friction=each.friction,
            workspace=each.workspace,
            surroundings=_among(prefixes, each),
            reflexes=ReflexLimits(each.reflex_force_n, each.reflex_torque_nm),
        )
        for each in arguments
        if each.kind is ControllerKind.ARM
    }


def _among(prefixes: dict[str, str], arm: ControlArguments) -> Surroundings:
    """What an arm keeps away from; other arms by prefix, no longer by device."""
    wrong = [device for device in arm.surroundings.arms if device == arm.device or device not in prefixes]
    if wrong:
        others = ", ".join(device for device in prefixes if device != arm.device) or "none"
        raise DescriptionError(
            f"{arm.device} is to keep away from {wrong[0]!r}; other arms of this world are: {others}"
        )
    return msgspec.structs.replace(
        arm.surroundings, arms=tuple(prefixes[device] for device in arm.surroundings.arms)
    )


def _check(arguments: Sequence[ControlArguments]) -> None:
    devices = [each.device for each in arguments]
    parts = [(each.kind, each.part) for each in arguments]
    for number, each in enumerate(arguments):
        if each.device in devices[:number] or (each.kind, each.part) in parts[:number]:
            raise DescriptionError(
                f"{each.device!r} ({each.kind.value} {each.part!r}) is there twice: "
                "each device moves a mechanism of its own"
            )
