"""Whether something is so: open, seen, working, distance; who is woken, and what is held for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from framework.plan.ast import Compare, Comparison, Reference, State
from framework.registrar import ResourceRegistrar
from managers.conditions import WorldConditions
from managers.devices import DeviceView
from resources.types.context import Known, KnownThing, ThingKind, Tracked
from resources.types.device_states import DeviceState
from tests.faults.stage import Stage, now_s
from tests.managers.surroundings import Surroundings, at

Play = Callable[[Any], None]

OPEN = State("open", {"thing": "door"})
SEEN = State("seen", {"thing": "hand"})
WORKING = State("working", {"device": "front camera"})


def distance(comparison: Comparison, value: float, thing: str = "hand") -> Compare:
    return Compare("distance", {"thing": thing}, comparison, value, "m")


class Blind:
    """A robot with a laser scanner only."""

    def devices(self) -> tuple[DeviceView, ...]:
        return (DeviceView("lidar", "scan", "scripted", "", DeviceState.FREE, "", 1.0),)


class Asking:
    """Conditions of a scripted world, and somebody who counts how often they are woken."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.around = Surroundings(stage)
        self.woken = 0
        self.conditions: WorldConditions

    async def open(self) -> WorldConditions:
        await self.around.open()
        known = await self.around.client(Known())
        await known.leave()
        registrar = await self.stage.enter(ResourceRegistrar("supervisor", self.stage.transport))
        self.conditions = WorldConditions(
            registrar, self.around.context, self.around.sensors, clock=self.stage.clock, monotonic_s=now_s
        )
        return self.conditions

    def watch(self, *asked: State | Compare) -> Callable[[], None]:
        """As a plan does: ask at first, and again whenever woken."""

        def changed() -> None:
            self.woken += 1
            for condition in asked:
                self.conditions.read(condition)

        end = self.conditions.watch(changed)
        for condition in asked:
            self.conditions.read(condition)
        return end

    @property
    def is_tracking(self) -> bool:
        resources = self.around.context.registrar.snapshot().resources
        return any(isinstance(resource.request, Tracked) for resource in resources)

    async def end(self) -> None:
        await self.conditions.__aexit__(None, None, None)
        await self.around.end()


InHouse = Callable[[Callable[[Asking], Coroutine[Any, Any, None]]], None]


@pytest.fixture
def in_house(play: Play) -> InHouse:
    """Runs a scene in a scripted world, with its conditions; they end first."""

    def run_scene(scene: Callable[[Asking], Coroutine[Any, Any, None]]) -> None:
        async def whole(stage: Stage) -> None:
            asking = Asking(stage)
            await asking.open()
            await scene(asking)
            await asking.end()

        play(whole)

    return run_scene


def test_what_nobody_can_tell_is_unknown(in_house: InHouse) -> None:
    async def scene(asking: Asking) -> None:
        for condition in (
            State("open", {"thing": "table"}),
            State("open", {"thing": "teapot"}),
            State("open", {"thing": "carton"}),
            State("open", {"thing": Reference("it")}),
            State("open"),
            State("working", {"device": "toaster"}),
            State("happy", {"thing": "hand"}),
            State("seen", {"thing": "table"}),
            SEEN,
            distance(Comparison.LESS, 1.0),
            distance(Comparison.LESS, 1.0, "teapot"),
            Compare("temperature", {}, Comparison.LESS, 1.0),
        ):
            assert asking.conditions.read(condition) is None, condition
        await asyncio.sleep(1.0)
        assert not asking.is_tracking, "nobody watches: nothing is started for an answer"

    in_house(scene)


def test_a_door_wakes_who_watches_when_it_opens(in_house: InHouse) -> None:
    async def scene(asking: Asking) -> None:
        asking.around.door("closed")
        await asyncio.sleep(0.2)
        end = asking.watch(OPEN)
        assert asking.conditions.read(OPEN) is False
        assert asking.conditions.read(State("open", {"thing": "the door"}, is_so=False)) is True
        await asyncio.sleep(1.0)
        assert asking.woken == 0
        asking.around.door("open")
        await asyncio.sleep(0.3)
        assert asking.woken == 1 and asking.conditions.read(OPEN) is True
        end()
        end()
        asking.around.door("closed")
        await asyncio.sleep(1.0)
        assert asking.woken == 1

    in_house(scene)


