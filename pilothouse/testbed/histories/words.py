"""What people tell a supervisor to do with what it does: hold on, go on, end this, end all, never again.

The ledger knows plans as their words: which steps they have, in which order, who has them hold on. What goes
on after each word is what the ledger says, and nothing else.
"""

from __future__ import annotations

import asyncio
from typing import Final

from framework.events import EventKind
from framework.plan.ast import Cancel, Do, Parallel, Plan, State, Until, Wait, While
from framework.plan.ast import Sequence as Steps
from framework.plan.instruction import Source
from framework.plugins.action import Risk
from framework.scenarios.invariants import Breach
from framework.supervisor.reply import Reply
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.desk import ACTED_S, Desk
from pilothouse.testbed.histories.hands import robots
from pilothouse.testbed.histories.stage import History, HistoryStage
from pilothouse.testbed.histories.things import Asked

DOING: Final = Breach.DOING
MOTION: Final = Breach.SURPRISE_MOTION
UNTOLD: Final = Breach.UNTOLD
PEOPLE: Final = ("ann", "bob")
LONG_S: Final = 500.0
SWEPT: Final = "wheels"
"""What moves for an action that moves nothing itself."""


class Entry:
    """A plan in the ledger. steps: its actions by name; those that are not over, in their order."""

    def __init__(self, reply: Reply, text: str, who: str, steps: list[str], *, at_once: bool) -> None:
        self.id = reply.plan
        self.reply = reply
        self.text = text
        self.who = who
        self.steps = steps
        self.at_once = at_once
        self.is_over = False
        self.paused_by: str | None = None

    @property
    def at_work(self) -> set[str]:
        """What of it goes on."""
        if self.is_over or self.paused_by is not None:
            return set()
        return set(self.steps if self.at_once else self.steps[:1])

    def ends(self, names: set[str]) -> None:
        """Somebody has these ended."""
        self.steps = [each for each in self.steps if each not in names]
        self.is_over = self.is_over or not self.steps


class Ledger:
    """What was said of what, and what follows from that."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.entries: list[Entry] = []
        self.is_stopped = False

    @property
    def wanted(self) -> list[Entry]:
        return [entry for entry in self.entries if not entry.is_over]

    def ends_all(self) -> None:
        for entry in self.entries:
            entry.is_over = True

    def meant(self, name: str) -> list[tuple[Entry, set[str]]]:
        """What somebody means by an action's name, or by part of it: whole plans of that name come first."""
        whole = [(entry, set(entry.steps)) for entry in self.wanted if entry.text == name]
        if whole:
            return whole
        words = set(name.split())
        fitting = [
            (entry, {each for each in entry.steps if words <= set(each.split("_"))}) for entry in self.wanted
        ]
        return [(entry, names) for entry, names in fitting if names]

    def needing(self, words: str) -> list[tuple[Entry, set[str]]]:
        """What needs this for itself alone, or has it moved."""
        said = set(words.split())
        trades = self.desk.work.trades

        def needs(entry: Entry, name: str) -> bool:
            has = trades[name].uses
            is_moved = isinstance(has, Asked) and said <= {has.device}
            return is_moved or said <= set(trades[name].alone.split())

        fitting = [(entry, {each for each in entry.steps if needs(entry, each)}) for entry in self.wanted]
        return [(entry, names) for entry, names in fitting if names]

    def moving(self) -> list[Entry]:
        """What moves something, or is yet to."""
        trades = self.desk.work.trades
        return [
            entry
            for entry in self.wanted
            if any(
                trades[each].risk is not Risk.NONE or trades[each].uses is not None for each in entry.steps
            )
        ]

    def judge(self, after: str) -> None:
        """What goes on is what the ledger says."""
        desk = self.desk
        for entry in self.entries:
            at_work = desk.at_work(entry.id)
            more, less = sorted(at_work - entry.at_work), sorted(entry.at_work - at_work)
            must(not more, f'after {after} "{", ".join(more)}" of plan {entry.id} goes on', MOTION)
            must(not less, f'after {after} "{", ".join(less)}" of plan {entry.id} does not go on', DOING)
            told = entry.reply.succeeded
            must(
                told is (False if entry.is_over else None),
                f"after {after} {entry.id}: told as {told}",
                UNTOLD,
            )
        ids = sorted(entry.id for entry in self.wanted)
        must(sorted(desk.states()) == ids, f"after {after} the plans {sorted(desk.states())} are", DOING)
        known = {entry.id for entry in self.entries}
        strange = {job.plan_id for job in desk.going()} - known
        must(not strange, f"after {after} something goes on that nobody wants", MOTION)


