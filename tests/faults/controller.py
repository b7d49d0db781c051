"""The column "controller": an arm whose control loop runs in the simulated world's process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, ClassVar

from framework.errors import LeaseError
from framework.plugins.driver import DeviceContext, driver_spec
from framework.testing.children import Script
from managers.control_loops import FIRST_REPORT_S, LOOK_S, SILENCE_S
from managers.controller_manager import ControllerManager
from resources.children.arguments import WorldArguments
from resources.children.failing import FailMode
from resources.drivers.simulated.arm_driver import SimulatedArm
from resources.types.arms import Arm, ArmHandle, ArmState
from resources.types.motion import Sweep
from tests.faults.stage import Client, Stage, now_s
from tests.faults.subject import NOTICE_S, Outcome, Subject, kill
from tests.managers.scripted_world import DRIVERS, WORLD, PlayedWorld, keep

ARM = "left_arm"
PROCESS = f"world {WORLD}"
SWEEP = Sweep(-0.6, 0.6, 0.5)


class SpoiltWorld(PlayedWorld):
    """A scripted world. script: how its process starts, if not well; dies_s: so long after that it dies;
    is_mute: its loops report nothing."""

    script: Script | None = None
    dies_s: float | None = None
    STARTS_S: ClassVar[float] = 0.2
    is_mute = False

    def _make(self, arguments: WorldArguments) -> None:
        super()._make(arguments)
        launcher = self.stage.launcher
        self.stands_still = self.is_mute
        if self.script is not None:
            launcher.set_script(PROCESS, self.script)
        elif self.dies_s is not None:
            asyncio.get_running_loop().call_later(
                self.STARTS_S + self.dies_s, lambda: launcher.life(PROCESS).die()
            )


class Controller(Subject):
    """An arm: the first client moves it, the others read along.

    No arm takes the place of another that somebody moves: who is told FATAL asks again.
    """

    name = "controller"
    stops_within_s = 10.0
    outcomes: ClassVar[dict[str, Outcome]] = {
        "start raises": Outcome((), 0.2 + NOTICE_S, words="no such world"),
        "start hangs": Outcome((), 0.2 + FIRST_REPORT_S + NOTICE_S, words="has reported nothing within"),
        "dies in use": Outcome(("FATAL",), LOOK_S + NOTICE_S, words="its control loop has ended"),
        "no heartbeat": Outcome(("FATAL",), 2.0 + NOTICE_S, words="hang"),
        "stale stream": Outcome(("FATAL",), SILENCE_S + LOOK_S + NOTICE_S, words="has been silent"),
        "dependency fails while its parent starts": Outcome((), 0.5 + NOTICE_S, words="SIGKILL"),
        "flapping": Outcome(("FATAL",), LOOK_S + NOTICE_S, words='say "recover the left arm"'),
        "manager killed": Outcome(("FATAL",), words="controller_manager is gone"),
    }

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self.request: Arm | ArmState = Arm("left")
        self.world = SpoiltWorld(stage)
        self.settle_s = 0.0
        self.stop = ""
        self._going: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        subject = self

        class ScriptedArm(SimulatedArm):
            """A simulated arm whose opening takes its time, and whose end may go wrong."""

            @asynccontextmanager
            async def provide(self, device: DeviceContext) -> AsyncIterator[ArmHandle]:
                async with super().provide(device) as handle:
                    await asyncio.sleep(subject.settle_s)
                    yield handle
                    if subject.stop == "raises":
                        raise OSError("the brakes do not answer")
                    if subject.stop == "hangs":
                        await asyncio.Event().wait()

        self.stage.patch.setitem(DRIVERS, SimulatedArm.name, driver_spec(ScriptedArm))
        self.manager: ControllerManager = await self.world.open()
        await self.mend()

    def ask(self, client: Client) -> None:
        """See `Subject.ask`: the first of all moves it."""
        moves = isinstance(self.request, Arm) and client is self.stage.clients[0]
        client.ask(self.request, exclusive=moves)
        if moves:
            self._going.append(asyncio.create_task(self._move(client), name="mover"))

    async def _move(self, client: Client) -> None:
        await client.answer()
        with suppress(LeaseError):  # it is lost between two commands
            await keep(client, SWEEP, float("inf"))

    async def begin(self, fault: str) -> None:
        world, launcher = self.world, self.stage.launcher
        match fault:
            case "start raises":
                world.script = Script(0.2, dies_before_ready=True, last_words=("no such world",))
            case "start hangs":
                world.is_mute = True
            case "dies in use":
                self._fail(FailMode.DIE)
            case "no heartbeat":
                if PROCESS in launcher.running:
                    world.stands_still = True
                    launcher.life(PROCESS).hang()
            case "stale stream":
                self._fail(FailMode.STALE)
            case "stop raises" | "stop hangs":
                # Read along only: an arm that somebody moved is kept until it rests, for the next one.
                self.request = ArmState("left")
                self.stop = fault.removeprefix("stop ")
            case "dependency fails while its parent starts":
                self.settle_s = 1.0
                world.dies_s = 0.3
            case "flapping":
                self._going.append(asyncio.create_task(self._reflexes(), name="reflexes"))
            case _:
                raise NotImplementedError(fault)

    async def _reflexes(self) -> None:
        """They come and go by themselves, again and again."""
        for _ in range(3):
            self._fail(FailMode.REFLEX)
            await asyncio.sleep(0.3)

    def _fail(self, how: FailMode) -> None:
        if PROCESS in self.stage.launcher.running:
            self.world.control(ARM).fail(how, now_s())

    async def mend(self) -> None:
        self.stop = ""
        self.settle_s = 0.0
        self.world.script = self.world.dies_s = None
        self.world.is_mute = False
        if self.manager.registrar not in self.stage.registrars:
            self.manager = await self.world.enter_manager()

    def check(self, fault: str) -> None:
        """Nobody is followed any more, and nothing moves."""
        for device in (ARM, "right_arm"):
            if self.world.control(device).loop.is_run and not self.world.stands_still:
                state = self.world.state(device)
                assert (state.holder, state.following, state.is_at_rest) == ("", 0, True), state

    async def kill_manager(self) -> str:
        kill(self.stage, self.manager.registrar)
        return "controller_manager"

    def is_substitute(self, before: Any, after: Any) -> bool:
        return False

    async def close(self) -> None:
        """The world ends last."""
        for task in self._going:
            task.cancel()
        await asyncio.gather(*self._going, return_exceptions=True)
        self.world.end()
