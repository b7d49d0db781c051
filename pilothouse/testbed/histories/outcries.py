"""What nobody understands: outcries while something moves, what nothing can do, what nobody can answer.

A false stop costs a word, a missed one an arm. So who cries out is heard first and asked afterwards; but what
is no outcry ends nothing.
"""

from __future__ import annotations

import asyncio
from enum import Enum
from typing import Final

from framework.events import EventKind, Subject
from framework.plan.ast import Do
from framework.plan.instruction import Source
from framework.plan.parser import NotUnderstood
from framework.plugins.action import Risk
from framework.scenarios.invariants import Breach
from framework.supervisor.reply import Reply
from framework.tree import PlanState
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.desk import ACTED_S, Desk
from pilothouse.testbed.histories.stage import History, HistoryStage

DOING: Final = Breach.DOING
MOTION: Final = Breach.SURPRISE_MOTION
UNTOLD: Final = Breach.UNTOLD
PEOPLE: Final = ("ann", "bob")
LONG_S: Final = 500.0
CORRECTED_WITHIN_S: Final = 60.0


class Effect(Enum):
    """What comes of a text while something moves. asked: it is understood, and not for certain."""

    STOPS = "what moves is stopped"
    PAUSES = "what moves is paused"
    ASKED = "it is asked about"
    NOTHING = "it is refused"


TEXTS: Final = {
    "would you please stop that right now": Effect.STOPS,
    "halt you silly thing": Effect.STOPS,
    "enough of that thing": Effect.STOPS,
    "no not that wall": Effect.STOPS,
    "stop " + "very " * 250 + "much": Effect.STOPS,
    "mind the cat!": Effect.STOPS,
    "wall wall wall": Effect.STOPS,
    "OH MIND THE CAT": Effect.STOPS,
    "enough books sorted": Effect.STOPS,
    "one moment please the door bell rings": Effect.PAUSES,
    "a short break, I have a call": Effect.PAUSES,
    "brb hold up": Effect.PAUSES,
    "mow the lawn!": Effect.ASKED,
    "the weather is nice today": Effect.NOTHING,
    "what " * 210: Effect.NOTHING,
}
UNSURE: Final = ("enough books sorted", "mow the lawn!")
"""These are understood, and not for certain."""


