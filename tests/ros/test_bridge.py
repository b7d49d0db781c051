"""Topics, services and actions of somebody else's nodes, by the real managers and a real bridge."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from framework.errors import MalformedMessage, MotionFailed, ResourceUnavailable
from framework.plugins.client import client_for
from framework.processes.launcher import ProcessLauncher
from framework.registrar import ResourceRegistrar
from framework.transport.local import LocalTransport
from managers.process_manager import ProcessManager
from managers.ros_manager import RosManager
from resources.robots.description import RosDescription
from resources.types.ros import Qos, RosAction, RosOffer, RosService, RosTopic
from resources.types.ros_clients import RosTopicClient
from tests.ros.harness import RosHarness, domain_number, installed, ros_harness

COUNT = RosAction("/count", "test_msgs/action/Fibonacci")
STRING = "std_msgs/msg/String"


class House:
    """The managers, somebody who asks them, and the other people's nodes."""

    def __init__(self, ros: RosHarness, processes: ProcessManager, registrar: ResourceRegistrar) -> None:
        self.ros = ros
        self.processes = processes
        self.registrar = registrar

    @asynccontextmanager
    async def held(self, request: Any, *, exclusive: bool = False) -> AsyncIterator[Any]:
        """A client of what is asked for."""
        async with self.registrar.request(request, exclusive=exclusive) as lease:
            client = client_for(str(request), request, lease)
            try:
                yield client
            finally:
                client.end()

    @property
    def bridge_pid(self) -> int:
        return self.pid("ros_bridge")

    def pid(self, name: str) -> int:
        return next(each.pid for each in self.processes.processes() if each.name == name)


@asynccontextmanager
async def house() -> AsyncIterator[House]:
    async with ros_harness() as ros:
        transport = LocalTransport()
        description = RosDescription(domain=domain_number())
        directory = ros.home.directory.path
        async with (
            ProcessManager(transport, ProcessLauncher(rng=random.Random(1))) as processes,
            RosManager(transport, description, directory, find=lambda _: installed()),
            ResourceRegistrar("asker", transport) as registrar,
        ):
            yield House(ros, processes, registrar)
        for left in (directory / "ros").glob("**/*"):
            if left.is_file():
                left.unlink()
        for left in sorted((directory / "ros").glob("**/*"), reverse=True):
            left.rmdir()
        (directory / "ros").rmdir()


async def first(client: RosTopicClient, beside: Any = None) -> Any:
    async with asyncio.timeout(10.0):
        async for message in client.messages():
            return message


def test_messages_questions_and_goals_go_both_ways() -> None:
    async def main() -> None:
        async with house() as home:
            home.ros.run("services")
            topic, back = RosTopic("/echo", STRING, outward=True), RosTopic("/echoed", STRING, qos=Qos())
            async with (
                home.held(topic, exclusive=True) as echo,
                home.held(back) as echoed,
                home.held(RosService("/switch", "std_srvs/srv/SetBool")) as switch,
                home.held(COUNT, exclusive=True) as count,
            ):
                answer = await switch.call(within_s=10.0, data=True)
                assert (answer.success, answer.message) == (True, "on")
                heard = asyncio.create_task(first(echoed))
                while not heard.done():
                    echo.publish(data="hällo")
                    await asyncio.sleep(0.05)
                assert (await heard).data == "hällo"

                async with count.goal(order=10) as goal:
                    told = [len(each.sequence) async for each in goal.feedback()]
                    assert told == sorted(told)
                    assert len(told) > 1
                    assert (await goal.result()).sequence.tolist()[:6] == [0, 1, 1, 2, 3, 5]
                    assert goal.outcome == "succeeded"

                heard = asyncio.create_task(first(echoed))
                await asyncio.sleep(0)
                async with count.goal(order=100_000) as goal:
                    assert await anext(goal.feedback()) is not None
                assert (await heard).data == "canceled"

                with pytest.raises(MalformedMessage, match="has no field order_; it has order"):
                    async with count.goal(order_=1):
                        pass
                with pytest.raises(MalformedMessage, match="data is of type bool; 'yes' was given"):
                    await switch.call(data="yes")

    asyncio.run(main())


def test_what_never_answers_never_ends_or_is_not_there_is_told_in_its_time() -> None:
    async def main() -> None:
        async with house() as home:
            home.ros.run("services", "--never-answers", "--never-ends")
            async with (
                home.held(RosService("/switch", "std_srvs/srv/SetBool")) as switch,
                home.held(RosService("/nobody", "std_srvs/srv/SetBool")) as nobody,
                home.held(COUNT, exclusive=True) as count,
            ):
                with pytest.raises(MotionFailed, match=r"lost: it was not reached within 0.3 s; it was told"):
                    async with count.goal(order=5, taken_within_s=10.0, within_s=0.3) as goal:
                        await goal.result()
                with pytest.raises(
                    ResourceUnavailable, match=r"within 5 s: it is there, but does not answer"
                ):
                    await switch.call(within_s=5.0, data=True)
                with pytest.raises(
                    ResourceUnavailable, match=r"/nobody: no answer within 0.2 s: nobody offers it"
                ):
                    await nobody.call(within_s=0.2, data=True)
            for request, words in (
                (
                    RosService("/switch", "std_srvs/srv/Voodoo"),
                    "std_srvs has no std_srvs/srv/Voodoo; it has Empty",
                ),
                (RosTopic("/t", "voodoo_msgs/msg/Voodoo"), "the package voodoo_msgs of .* is not installed"),
                (RosTopic("/t", "std_msgs/String"), "names no message type: package/msg/Name is wanted"),
                (RosTopic("/a b", STRING), "ROS does not take the name '/a b'"),
            ):
                with pytest.raises(ResourceUnavailable, match=words):
                    async with home.held(request):
                        pass

    asyncio.run(main())


