"""What actions ask of a supervisor, what a proposer proposes, what is put right; and thought in a thread.

An action may end others, ask whether something is so, what can be done and who wants it. A proposer is asked
what nobody understands. Who has said something wrong says so, and only what they have wanted last is changed.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from framework.errors import PlanError, ProposalError
from framework.events import EventKind
from framework.plan.ast import AllOf, AnyOf, Condition, Do, Parallel, Plan, State, actions_of
from framework.plan.ast import Sequence as Steps
from framework.plan.instruction import Source
from framework.plan.parser import World
from framework.plugins.action import Risk
from framework.plugins.parameters import ParameterSpec
from framework.plugins.service import Help
from framework.scenarios.invariants import Breach
from framework.supervisor.reply import Reply
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.desk import ACTED_S, Desk
from pilothouse.testbed.histories.jobs import Job
from pilothouse.testbed.histories.stage import History, HistoryStage

DOING: Final = Breach.DOING
MOTION: Final = Breach.SURPRISE_MOTION
UNTOLD: Final = Breach.UNTOLD
PEOPLE: Final = ("ann", "bob")
LONG_S: Final = 500.0
PROPOSED_WITHIN_S: Final = 8.0


async def ends_others(stage: HistoryStage) -> None:
    """An action ends others by name, never itself, and what is not being done is said so."""
    lots = stage.lots
    desk = Desk(stage)
    work = desk.work
    names = ["paint_fence", "sort_books", "mow_lawn"]
    for name in names:
        work.trade(name, takes_s=LONG_S, ends_s=lots.choice((0.0, 0.4)))
        desk.learns(name.replace("_", " "), Do(name))
    both = Parallel((Do("paint_fence"), Do("sort_books")))
    desk.learns("paint fence and sort books", both)
    ended: list[tuple[str, ...]] = []
    refused: list[str] = []
    what = lots.choice(("paint fence", "sort books", "books", "", "bake bread", "clean up"))

    async def cleans(asked_by: str) -> Any:
        assert work.service is not None
        try:
            ended.append(work.service.stop(what, asked_by=asked_by))
        except PlanError as error:
            refused.append(str(error))
        who.append(work.service.operator(asked_by=asked_by))
        await asyncio.sleep(2.0)
        return "clean"

    who: list[str] = []
    work.trade("clean_up", does=cleans)
    desk.learns("clean up", Do("clean_up"))
    said = lots.sample(
        ["paint fence", "sort books", "mow lawn", "paint fence and sort books"], lots.randint(1, 3)
    )
    async with desk:
        for text in said:
            begun = await desk.says(text, lots.choice(PEOPLE))
            desk.texts[begun.plan] = text
        by = lots.choice(PEOPLE)
        reply = await desk.says("clean up", by)
        words = set(what.split())
        whole = what in said  # a plan of that name comes first
        hit = set()
        for job in work.jobs:
            if job.name != "clean_up":
                is_hit = words <= set(job.name.split("_"))
                if whole:
                    is_hit = desk.texts[job.plan_id] == what
                hit |= {job.name} if is_hit else set()
                must((job.told_s is not None) is is_hit, f"{what!r} ends {job.name}, or does not", MOTION)
        must(who == [by], f"an action of {by} is told that it is {who}'s", UNTOLD)
        (cleaning,) = work.of(Do("clean_up"))
        must(cleaning.told_s is None and cleaning.goes_on, f"{what!r}: it ends itself", DOING)
        if hit or not what:
            must(not refused and len(ended) == 1, f"{what!r} is refused: {refused}", DOING)
            named = " ".join(ended[0])
            must(all(each.replace("_", " ") in named for each in hit), f"{hit} are told as {ended}", UNTOLD)
        else:
            must(refused and f"{what!r} is not being done" in refused[0], f"told as {refused}", UNTOLD)
        await desk.until(lambda: reply.succeeded is not None, "it never ends")
        must(reply.succeeded, "who ends others does not come to its own end", DOING)
        await desk.says("stop")


async def whether(stage: HistoryStage) -> None:
    """An action asks whether something is so: it is told what is, waits for a sensor, and not for ever."""
    lots = stage.lots
    desk = Desk(stage)
    work = desk.work
    work.facts = {thing: lots.choice((True, False, None)) for thing in ("door", "lamp")}
    door, lamp = (State("open", {"thing": thing}, is_so=lots.random() < 0.7) for thing in work.facts)
    both = (door, lamp)
    condition: Condition = lots.choice((door, AllOf(both), AnyOf(both)))
    desk.clauses["the way is free"] = condition
    work.finds_out = lots.random() < 0.6
    answers: list[tuple[Any, float]] = []
    clause = lots.choice(("the way is free", "the way is free", "the moon is blue"))

    async def asks(asked_by: str) -> Any:
        assert work.service is not None
        found = await work.service.whether(clause)
        answers.append((found.is_so, stage.now_s))
        return found.is_so

    work.trade("look", does=asks)
    desk.learns("look", Do("look"))
    comes_s = lots.choice((0.5, 2.0, 30.0))
    before = _now(condition, work.facts)
    async with desk:
        began_s = stage.now_s
        for each in ("door", "lamp"):
            asyncio.get_running_loop().call_later(comes_s, work.knows, each, True)
        reply = desk.supervisor.say("look", who="ann")
        await desk.until(
            lambda: reply.succeeded is not None, "who asks whether something is so waits for ever"
        )
        ((answer, at_s),) = answers
        took_s = at_s - began_s
        if clause != "the way is free":
            must(answer is None and took_s < 0.1, f"{clause}: {answer} after {took_s:.1f} s", UNTOLD)
        elif before is not None or not work.finds_out:
            must(answer is before and took_s < 0.1, f"it is {before}, told {answer}, {took_s:.1f} s", UNTOLD)
        elif took_s < 0.1:
            must(False, f"a sensor that is being started is not waited for: {answer}", UNTOLD)
        else:
            later = _now(condition, {"door": True, "lamp": True})
            wanted = later if comes_s < took_s + 0.2 else None
            must(answer is wanted, f"after {took_s:.1f} s it is {wanted}, and told {answer}", UNTOLD)
            must(took_s < 12.5, f"a sensor is waited for for {took_s:.1f} s", Breach.NEVER_ENDED)


def _now(condition: Condition, facts: dict[str, bool | None]) -> bool | None:
    match condition:
        case AllOf(conditions=parts):
            answers = [_now(each, facts) for each in parts]
            return False if False in answers else None if None in answers else True
        case AnyOf(conditions=parts):
            answers = [_now(each, facts) for each in parts]
            return True if True in answers else None if None in answers else False
        case State(arguments=arguments, is_so=wanted):
            fact = facts[str(arguments["thing"])]
            return None if fact is None else fact is wanted
        case _:
            raise TypeError(condition)


class Proposes:
    """A proposer (`Proposer`) that gives what it is to give, after so long."""

    def __init__(self, gives: Any, takes_s: float) -> None:
        self.gives = gives
        self.takes_s = takes_s
        self.asked: list[str] = []

    async def propose(self, text: str, world: World) -> Plan:
        self.asked.append(text)
        await asyncio.sleep(self.takes_s)
        if isinstance(self.gives, Exception):
            raise self.gives
        return self.gives  # type: ignore[no-any-return]


async def proposals(stage: HistoryStage) -> None:
    """What nobody understands is proposed, read back, and done after a yes; whatever the proposer does."""
    lots = stage.lots
    takes_s = lots.choice((0.3, 2.0, PROPOSED_WITHIN_S + 1.0))
    gives: Any = lots.choice(
        (
            *[Do("paint_fence")] * 3,
            Steps((Do("paint_fence"), Do("sort_books"))),
            Do("fly_away"),
            ProposalError("no idea"),
            OSError("no line"),
            "paint the fence",
        )
    )
    proposer = Proposes(gives, takes_s)
    desk = Desk(stage, proposer=proposer)
    for name in ("paint_fence", "sort_books"):
        desk.work.trade(name, takes_s=0.3, risk=Risk.MOVES)
    desk.learns("sort books", Do("sort_books"))
    is_good = isinstance(gives, Do | Steps) and "fly_away" not in str(gives) and takes_s < PROPOSED_WITHIN_S
    async with desk:
        reply = desk.supervisor.say("would you kindly", who="ann")
        await asyncio.sleep(0.1)
        must(proposer.asked == ["would you kindly"], f"the proposer is asked {proposer.asked}", DOING)
        first = lots.choice(("waits", "waits", "waits", "else", "else", "by bob", "never mind", "stop"))
        if first != "waits":
            other = {"never mind": "never mind", "stop": "stop"}.get(first, "sort books")
            await desk.says(other, "bob" if first == "by bob" else "ann")
        await asyncio.sleep(max(takes_s, PROPOSED_WITHIN_S if takes_s > PROPOSED_WITHIN_S else 0.0) + 0.2)
        done = [job.name for job in desk.work.jobs]
        wanted = ["sort_books"] if first in ("else", "by bob") else []
        must(done == wanted, f"{first}: {done} begin unasked", MOTION)
        if not is_good or first not in ("waits", "by bob"):
            must(reply.succeeded is False, f"{first}, {gives!r}: told as {reply.succeeded}", UNTOLD)
            must(not desk.supervisor.questions, f"{gives!r} is asked about", DOING)
            said = " ".join(event.text for event in reply.events)
            words = {ProposalError: "no idea", OSError: "no line", str: "no plan"}.get(type(gives), "")
            if first in ("waits", "by bob") and takes_s < PROPOSED_WITHIN_S:
                must(words in said, f"it is not said why: {said}", UNTOLD)
            return
        (question,) = desk.supervisor.questions
        must("proposal" in question.text or "paint fence" in question.text, f"asked: {question.text}", UNTOLD)
        answer = lots.choice(("yes", "yes", "no", "bob", "heard"))
        match answer:
            case "bob":
                await desk.says("yes", "bob")
            case "heard":
                await desk.says("yes", "ann", Source.SPEECH, confidence=0.4)
            case _:
                await desk.says(answer, "ann")
        await asyncio.sleep(1.0)
        begun = [job.name for job in desk.work.jobs][len(done) :]
        names = [do.action for do in actions_of(gives)]
        must(begun == (names if answer == "yes" else []), f"{answer}: {begun} begin", MOTION)
        if answer in ("yes", "no"):
            must(reply.succeeded is (answer == "yes"), f"{answer}: told as {reply.succeeded}", UNTOLD)


class Painting:
    """What is painted: by one action that is told what, or by an action for each.

    is_one: which of these; what is put right then needs to say nothing but the other thing.
    """

    def __init__(self, desk: Desk, risk: Risk) -> None:
        lots = desk.stage.lots
        self.desk = desk
        self.is_one = lots.random() < 0.6
        self.ends_s = lots.choice((0.0, 0.3))
        if self.is_one:
            thing = ParameterSpec("thing", str)
            desk.work.trade("paint", takes_s=LONG_S, ends_s=self.ends_s, risk=risk, parameters=(thing,))
        for each in THINGS:
            if not self.is_one:
                desk.work.trade(f"paint_{each}", takes_s=LONG_S, ends_s=self.ends_s, risk=risk)
            desk.learns(
                f"paint the {each}",
                Do("paint", {"thing": each}) if self.is_one else Do(f"paint_{each}"),
            )
            desk.learns(f"paint {each}", desk.means[f"paint the {each}"][0])

    def of(self, thing: str) -> list[Job]:
        """Its runs."""
        jobs = [job for job in self.desk.work.jobs if job.began_s is not None]
        return [job for job in jobs if job.name == f"paint_{thing}" or job.parameters.get("thing") == thing]

    def goes_on(self, thing: str) -> bool:
        """It is being painted."""
        return any(job.goes_on for job in self.of(thing))


THINGS: Final = ("fence", "wall", "gate")


async def put_right(stage: HistoryStage) -> None:
    """ "No, the wall": what this one has wanted last ends, and the other thing is done; nobody else's is."""
    lots = stage.lots
    desk = Desk(stage)
    work = desk.work
    is_asked = lots.random() < 0.3  # it is corrected before it has begun
    painting = Painting(desk, Risk.DANGEROUS if is_asked else Risk.NONE)
    work.trade("sort_books", takes_s=LONG_S)
    desk.learns("sort books", Do("sort_books"))
    wrong, right = lots.sample(THINGS, 2)
    texts = (f"no, the {right}", f"no, paint the {right}", f"i meant the {right}", f"no, {right}")
    text = lots.choice(texts)
    is_clear = painting.is_one or "paint" in text
    async with desk:
        others = await desk.says("sort books", "bob") if lots.random() < 0.6 else None
        reply = await desk.says(f"paint the {wrong}", "ann", Source.SPEECH if is_asked else Source.TYPED)
        if is_asked:
            await _put_right_before(painting, reply, wrong, right, text, is_clear=is_clear)
            return
        must(painting.goes_on(wrong), "it does not begin", DOING)
        by = lots.choice(("ann", "ann", "ann", "bob"))
        again = await desk.says(text, by)
        if by == "ann" and is_clear:
            must(again.plan, f"{text!r}: nobody sees what that changes: {again.events[-1].text}", DOING)
            (job,), (before,) = painting.of(right), painting.of(wrong)
            must(before.told_s is not None, f"{text!r}: what was wrong goes on", MOTION)
            must((job.began_s or 0.0) >= (before.ended_s or 1e9), f"{text!r}: it begins beside it", MOTION)
            must(reply.succeeded is False, f"what was corrected is told as {reply.succeeded}", UNTOLD)
            must(again.succeeded is None, f"{text!r} is told as {again.succeeded}", UNTOLD)
            if lots.random() < 0.5:  # and that is put right in its turn
                third = next(each for each in THINGS if each not in (wrong, right))
                await desk.says(f"no, paint the {third}", "ann")
                must(job.told_s is not None, "what was put right cannot be put right again", MOTION)
                must(painting.goes_on(third), f"{third} is not painted", DOING)
        elif by == "ann":
            must(again.succeeded is False, f"{text!r} is told as {again.succeeded}", UNTOLD)
            must(painting.goes_on(wrong), f"{text!r} is refused, and ends something", MOTION)
        else:
            must(painting.goes_on(wrong), f"{text!r} by bob ends what ann wants", MOTION)
        if others is not None and by == "ann":
            must(others.succeeded is None and work.alive("sort_books") == 1, f"{text!r} ends bob's", MOTION)
        heard = [event.text for event in desk.heard(EventKind.HEARD)]
        must(heard.count(text) == 1, f"it is told {heard.count(text)} times that {text!r} was heard", UNTOLD)
        await desk.says("stop")


