"""Things of the world that are asked for: how often each is up, whom it obeys, when it came to rest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, Protocol

import msgspec

from framework.errors import CommandRefused, LeaseError
from framework.registrar import Lease, ResourceRegistrar, Supply
from framework.registrar.fencing import CommandGate, CommandStamp
from framework.scenarios.invariants import Breach
from framework.transport.messages import Command
from pilothouse.testbed.histories.breaches import must


class Asked(msgspec.Struct, frozen=True):
    """A request of these histories: what is asked for, by the name of its device."""

    device: str
    mode: str = ""


class Base(msgspec.Struct, frozen=True):
    """Of what others stand on."""

    device: str


class Tower(msgspec.Struct, frozen=True):
    """Of what stands on something that stands on something."""

    device: str


Request = Asked | Base | Tower


class Surroundings(Protocol):
    """Where things stand and users ask: see `HistoryStage`."""

    things: dict[Request, Thing]

    @property
    def now_s(self) -> float:
        """Virtual time."""
        ...

    def broke(self, breach: Breach, words: str) -> None:
        """Seen where nothing may be raised."""
        ...

    def is_wanted(self, request: Request) -> bool:
        """Whether somebody wants it, or something that stands on it; or did so just now."""
        ...

    def below_goes_last(self, above: Thing, need: Request) -> None:
        """What it stands on is there until it has stopped."""
        ...


class Thing:
    """One thing of the world, from the outside: how often it is up, whom it obeys, whether it rests.

    needs: what it stands on, and how that is asked for. rest_s: how long it takes to come to rest; None: it
    does not move. wont_rest: its safe stop raises instead. starts, stops: [s]; None: it never does.
    """

    def __init__(
        self, stage: Surroundings, request: Request, needs: Iterable[tuple[Request, dict[str, Any]]] = ()
    ) -> None:
        self.stage = stage
        self.request = request
        self.needs = tuple(needs)
        self.rest_s: float | None = None
        self.wont_rest = False
        self.start_s: float | None = 0.0
        self.stop_s: float | None = 0.0
        self.breaks = ""
        self.came_up_s: list[float] = []
        self.went_down_s: list[float] = []
        self.is_up = False
        self.said_to_fail = ""
        self.lives = 0
        self.has_crashed = False
        self.has_hung = False
        self.is_moving = False
        self.rests_s: list[float] = []
        self.obeyed: list[tuple[float, str, bytes]] = []
        self.refused: list[str] = []
        self.holders: list[tuple[float, str]] = []
        self.gate = CommandGate(max_age_s=0.25)
        self.supply: Supply | None = None
        self.ends_with = ""
        self.held: list[Lease] = []
        self._broken: asyncio.Future[None] | None = None
        self.passes_on = True

    def crash(self, words: str) -> None:
        """Its provider raises, all at once."""
        if self._broken is not None and not self._broken.done():
            self._broken.set_exception(OSError(words))

    def fail(self, words: str) -> None:
        """It says itself that it has failed."""
        assert self.supply is not None
        self.said_to_fail = words
        self.supply.fail(words)

    @asynccontextmanager
    async def life(
        self, registrar: ResourceRegistrar, request: Request, supply: Supply
    ) -> AsyncIterator[str]:
        """Its provider."""
        stage = self.stage
        async with AsyncExitStack() as stack:
            held = []
            for need, wishes in self.needs:
                wishes = dict(wishes)
                if wishes.get("exclusive"):
                    wishes.setdefault("wait", supply.is_patient)
                lease = await stack.enter_async_context(registrar.request(need, **wishes))
                below = stage.things[need]
                must(
                    below.is_up or wishes.get("optional"),
                    f"{label(request)} starts before {label(need)} is up",
                    Breach.UPBRINGING,
                )
                held.append(lease)
            self.held = held
            must(
                not self.is_up or self.stop_s is None,  # what hangs is given up after a while
                f"{label(request)} is opened twice at once",
                Breach.UPBRINGING,
            )
            must(not self.is_moving, f"{label(request)} is opened while it moves", Breach.UPBRINGING)
            if not stage.is_wanted(request):
                stage.broke(Breach.UPBRINGING, f"{label(request)} is opened for nobody")
            self.is_up, self.supply, self.said_to_fail = True, supply, ""
            self.lives += 1
            self.has_crashed = False
            life = self.lives
            try:
                if self.start_s is None:
                    await asyncio.Event().wait()
                await asyncio.sleep(self.start_s or 0.0)
                if self.breaks:
                    raise OSError(self.breaks)
                if self.rest_s is not None:
                    supply.declare_safe_stop(self._come_to_rest, device=request.device)
                supply.on_command(self._commanded)
                supply.on_holder(self._held_by)
                self.came_up_s.append(stage.now_s)
                self._broken = asyncio.get_running_loop().create_future()
                async with asyncio.TaskGroup() as group:
                    watching = group.create_task(self._until_broken(self._broken))
                    try:
                        yield f"handle of {label(request)}"
                    finally:
                        watching.cancel()
            except BaseExceptionGroup:
                self.has_crashed = True  # there was no time to stop anything
                raise
            finally:
                hangs = self.stop_s is None
                self.has_hung = self.has_hung or hangs
                if self.has_crashed and self.lives == life:
                    pass
                elif hangs:
                    while self.stop_s is None:  # whatever it is told
                        with suppress(asyncio.CancelledError):
                            await asyncio.sleep(0.5)
                elif self.stop_s:
                    await asyncio.sleep(self.stop_s)
                if self.is_up and self.lives == life:
                    for need, wishes in self.needs:
                        if not hangs and not wishes.get("optional") and wishes.get("on_failure") != "tell":
                            stage.below_goes_last(self, need)
                    self.is_up = False
                    self.went_down_s.append(stage.now_s)

    async def _until_broken(self, broken: asyncio.Future[None]) -> None:
        await broken

    async def _come_to_rest(self) -> None:
        if self.wont_rest:
            raise OSError("its brakes are worn")
        await asyncio.sleep(self.rest_s or 0.0)
        self.is_moving = False
        self.rests_s.append(self.stage.now_s)

    def _held_by(self, lease: str, generation: int) -> None:
        self.holders.append((self.stage.now_s, lease))
        assert self.supply is not None
        knows = (self.supply.holder, self.supply.generation)
        must(knows == (lease, generation), f"{lease} has it, and its provider knows {knows}", Breach.UNTOLD)
        if lease:
            must(not self.is_moving, f"{label(self.request)} is granted while it moves")
            self.gate.open(lease, generation)
        else:
            self.gate.close()

    def _commanded(self, command: Command) -> None:
        stage = self.stage
        if self.rest_s is not None:
            stamp = CommandStamp(command.lease, command.generation, command.sequence, command.sent_s)
            try:
                self.gate.check(stamp, stage.now_s)
            except CommandRefused as refusal:
                self.refused.append(str(refusal))
                return
            self.is_moving = True
        self.obeyed.append((stage.now_s, command.lease, command.payload))
        for lease in self.held if self.passes_on else ():
            with suppress(LeaseError):
                lease.send(command.payload, sent_s=command.sent_s)


def label(request: Request) -> str:
    """As the histories call it."""
    return f"{type(request).__name__.lower()} {getattr(request, 'device', request)}"
