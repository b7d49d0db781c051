"""The operator manager: people at phones, headsets and desks as resources.

It provides `OperatorLinks` (the process that serves them), `OperatorSession` (one of them; exclusively, to
drive by it) and `DriverSeat` (one drives at a time). While somebody is there it keeps up what pages show:
every arm's state, and a camera. It decides nothing about motion: that is the control loop's, and whoever
holds the arm.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from functools import partial
from typing import Any

import msgspec

from framework.clock import Clock
from framework.errors import LeaseError
from framework.interlock import Interlock
from framework.keepers import Keepers
from framework.processes.spec import ProcessSpec
from framework.registrar import Lease, ResourceRegistrar, Supply
from framework.status import ReasonKind, Severity, Status
from framework.transport.interface import Transport
from framework.transport.messages import Command
from framework.unreadable import UNREADABLE
from managers.operator_sessions import chosen
from managers.shown_walls import Box
from resources.children.starting import handed_over
from resources.operator.arguments import IceServer
from resources.operator.orders import (
    Console,
    Ice,
    Kick,
    OpenPairing,
    OperatorOrder,
    SeatOf,
    Shown,
    ShownArm,
    encode_order,
)
from resources.types.arms import ArmHandle, ArmState, ControlHandle, ControlLoop
from resources.types.operator import (
    AwayLine,
    DriverSeat,
    DriverSeatHandle,
    EntryNote,
    OperatorLinks,
    OperatorLinksHandle,
    OperatorSession,
    OperatorSessionHandle,
    SessionLine,
)
from resources.types.operator_client import Driven, Following, Seat, SeatOrder
from resources.types.people import disposes
from resources.types.processes import Process
from resources.types.sensors import CameraFeed
from resources.types.streams import IDENTITY, Pose7
from resources.types.views import DrawnCamera

GREET_AGAIN_S = 0.02
"""A process that is only reserved is greeted once it is wanted in earnest; so often that is looked at [s]."""

KEPT_S = 10.0
"""Sessions of a process that ended may come back to the next one so long; meanwhile they are silent [s]."""

_SEAT = msgspec.msgpack.Decoder(SeatOrder)


class OperatorManager:
    """Serves operators while somebody wants that.

    Args:
        spec: the process that serves them.
        token: of the console's server, once there is one: with it the process passes on what people say.
        ice: STUN and TURN servers, by which pages are reached.
        sides: of the arms that pages show; walls: what those may not enter. bases: what carries them about.
        robot: where the robot stands in the world; asked with each change of what is shown.
        interlock: of the installation; it is told for whom what they drove is kept.
        changed: called when sessions or pairing are different.
        noticed: called with what the process wants people to know. entry: called with each new note of who
            came in and who was turned away.
    """

    def __init__(
        self,
        transport: Transport,
        spec: Callable[[], ProcessSpec],
        token: Callable[[], str],
        sides: Sequence[str],
        *,
        ice: Sequence[IceServer] = (),
        robot: Callable[[], Pose7] = lambda: IDENTITY,
        bases: Sequence[str] = (),
        walls: Callable[[ArmHandle], tuple[Box, ...]] = lambda _: (),
        changed: Callable[[], None] = lambda: None,
        noticed: Callable[[str], object] = lambda _: None,
        entry: Callable[[EntryNote], object] = lambda _: None,
        clock: Clock | None = None,
        interlock: Interlock | None = None,
    ) -> None:
        self._spec = spec
        self._token = token
        self._ice = tuple(ice)
        self._sides = tuple(sides)
        self._bases = tuple(bases)
        self._walls = walls
        self._robot = robot
        self._changed = changed
        self._noticed = noticed
        self._entry = entry
        self._noted = (0, 0)  # the newest note that was told: of which process, and its number
        self._process: Lease | None = None
        self._links: OperatorLinksHandle | None = None
        self._wake = asyncio.Event()
        self._shown = Shown()
        self._pid = 0
        self._is_away = False
        self._kept: tuple[SessionLine, ...] = ()
        self._sent_away: dict[str, str] = {}  # by name, and why: until the process has none of that name
        self._forgetting: asyncio.TimerHandle | None = None
        self._greeting: asyncio.TimerHandle | None = None
        self._seated: SeatOf | None = None
        self._driver = ""
        self._leaves = ""
        self._asked_to_leave = ""
        self._had: tuple[str, tuple[Driven, ...]] = ("", ())  # who has driven last, and with what
        self._silent: set[str] = set()
        self._leaving: dict[
            str, asyncio.TimerHandle
        ] = {}  # of those who are silent: until they count as gone
        self._keepers = interlock.keepers if interlock is not None else Keepers()
        self._keepers.people = self
        self._watched: list[Callable[[], None]] = []
        self.registrar = ResourceRegistrar("operator_manager", transport, clock=clock, interlock=interlock)
        self.registrar.provides(OperatorLinks, start_timeout_s=30.0)(self._serve)
        self.registrar.provides(OperatorSession)(self._session)
        self.registrar.provides(DriverSeat)(self._seat)

    async def __aenter__(self) -> OperatorManager:
        await self.registrar.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.registrar.__aexit__(*error)

    # ------------------------------------------------------------ for the console

    @property
    def links(self) -> OperatorLinksHandle | None:
        """Where the page is and who is there; None while nobody is served."""
        return self._links

    def open_pairing(self) -> None:
        """Show a new code; the one before is void. Raises LeaseError while nobody is served."""
        self._demand(OpenPairing())

    def kick(self, session: str, words: str) -> None:
        """End a session for good, by id or name. Raises LeaseError while nobody is served.

        Its process may be away just now, with whoever may come back to the next one: that one is told, too.
        """
        name = next((line.name for line in self._lines() if session in (line.session, line.name)), session)
        self._demand(Kick(name, words))
        self._sent_away[name] = words
        self._kept = tuple(line for line in self._kept if line.name != name)
        self._tell_all()

    @property
    def driver(self) -> str:
        """Who drives: a session's name, "" if nobody does."""
        return self._driver

    @property
    def driven(self) -> tuple[Driven, ...]:
        """With what."""
        return self._seated.order.driven if self._seated is not None and self._driver else ()

    @property
    def keeper(self) -> str:
        """For whom what they drove is kept, though they do not drive (`framework.keepers`); "" for nobody."""
        return next((person for person in self._keepers.persons if person != self._driver), "")

    def keeps(self, person: str) -> bool:
        """As of `framework.keepers.People`: they have driven, and are there or silent for less than 10 s."""
        lines = {line.name: line for line in self._lines()}
        if person not in lines or person != self._had[0] or person == self._asked_to_leave:
            return False
        return lines[person].alive or person in self._leaving

    def besides(self, person: str) -> tuple[str, ...]:
        """As of `framework.keepers.People`."""
        name, driven = self._had
        if name != person:
            return ()
        devices = (device for each in driven for device in (each.arm, each.gripper, each.base))
        return tuple(filter(None, devices))

    def disposes(self, by: str, person: str) -> bool:
        """As of `framework.keepers.People`."""
        return disposes(by, person)

    def tell_then(self, then: tuple[Following, ...]) -> None:
        """Whoever drives, or has driven last, is told what begins with their "carry on"."""
        if self._seated is None or self._seated.order.then == then:
            return
        order = msgspec.structs.replace(self._seated.order, then=then)
        self._seated = msgspec.structs.replace(self._seated, order=order)
        self._tell(self._seated)

    def give_back(self) -> None:
        """Nothing is kept for whoever has driven: somebody who may dispose of it has said so."""
        for person in self._keepers.persons:
            self._keepers.gives_back(person)

    @property
    def sessions(self) -> tuple[SessionLine, ...]:
        """Who is there, or may be back in a moment (not `alive` meanwhile)."""
        return self._lines()

    @property
    def away(self) -> tuple[AwayLine, ...]:
        """Who is not there, and may come back without a code."""
        lines = self._links.away if self._links is not None else ()
        return tuple(line for line in lines if line.name not in self._sent_away)

    @contextmanager
    def watched_by(self, look: Callable[[], None]) -> Iterator[None]:
        """Have `look` called when sessions, the driver or what is driven are different."""
        self._watched.append(look)
        try:
            yield
        finally:
            self._watched.remove(look)

    def ask_to_leave(self, why: str) -> None:
        """Whoever drives is asked to stop, in these words."""
        self._leaves = why if self._driver else ""
        self._asked_to_leave = self._driver
        self._tell_all()

    # ------------------------------------------------------------ providers

    @asynccontextmanager
    async def _serve(self, _: OperatorLinks, supply: Supply) -> AsyncIterator[OperatorLinksHandle]:
        def look(status: Status | None = None) -> None:
            if status is not None and status.severity is Severity.WARNING and not _is_away(status):
                self._noticed(status.message)
            process = self._process
            if process is None or process.value is None:
                return
            was_away = self._is_away
            if status is not None and _is_away(status):
                self._is_away = True
            elif process.value.pid != self._pid:  # a new process knows nothing yet
                self._is_away = False
                if not process.is_granted:
                    self._greeting = asyncio.get_running_loop().call_later(GREET_AGAIN_S, look)
                else:
                    self._greet(process.value.pid)
            links = handed_over(process, OperatorLinksHandle)
            if not self._is_away:
                there = _names(links.sessions) | _names(links.away)
                self._tell_entries(process.value.pid, links.notes)
                self._sent_away = {name: why for name, why in self._sent_away.items() if name in there}
            if links != self._links or was_away != self._is_away:
                self._links = links
                self._kept = tuple(each for each in self._kept if each.name not in _names(links.sessions))
                supply.update(links, "sessions have changed")
                self._tell_all()

        async with supply.request(Process(self._spec()), on_status=look) as process:
            self._process = process
            links = self._links = handed_over(process, OperatorLinksHandle)
            self._pid = 0
            look()
            showing = asyncio.create_task(self._show(supply), name="what operators see")
            self._tell_all()
            try:
                yield links
            finally:
                if self._greeting is not None:
                    self._greeting.cancel()
                showing.cancel()
                await asyncio.gather(showing, return_exceptions=True)
                self._process = self._links = self._seated = None
                self._is_away = False
                self._sent_away.clear()
                self._forget()
                self._tell_all()

    def _greet(self, pid: int) -> None:
        """Tell a process that is new what counts; who was there before it may come back to it."""
        is_first, self._pid = self._pid == 0, pid
        self._tell(Ice(self._ice))
        self._tell(Console(self._token()))
        self._tell(self._shown)
        if self._seated is not None:
            self._tell(self._seated)
        for name, words in self._sent_away.items():
            self._tell(Kick(name, words))
        if is_first or self._links is None:
            return
        self._forget()
        self._kept = tuple(
            msgspec.structs.replace(line, alive=False)
            for line in self._links.sessions
            if line.name not in self._sent_away
        )
        self._forgetting = asyncio.get_running_loop().call_later(KEPT_S, self._forget)

    def _tell_entries(self, pid: int, notes: Sequence[EntryNote]) -> None:
        """Tell those that are new; each process counts from 1."""
        told = self._noted[1] if self._noted[0] == pid else 0
        for note in notes:
            if note.number > told:
                told = note.number
                self._entry(note)
        self._noted = pid, told

    def _forget(self) -> None:
        """Who has not come back is gone."""
        if self._forgetting is not None:
            self._forgetting.cancel()
            self._forgetting = None
        if self._kept:
            self._kept = ()
            self._tell_all()

    @asynccontextmanager
    async def _session(
        self, request: OperatorSession, supply: Supply
    ) -> AsyncIterator[OperatorSessionHandle]:
        async with supply.request(OperatorLinks()):
            line = chosen(request, self._lines())
            handle = self._handle(line)

            def look() -> None:
                nonlocal line, handle
                lines = self._lines()
                found = next((each for each in lines if each.session == line.session), None)
                # From the next process it comes back under its name, with another id and other streams.
                found = found or next((each for each in lines if each.name == line.name), None)
                if found is None:
                    supply.fail(f"{line.name} is gone")
                    return
                line = found
                if (now := self._handle(found)) != handle:
                    was_alive, handle = handle.alive, now
                    words = f"{line.name} is {'back' if found.alive else 'silent'}"
                    supply.update(handle, words if was_alive != found.alive else "it has changed")

            def carry_out(command: Command) -> None:
                with suppress(*UNREADABLE):
                    self._seat_order(line, _SEAT.decode(command.payload))

            def held_by(lease: str, _: int) -> None:
                if lease:
                    self._driver, self._asked_to_leave, self._had = line.name, "", ("", ())
                    self._tell_all()
                elif self._driver == line.name:
                    self._driver = self._leaves = ""
                    # Whoever drove has said why it ended; that stays on the page.
                    last = self._seated.order if self._seated is not None else SeatOrder(Seat.WATCHING)
                    words = last.words if last.seat is Seat.WATCHING else ""
                    self._seat_order(line, SeatOrder(Seat.WATCHING, (), words))
                    self._tell_all()

            supply.on_command(carry_out)
            supply.on_holder(held_by)
            with self.watched_by(look):
                yield handle

    @asynccontextmanager
    async def _seat(self, _: DriverSeat) -> AsyncIterator[DriverSeatHandle]:
        yield DriverSeatHandle()

    def _seat_order(self, line: SessionLine, order: SeatOrder) -> None:
        """What a session may do now; a process that is away is told when it is back."""
        holder = "" if order.seat is Seat.WATCHING else line.name
        if holder:
            self._had = holder, order.driven
        then = self._seated.order.then if self._seated is not None else ()
        self._seated = SeatOf(line.session, msgspec.structs.replace(order, then=then), holder)
        self._tell(self._seated)
        self._tell_all()

    # ------------------------------------------------------------ what pages show

    async def _show(self, supply: Supply) -> None:
        """While anybody is there: every arm's state, and the best camera that gives a cloud."""
        while True:
            await self._until(lambda: any(line.alive for line in self._lines()))
            async with AsyncExitStack() as stack:
                held: list[Lease] = []
                shown = partial(self._tell_shown, held)
                wishes = (*map(ArmState, self._sides), *map(ControlLoop, self._bases), DrawnCamera())
                for request in wishes:
                    wanted = supply.request(request, optional=True, on_status=shown)
                    held.append(await stack.enter_async_context(wanted))
                shown()
                await self._until(lambda: not any(line.alive for line in self._lines()))
            self._show_now(Shown())

    def _tell_shown(self, held: Sequence[Lease], _: Status | None = None) -> None:
        values = [lease.value for lease in held]
        arms = tuple(_shown(value, self._walls(value)) for value in values if isinstance(value, ArmHandle))
        cameras = tuple(value for value in values if isinstance(value, CameraFeed))
        bases = [value.state for value in values if isinstance(value, ControlHandle)]
        base = bases[0] if bases else None
        self._show_now(Shown(arms, cameras, base=base, world_T_robot=self._robot()))

    def _show_now(self, shown: Shown) -> None:
        self._shown = shown
        self._tell(shown)

    def _handle(self, line: SessionLine) -> OperatorSessionHandle:
        leaves = self._leaves if line.name == self._driver else ""
        return OperatorSessionHandle(line.session, line.name, line.kind, line.hands, line.alive, leaves)

    def _lines(self) -> tuple[SessionLine, ...]:
        every = (*(self._links.sessions if self._links is not None else ()), *self._kept)
        lines = tuple(line for line in every if line.name not in self._sent_away)
        if not self._is_away:
            return lines
        return tuple(msgspec.structs.replace(line, alive=False) for line in lines)

    def _tell(self, order: OperatorOrder) -> None:
        """Whoever serves operators, if anybody does: a process that comes is told all when it is greeted."""
        if self._process is not None and self._process.is_granted:
            self._process.send(encode_order(order))

    def _demand(self, order: OperatorOrder) -> None:
        """The same, of what somebody wants done now. Raises LeaseError while nobody is served."""
        process = self._process
        if process is None:
            raise LeaseError("nobody serves operators now: start with `pilothouse run --phones`")
        if not process.is_granted and not process.is_reserved:
            raise LeaseError("whoever serves operators has just ended: say it again in a moment")
        self._tell(order)

    def _look_who_is_silent(self) -> None:
        """Nothing is kept for who is gone, or silent for too long, also when they are back later."""
        lines = {line.name: line for line in self._lines()}
        for name in (*self._leaving, *self._keepers.persons):
            if name not in lines:
                self._gone(name)
        for name, line in lines.items():
            if line.alive:
                self._back(name)
            elif name not in self._silent:
                self._silent.add(name)
                self._leaving[name] = asyncio.get_running_loop().call_later(KEPT_S, self._gone, name)

    def _gone(self, name: str) -> None:
        if (timer := self._leaving.pop(name, None)) is not None:
            timer.cancel()
        self._keepers.gives_back(name)

    def _back(self, name: str) -> None:
        self._silent.discard(name)
        if (timer := self._leaving.pop(name, None)) is not None:
            timer.cancel()

    def _tell_all(self) -> None:
        self._look_who_is_silent()
        for look in tuple(self._watched):
            look()
        self._changed()
        self._wake.set()
        self._wake = asyncio.Event()

    async def _until(self, is_so: Callable[[], bool]) -> None:
        while not is_so():
            await self._wake.wait()


def _is_away(status: Status) -> bool:
    """Whether the process is."""
    return status.reason.kind in (ReasonKind.RETRYING, ReasonKind.NEEDS_HUMAN)


def _names(lines: Sequence[SessionLine | AwayLine]) -> frozenset[str]:
    return frozenset(line.name for line in lines)


def _shown(arm: ArmHandle, walls: tuple[Box, ...]) -> ShownArm:
    return ShownArm(
        arm.device, arm.side, arm.state, arm.workspace, arm.lower, arm.upper, arm.robot_T_base, walls
    )
