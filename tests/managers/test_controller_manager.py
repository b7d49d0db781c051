"""What moves: who commands it, in which order the world is told, and that it rests in between.

The world is scripted: it takes orders as the real one does and reports twenty times a second.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
import pytest

from framework.errors import Preempted, ResourceFailed, ResourceUnavailable
from framework.registrar.effects import Deed
from framework.status import Priority
from framework.testing.children import Script
from framework.transport.ring import RingWriter
from managers.controller_manager import REPEAT_S, ControllerManager
from resources.children.orders import Do, Grant, Rest, WorldOrder, decode_order
from resources.types.control import PartReport, Simulation, SimulationHandle, SimulationReport, WristSweep
from resources.types.streams import StreamFormat, StreamHandle
from resources.worlds.commands import Part
from tests.faults.stage import Client, Stage, now_s

Play = Callable[[Any], None]
Order = TypeVar("Order", bound=WorldOrder)

WORLD = "inspection"
ARMS = (Part.LEFT_ARM, Part.RIGHT_ARM)


class ScriptedWorld:
    """Obeys orders; a part comes to rest `rest_s` after it was told to, or never (None)."""

    def __init__(self, stage: Stage, rest_s: float | None = 0.3) -> None:
        self.stage = stage
        self.rest_s = rest_s
        self.orders: list[tuple[float, WorldOrder]] = []
        self.holders: dict[Part, tuple[str, int]] = dict.fromkeys(ARMS, ("", 0))
        self.moving: dict[Part, bool] = dict.fromkeys(ARMS, False)
        self._ring = RingWriter(stage.folder, "world_report", slot_bytes=4096)
        self._reporting: asyncio.Task[None] | None = None

    async def open(self, world: str = WORLD) -> ControllerManager:
        """The manager, and the world up, because somebody has the simulation."""
        stage = self.stage
        stream = StreamHandle("world_report", str(self._ring.path), StreamFormat.REPORT, rate_hz=20.0)
        handle = SimulationHandle(WORLD, stream, stream, stream, "", "", "", 1)
        stage.launcher.set_script(f"world {WORLD}", Script(0.2, msgspec.json.encode(handle)))
        manager: ControllerManager = await stage.enter(
            ControllerManager(
                stage.transport, stage.folder, world=world, clock=stage.clock, monotonic_s=now_s
            )
        )
        if world:
            (operator,) = await stage.come(1)
            operator.ask(Simulation(world))
            await operator.answer()
            assert operator.value == handle
            stage.launcher.life(f"world {WORLD}").on_command = self.obey
        self._reporting = asyncio.create_task(self._report())
        return manager

    def end(self) -> None:
        if self._reporting is not None:
            self._reporting.cancel()
        self._ring.close()

    def of(self, kind: type[Order]) -> list[Order]:
        """All orders of a kind."""
        return [order for _, order in self.orders if isinstance(order, kind)]

    def obey(self, payload: bytes) -> None:
        """A command has come over the child's channel."""
        order = decode_order(payload)
        self.orders.append((now_s(), order))
        match order:
            case Grant(part=part, lease=lease, generation=generation):
                self.holders[part] = (lease, generation)
            case Do(stamp=stamp, command=command):
                part = command.arm  # type: ignore[union-attr]
                if (stamp.lease, stamp.generation) == self.holders[part]:
                    self.moving[part] = True
            case Rest(part=part) if self.rest_s is not None:
                asyncio.get_running_loop().call_later(self.rest_s, self._come_to_rest, part)

    def _come_to_rest(self, part: Part) -> None:
        self.moving[part] = False

    async def _report(self) -> None:
        while True:
            parts = tuple(
                PartReport(part.value, *self.holders[part], at_rest=not self.moving[part]) for part in ARMS
            )
            report = SimulationReport(now_s(), 1.0, 0.0, 0.0, False, "", parts, 0, "")
            self._ring.write(msgspec.msgpack.encode(report), stamp_s=now_s())
            await asyncio.sleep(0.05)