NAMES: Final = ("paint_fence", "sort_books", "water_garden", "tune_piano", "mow_lawn", "bake_bread")
ALONE: Final = {"paint_fence": "left arm", "sort_books": "right arm", "mow_lawn": "gripper"}
MOVES: Final = ("paint_fence", "mow_lawn")
SWEEPS: Final = "watch_yard"


async def orders(stage: HistoryStage) -> None:
    """Two people begin, hold on, go on and end what they and others have begun, by its name or all of it."""
    lots = stage.lots
    await robots(stage)
    desk = Desk(stage)
    work = desk.work
    for name in NAMES:
        risk = Risk.MOVES if name in MOVES else Risk.NONE
        ends_s = lots.choice((0.0, 0.4))
        work.trade(name, takes_s=LONG_S, ends_s=ends_s, alone=ALONE.get(name, ""), risk=risk)
    work.trade(SWEEPS, takes_s=LONG_S, uses=Asked(SWEPT))
    plans: dict[str, tuple[list[str], bool]] = {}
    for _ in range(5):
        names = lots.sample(NAMES, lots.choice((1, 1, 2, 3)))
        at_once = lots.random() < 0.5
        said = (" and " if at_once else " then ").join(name.replace("_", " ") for name in names)
        plans[said] = names, at_once
        dos = tuple(map(Do, names))
        desk.learns(said, dos[0] if len(dos) == 1 else Parallel(dos) if at_once else Steps(dos))
    desk.learns("watch yard", Do(SWEEPS))
    plans["watch yard"] = [SWEEPS], False
    async with desk:
        ledger = Ledger(desk)
        for _ in range(lots.randint(8, 16)):
            deed = lots.choice((*_DEEDS, *[_begin] * 6))
            after = await deed(ledger, plans, lots.choice(PEOPLE))
            if after:
                ledger.judge(after)
        await desk.says("stop")
    stage.judge()


async def _begin(ledger: Ledger, plans: dict[str, tuple[list[str], bool]], who: str) -> str:
    desk = ledger.desk
    text = desk.stage.lots.choice(list(plans))
    names, at_once = plans[text]
    same = [entry for entry in ledger.wanted if entry.text == text]
    reply = await desk.says(text, who)
    if ledger.is_stopped:
        must(reply.succeeded is False, "something begins while all is stopped", MOTION)
    elif same:
        if same[0].paused_by == who:
            same[0].paused_by = None
    else:
        must(reply.plan, f'"{text}" does not begin', DOING)
        _judge_collisions(ledger, reply.plan, names)
        ledger.entries.append(Entry(reply, text, who, list(names), at_once=at_once))
    return f'"{text}" by {who}'


def _judge_collisions(ledger: Ledger, plan: str, names: list[str]) -> None:
    """What is in use elsewhere, and is needed alone, is said when something begins; and nothing else is."""
    trades = ledger.desk.work.trades
    events = [each for each in ledger.desk.heard(EventKind.WAITING) if each.plan == plan]
    told = " ".join(each.text for each in events if each.text.startswith("It needs "))
    mine = {trades[name].alone for name in names} - {""}
    for entry in ledger.wanted:
        needs = [trades[name].alone for name in entry.steps]
        now = {trades[name].alone for name in entry.at_work} & mine
        must(not now or f"in use: {entry.text}" in told.replace(",", ""), f"{now}: told {told!r}", UNTOLD)
        must(mine & set(needs) or f"in use: {entry.text}." not in told, f"{needs}: told {told!r}", UNTOLD)


