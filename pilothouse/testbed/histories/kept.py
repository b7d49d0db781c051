"""What somebody keeps until they say so ("let me drive"): who ends it, what waits for it, what is in use.

The ledger is short: one person keeps one thing, another one wants the same or says the same words.
"""

from __future__ import annotations

from typing import Final

from framework.events import EventKind
from framework.plan.ast import Do
from framework.plugins.action import Risk
from framework.scenarios.invariants import Breach
from framework.status import Priority
from framework.supervisor.reply import Reply
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.desk import Desk
from pilothouse.testbed.histories.hands import robots
from pilothouse.testbed.histories.stage import History, HistoryStage
from pilothouse.testbed.histories.things import Asked

DOING: Final = Breach.DOING
MOTION: Final = Breach.SURPRISE_MOTION
UNTOLD: Final = Breach.UNTOLD
PEOPLE: Final = ("ann", "bob")
LONG_S: Final = 500.0


def _told(reply: Reply) -> str:
    return " ".join(event.text for event in reply.events[1:])


async def drives(stage: HistoryStage) -> None:
    """Who keeps something ends it by "done" or "carry on", and nobody else does; what needs it says so."""
    lots = stage.lots
    desk = Desk(stage)
    work = desk.work
    work.trade(
        "drive", continuous=True, takes_s=0.2, retains=True, alone="left arm", priority=Priority.OPERATOR
    )
    work.trade("hold_lamp", continuous=True, takes_s=0.2, retains=True, alone="left arm")
    work.trade("paint_fence", takes_s=LONG_S, alone="left arm", risk=Risk.MOVES)
    for name in ("sort_books", "mow_lawn"):
        work.trade(name, takes_s=LONG_S)
    for name in work.trades:
        desk.learns(name.replace("_", " "), Do(name))
    who = lots.choice(PEOPLE)
    (other,) = [each for each in PEOPLE if each != who]
    async with desk:
        none = await desk.says("done", who)
        must(none.succeeded is False and _told(none), "who keeps nothing is done with it", UNTOLD)
        mine, theirs = await desk.says("sort books", who), await desk.says("mow lawn", other)
        paused: dict[str, str] = {}
        if lots.random() < 0.6:
            await desk.says("pause sort books", who)
            paused["sort_books"] = who
        if lots.random() < 0.4:
            await desk.says("pause mow lawn", other)
            paused["mow_lawn"] = other
        first = await desk.says("drive", who)
        driving = work.jobs[-1]
        must(driving.name == "drive" and driving.goes_on, f"it does not begin: {_told(first)}", DOING)
        _judge(desk, {"drive"}, paused)
        for _ in range(lots.randint(0, 3)):
            text, by = lots.choice(
                (
                    ("paint fence", who),
                    ("hold lamp", who),
                    ("done", other),
                    ("drive", who),
                )
            )
            before = len(work.jobs)
            reply = await desk.says(text, by)
            must(len(work.jobs) == before, f"{text!r} by {by} begins beside what is kept", MOTION)
            if text in ("paint fence", "hold lamp"):
                must(reply.succeeded is False, f"{text!r}: told as {reply.succeeded}", UNTOLD)
                is_named = "left arm" in _told(reply) or "the same" in _told(reply)
                must(
                    is_named and "driving" in _told(reply), f"{text!r} is refused with {_told(reply)}", UNTOLD
                )
            elif text == "done":
                must(reply.succeeded is False, "somebody else is done with what is kept", MOTION)
            else:
                must(reply.plan == first.plan, "what is kept is begun once more", DOING)
            _judge(desk, {"drive"}, paused)
        word = lots.choice(("done", "carry on"))
        reply = await desk.says(word, who)
        if word == "carry on" and "sort_books" in paused:
            del paused["sort_books"]
        must(driving.told_s is not None, f'"{word}" does not end what is kept', DOING)
        must(reply.succeeded is True, f'"{word}" is told as {reply.succeeded}', UNTOLD)
        ended = [event.text for event in reply.events if event.kind is EventKind.ENDED]
        must(len(ended) == 1 and "drive" in ended[0], f'"{word}" is told as {_told(reply)}', UNTOLD)
        must(reply.events[-1].kind is not EventKind.REFUSED, f'"{word}": told {_told(reply)}', UNTOLD)
        stays = any("stays paused" in event.text for event in reply.events)
        must(stays is (word == "carry on" and "mow_lawn" in paused), f'"{word}": told {_told(reply)}', UNTOLD)
        _judge(desk, set(), paused)
        again = await desk.says("done", who)
        must(again.succeeded is False, "what has ended is ended again", UNTOLD)
        begun = await desk.says("paint fence", who)
        must(begun.succeeded is None and work.alive("paint_fence") == 1, "what is free is not had", DOING)
        must(mine.succeeded is None and theirs.succeeded is None, "something else ends by it", DOING)
        await desk.says("stop")


def _judge(desk: Desk, kept: set[str], paused: dict[str, str]) -> None:
    wanted = {"sort_books", "mow_lawn"} - set(paused) | kept
    at_work = desk.at_work()
    must(not at_work - wanted, f"{sorted(at_work - wanted)} go on", MOTION)
    must(at_work == wanted, f"only {sorted(at_work)} go on, not {sorted(wanted)}", DOING)


async def in_use(stage: HistoryStage) -> None:
    """Whoever asks what is being done hears what is in use and what is waited for, each once."""
    lots = stage.lots
    await robots(stage)
    desk = Desk(stage, registrar=stage.registrars["plans"])
    work = desk.work
    things = ("left", "right")
    for name, device in (("paint_fence", "left"), ("sort_books", "left"), ("mow_lawn", "right")):
        work.trade(name, takes_s=LONG_S, uses=Asked(device))
        desk.learns(name.replace("_", " "), Do(name))
    has: dict[str, str] = {}
    waits: list[str] = []
    async with desk:
        supervisor = desk.supervisor
        for _ in range(lots.randint(2, 6)):
            going = {job.name for job in desk.going()}
            name = lots.choice(list(work.trades))
            text = name.replace("_", " ")
            thing = work.trades[name].uses
            assert isinstance(thing, Asked)
            if name in going:
                await desk.says(f"stop {text}", lots.choice(PEOPLE))
                if has.get(thing.device) == name:
                    del has[thing.device]
                    for each in [each for each in waits if work.trades[each].uses == thing][:1]:
                        has[thing.device] = each
                        waits.remove(each)
                else:
                    waits.remove(name)
            else:
                await desk.says(text, lots.choice(PEOPLE))
                if thing.device in has:
                    waits.append(name)
                else:
                    has[thing.device] = name
            said = supervisor.what_is_done()
            used = said.partition("In use: ")[2].partition(".")[0]
            wanted = said.partition("Waited for: ")[2].partition(".")[0]
            for each in things:
                must((each in used) is (each in has), f"{each} is had: {each in has}, told {said}", UNTOLD)
                must(used.count(each) <= 1, f"told twice: {said}", Breach.TOLD_TWICE)
                is_waited_for = any(work.trades[name].uses == Asked(each) for name in waits)
                must((each in wanted) is is_waited_for, f"{each} is waited for, told {said}", UNTOLD)
            must(("for myself alone" in used) is bool(has), f"it is not said how: {said}", UNTOLD)
        await desk.says("stop")
        said = supervisor.what_is_done()
        must("In use" not in said and "Waited" not in said, f"of nothing is said: {said}", UNTOLD)


HISTORIES: Final = (
    History(drives, None, 4),
    History(in_use, None, 2),
)
