"""A proposer for what nobody understands: bounded, always confirmed, never in the way, never near a stop."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from framework.errors import ProposalError
from framework.plan import Cancel, Do, Plan, Reference, Source, World
from framework.supervisor import EventKind
from tests.framework.supervisor.lab import LabDesk, lab_scene


class Scripted:
    """Answers as it is told: a plan, an error, nothing for a long time."""

    def __init__(self) -> None:
        self.answer: Any = Do("go")
        self.takes_s = 0.5
        self.asked: list[str] = []
        self.is_deaf = False

    async def propose(self, text: str, world: World) -> Plan:
        self.asked.append(text)
        try:
            await asyncio.sleep(self.takes_s)
        except asyncio.CancelledError:
            if not self.is_deaf:
                raise
            await asyncio.sleep(1.0)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer  # type: ignore[no-any-return]


PROPOSER = Scripted()


def fresh() -> Scripted:
    PROPOSER.__init__()  # type: ignore[misc]
    return PROPOSER


@lab_scene(proposer=PROPOSER)
async def test_what_is_not_understood_is_proposed_read_back_and_confirmed(desk: LabDesk) -> None:
    proposer = fresh()
    reply = desk.say("would you mind going", who="ann")
    assert reply.events[-1].text == "I do not understand that; I ask the proposer what it could mean."
    await asyncio.sleep(0.6)
    assert [event.text for event in reply.events[2:]] == [
        "I understand: go.",
        "That is a proposal, not what you said. Shall I go? (yes or no)",
    ]
    assert desk.running == [] and proposer.asked == ["would you mind going"]
    assert desk.say("yes", who="bob").succeeded is False
    desk.say("yes", who="ann")
    await desk.settle()
    assert desk.running == ["go"]
    assert desk.supervisor.plans()[0].source == "proposer"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (ProposalError("the server is not there"), "the server is not there"),
        (ZeroDivisionError("scripted"), "ZeroDivisionError: scripted"),
        (None, "it gave a NoneType"),
        ("go", "it gave a str"),
        (Do("fly"), "there is no action 'fly'"),
        (Do("go", {"speed": 1.0}), "speed"),
        (Do("track", {"thing": 3.0}), "thing"),
        (Cancel(), "A proposer has nothing to end"),
        (Do(None), "no use"),  # type: ignore[arg-type]
    ],
)
def test_a_bad_proposal_becomes_a_refusal_in_words(answer: object, why: str) -> None:
    @lab_scene(proposer=PROPOSER)
    async def scene(desk: LabDesk) -> None:
        fresh().answer = answer
        reply = desk.say("blah")
        assert await reply.done() is False
        assert why in reply.events[-1].text
        assert reply.events[-1].kind is EventKind.REFUSED and desk.stage.made == []
        if isinstance(answer, Exception) or answer is None:
            assert reply.events[-1].text.startswith("I did not understand that; an instruction could begin")

    scene()


@pytest.mark.parametrize("is_deaf", [False, True])
def test_it_is_given_8_s(is_deaf: bool) -> None:
    @lab_scene(proposer=PROPOSER)
    async def scene(desk: LabDesk) -> None:
        proposer = fresh()
        proposer.takes_s, proposer.is_deaf = 9.0, is_deaf
        reply = desk.say("blah")
        await asyncio.sleep(7.9)
        assert reply.succeeded is None
        await asyncio.sleep(0.2)
        assert reply.succeeded is False
        assert "no proposal within 8 s" in reply.events[-1].text
        await asyncio.sleep(2.0)
        assert desk.supervisor.questions == ()

    scene()


@lab_scene(proposer=PROPOSER)
async def test_a_newer_instruction_ends_the_asking(desk: LabDesk) -> None:
    fresh().answer = Do("danger")
    first = desk.say("blah", who="ann")
    desk.say("blubb", who="bob")
    await desk.say_and_settle("go", who="ann")
    assert first.succeeded is False
    assert first.events[-1].text == "I leave it: you have said something else."
    second = desk.say("bla", who="ann")
    third = desk.say("blub", who="ann")
    assert second.succeeded is False
    await asyncio.sleep(1.0)
    assert third.succeeded is None
    assert [question.who for question in desk.supervisor.questions] == ["bob", "ann"]


@pytest.mark.parametrize("text", ["stop", "emergency stop", "cancel", "never mind"])
def test_a_stop_ends_the_asking(text: str) -> None:
    @lab_scene(proposer=PROPOSER)
    async def scene(desk: LabDesk) -> None:
        fresh()
        reply = desk.say("blah")
        desk.say(text)
        assert reply.succeeded is False
        await asyncio.sleep(1.0)
        assert desk.supervisor.questions == () and desk.stage.made == []

    scene()


@lab_scene(proposer=PROPOSER)
async def test_while_the_emergency_stop_is_set_nobody_is_asked(desk: LabDesk) -> None:
    proposer = fresh()
    desk.latch.latch("the button")
    assert desk.say("blah").succeeded is False
    assert proposer.asked == []


@lab_scene(proposer=PROPOSER)
async def test_a_stop_of_another_process_while_it_thinks(desk: LabDesk) -> None:
    fresh()
    reply = desk.say("blah")
    desk.latch.latch("the button")
    await asyncio.sleep(1.0)
    assert reply.succeeded is False and desk.supervisor.questions == ()


@lab_scene(proposer=PROPOSER)
async def test_commands_answers_and_its_own_words_are_never_proposed(desk: LabDesk) -> None:
    proposer = fresh()
    for text in ("stop", "pause", "cancel", "yes", "2", "reset", "what are you doing?", "cancel dancing", ""):
        desk.say(text)
    desk.say("blah", source=Source.PROPOSER)
    desk.say("x " * 500)
    await desk.say_and_settle("track the red cup")
    assert desk.say("blah").succeeded is False, "while something is asked, that is asked again"
    assert proposer.asked == []


@lab_scene(proposer=PROPOSER)
async def test_what_points_in_a_proposal_is_asked(desk: LabDesk) -> None:
    fresh().answer = Do("track", {"thing": Reference("that", is_pointing=True)})
    desk.say("blah")
    await asyncio.sleep(0.6)
    assert desk.supervisor.questions[0].text.startswith('What do you mean by "that"?')
    desk.say("the hand")
    await desk.settle()
    assert desk.running == []
    assert "Shall I track the hand?" in desk.supervisor.questions[0].text
    desk.say("no")


def test_leaving_while_it_thinks_leaves_nothing() -> None:
    @lab_scene(proposer=PROPOSER)
    async def scene(desk: LabDesk) -> None:
        fresh().takes_s = 3.0
        desk.say("blah")

    scene()