async def _not_there(ledger: Ledger, plans: object, who: str) -> str:
    """Of what is not being done nothing can be ended; but who cries stop is heard: all that moves ends.

    Who says pause is heard, too: all that moves rests.
    """
    desk, lots = ledger.desk, ledger.desk.stage.lots
    name = lots.choice(NAMES).replace("_", " ")
    if ledger.meant(name) or any(set(name.split()) & set(entry.text.split()) for entry in ledger.wanted):
        return ""
    word = lots.choice(("stop", "stop", "cancel", "pause", "carry on with"))
    moving = ledger.moving() if word in ("stop", "pause") else []
    reply = await desk.says(f"{word} {name}", who)
    must(not desk.supervisor.questions, f'"{word} {name}" asks something', DOING)
    if word == "pause" and moving:
        for entry in moving:
            entry.paused_by = entry.paused_by or who  # what rests already is not theirs
        return f'"pause {name}", which is not being done'
    for entry in moving:
        entry.is_over = True
    said = " ".join(event.text for event in reply.events)
    must(f'"{name}" is not being done' in said, f'"{word} {name}" is answered by {said!r}', UNTOLD)
    if word in ("stop", "cancel"):  # the others have done what they could
        must(reply.succeeded is bool(moving), f'"{word} {name}" is told as {reply.succeeded}', UNTOLD)
    return f'"{word} {name}", which is not being done'


def _judge_what_would_go_on(ledger: Ledger, who: str, resumed: list[Entry]) -> None:
    """Before "carry on" is said it is known what would move by it."""
    trades = ledger.desk.work.trades
    known = {(each.words.replace(" ", "_"), each.who) for each in ledger.desk.supervisor.goes_on_after(who)}
    wanted = set()
    for entry in resumed:
        moving = [name for name in entry.steps if trades[name].risk is not Risk.NONE]
        wanted |= {(name, entry.who) for name in moving[:1]}
    must(known == wanted, f"by a word of {who} {sorted(wanted)} move, and {sorted(known)} are shown", UNTOLD)


async def _pause(ledger: Ledger, plans: object, who: str) -> str:
    await ledger.desk.says("pause", who)
    for entry in ledger.wanted:
        if entry.paused_by is None:
            entry.paused_by = who
    return f'"pause" by {who}'


async def _resume(ledger: Ledger, plans: object, who: str) -> str:
    paused = [entry for entry in ledger.wanted if entry.paused_by is not None]
    own = [entry for entry in paused if entry.paused_by == who]
    _judge_what_would_go_on(ledger, who, own or paused)
    await ledger.desk.says("carry on", who)
    for entry in own or paused:  # what others have paused stays so beside one's own
        entry.paused_by = None
    return f'"carry on" by {who}'


async def _one(ledger: Ledger, plans: object, who: str) -> str:
    """One of several, by the name of an action, by part of it, or by a plan's number."""
    lots = ledger.desk.stage.lots
    if not ledger.wanted:
        return ""
    entry = lots.choice(ledger.wanted)
    step = lots.choice(entry.steps)
    words = step.replace("_", " ")
    name = lots.choice((words, words.split()[1], f"plan {entry.id}"))
    found = [(entry, set(entry.steps))] if name.startswith("plan") else ledger.meant(name)
    match lots.choice(("pause", "carry on with", "stop", "cancel")):
        case "pause":
            text = f"pause {name}"
            await ledger.desk.says(text, who)
            for each, _ in found:
                each.paused_by = who if each.paused_by is None else each.paused_by
        case "carry on with":
            text = f"carry on with {name}"
            await ledger.desk.says(text, who)
            for each, _ in found:
                each.paused_by = None
        case "stop":
            text = f"stop {name}"
            await ledger.desk.says(text, who)
            for each, names in found:
                each.ends(names)
        case _:
            text = f"cancel {name}"
            await ledger.desk.says(text, who)
            targets = [(each, part) for each, names in found for part in _parts(each, names)]
            if len(targets) > 1:
                choice = lots.randint(0, len(targets) + 1)
                await _answers(ledger.desk, who, choice)
                targets = [] if choice == 0 else targets[choice - 1 : choice] or targets
                text = f"{text}: {choice}"
            for each, names in targets:
                each.ends(names)
    return f'"{text}" by {who}'


