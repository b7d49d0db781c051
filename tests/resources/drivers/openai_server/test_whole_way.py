"""The whole way, with nothing scripted but the model: real server, language, supervisor and runners."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from framework.dialogue.proposal import CheckedProposer
from framework.plugins import Action, ActionCatalogue, Phrases, Risk, action_spec, param
from framework.processes.emergency import EmergencyStop
from framework.registrar import ResourceRegistrar
from framework.supervisor import Event, EventBus, EventKind, Reply, Supervisor
from framework.transport.local import LocalTransport
from framework.tree.actions import ActionRunners, CatalogueSignatures
from grammars import Language
from grammars.reading.grammar import Grammar
from resources.drivers.openai_server import OpenAIServer
from tests.resources.drivers.openai_server.server import Handler, Served, hangs, says, serving

STARTED: list[str] = []


class Wave(Action):
    """Wave a hand so many times."""

    times: int = param(default=1, ge=1, le=9)

    async def run(self) -> None:
        STARTED.append(f"wave {self.times}")


class Weld(Action):
    """Weld what is in front."""

    risk = Risk.DANGEROUS

    async def run(self) -> None:
        STARTED.append("weld")


PHRASES: dict[type[Action], tuple[str, ...]] = {Wave: ("wave", "wave {times} times"), Weld: ("weld",)}
CATALOGUE = ActionCatalogue(
    action_spec(action, phrases=Phrases("phrases.yaml", say)) for action, say in PHRASES.items()
)
WAVE_TWICE = {"plan": {"kind": "do", "action": "wave", "parameters": {"times": 2}}}
WELD = {"plan": {"kind": "do", "action": "weld", "parameters": {}}}


class Desk:
    def __init__(self, supervisor: Supervisor, bus: EventBus, served: Served, latch: EmergencyStop) -> None:
        self.supervisor = supervisor
        self.bus = bus
        self.served = served
        self.latch = latch

    async def until(self, kind: EventKind, words: str = "") -> Event:
        """The first event of that kind that has these words; only a hung test waits for long."""
        async with asyncio.timeout(20):
            async for event in self.bus.follow(0):
                if event.kind is kind and words in event.text:
                    return event
        raise AssertionError

    async def settled(self, reply: Reply) -> bool:
        async with asyncio.timeout(20):
            return await reply.done()


@cache
def grammar() -> Grammar:
    return Grammar(CATALOGUE.available)


def play(
    directory: Path, handler: Handler, act: Callable[[Desk], Awaitable[Any]], within_s: float = 8.0
) -> None:
    STARTED.clear()

    async def run() -> None:
        transport = LocalTransport()
        bus = EventBus()
        latch = EmergencyStop.create(directory)
        language = Language(grammar())
        signatures = CatalogueSignatures(CATALOGUE)
        try:
            async with (
                serving(handler) as served,
                OpenAIServer(served.address, "small") as oracle,
                ResourceRegistrar("supervisor", transport) as registrar,
                Supervisor(
                    signatures=signatures,
                    runners=ActionRunners(CATALOGUE, registrar),
                    parser=language,
                    events=bus,
                    emergency=latch,
                    meta=language.meta,
                    proposer=CheckedProposer(oracle, signatures, language, language.in_words),
                    wording=language.wording,
                    propose_within_s=within_s,
                ) as supervisor,
            ):
                await act(Desk(supervisor, bus, served, latch))
        finally:
            latch.close()

    asyncio.run(run())


def test_a_proposal_is_read_back_confirmed_and_done(tmp_path: Path) -> None:
    async def act(desk: Desk) -> None:
        reply = desk.supervisor.say("be so kind and greet the people over there, twice", who="ann")
        asked = await desk.until(EventKind.ASKED)
        assert "wave 2 times" in asked.text and STARTED == []
        body = desk.served.bodies[0]
        assert body["messages"][1]["content"] == "be so kind and greet the people over there, twice"
        assert "wave" in body["messages"][0]["content"]
        desk.supervisor.say("yes", who="ann")
        assert await desk.settled(reply)
        assert STARTED == ["wave 2"]

    play(tmp_path, says(WAVE_TWICE), act)


def test_what_nobody_confirms_is_not_done(tmp_path: Path) -> None:
    async def act(desk: Desk) -> None:
        reply = desk.supervisor.say("join these two parts", who="ann")
        await desk.until(EventKind.ASKED)
        desk.supervisor.say("yes", who="bob")
        await asyncio.sleep(0)
        assert STARTED == []
        desk.supervisor.say("no", who="ann")
        assert not await desk.settled(reply)
        assert STARTED == []

    play(tmp_path, says(WELD), act)


@pytest.mark.parametrize(
    "answer",
    [
        "no JSON at all",
        {"plan": None},
        {"plan": {"kind": "do", "action": "fly", "parameters": {}}},
        {"plan": {"kind": "cancel", "what": ""}},
        {"plan": {"kind": "do", "action": "wave", "parameters": {"times": -3}}},
    ],
    ids=str,
)
def test_what_is_no_use_is_refused_with_the_reason(tmp_path: Path, answer: Any) -> None:
    async def act(desk: Desk) -> None:
        reply = desk.supervisor.say("make me happy", who="ann")
        assert not await desk.settled(reply)
        assert "The proposer did not help" in reply.events[-1].text
        assert STARTED == []

    play(tmp_path, says(answer), act)


@pytest.mark.parametrize("word", ["stop", "emergency stop", "stop everything", "cancel", "pause"])
def test_stopping_never_goes_near_a_proposer(tmp_path: Path, word: str) -> None:
    async def act(desk: Desk) -> None:
        desk.supervisor.say("make me happy", who="ann")
        await desk.until(EventKind.WAITING)
        before = len(desk.served.bodies)
        reply = desk.supervisor.say(word, who="ann")
        await desk.settled(reply)
        assert len(desk.served.bodies) <= max(before, 1)
        assert all(body["messages"][1]["content"] != word for body in desk.served.bodies)

    play(tmp_path, hangs, act)


def test_nothing_is_proposed_while_the_emergency_stop_is_set(tmp_path: Path) -> None:
    async def act(desk: Desk) -> None:
        await desk.settled(desk.supervisor.emergency_stop("a test", "ann"))
        reply = desk.supervisor.say("make me happy", who="ann")
        assert not await desk.settled(reply)
        assert desk.served.bodies == []

    play(tmp_path, says(WAVE_TWICE), act)


def test_a_proposer_that_hangs_holds_nobody_up(tmp_path: Path) -> None:
    async def act(desk: Desk) -> None:
        slow = desk.supervisor.say("make me happy", who="ann")
        await desk.until(EventKind.WAITING)
        assert await desk.settled(desk.supervisor.say("wave", who="bob"))
        assert STARTED == ["wave 1"]
        assert not await desk.settled(slow)
        assert "within 0.3 s" in slow.events[-1].text

    play(tmp_path, hangs, act, within_s=0.3)