async def _put_right_before(
    painting: Painting, reply: Reply, wrong: str, right: str, text: str, *, is_clear: bool
) -> None:
    """What is still asked about is put right: the other thing is asked about, and done by a yes."""
    desk = painting.desk
    must(not painting.of(wrong), "what is dangerous begins unasked", MOTION)
    again = await desk.says(text, "ann", Source.SPEECH)
    must(not painting.of(wrong) and not painting.of(right), f"{text!r}: it begins unasked", MOTION)
    if not is_clear:
        must(again.succeeded is False, f"{text!r} is told as {again.succeeded}", UNTOLD)
        must(reply.succeeded is None, f"{text!r} is refused, and ends what it was about", UNTOLD)
        await desk.says("no", "ann")
        must(reply.succeeded is False, f"{text!r}: what was never begun is told as {reply.succeeded}", UNTOLD)
        return
    must(reply.succeeded is False, f"{text!r}: what was corrected is told as {reply.succeeded}", UNTOLD)
    (question,) = desk.supervisor.questions
    must(right in question.text, f"{text!r}: it is asked {question.text}", DOING)
    answer = desk.stage.lots.choice(("yes", "yes", "no"))
    await desk.says(answer, "ann")
    must(painting.goes_on(right) is (answer == "yes"), f"{text!r}, {answer}: it begins, or not", MOTION)
    must(not painting.of(wrong), f"{text!r}, {answer}: what was wrong begins", MOTION)
    told = None if answer == "yes" else False
    must(again.succeeded is told, f"{text!r}, {answer}: told as {again.succeeded}", UNTOLD)
    await desk.says("stop")