async def sweeping(stage: Stage, arm: str = "right", **wishes: Any) -> Client:
    (client,) = await stage.come(1)
    client.ask(WristSweep(arm), exclusive=True, **wishes)
    await client.answer()
    return client


def test_the_world_hears_who_commands_before_any_command(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = ScriptedWorld(stage)
        await world.open()
        client = await sweeping(stage)
        assert client.value.arm == "right" and client.value.lower < client.value.upper
        await asyncio.sleep(1)
        orders = [order for _, order in world.orders]
        assert orders[0] == Grant(Part.RIGHT_ARM, client.lease.id, client.lease.generation)  # type: ignore[union-attr]
        assert {type(order) for order in orders[1:]} == {Do}
        stamps = [do.stamp for do in world.of(Do)]
        assert {(stamp.lease, stamp.generation) for stamp in stamps} == {world.holders[Part.RIGHT_ARM]}
        assert [stamp.sequence for stamp in stamps] == list(range(1, len(stamps) + 1))
        assert all(
            stamp.sent_s == pytest.approx(at_s, abs=1e-6)
            for stamp, (at_s, _) in zip(stamps, world.orders[1:], strict=True)
        )
        assert len(stamps) == pytest.approx(1 / REPEAT_S, abs=2)
        world.end()

    play(scene)


def test_it_rests_before_the_next_one_is_granted(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = ScriptedWorld(stage, rest_s=0.3)
        await world.open()
        first = await sweeping(stage)
        (second,) = await stage.come(1)
        second.ask(WristSweep("right"), exclusive=True, wait=True)
        await asyncio.sleep(0.5)
        generation = first.lease.generation  # type: ignore[union-attr]
        left_s = now_s()
        await first.leave()
        await second.answer()
        assert 0.3 <= second.granted_at_s - left_s <= 0.3 + 0.05 + 0.03
        assert not world.moving[Part.RIGHT_ARM]
        await asyncio.sleep(0.5)
        kinds = [type(order) for at_s, order in world.orders if at_s >= left_s - 1e-9]
        assert kinds[:4] == [Grant, Rest, Grant, Do], kinds
        nobody, successor = world.of(Grant)[1:]
        assert (nobody.lease, successor.lease) == ("", second.lease.id)  # type: ignore[union-attr]
        assert successor.generation > generation
        assert world.moving[Part.RIGHT_ARM]
        world.end()

    play(scene)


def test_one_that_does_not_come_to_rest_fails_and_is_given_to_nobody(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = ScriptedWorld(stage, rest_s=None)
        manager = await world.open()
        first = await sweeping(stage)
        (second,) = await stage.come(1)
        second.ask(WristSweep("right"), exclusive=True, wait=True)
        (watcher,) = await stage.come(1)
        watcher.ask(WristSweep("right"))
        await watcher.answer()
        await asyncio.sleep(0.5)
        left_s = now_s()
        await first.leave()
        await second.answer()
        assert isinstance(second.error, ResourceUnavailable) and "safe stop" in str(second.error)
        assert second.error_at_s - left_s == pytest.approx(2.0, abs=0.05)
        assert second.granted_at_s == 0.0
        assert watcher.severities == ("FATAL",) and isinstance(watcher.error, ResourceFailed)
        assert [grant.lease for grant in world.of(Grant)][1:] == [""]
        deeds = [entry.deed for entry in manager.registrar.journal.entries()]
        assert Deed.SAFE_STOP in deeds and Deed.FAIL in deeds
        world.rest_s = 0.1
        world.moving[Part.RIGHT_ARM] = False
        again = await sweeping(stage)  # a fresh load
        assert again.lease is not None
        world.end()

    play(scene)


def test_an_operator_takes_it_from_autonomy_once_it_rests(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = ScriptedWorld(stage, rest_s=0.2)
        await world.open()
        autonomous = await sweeping(stage)
        await asyncio.sleep(0.5)
        asked_s = now_s()
        operator = await sweeping(stage, priority=Priority.OPERATOR)
        assert isinstance(autonomous.error, Preempted) and "client" in autonomous.error.by
        assert autonomous.severities == ("FATAL",)
        assert operator.granted_at_s - asked_s <= 0.3
        await asyncio.sleep(0.5)
        late = [
            order
            for at_s, order in world.orders
            if isinstance(order, Do)
            and at_s > asked_s
            and order.stamp.generation != operator.lease.generation  # type: ignore[union-attr]
        ]
        assert late == []
        world.end()

    play(scene)


def test_who_only_watches_moves_nothing(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = ScriptedWorld(stage)
        await world.open()
        (watcher,) = await stage.come(1)
        watcher.ask(WristSweep("left"))
        await watcher.answer()
        await asyncio.sleep(1)
        assert watcher.lease is not None and world.orders == []
        world.end()

    play(scene)


def test_two_arms_move_at_once(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = ScriptedWorld(stage)
        await world.open()
        left = await sweeping(stage, "left")
        await sweeping(stage, "right")
        await asyncio.sleep(0.5)
        assert all(world.moving.values())
        await left.leave()
        await asyncio.sleep(1)
        assert world.moving == {Part.LEFT_ARM: False, Part.RIGHT_ARM: True}
        world.end()

    play(scene)


def test_a_client_that_is_cut_off_is_stopped_for(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = ScriptedWorld(stage, rest_s=0.1)
        await world.open()
        client = await sweeping(stage)
        await asyncio.sleep(0.5)
        cut_s = now_s()
        stage.network.cut(client.registrar.name)
        await asyncio.sleep(1)
        (rest_s,) = [at_s for at_s, order in world.orders if isinstance(order, Rest)]
        assert rest_s - cut_s <= 0.3 and not world.moving[Part.RIGHT_ARM]
        assert client.severities == ("FATAL",)
        world.end()

    play(scene)


def test_the_sweep_fails_with_its_world(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = ScriptedWorld(stage)
        await world.open()
        client = await sweeping(stage)
        died_s = now_s()
        stage.launcher.life(f"world {WORLD}").die()  # no report will ever say that it stands still
        await client.answer()
        await asyncio.sleep(0.05)
        assert client.severities == ("FATAL",) and client.told[0].at_s - died_s <= 0.05
        assert isinstance(client.error, ResourceFailed)
        assert [hop.registrar for hop in client.error.hops] == [
            "process_manager",
            "controller_manager",
            "controller_manager",
        ]
        again = await sweeping(stage)
        assert again.lease is not None and again.granted_at_s - died_s <= 0.05 + 0.2 + 0.05
        stage.launcher.life(f"world {WORLD}").on_command = world.obey
        await asyncio.sleep(0.5)
        world.end()

    play(scene)


def test_a_world_that_hands_over_nonsense_is_refused(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        stage.launcher.set_script(f"world {WORLD}", Script(0.2, b"nonsense"))
        await stage.enter(ControllerManager(stage.transport, stage.folder, world=WORLD, clock=stage.clock))
        (client,) = await stage.come(1)
        client.ask(Simulation(WORLD))
        await client.answer()
        assert "became ready with b'nonsense', which is no SimulationHandle" in str(client.error)

    play(scene)


def test_unknown_arms_and_worlds_and_hardware_are_refused_in_words(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = ScriptedWorld(stage)
        await world.open()
        assert "there is no arm 'third'; there are left, right" in str((await sweeping(stage, "third")).error)
        (client,) = await stage.come(1)
        client.ask(Simulation("moon"))
        await client.answer()
        assert "the world 'moon' is not simulated here; what is, is 'inspection'" in str(client.error)
        world.end()

    async def on_hardware(stage: Stage) -> None:
        world = ScriptedWorld(stage)
        await world.open("")
        (client,) = await stage.come(1)
        client.ask(Simulation("inspection"))
        await client.answer()
        assert "this installation runs on hardware" in str(client.error)
        world.end()

    play(scene)
    play(on_hardware)