def _parts(entry: Entry, names: set[str]) -> list[set[str]]:
    """A plan of which all is meant is meant as a whole."""
    if names >= set(entry.steps):
        return [names]
    return [{each} for each in entry.steps if each in names]


async def _answers(desk: Desk, who: str, choice: int) -> None:
    open_for = [each for each in desk.supervisor.questions if each.who == who]
    must(len(open_for) == 1, f"{who} is asked {len(open_for)} questions", Breach.UNTOLD)
    other = next(each for each in PEOPLE if each != who)
    refused = desk.supervisor.answer(open_for[0].id, 1, other)
    must(refused.succeeded is False, "somebody else answers", MOTION)
    beyond = desk.supervisor.answer(open_for[0].id, open_for[0].most + 1, who)
    must(beyond.succeeded is False, "an answer that was not offered is one", MOTION)
    desk.supervisor.answer(open_for[0].id, choice, who)
    await asyncio.sleep(ACTED_S)


async def _device(ledger: Ledger, plans: object, who: str) -> str:
    """A stop of something that things need: all of it ends, and nobody is asked anything."""
    lots = ledger.desk.stage.lots
    words = lots.choice(("left arm", "arm", "gripper", SWEPT))
    found = ledger.needing(words)
    if not found:
        return ""
    await ledger.desk.says(f"stop the {words}", who)
    must(not ledger.desk.supervisor.questions, "a stop asks something", DOING)
    for entry, names in found:
        entry.ends(names)
    return f'"stop the {words}"'


async def _no(ledger: Ledger, plans: object, who: str) -> str:
    moving = ledger.moving()
    await ledger.desk.says("no!", who)
    for entry in moving:
        entry.is_over = True
    return f'"no!" by {who}'


async def _stop(ledger: Ledger, plans: object, who: str) -> str:
    await ledger.desk.says(ledger.desk.stage.lots.choice(("stop", "stop everything", "halt")), who)
    ledger.ends_all()
    return f'"stop" by {who}'


async def _emergency(ledger: Ledger, plans: object, who: str) -> str:
    desk = ledger.desk
    if desk.stage.lots.random() < 0.5:
        desk.button.latch("somebody has pressed it")
        await asyncio.sleep(ACTED_S)
    else:
        await desk.says("emergency stop", who, desk.stage.lots.choice((Source.TYPED, Source.SPEECH)))
    must(desk.button.is_latched, "the emergency stop is not set", MOTION)
    ledger.is_stopped = True
    ledger.ends_all()
    return "an emergency stop"


async def _reset(ledger: Ledger, plans: object, who: str) -> str:
    """Only who types takes it back, and is asked before."""
    desk, lots = ledger.desk, ledger.desk.stage.lots
    if not ledger.is_stopped:
        return ""
    sources = (Source.TYPED, Source.TYPED, Source.PHONE, Source.SPEECH, Source.GESTURE)
    source, answer = lots.choice(sources), lots.choice(sources)
    await desk.says("reset", who, source)
    must(desk.button.is_latched, "the emergency stop is taken back unasked", MOTION)
    await desk.says("yes", who, answer)
    sure = (Source.TYPED, Source.PHONE)
    if source in sure and answer in sure:
        must(not desk.button.is_latched, "the emergency stop is not taken back", DOING)
        ledger.is_stopped = False
    must(desk.button.is_latched is ledger.is_stopped, "a voice takes back the emergency stop", MOTION)
    await desk.says("no", who)
    return "a reset"


