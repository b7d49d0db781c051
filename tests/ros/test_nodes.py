"""Nodes that we run: started again, taken through their life cycle, and what goes wrong in each step."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from framework.errors import ResourceUnavailable
from resources.ros.environment import CHECKOUT
from resources.types.ros import Qos, RosNode, RosTopic
from tests.framework.processes.family import until
from tests.ros.harness import installed
from tests.ros.test_bridge import STRING, House, house

SAID = RosTopic("/managed", STRING, qos=Qos())


def managed(trouble: str = "", **changes: object) -> RosNode:
    program = str(CHECKOUT / "tests" / "ros_robot" / "managed.py")
    command = (installed().candidate.python, program, *(("--trouble", trouble) if trouble else ()))
    return RosNode("managed", command=command, lifecycle=True, **changes)  # type: ignore[arg-type]


async def listen(home: House, heard: list[str]) -> None:
    async with home.held(SAID) as said:
        async for message in said.messages():
            heard.append(message.data)


def test_a_node_is_active_while_it_is_had_and_again_after_it_was_killed() -> None:
    async def main() -> None:
        async with house() as home:
            heard: list[str] = []
            listening = asyncio.create_task(listen(home, heard))
            await until(lambda: bool(home.processes.processes()))
            node = managed(namespace="/robot", remappings=(("/managed", "/managed"),))
            async with home.held(node) as client:
                assert (client.name, client.is_managed) == ("/robot/managed", True)
                await until(lambda: heard[-1:] == ["activate"])
                before = home.pid("ros_node /robot/managed")
                os.kill(before, signal.SIGKILL)
                await until(lambda: heard[-1:] == ["activate"] and heard.count("activate") == 2)
            await until(lambda: heard[-1:] == ["cleanup"])
            assert "deactivate" in heard
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        ("configure=dies", "node /managed has died in configure: .*SIGKILL"),
        ("activate=dies", "node /managed has died in activate"),
        ("activate=refuses", "node /managed has refused to activate"),
        (
            "configure=hangs",
            "node /managed in configure: .* no answer within .* s: it is there, but does not",
        ),
    ],
)
def test_what_goes_wrong_in_a_transition_is_told_and_hangs_nobody(trouble: str, words: str) -> None:
    async def main() -> None:
        async with house() as home:
            within_s = 1.0 if "hangs" in trouble else 10.0
            with pytest.raises(ResourceUnavailable, match=words):
                async with home.held(managed(trouble, within_s=within_s)):
                    pass

    asyncio.run(main())


def test_who_cannot_be_started_is_told_why(tmp_path: Path) -> None:
    async def main() -> None:
        async with house() as home:
            for node, words in (
                (RosNode("a"), "give package and executable, or a command"),
                (RosNode("a", package="voodoo", executable="x"), "node /a cannot be started"),
                (RosNode("a", command=("/nonexistent/node",)), "/nonexistent/node does not exist"),
                (RosNode("a", command=("/bin/false",)), "code 1"),
            ):
                with pytest.raises(ResourceUnavailable, match=words):
                    async with home.held(node):
                        pass

    asyncio.run(main())
