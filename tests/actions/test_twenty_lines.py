"""How little a test of an action takes: a fake gripper, an action that uses it, and what became of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

import pilothouse as ph


class Gripper(msgspec.Struct, frozen=True):
    side: str = "left"


class Grasp(ph.Action):
    gripper = ph.needs(Gripper("left"), Gripper("right"))

    async def run(self) -> str:
        return f"grasped with the {self.gripper.handle}"


def test_the_other_hand_is_used_if_one_is_broken() -> None:
    async def scene() -> ph.Outcome:
        async with ph.ResourceRegistrar("robot", ph.LocalTransport()) as robot:

            @robot.provides(Gripper)
            @asynccontextmanager
            async def gripper(request: Gripper) -> AsyncIterator[str]:
                if request.side == "left":
                    raise RuntimeError("the left hand is broken")
                yield f"{request.side} hand"

            return await ph.ActionRunner(ph.action_spec(Grasp), registrar=robot).run()

    outcome = ph.testing.run(scene)
    assert outcome.value == "grasped with the right hand"