def test_a_device_wakes_who_watches_when_it_is_unplugged(in_house: InHouse) -> None:
    async def scene(asking: Asking) -> None:
        end = asking.watch(WORKING)
        assert asking.conditions.read(WORKING) is True
        asking.around.sensors.unplug("front_camera")
        await asyncio.sleep(0.2)
        assert asking.woken == 1 and asking.conditions.read(WORKING) is False
        asking.around.sensors.plug_in("front_camera")
        await asyncio.sleep(0.2)
        assert asking.woken == 2 and asking.conditions.read(WORKING) is True
        end()

    in_house(scene)


def test_a_kind_of_device_works_as_long_as_one_of_them_does(in_house: InHouse) -> None:
    async def scene(asking: Asking) -> None:
        works = State("working", {"device": "camera"})
        assert asking.conditions.why_undecidable(works) == "" and asking.conditions.read(works) is True
        asking.around.sensors.unplug("front_camera")
        assert asking.conditions.read(works) is True
        asking.around.sensors.unplug("back_camera")
        assert asking.conditions.read(works) is False
        assert asking.conditions.why_undecidable(State("working", {"device": "cloud"})).startswith(
            "I have no cloud"
        )

    in_house(scene)


def test_what_has_to_be_seen_is_looked_for_while_somebody_asks_and_no_longer(in_house: InHouse) -> None:
    async def scene(asking: Asking) -> None:
        end = asking.watch(SEEN)
        assert asking.conditions.read(SEEN) is None and asking.conditions.is_finding_out(SEEN)
        await asyncio.sleep(2.0)
        assert asking.is_tracking
        assert asking.conditions.read(SEEN) is False and not asking.conditions.is_finding_out(SEEN)
        woken = asking.woken
        asking.around.hand = at(1.0, 0.0, 1.4)
        await asyncio.sleep(0.3)
        assert asking.conditions.read(SEEN) is True and asking.woken == woken + 1
        asking.around.hand = None
        await asyncio.sleep(0.5)
        assert asking.conditions.read(SEEN) is True, "a blink is no loss"
        await asyncio.sleep(1.0)
        assert asking.conditions.read(SEEN) is False
        await asyncio.sleep(60.0)
        assert asking.is_tracking, "it is still asked for"
        end()
        await asyncio.sleep(2.0)
        assert not asking.is_tracking

    in_house(scene)


def test_a_sensor_is_given_back_when_the_plan_has_gone_on_to_something_else(in_house: InHouse) -> None:
    async def scene(asking: Asking) -> None:
        end = asking.watch(OPEN)
        asking.conditions.read(SEEN)
        await asyncio.sleep(2.0)
        assert asking.is_tracking
        await asyncio.sleep(12.0)
        assert not asking.is_tracking
        end()

    in_house(scene)


def test_the_distance_is_from_the_camera_that_sees_it(in_house: InHouse) -> None:
    async def scene(asking: Asking) -> None:
        asking.around.hand = at(1.0, 0.0, 1.4)
        closer, farther = distance(Comparison.LESS, 0.5), distance(Comparison.MORE, 0.5)
        end = asking.watch(closer, farther)
        await asyncio.sleep(2.0)
        assert (asking.conditions.read(closer), asking.conditions.read(farther)) == (False, True)
        asking.around.hand = at(0.4, 0.0, 1.4)
        await asyncio.sleep(0.3)
        assert (asking.conditions.read(closer), asking.conditions.read(farther)) == (True, False)
        for comparison, value, answer in (
            (Comparison.AT_MOST, 0.4, True),
            (Comparison.AT_LEAST, 0.41, False),
            (Comparison.EQUAL, 0.41, True),
            (Comparison.EQUAL, 0.5, False),
        ):
            # A float32 pose: at most and at least are exact only within its precision.
            assert asking.conditions.read(distance(comparison, value + 1e-6)) is answer
        asking.around.hand = None
        await asyncio.sleep(2.0)
        assert (asking.conditions.read(closer), asking.conditions.read(farther)) == (None, None)
        end()

    in_house(scene)


def test_the_distance_to_what_stands_is_from_where_the_robot_stands(in_house: InHouse) -> None:
    async def scene(asking: Asking) -> None:
        near = distance(Comparison.LESS, 1.5, "table")
        assert asking.conditions.read(near) is False
        asking.around.robot_at(1.0, 0.0)
        await asyncio.sleep(0.3)
        assert asking.conditions.read(near) is True

    in_house(scene)