def test_an_emergency_stop_gives_goals_up_and_lets_nothing_out() -> None:
    async def main() -> None:
        async with house() as home:
            home.ros.run("services")
            async with (
                home.held(COUNT, exclusive=True) as count,
                home.held(RosService("/switch", "std_srvs/srv/SetBool")) as switch,
            ):

                async def counted_on() -> None:
                    async with count.goal(order=100_000, taken_within_s=10.0) as goal:
                        home.ros.home.emergency.latch("somebody shouted")
                        await goal.result()

                with pytest.raises(MotionFailed, match=r"the goal was canceled: .*somebody shouted"):
                    await counted_on()
                with pytest.raises(MotionFailed, match=r"refused: no goal is given: .*somebody shouted"):
                    async with count.goal(order=5):
                        pass
                with pytest.raises(ResourceUnavailable, match="nothing is asked"):
                    await switch.call(data=True)

    asyncio.run(main())


def test_of_a_bridge_that_is_killed_again_and_again_nothing_is_doubled_and_goals_are_given_up() -> None:
    async def main() -> None:
        async with house() as home:
            home.ros.run("services", "--count-hz", "100")
            counted, back = (
                RosTopic("/counted", STRING, rate_hz=100.0),
                RosTopic("/echoed", STRING, qos=Qos()),
            )
            async with (
                home.held(counted) as counting,
                home.held(back) as echoed,
                home.held(COUNT, exclusive=True) as count,
            ):
                numbers: list[int] = []

                async def listen() -> None:
                    async for message in counting.messages():
                        numbers.append(int(message.data))

                listening = asyncio.create_task(listen())
                heard = asyncio.create_task(first(echoed))
                for turn in range(3):
                    before = len(numbers)
                    while len(numbers) < before + 10:
                        await asyncio.sleep(0.005)
                    if turn:
                        os.kill(home.bridge_pid, signal.SIGKILL)
                        continue

                    async def counted_on() -> None:
                        async with count.goal(order=100_000, taken_within_s=10.0) as goal:
                            os.kill(home.bridge_pid, signal.SIGKILL)
                            await goal.result()

                    with pytest.raises(ResourceUnavailable, match="started again meanwhile"):
                        await counted_on()
                    assert (await heard).data == "canceled"
                before = len(numbers)
                while len(numbers) < before + 10:
                    await asyncio.sleep(0.005)
                listening.cancel()
                assert numbers == sorted(set(numbers))

    asyncio.run(main())


def test_services_and_actions_of_ours_are_asked_and_given_up_by_others() -> None:
    """Two bridges in one domain: ours offers what somebody else's, who is another installation, asks."""

    async def main() -> None:
        async with house() as home:
            service = RosOffer("/ours/switch", "std_srvs/srv/SetBool")
            action = RosOffer("/ours/count", "test_msgs/action/Fibonacci")
            theirs = RosAction("/ours/count", "test_msgs/action/Fibonacci")
            async with (
                home.held(service) as switch,
                home.held(action) as count,
                home.held(RosService("/ours/switch", "std_srvs/srv/SetBool")) as asking,
                home.held(theirs, exclusive=True) as setting,
            ):

                async def serve() -> None:
                    async for number, request in switch.asked():
                        switch.reply(number, success=request.data, message="heard")

                async def reach() -> None:
                    async for number, goal in count.asked():
                        if goal is None:
                            count.reply(number, "canceled", sequence=[7])
                        elif goal.order < 0:
                            count.reply(number, "aborted", sequence=[])
                        else:
                            count.feedback(number, sequence=[1])

                serving = [asyncio.create_task(serve()), asyncio.create_task(reach())]
                await asyncio.sleep(0)
                assert (await asking.call(within_s=10.0, data=True)).message == "heard"
                async with setting.goal(taken_within_s=10.0, order=3) as goal:
                    assert (await anext(goal.feedback())).sequence.tolist() == [1]
                    goal.give_up()
                    with pytest.raises(MotionFailed, match="the goal was canceled"):
                        await goal.result()
                for task in serving:
                    task.cancel()

    asyncio.run(main())


def test_nobody_else_has_an_action_before_what_was_begun_has_ended() -> None:
    """A server does not let go of a goal, the bridge dies meanwhile, and the lease is given back."""

    async def main() -> None:
        async with house() as home:
            home.ros.run("services", "--never-ends")
            async with home.held(COUNT, exclusive=True) as count:
                goal = count.goal(order=5, taken_within_s=10.0)
                await goal.__aenter__()
                os.kill(home.bridge_pid, signal.SIGKILL)
                await goal.__aexit__(None, None, None)
            with pytest.raises(
                ResourceUnavailable, match=r"has not ended|was begun before|says nothing of the end"
            ):
                async with home.held(COUNT, exclusive=True):
                    pass
            home.ros.kill("services")  # and with it the goal, once the graph has noticed

    asyncio.run(main())
