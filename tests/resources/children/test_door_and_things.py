"""What the world's process says of its things, and how somebody opens its door."""

from __future__ import annotations

import asyncio

import pytest

from framework.processes.child_events import Said
from resources.children.orders import Put, decode_order, encode_order
from resources.children.world_files import known_things
from resources.types.context import KnownThing, ThingKind
from resources.types.control import ThingReport
from resources.worlds.world import World
from tests.framework.processes.family import PATIENCE_S, until
from tests.resources.children.harness import Watcher, harness


def test_an_order_is_read_as_it_was_written() -> None:
    order = Put("door", "open")
    assert decode_order(encode_order(order)) == order


def test_the_door_of_the_world_process_opens_and_closes_and_says_so() -> None:
    async def main() -> None:
        async with harness() as home:
            world = await home.world()
            reports = Watcher(world.report)

            async def door() -> ThingReport:
                report = await reports.report()
                return next(thing for thing in report.things if thing.name == "door")

            first = await door()
            assert first.state == "open"
            home.order(Put("door", "closed"))
            async with asyncio.timeout(PATIENCE_S):
                while (closed := await door()).state != "closed":
                    pass
            assert closed.world_T_thing[:2] != pytest.approx(first.world_T_thing[:2], abs=0.05), "it moves"
            home.order(Put("door", "ajar"))
            diary = home.diaries["world"]
            await until(lambda: any("cannot be made 'ajar'" in said.message for said in diary.all(Said)))
            assert (await door()).state == "closed"
            reports.reader.close()

    asyncio.run(main())


def test_the_things_that_others_get_say_what_they_can_be() -> None:
    things: dict[str, KnownThing] = {thing.name: thing for thing in known_things(World.inspection(0))}
    door = things["door"]
    assert (door.kind, door.states, door.state) == (ThingKind.FIXTURE, ("open", "closed"), "open")
    assert (things["carton 2"].called, things["red cup"].called) == ("carton", "")
    assert things["red cup"].colour == "red"
