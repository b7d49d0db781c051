"""Fake resources for tests of actions: sensors that can be broken, arms that can be held, what was said."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, ClassVar, Self

import msgspec

from framework.errors import ResourceUnavailable
from framework.events import Event
from framework.interlock import Interlock
from framework.plugins import (
    Action,
    ActionRunner,
    Outcome,
    RunnerPolicy,
    RunState,
    SupervisorService,
    action_spec,
)
from framework.registrar import ResourceRegistrar, Supply
from framework.status import Priority, Reason, ReasonKind
from framework.testing.pytest_plugin import VirtualRunner
from framework.transport.local import LocalTransport


class Feed(msgspec.Struct, frozen=True):
    device: str
    number: int


class Sensor(msgspec.Struct, frozen=True):
    handle_type: ClassVar[type] = Feed

    kind: str = "good"


class Arm(msgspec.Struct, frozen=True):
    handle_type: ClassVar[type] = Feed

    side: str = "left"


class Screen(msgspec.Struct, frozen=True):
    """Stands on a sensor, as a view does."""

    handle_type: ClassVar[type] = Feed

    kind: str = "good"


class Stage:
    """A manager with sensors, arms and screens, and a registrar through which actions ask for them."""

    def __init__(self, interlock: Interlock | None = None) -> None:
        self.transport = LocalTransport()
        self.manager = ResourceRegistrar("manager", self.transport, interlock=interlock)
        self.registrar = ResourceRegistrar("supervisor", self.transport, interlock=interlock)
        self.operator = ResourceRegistrar("operator", self.transport)
        self.broken: dict[str, str] = {}
        self.resting: dict[str, str] = {}
        self.moving: set[str] = set()
        self.up: dict[str, Supply] = {}
        self.starts: list[str] = []
        self.said: list[Event] = []
        self.manager.provides(Sensor)(self._sensor)
        self.manager.provides(Arm)(self._arm)
        self.manager.provides(Screen)(self._screen)

    async def __aenter__(self) -> Self:
        await self.manager.__aenter__()
        await self.registrar.__aenter__()
        await self.operator.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for registrar in (self.operator, self.registrar, self.manager):
            await registrar.__aexit__(kind, error, trace)

    def runner(
        self,
        action: type[Action],
        parameters: dict[str, Any] | None = None,
        *,
        priority: Priority | None = None,
        supervisor: SupervisorService | None = None,
        policy: RunnerPolicy | None = None,
        who: str = "",
    ) -> ActionRunner:
        return ActionRunner(
            action_spec(action),
            parameters,
            registrar=self.registrar,
            say=self.said.append,
            priority=priority,
            supervisor=supervisor,
            policy=policy,
            who=who,
        )

    @asynccontextmanager
    async def running(
        self, action: type[Action], parameters: dict[str, Any] | None = None, **wishes: Any
    ) -> AsyncIterator[ActionRunner]:
        """It runs meanwhile, and is cancelled afterwards if it has not ended. wishes: as of `runner`."""
        runner = self.runner(action, parameters, **wishes)
        life = asyncio.create_task(runner.run())
        try:
            yield runner
        finally:
            runner.cancel()
            await life

    def break_(self, name: str, why: str = "unplugged") -> None:
        """It fails now, and cannot be had until mended."""
        self.broken[name] = why
        supply = self.up.get(name)
        if supply is not None:
            supply.fail(f"{name} was {why}")

    def hiccup(self, name: str) -> None:
        """It fails now, and can be had again at once."""
        self.up[name].fail(f"{name} hiccuped")

    def mend(self, name: str) -> None:
        self.broken.pop(name, None)

    @property
    def words(self) -> list[str]:
        return [event.text for event in self.said]

    @property
    def is_idle(self) -> bool:
        """Nothing is held, nothing is up."""
        return self.manager.snapshot().is_empty and self.registrar.snapshot().is_empty

    @asynccontextmanager
    async def _sensor(self, request: Sensor, supply: Supply) -> AsyncIterator[Feed]:
        if request.kind == "swept":
            async with (
                self.manager.request(Arm("right"), exclusive=True),
                self._device("swept", supply) as feed,
            ):
                yield feed
            return
        async with self._device(request.kind, supply) as feed:
            yield feed

    @asynccontextmanager
    async def _arm(self, request: Arm, supply: Supply) -> AsyncIterator[Feed]:
        async with self._device(f"{request.side} arm", supply) as feed:
            supply.declare_safe_stop(_rests, device=f"{request.side} arm")
            yield feed

    @asynccontextmanager
    async def _screen(self, request: Screen, supply: Supply) -> AsyncIterator[Feed]:
        async with (
            self.manager.request(Sensor(request.kind)),
            self._device(f"screen of {request.kind}", supply) as feed,
        ):
            yield feed

    @asynccontextmanager
    async def _device(self, name: str, supply: Supply) -> AsyncIterator[Feed]:
        if name in self.moving:
            raise ResourceUnavailable(f"{name} would move", reason=Reason(ReasonKind.NEEDS_WORD))
        if name in self.resting:
            raise ResourceUnavailable(self.resting[name], reason=Reason(ReasonKind.RETRYING))
        if name in self.broken:
            raise RuntimeError(f"{name} is {self.broken[name]}")
        self.up[name] = supply
        self.starts.append(name)
        try:
            yield Feed(name, len(self.starts))
        finally:
            if self.up.get(name) is supply:
                del self.up[name]


async def _rests() -> None:
    """An arm of these stands the moment that nobody moves it."""


def assert_ended(outcome: Outcome, state: RunState, *words: str) -> None:
    """It ended so, and its words say each of these."""
    assert outcome.state is state, outcome
    for word in words:
        assert word in outcome.words, outcome.words


def on_stage(play: Callable[[Stage], Awaitable[None]]) -> Stage:
    """Play a scene; whatever happened in it, nothing may be held afterwards."""
    stage = Stage()

    async def scene() -> None:
        async with stage:
            await play(stage)
            await asyncio.sleep(1.0)
            assert stage.is_idle, (stage.manager.snapshot(), stage.registrar.snapshot())

    VirtualRunner(seed=0)(scene)
    return stage


async def until(condition: Callable[[], bool], timeout_s: float = 60.0) -> None:
    async with asyncio.timeout(timeout_s):
        while not condition():
            await asyncio.sleep(0.01)