_DEEDS: Final = (
    _pause,
    _pause,
    _resume,
    _resume,
    _one,
    _one,
    _one,
    _one,
    _device,
    _not_there,
    _not_there,
    _no,
    _stop,
    _emergency,
    *[_reset] * 4,
)


async def stopped(stage: HistoryStage) -> None:
    """While an emergency stop is set nothing begins, whoever says so and how; who types takes it back."""
    lots = stage.lots
    desk = Desk(stage)
    work = desk.work
    for name in ("paint_fence", "sort_books"):
        work.trade(name, takes_s=LONG_S, risk=lots.choice(tuple(Risk)))
        desk.learns(name.replace("_", " "), Do(name))
    plans = {"paint fence": (["paint_fence"], False), "sort books": (["sort_books"], False)}
    async with desk:
        ledger = Ledger(desk)
        for deed in (_begin, _emergency):
            ledger.judge(await deed(ledger, plans, lots.choice(PEOPLE)))
        for _ in range(6):
            deed = lots.choice((_begin, _reset, _reset, _reset, _emergency))
            if after := await deed(ledger, plans, lots.choice(PEOPLE)):
                ledger.judge(after)
        if lots.random() < 0.5:
            await desk.says("stop")
    stage.judge()


async def ends_others(stage: HistoryStage) -> None:
    """A plan that ends something first: that is at rest before it goes on, and it does not end itself."""
    lots = stage.lots
    desk = Desk(stage)
    work = desk.work
    for name in ("paint_fence", "sort_books"):
        work.trade(name, takes_s=LONG_S, ends_s=lots.choice((0.1, 0.6, 1.2)))
    work.trade("bake_bread", takes_s=2.0)
    texts = [desk.learns(name.replace("_", " "), Do(name)) for name in ("paint_fence", "sort_books")]
    what = lots.choice(("", "paint fence"))
    desk.learns("that", Steps((Cancel(what.replace(" ", "_")), Do("bake_bread"))))
    async with desk:
        for text in texts:
            await desk.says(text, lots.choice(PEOPLE))
        reply = await desk.says("that", "ann")
        await desk.until(lambda: work.of(Do("bake_bread")), "it never goes on")
        (baked,) = work.of(Do("bake_bread"))
        (painted,), (sorted_,) = (work.of(Do(name)) for name in ("paint_fence", "sort_books"))
        for each in (painted, sorted_) if not what else (painted,):
            must(each.told_s is not None, f"{each.name} is not ended", DOING)
            at_rest = each.ended_s is not None and (baked.began_s or 0.0) >= each.ended_s
            must(at_rest, f"it goes on while {each.name} still comes to its end", MOTION)
        must(not what or sorted_.is_at_work, "it ends what it was not to", DOING)
        await desk.until(lambda: reply.succeeded is not None, "it never ends")
        must(reply.succeeded, "who ends others does not come to its own end", DOING)
        await desk.says("stop")


async def said(stage: HistoryStage) -> None:
    """What waits for a word hears its own operator's, and only while it waits for it."""
    lots = stage.lots
    desk = Desk(stage)
    work = desk.work
    owner = lots.choice((*PEOPLE, ""))
    stays, then = work.action(stays=True, takes_s=0.1), work.action(takes_s=0.5)
    go = State("said", {"words": "the cake is ready"})
    kind = lots.choice(("wait", "until", "while"))
    plan: Plan
    if kind == "wait":
        plan = Steps((Wait(go), then))
    elif kind == "until":
        plan = Steps((Until(stays, go), then))
    else:
        plan = Steps((While(stays, State("said", {"words": "the cake is ready"}, is_so=False)), then))
    desk.learns("that", plan)
    also = work.action(takes_s=0.5)
    desk.learns("this, too", Steps((Wait(go), also)))
    other = next(each for each in PEOPLE if each != owner)
    async with desk:
        if lots.random() < 0.5:
            await desk.says("the cake is ready", owner)  # too early: nobody waits for it
        beside = await desk.says("this, too", other) if owner else None
        reply = await desk.says("that", owner)
        for _ in range(lots.randint(0, 2)):
            await desk.says(lots.choice(("the bread is ready", "the cake")), owner)
            if owner:
                await desk.says("the cake is ready", "carl")
        must(not work.of(then), f"{kind}: it goes on before it was said", MOTION)
        must(kind == "wait" or work.alive(stays.action) == 1, f"{kind}: it does not go on until then", DOING)
        if lots.random() < 0.5:
            await desk.says("the cake is ready", owner, Source.SPEECH, confidence=0.5)
            must(not work.of(then), f"{kind}: what was not heard clearly counts", MOTION)
            await desk.says("no", owner)
        await desk.says("The cake is ready!", owner or "carl")
        await desk.until(lambda: reply.succeeded is not None, f"{kind}: it is not heard")
        must(reply.succeeded and len(work.of(then)) == 1, f"{kind}: what comes then is not done", DOING)
        must(not work.of(also), f"{kind}: what {other} waits to say is said by somebody else", MOTION)
        if beside is not None:
            await desk.says("the cake is ready", other)
            await desk.until(lambda: beside.succeeded is not None, f"{kind}: {other} is not heard")


