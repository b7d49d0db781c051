"""The supervisor in the graph: a whole installation, nothing simulated, asked by plain rclpy programs."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from managers.ros_face import CONFIRMED_AFTER_S, SAY, STOP, STOPPABLE_S
from pilothouse.installation import Installation, Settings
from resources.ros.environment import CHECKOUT, VARIABLE
from tests.framework.processes.family import until
from tests.ros.harness import RosHarness, domain_number, installed, ros_harness
from tests.ros.test_bridge import house

ROBOT = """
robot: turtle
devices:
  - name: front_lidar
    driver: ros_lidar
    kind: scan
    mount: front
    parameters:
      topic: /front/scan
      rate_hz: 10
      robot_T_frame: [0.25, 0.0, 0.35, 0.0, 0.0, 0.0, 1.0]
      odometry: /odom
      node: {{name: scanner, command: [{python}, -m, tests.ros_robot.scanner]}}
ros: {{domain: {domain}, offers: {offers}}}
"""


@asynccontextmanager
async def installation(
    folder: Path, offers: str = "instructions"
) -> AsyncIterator[tuple[Installation, RosHarness]]:
    """A robot that has nothing but a lidar over ROS, and runs."""
    description = folder / "turtle.yaml"
    description.write_text(
        ROBOT.format(domain=domain_number(), offers=offers, python=installed().candidate.python)
    )
    os.environ[VARIABLE] = installed().candidate.python
    os.environ["PYTHONPATH"] = str(CHECKOUT)
    async with ros_harness() as ros:
        settings = Settings(robot=str(description), state=folder / "state", port=0)
        async with Installation(settings) as home:
            await until(lambda: any("/pilothouse is offered" in each.text for each in home.events.history(0)))
            yield home, ros


def offered(home: Installation) -> set[str]:
    """What is asked of managers, and by that seen in the graph."""
    return {
        str(each.request) for registrar in home.managers.registrars for each in registrar.snapshot().resources
    }


async def ask(ros: RosHarness, *arguments: str) -> tuple[int, list[str]]:
    """What the program says, and how it ends."""
    asked = ros.run("asks", *arguments, stdout=subprocess.PIPE)
    told, _ = await asyncio.to_thread(asked.communicate)
    return asked.returncode, told.decode().splitlines()


def test_it_is_instructed_followed_stopped_and_reset_from_there(tmp_path: Path) -> None:
    async def main() -> None:
        async with installation(tmp_path) as (home, ros):
            code, lines = await ask(
                ros, "--instruct", "show the environment", "--instruct", "voodoo the gripper"
            )
            assert code == 1, lines
            assert "understood: I understand: show the environment." in lines
            assert "succeeded: Up and running: show the environment." in lines
            assert lines[-1].startswith('aborted: I did not understand "voodoo the gripper"')
            # The node is ours to run: that it dies is told by its end, not by its silence.
            pid = next(each.pid for each in home.processes.processes() if each.name == "ros_node /scanner")
            os.kill(pid, signal.SIGKILL)
            await until(
                lambda: bool(home.supervisor.plans()) and "ros_node" in str(home.events.history(0)[-1])
            )

            said = asyncio.create_task(ask(ros, "--say", "stop showing the environment"))
            await until(lambda: not home.supervisor.plans())
            await said
            code, lines = await ask(ros, "--instruct", "wait 60 seconds", "--cancel-after-s", "0.5")
            assert (code, lines[-1].partition(":")[0]) == (1, "canceled")
            await until(lambda: not home.supervisor.plans())

            code, lines = await ask(ros, "--call", "status", "--call", "stop")
            assert lines[0] == "status: True: I am doing nothing."
            assert lines[1].startswith("stop: True: EMERGENCY STOP: stopped from ROS.")
            assert home.managers.emergency.is_latched
            _, lines = await ask(ros, "--call", "reset")
            words = "reset: False: the emergency stop is set (stopped from ROS): look whether"
            assert lines[0].startswith(words)
            assert home.managers.emergency.is_latched
            await asyncio.sleep(CONFIRMED_AFTER_S)  # as long as whoever looks takes
            _, lines = await ask(ros, "--call", "reset", "--diagnostics")
            assert lines[0].startswith("reset: True: The emergency stop is taken back.")
            assert not home.managers.emergency.is_latched
            assert "0 pilothouse ros_manager: the ROS 2 graph: ready" in lines

    asyncio.run(main())


def test_who_offers_its_state_alone_is_stopped_and_never_instructed(tmp_path: Path) -> None:
    async def main() -> None:
        async with installation(tmp_path, "state") as (home, ros):
            code, lines = await ask(ros, "--call", "stop", "--call", "status")
            assert (code, len(lines)) == (0, 2), lines
            assert home.managers.emergency.is_latched
            names = offered(home)
            assert not [name for name in names if "say" in name or "instruct" in name or "reset" in name]

    asyncio.run(main())


def test_where_the_names_are_taken_nobody_is_heard_until_they_are_free(tmp_path: Path) -> None:
    """Of two robots in one domain, both would be moved by one sentence."""

    async def main() -> None:
        async with house() as other, AsyncExitStack() as holding:
            stop = await holding.enter_async_context(other.held(STOP))
            asking = asyncio.create_task(ask(other.ros, "--call", "stop"))
            number, _ = await anext(stop.asked())  # by now it is seen in the graph
            stop.reply(number, success=True, message="the other robot's")
            await asking
            async with installation(tmp_path) as (home, ros):

                def told() -> list[str]:
                    return [each.text for each in home.events.history(0) if "is served by" in each.text]

                await until(lambda: bool(told()), within_s=20.0)
                assert told()[0].startswith(f"{STOP.name} is not offered in ROS: {STOP.name} is served by")
                assert "/pilothouse/stop is served by" in told()[0]
                await asyncio.sleep(STOPPABLE_S)
                assert str(SAY) not in offered(home)
                await holding.aclose()
                _, lines = await ask(ros, "--call", "stop")
                assert lines[0].startswith("stop: True: EMERGENCY STOP"), lines

    asyncio.run(main())