async def in_a_thread(stage: HistoryStage) -> None:
    """What is said while something is still being understood waits for its turn; a stop waits for none."""
    lots = stage.lots
    desk = Desk(stage, thinks=True)
    work = desk.work
    names = ("paint_fence", "sort_books", "mow_lawn")
    for name in names:
        work.trade(name, takes_s=LONG_S)
        desk.learns(name.replace("_", " "), Do(name))
    async with desk:
        said = lots.sample(names, lots.randint(2, 3))
        who = [lots.choice(PEOPLE) for _ in said]
        replies = [
            desk.supervisor.say(name.replace("_", " "), who=each)
            for name, each in zip(said, who, strict=True)
        ]
        stops = lots.random() < 0.5
        if stops:
            desk.supervisor.say("stop", who=lots.choice(PEOPLE))
        await asyncio.sleep(ACTED_S)
        begun = [job.name for job in work.jobs]
        if stops:
            must(not desk.at_work(), f"after a stop {desk.at_work()} go on", MOTION)
            must(all(each.succeeded is False for each in replies), "a stop is not told", UNTOLD)
        else:
            must(begun == said, f"{said} are said, and begin as {begun}", DOING)
        completed = await desk.supervisor.complete("paint")
        must(completed.options == (), "there is nothing to be completed", DOING)
        await desk.says("stop")


async def abilities(stage: HistoryStage) -> None:
    """What can be asked for is told as the language says it, each thing once."""
    lots = stage.lots
    desk = Desk(stage, thinks=lots.random() < 0.5)
    told: list[Any] = []
    desk.can = tuple(Help(f"thing_{number}", "It is done.", (f"thing {number}",)) for number in range(3))

    async def asks(asked_by: str) -> Any:
        assert desk.work.service is not None
        told.extend(await desk.work.service.abilities("things"))
        return len(told)

    desk.work.trade("help", does=asks, only_answers=True)
    desk.learns("help", Do("help"))
    async with desk:
        reply = await desk.says("help", "ann")
        must(tuple(told) == desk.can, f"what can be asked for is told as {told}", UNTOLD)
        must(reply.succeeded is True, f"told as {reply.succeeded}", UNTOLD)


HISTORIES: Final = (
    History(ends_others, None, 2),
    History(whether, None, 2),
    History(proposals, None, 4),
    History(put_right, None, 4),
    History(in_a_thread),
    History(abilities),
)