async def closing(stage: HistoryStage) -> None:
    """While a supervisor closes nothing begins, and all ends; but an emergency stop is one at any time."""
    lots = stage.lots
    desk = Desk(stage)
    work = desk.work
    work.trade("paint_fence", takes_s=LONG_S, ends_s=lots.uniform(0.5, 2.0))
    work.trade("sort_books", takes_s=LONG_S)
    for name in ("paint_fence", "sort_books"):
        desk.learns(name.replace("_", " "), Do(name))
    async with desk:
        await desk.says("paint fence")
        leaving = asyncio.create_task(desk.supervisor.__aexit__(None, None, None))
        await asyncio.sleep(lots.uniform(0.05, 0.4))
        refused = [desk.supervisor.say("sort books"), desk.supervisor.carry_out(Do("sort_books"))]
        if lots.random() < 0.7:
            desk.supervisor.say("emergency stop", lots.choice((Source.TYPED, Source.SPEECH)))
            must(desk.button.is_latched, "no emergency stop is set while it closes", MOTION)
        await leaving
        must(not work.of(Do("sort_books")), "something begins while it closes", MOTION)
        must(all(each.succeeded is False for each in refused), "it is not refused", Breach.UNTOLD)
    must(desk.supervisor.carry_out(Do("sort_books")).succeeded is False, "it begins afterwards", MOTION)


async def first_come(stage: HistoryStage) -> None:
    """What comes after what somebody has begun waits for that, and is not done if that is ended."""
    lots = stage.lots
    desk = Desk(stage)
    work = desk.work
    before, after = work.action(takes_s=2.0), work.action(takes_s=0.5)
    running = State("running", {"what": before.action.replace("_", " ")}, is_so=False)
    desk.learns("first", before)
    desk.learns("then", Steps((Wait(running), after)))
    async with desk:
        reply = await desk.says("first", "ann")
        later = await desk.says("then", lots.choice(PEOPLE))
        must(not work.of(after), "it does not wait for what goes on", MOTION)
        if lots.random() < 0.5:
            await desk.says("pause", "ann")
            await asyncio.sleep(3.0)
            must(not work.of(after), "what comes after something begins in its pause", MOTION)
            await desk.says("carry on", "ann")
        await desk.until(lambda: later.succeeded is not None, "it waits for ever")
        (one,), (two,) = work.of(before), work.of(after)
        must((two.began_s or 0.0) >= (one.ended_s or 1e9), "it begins before the other is over", MOTION)
        must(reply.succeeded and later.succeeded, "it is not done", DOING)
        must(desk.states() == {}, f"plans are left: {desk.states()}", Breach.NEVER_ENDED)


HISTORIES: Final = (
    History(orders, None, 8),
    History(stopped, None, 3),
    History(ends_others, None, 2),
    History(said, None, 4),
    History(closing, None, 2),
    History(first_come),
)
