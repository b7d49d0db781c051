"""A simulated world for the controller manager's tests: real loop cores and mailboxes, ideal mechanisms."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec

from framework.plugins.driver import driver_spec
from framework.processes.spec import ProcessSpec
from framework.testing.children import Script, ScriptedLife
from managers.controller_manager import ControllerManager
from pilothouse.testbed.virtual_controls import VirtualControl, VirtualControls
from resources.children.arguments import WorldArguments
from resources.children.failing import Fail
from resources.children.orders import WorldOrder, decode_order
from resources.controllers.loop import MotionStop
from resources.drivers.simulated.arm_driver import SimulatedArm
from resources.drivers.simulated.base_driver import SimulatedBase
from resources.drivers.simulated.gripper_driver import SimulatedGripper
from resources.robots.description import DeviceDescription, RobotDescription
from resources.types.arms import Arm
from resources.types.control import SimulationHandle
from resources.types.motion import LoopState, MotionCommand, Orders, Wanted, encode_motion
from resources.types.streams import StreamFormat, StreamHandle
from tests.faults.stage import Client, Stage, now_s

WORLD = "inspection"
TICK_S = 0.01

ROBOT = RobotDescription(
    "tester",
    (
        DeviceDescription("left_arm", "simulated_arm", "arm", "left", 10),
        DeviceDescription("right_arm", "simulated_arm", "arm", "right"),
        DeviceDescription("left_gripper", "simulated_gripper", "gripper", "left"),
        DeviceDescription("base", "simulated_base", "base", parameters={"lidars": ["front_lidar"]}),
    ),
    WORLD,
)
DRIVERS = {spec.name: spec for spec in map(driver_spec, (SimulatedArm, SimulatedGripper, SimulatedBase))}


class PlayedWorld:
    """Plays the world's process: makes its loops when it is started, ticks them, carries out its orders.

    stop: what its loops see of the emergency stop. stands_still: nothing is ticked, as in a stopped process.
    manager: who gives out what moves in it.
    """

    def __init__(self, stage: Stage, robot: RobotDescription = ROBOT) -> None:
        self.stage = stage
        self.robot = robot
        self.stop = MotionStop()
        self.stands_still = False
        self.manager: ControllerManager
        self.orders: list[WorldOrder] = []
        self.controls: VirtualControls | None = None
        self.seen: dict[str, list[tuple[float, Orders]]] = {}
        self.refuses_to_rest: set[str] = set()
        self._ticking: asyncio.Task[None] | None = None
        self._life: ScriptedLife | None = None

    async def open(self) -> ControllerManager:
        """The manager; the world starts when somebody asks for something that moves."""
        stage = self.stage
        launch = stage.launcher.launch

        def launch_played(spec: ProcessSpec, **wishes: Any) -> Any:
            if spec.name.startswith("world "):
                self._make(msgspec.json.decode(spec.argv[5], type=WorldArguments))
            return launch(spec, **wishes)

        stage.patch.setattr(stage.launcher, "launch", launch_played)
        self.manager = await self.enter_manager()
        self._ticking = asyncio.create_task(self._tick())
        return self.manager

    async def enter_manager(self) -> ControllerManager:
        """Another one, if the last one was killed."""
        stage = self.stage
        manager: ControllerManager = await stage.enter(
            ControllerManager(
                stage.transport, self.robot, DRIVERS, stage.folder, clock=stage.clock, monotonic_s=now_s
            )
        )
        return manager

    def control(self, device: str) -> VirtualControl:
        assert self.controls is not None, "the world has not been started"
        control = self.controls.of(device)
        assert control is not None
        return control

    def state(self, device: str) -> LoopState:
        """What the loop would report now."""
        return self.control(device).loop.core.state()

    async def asking(self, request: Any = None, *, exclusive: bool = True, **wishes: Any) -> Client:
        """As the function of that name."""
        return await asking(self.stage, request, exclusive=exclusive, **wishes)

    def die(self) -> None:
        self.stage.launcher.life(f"world {WORLD}").die()
        self.stands_still = True

    def end(self) -> None:
        if self._ticking is not None:
            self._ticking.cancel()
        if self.controls is not None:
            self.controls.close()

    def _make(self, arguments: WorldArguments) -> None:
        if self.controls is not None:
            self.controls.close()
        stage = self.stage
        self.controls = VirtualControls(arguments.controls, stage.folder)
        self.stands_still = False
        self._life = None
        stream = StreamHandle("report", str(stage.folder / "report.ring"), StreamFormat.REPORT)
        handle = SimulationHandle(
            arguments.world, stream, stream, stream, "", "", "", 1, self.controls.handles
        )
        stage.launcher.set_script(f"world {WORLD}", Script(0.2, msgspec.json.encode(handle)))

    def _obey(self, payload: bytes) -> None:
        order = decode_order(payload)
        self.orders.append(order)
        if isinstance(order, Fail):
            self.control(order.device).fail(order.how, now_s())

    async def _tick(self) -> None:
        while True:
            name = f"world {WORLD}"
            if name in self.stage.launcher.running:
                self.stage.launcher.life(name).on_command = self._obey
            if self.controls is not None and not self.stands_still:
                for control in self.controls:
                    self._tick_one(control)
            await asyncio.sleep(TICK_S)

    def _tick_one(self, control: VirtualControl) -> None:
        before = control.loop.core._orders
        control.tick(self.stop, now_s())
        orders = control.loop.core._orders
        if orders is not before:
            self.seen.setdefault(control.device, []).append((now_s(), orders))


InWorld = Callable[[Callable[[PlayedWorld], Coroutine[Any, Any, None]]], None]
"""Runs a scene in a scripted world that is open (`conftest.py`)."""


async def asking(stage: Stage, request: Any = None, *, exclusive: bool = True, **wishes: Any) -> Client:
    """A new client that has asked, and been answered."""
    (client,) = await stage.come(1)
    client.ask(Arm("left") if request is None else request, exclusive=exclusive, **wishes)
    await client.answer()
    return client


def want(client: Client, command: MotionCommand, number: int = 1) -> None:
    """Command once what the client holds."""
    assert client.lease is not None, client.error
    client.lease.send(encode_motion(Wanted(number, command)))


async def keep(client: Client, command: MotionCommand, seconds: float, number: int = 1) -> None:
    """Repeat a command for so long, as a motion client does; ends when it is lost."""
    until_s = now_s() + seconds
    while now_s() < until_s and client.lease is not None:
        want(client, command, number)
        await asyncio.sleep(0.05)
