"""What an installation keeps going: asked for again and again, and said once for each reason."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from framework.clock import LoopClock
from framework.errors import ResourceUnavailable
from framework.processes.spec import ProcessSpec
from framework.registrar import Lease, ResourceRegistrar, Supply
from framework.supervisor import EventBus, EventKind
from framework.testing import run
from framework.transport.local import LocalTransport
from managers.answering_aloud import AnsweringAloud
from pilothouse.standing_requests import (
    LASTED_S,
    LONGEST_PAUSE_S,
    hold_control,
    hold_hands,
    hold_operators,
    hold_voice,
    hold_world,
)
from resources.types.arms import ControlHandle, ControlLoop
from resources.types.control import Simulation, SimulationHandle
from resources.types.gestures import Gestures, GesturesFeed, HandsFeed
from resources.types.motion import ControllerKind
from resources.types.operator import OperatorLinks, OperatorLinksHandle
from resources.types.processes import Process, ProcessHandle
from resources.types.streams import StreamFormat, StreamHandle
from resources.types.voice import Loudspeaker, LoudspeakerFeed
from tests.managers.operators_at_work import AtWork, at_work

SPEC = ProcessSpec(("false",), "operator links")
PROCESS = ProcessHandle("operator links", 1)
STREAM = StreamHandle("motion_arm", "nowhere", StreamFormat.ARM, "base", 100.0)
ARM = ControlHandle("arm", ControllerKind.ARM, "", "fci_arm", STREAM)
HANDS = GesturesFeed(HandsFeed("mast", STREAM), STREAM)
WORLD = SimulationHandle("bench", STREAM, STREAM, STREAM, "", "", "", 1)


class Provided:
    """A resource that cannot be had for these reasons, one after the other, and then can."""

    def __init__(self, handle: object, *reasons: str) -> None:
        self.handle = handle
        self.reasons = list(reasons)
        self.asked_s: list[float] = []
        self.supply: Supply | None = None

    @asynccontextmanager
    async def provide(self, request: Any, supply: Supply) -> AsyncIterator[object]:
        self.asked_s.append(asyncio.get_running_loop().time())
        if self.reasons:
            raise ResourceUnavailable(self.reasons.pop(0))
        self.supply = supply
        try:
            yield self.handle
        finally:
            self.supply = None


def said(events: EventBus, kind: EventKind) -> list[str]:
    heard: list[str] = []
    events.listen(lambda event: heard.append(event.text) if event.kind is kind else None)
    return heard


def test_a_real_arm_is_connected_again_and_again_and_each_reason_is_said_once() -> None:
    async def scene() -> None:
        arm = Provided(ARM, *["no answer"] * 12, "another version", "no answer")
        events = EventBus()
        heard = said(events, EventKind.ERROR)
        async with ResourceRegistrar("house", LocalTransport()) as registrar:
            registrar.provides(ControlLoop)(arm.provide)
            holding = asyncio.create_task(hold_control(registrar, events, "arm"))
            await asyncio.sleep(600.0)
            assert arm.supply is not None, "connected, whoever wants it"
            assert [words.count("arm cannot be reached") for words in heard] == [1, 1, 1]
            assert ["no answer" in words for words in heard] == [True, False, True]
            pauses = [b - a for a, b in zip(arm.asked_s, arm.asked_s[1:], strict=False)]
            assert pauses[0] < 1.0 and max(pauses) < LONGEST_PAUSE_S + 1.0
            arm.supply.fail("a cable was pulled")
            await asyncio.sleep(2.0)
            assert len(heard) == 3, "its users were told by the failure itself"
            assert len(arm.asked_s) == 16, "it is back at once"
            holding.cancel()
            await asyncio.gather(holding, return_exceptions=True)
            await asyncio.sleep(1.0)
            assert arm.supply is None

    run(scene)


def test_the_simulated_robot_is_started_anew_and_that_is_said() -> None:
    async def scene() -> None:
        world = Provided(WORLD, "no memory")
        events = EventBus()
        errors, devices = said(events, EventKind.ERROR), said(events, EventKind.DEVICE)
        learnt: list[object] = []
        managers: Any = SimpleNamespace(
            simulation=None, context=SimpleNamespace(learn=learnt.append), scene_changed=lambda: None
        )
        async with ResourceRegistrar("house", LocalTransport()) as registrar:
            registrar.provides(Simulation)(world.provide)
            holding = asyncio.create_task(hold_world(registrar, managers, events, "bench"))
            await asyncio.sleep(2.0)
            assert len(errors) == 1 and "no memory" in errors[0] and "tried again in 0.2 s." in errors[0]
            assert managers.simulation is learnt[0] and world.supply is not None
            world.supply.fail("it was killed")
            await asyncio.sleep(0.1)
            assert managers.simulation is None
            await asyncio.sleep(2.0)
            assert managers.simulation is not None and len(learnt) == 2
            assert devices == [
                "The simulated robot runs (world bench).",
                "The simulated robot has ended: it was killed. It is started again.",
                "The simulated robot runs (world bench).",
            ]
            holding.cancel()
            await asyncio.gather(holding, return_exceptions=True)

    run(scene)


def test_the_robots_voice_is_there_again_after_each_failure_and_each_reason_is_said_once(
    tmp_path: Path,
) -> None:
    async def scene() -> None:
        feed = LoudspeakerFeed("mast", StreamHandle("spoken_mast", "/nowhere/it.ring", StreamFormat.REPORT))
        loudspeaker = Provided(feed, *["there is no voice"] * 3)
        events = EventBus()
        heard = said(events, EventKind.ERROR)
        supervisor: Any = SimpleNamespace(events=events, questions=(), stops=0)
        clock = LoopClock()
        async with ResourceRegistrar("house", LocalTransport()) as registrar:
            registrar.provides(Loudspeaker)(loudspeaker.provide)
            with AnsweringAloud(tmp_path, supervisor, clock, clock.now_s) as voice:
                holding = asyncio.create_task(hold_voice(registrar, events, voice))
                await asyncio.sleep(LASTED_S + 10.0)
                assert loudspeaker.supply is not None
                assert len(heard) == 1 and "cannot answer aloud: " in heard[0] and "no voice" in heard[0]
                loudspeaker.supply.fail("it was unplugged")
                await asyncio.sleep(2.0)
                assert heard[1:] == ["The robot does not speak any more: it was unplugged."]
                assert len(loudspeaker.asked_s) == 5, "it is tried again"
                holding.cancel()
                await asyncio.gather(holding, return_exceptions=True)

    run(scene)


@pytest.mark.parametrize("has_begun", [False, True])
def test_why_nobody_is_served_is_said_in_one_sentence_however_many_have_passed_it_on(has_begun: bool) -> None:
    async def scene() -> None:
        why = "the process 'operator links' ended before it was ready: port 8443 is taken"
        process = Provided(PROCESS, *(() if has_begun else (why,)))
        events = EventBus()
        heard = said(events, EventKind.ERROR)
        transport = LocalTransport()
        async with (
            ResourceRegistrar("processes", transport) as processes,
            ResourceRegistrar("operators", transport) as operators,
            ResourceRegistrar("house", transport) as managers,
        ):

            async def serve(request: OperatorLinks, supply: Supply) -> AsyncIterator[OperatorLinksHandle]:
                async with supply.request(Process(SPEC)):
                    yield OperatorLinksHandle("http://127.0.0.1:8443/")

            processes.provides(Process)(process.provide)
            operators.provides(OperatorLinks)(asynccontextmanager(serve))
            wanted = asyncio.Event()
            holding = asyncio.create_task(hold_operators(managers, events, wanted))
            wanted.set()
            await asyncio.sleep(0.1)
            if has_begun:
                assert process.supply is not None
                process.supply.fail(why)
                await asyncio.sleep(0.1)
            what = "are not served any more" if has_begun else "cannot be served"
            assert heard == [f"Operators {what}: {why}."]
            holding.cancel()
            await asyncio.gather(holding, return_exceptions=True)

    run(scene)


def test_hands_that_are_lost_again_and_again_are_asked_for_more_and_more_seldom() -> None:
    async def scene() -> None:
        hands = Provided(HANDS)
        events = EventBus()
        heard = said(events, EventKind.ERROR)
        lasts_s = 1.0

        async def before_camera(lease: Lease, camera: str, placed: object) -> None:
            await asyncio.sleep(lasts_s)

        gesturing = SimpleNamespace(before_camera=before_camera)
        managers: Any = SimpleNamespace(gesturing=gesturing, hand_pointing=SimpleNamespace(saw=print))
        async with ResourceRegistrar("house", LocalTransport()) as registrar:
            registrar.provides(Gestures)(hands.provide)
            holding = asyncio.create_task(hold_hands(registrar, managers, events, "mast"))
            await asyncio.sleep(300.0)
            pauses_s = [b - a - lasts_s for a, b in pairwise(hands.asked_s)]
            assert pauses_s[:7] == pytest.approx([0.5, 1.0, 2.0, 4.0, 8.0, 16.0, LONGEST_PAUSE_S], abs=0.2)
            assert len(heard) in (len(hands.asked_s), len(hands.asked_s) - 1)
            lasts_s = LASTED_S + 1.0
            await asyncio.sleep(2 * (LONGEST_PAUSE_S + lasts_s))
            assert hands.asked_s[-1] - hands.asked_s[-2] == pytest.approx(lasts_s + 0.5, abs=0.2)
            holding.cancel()
            await asyncio.gather(holding, return_exceptions=True)

    run(scene)


def test_an_error_in_the_program_is_told_and_hands_are_watched_again() -> None:
    async def scene() -> None:
        hands = Provided(HANDS)
        events = EventBus()
        heard = said(events, EventKind.ERROR)
        watched: list[str] = []

        async def before_camera(lease: Lease, camera: str, placed: object) -> None:
            watched.append(camera)
            if len(watched) == 1:
                raise ZeroDivisionError("planted")
            await asyncio.sleep(1e6)

        gesturing = SimpleNamespace(before_camera=before_camera)
        managers: Any = SimpleNamespace(gesturing=gesturing, hand_pointing=SimpleNamespace(saw=print))
        async with ResourceRegistrar("house", LocalTransport()) as registrar:
            registrar.provides(Gestures)(hands.provide)
            holding = asyncio.create_task(hold_hands(registrar, managers, events, "mast"))
            await asyncio.sleep(5.0)
            assert watched == ["mast", "mast"] and not holding.done()
            (words,) = heard
            assert words.startswith("Hands before mast cannot be watched: an error in the program")
            assert "ZeroDivisionError" in words
            holding.cancel()
            await asyncio.gather(holding, return_exceptions=True)

    run(scene)


def test_what_is_to_go_on_does_not_end_in_silence(tmp_path: Path) -> None:
    async def breaks() -> None:
        raise ZeroDivisionError("planted")

    async def play(work: AtWork) -> None:
        async with AsyncExitStack() as stack:
            work.installation._begin(stack, breaks(), "the planted task")
            await work.until_said("The planted task has ended by an error in the program")

    at_work(tmp_path, play, phones=False)