async def cries(stage: HistoryStage) -> None:
    """Somebody cries out, asks for a moment, or says what is none of that; what moves and what does not."""
    lots = stage.lots
    desk = Desk(stage)
    work = desk.work
    for name in ("paint_fence", "sweep_yard", "mow_lawn"):
        work.trade(name, takes_s=LONG_S, ends_s=lots.choice((0.0, 0.4)), risk=Risk.MOVES)
    work.trade("sort_books", takes_s=LONG_S)
    work.trade("burn_leaves", takes_s=LONG_S, risk=Risk.DANGEROUS)
    for name in ("paint_fence", "sweep_yard", "sort_books", "burn_leaves"):
        desk.learns(name.replace("_", " "), Do(name))
    for text in UNSURE:
        desk.learns(text, Do("mow_lawn"), 0.5)
    begun = lots.sample(("paint fence", "sweep yard", "sort books"), lots.randint(0, 3))
    async with desk:
        replies = {text: await desk.says(text, lots.choice(PEOPLE)) for text in begun}
        names = {text.replace(" ", "_") for text in begun}
        moving = {name for name in names if work.trades[name].risk is Risk.MOVES}
        who = lots.choice(PEOPLE)
        if has_asked := lots.random() < 0.3:
            await desk.says("burn leaves", who, Source.SPEECH)
            must(len(desk.supervisor.questions) == 1, "what is dangerous begins unasked", MOTION)
        effect = lots.choice(list(Effect))
        text = lots.choice([each for each, comes in TEXTS.items() if comes is effect])
        reply = await desk.says(text, who)
        is_done = bool(moving) and effect in (Effect.STOPS, Effect.PAUSES)
        what = f"{text[:30]!r} while {sorted(names)} go on"
        gone = moving if is_done else set()
        at_work = desk.at_work()
        must(not at_work & gone, f"{what}: {sorted(at_work & gone)} go on", MOTION)
        must(at_work == names - gone, f"{what}: only {sorted(at_work)} go on", DOING)
        states = {desk.states().get(replies[each.replace("_", " ")].plan) for each in moving}
        if is_done:
            left = {PlanState.PAUSED} if effect is Effect.PAUSES else {None}
            must(states == left, f"{what}: their plans are {states}", DOING)
            must(reply.succeeded is True, f"{what}: told as {reply.succeeded}", UNTOLD)
        said = " ".join(event.text for event in reply.events[1:])
        if is_done and effect is Effect.STOPS:
            must(all(each.replace("_", " ") in said for each in moving), f"{what}: told {said}", UNTOLD)
            for each in moving:
                told = replies[each.replace("_", " ")].succeeded
                must(told is False, f"{what}: {each} is told as {told}", UNTOLD)
        if is_done:
            must(not desk.supervisor.questions, f"{what}: a question is open still", DOING)
        elif text in UNSURE:
            must(reply.succeeded is None and len(desk.supervisor.questions) == 1, f"{what}: {said}", DOING)
        elif _said(reply, EventKind.ASKED):  # "What do you mean by that?", where nothing moves
            must(not moving and said, f"{what}: asked {said}", UNTOLD)
        else:
            must(reply.succeeded is False and said, f"{what}: told as {reply.succeeded}, {said}", UNTOLD)
            must(len(desk.supervisor.questions) == has_asked, f"{what}: a question is gone", DOING)
        must(not work.of(Do("mow_lawn")), f"{what}: something begins unasked", MOTION)
        if is_done and effect is Effect.PAUSES:
            await desk.says("carry on", lots.choice((who, *PEOPLE)))
            must(desk.at_work() == names, f"{what}: after a while {sorted(desk.at_work())} go on", DOING)
        await _ended_by_a_program(desk, names - (gone if effect is Effect.STOPS else set()))


async def _ended_by_a_program(desk: Desk, left: set[str]) -> None:
    """A program stops everything, or presses the emergency stop and takes it back: as a person would."""
    lots, supervisor = desk.stage.lots, desk.supervisor
    if lots.random() < 0.5:
        reply = supervisor.stop_everything("the shift is over", lots.choice(PEOPLE))
        await asyncio.sleep(ACTED_S)
        must(not desk.going(), f"a program stops everything, and {sorted(desk.at_work())} go on", MOTION)
        must(reply.succeeded is True, f"a program's stop is told as {reply.succeeded}", UNTOLD)
        must(not supervisor.questions, "questions outlive a stop of everything", DOING)
        said = " ".join(event.text for event in reply.events)
        must(all(each.replace("_", " ") in said for each in left), f"of {left} is told {said}", UNTOLD)
        return
    reply = supervisor.emergency_stop("smoke", "ann")
    must(desk.button.is_latched, "a program's emergency stop is none", MOTION)
    await asyncio.sleep(ACTED_S)
    must(not desk.going(), f"after an emergency stop {sorted(desk.at_work())} go on", MOTION)
    must(reply.succeeded is True, f"a program's emergency stop is told as {reply.succeeded}", UNTOLD)
    refused = await desk.says("sort books", "ann")
    must(refused.succeeded is False and not desk.going(), "it begins after an emergency stop", MOTION)
    back = supervisor.reset_emergency("ann")
    must(back.succeeded is True and not desk.button.is_latched, "it is not taken back", DOING)
    twice = supervisor.reset_emergency("ann")
    must(twice.succeeded is False, "what is not set is taken back", DOING)
    await asyncio.sleep(ACTED_S)
    must(not desk.going(), "something goes on by a reset", MOTION)


def _said(reply: Reply, kind: EventKind) -> list[str]:
    return [event.text for event in reply.events if event.kind is kind]