def test_a_tracker_that_fails_leaves_no_answer_and_is_tried_again(in_house: InHouse) -> None:
    async def scene(asking: Asking) -> None:
        asking.around.hand = at(1.0, 0.0, 1.4)
        end = asking.watch(SEEN)
        await asyncio.sleep(2.0)
        assert asking.conditions.read(SEEN) is True
        asking.stage.launcher.life("detector hand").die()
        await asyncio.sleep(1.0)
        assert asking.conditions.read(SEEN) is None
        await asyncio.sleep(4.0)
        assert asking.conditions.read(SEEN) is True
        end()

    in_house(scene)


def test_a_camera_that_stands_still_tells_nothing(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        asking = Asking(stage)
        conditions = await asking.open()
        asking.around.hand = at(1.0, 0.0, 1.4)
        end = asking.watch(SEEN)
        await asyncio.sleep(2.0)
        await asking.around.end()
        await asyncio.sleep(2.0)
        assert conditions.read(SEEN) is None
        end()
        await asking.conditions.__aexit__(None, None, None)

    play(scene)


def test_closing_gives_everything_back_whoever_still_watches(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        asking = Asking(stage)
        await asking.open()
        asking.watch(SEEN, OPEN)
        await asyncio.sleep(2.0)
        assert asking.is_tracking
        await asking.end()
        await asyncio.sleep(2.0)
        assert not asking.is_tracking

    play(scene)


@pytest.mark.parametrize("watchers", [1, 50])
def test_it_looks_at_most_ten_times_a_second(in_house: InHouse, watchers: int) -> None:
    async def scene(asking: Asking) -> None:
        looks = 0
        news = asking.around.context._sensed.news  # type: ignore[union-attr]

        def counted() -> Any:
            nonlocal looks
            looks += 1
            return news()

        asking.around.context._sensed.news = counted  # type: ignore[union-attr, method-assign]
        ends = [asking.watch(OPEN) for _ in range(watchers)]
        await asyncio.sleep(10.0)
        assert 90 <= looks <= 101
        assert asking.conditions.read(OPEN) is True
        for end in ends:
            end()

    in_house(scene)


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        (
            State("seen", {"thing": "table"}),
            "a camera finds things by a marker, and the table carries none; "
            "what I can look out for is the hand",
        ),
        (
            distance(Comparison.LESS, 1.0, "flask"),
            "nothing tells where the flask is: a camera would have to find it by a marker, "
            "and it carries none; what I can look out for is the hand",
        ),
        (State("open", {"thing": "table"}), "nothing tells whether the table is open or closed: "),
        (State("working", {"device": "toaster"}), "I have no toaster"),
        (State("happy", {"thing": "hand"}), "nothing here tells whether something is happy"),
        (Compare("temperature", {}, Comparison.LESS, 1.0), "nothing here measures a temperature"),
    ],
)
def test_what_nobody_could_ever_tell_is_said_with_what_it_would_take(
    in_house: InHouse, condition: State | Compare, why: str
) -> None:
    async def scene(asking: Asking) -> None:
        asking.around.context.tell(KnownThing("flask", ThingKind.OBJECT))
        assert asking.conditions.why_undecidable(condition).startswith(why), (
            asking.conditions.why_undecidable(condition)
        )

    in_house(scene)


def test_what_may_be_told_one_day_is_worth_waiting_for(in_house: InHouse) -> None:
    async def scene(asking: Asking) -> None:
        asking.around.sensors.unplug("front_camera")
        for condition in (
            OPEN,
            SEEN,
            WORKING,
            distance(Comparison.LESS, 1.0),
            distance(Comparison.LESS, 1.0, "table"),
            State("seen", {"thing": "teapot"}),  # it may be made known yet
            State("open", {"thing": "carton"}),
        ):
            assert asking.conditions.why_undecidable(condition) == "", condition

    in_house(scene)


def test_without_a_camera_nothing_is_ever_seen(in_house: InHouse) -> None:
    async def scene(asking: Asking) -> None:
        seeing = WorldConditions(
            asking.around.context.registrar, asking.around.context, Blind(), clock=asking.stage.clock
        )
        assert "takes a depth camera, and I have none" in seeing.why_undecidable(SEEN)
        assert "takes a depth camera, and I have none" in seeing.why_undecidable(
            distance(Comparison.LESS, 1.0)
        )
        assert asking.conditions.why_undecidable(SEEN) == ""

    in_house(scene)