async def nobody_can(stage: HistoryStage) -> None:
    """What nothing can do, what nobody can answer: said in its words, and for a while of what changes it."""
    lots = stage.lots
    desk = Desk(stage)
    work = desk.work
    work.trade("sort_books", takes_s=0.3)
    work.trade("ask_way", takes_s=0.3, asks="Is the way clear?")
    desk.learns("sort books", Do("sort_books"))
    desk.learns("ask way", Do("ask_way"))
    why = "I have no wings."
    desk.refuses["fly to the moon"] = NotUnderstood("", reason=why, kind=Subject.NO_ACTION, unknown="fly")
    desk.refuses["how old is the moon?"] = NotUnderstood("", answer="That I do not know.")
    async with desk:
        await desk.says("sort books", "ann")
        if is_asked := lots.random() < 0.4:
            await desk.says("ask way", "ann")
        still = "I still wait for an answer: " if is_asked else ""
        reply = await desk.says("how old is the moon?", "ann")
        answers = _said(reply, EventKind.ANSWERED)
        must(len(answers) == 1 and answers[0].startswith("That I do not know."), f"told {answers}", UNTOLD)
        must(reply.succeeded is False, f"what nobody can answer is told as {reply.succeeded}", UNTOLD)
        must((still in answers[0]) if still else "still" not in answers[0], f"told {answers}", UNTOLD)
        if is_asked:
            must(len(desk.supervisor.questions) == 1, "the question of an action is gone", DOING)
            await desk.says("yes", "ann")
        reply = await desk.says("fly to the moon", "ann")
        (refused,) = _said(reply, EventKind.REFUSED)
        must(why in refused and reply.succeeded is False, f"what nothing can do: {refused}", UNTOLD)
        between = lots.choice(("nothing", "nothing", "late", "else", "also beyond"))
        if between == "late":
            await asyncio.sleep(CORRECTED_WITHIN_S + 1.0)
        elif between == "else":
            await desk.says("the weather is nice today", "ann")
        elif between == "also beyond":
            await desk.says("how old is the moon?", "bob")
        by = lots.choice(("ann", "ann", "bob"))
        changed = lots.choice(("no, to the sun", "no, the other moon"))
        reply = await desk.says(changed, by)
        refused = " ".join(_said(reply, EventKind.REFUSED))
        is_known = by == "ann" and between in ("nothing", "also beyond")
        must((why in refused) is is_known, f"{between}, {changed!r} by {by}: told {refused}", UNTOLD)
        must(reply.succeeded is False and len(work.jobs) == 1 + is_asked, f"{changed!r} begins", MOTION)
        await desk.says("stop")


async def joined(stage: HistoryStage) -> None:
    """What is being done is asked for once more: it is done once, for both, who hear what it asks of them."""
    lots = stage.lots
    desk = Desk(stage)
    work = desk.work
    asks = {"paint fence": "Is the way clear?", "sort books": "Is the shelf empty?"}
    for text, words in asks.items():
        work.trade(text.replace(" ", "_"), takes_s=1.0, asks=words)
        desk.learns(text, Do(text.replace(" ", "_")))
    async with desk:
        first = {text: await desk.says(text, "ann") for text in asks}
        text = lots.choice(list(asks))
        who = lots.choice(PEOPLE)
        again = await desk.says(text, who)
        must(again.plan == first[text].plan, f"{text} is another plan the second time", DOING)
        must(len(work.jobs) == 2, f"{text} is done twice", MOTION)
        must(again.succeeded is None, f"{text} is told as {again.succeeded}", UNTOLD)
        heard = _said(again, EventKind.ASKED)
        must(sum(asks[text] in each for each in heard) == 1, f"{who} is asked {heard}", UNTOLD)
        others = [each for each in heard if asks[text] not in each]
        must(not others, f"{who} says {text}, and is asked {others}", Breach.TOLD_TWICE)
        question = next(each for each in desk.supervisor.questions if asks[text] in each.text)
        desk.supervisor.answer(question.id, 1, lots.choice(("ann", who)))
        await asyncio.sleep(1.0 + ACTED_S)
        for reply in (first[text], again):
            must(reply.succeeded is True, f"who wanted {text} is told as {reply.succeeded}", UNTOLD)
        await desk.says("stop")


HISTORIES: Final = (
    History(cries, None, 6),
    History(nobody_can, None, 3),
    History(joined, None, 2),
)
