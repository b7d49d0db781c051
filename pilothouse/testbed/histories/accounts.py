"""What a supervisor answers about what it does and has done, and plans that are changed by their numbers.

The ledger notes what was said by whom, what began, and how it ended; every answer has to follow from that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final

from framework.errors import PlanError
from framework.events import EventKind
from framework.plan.ast import Do, Plan
from framework.plan.ast import Sequence as Steps
from framework.scenarios.invariants import Breach
from framework.supervisor.account import About
from framework.supervisor.reply import Reply
from framework.tree.change import Insert, Remove, Replace
from framework.tree.run import PlanState
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.desk import Desk
from pilothouse.testbed.histories.stage import History, HistoryStage

DOING: Final = Breach.DOING
UNTOLD: Final = Breach.UNTOLD
PEOPLE: Final = ("ann", "bob")
MOST_CAUSES: Final = 3
LONG_S: Final = 4000.0
ING: Final = {
    "mow lawn": "mowing lawn",
    "bake bread": "baking bread",
    "sort books": "sorting books",
    "water garden": "watering garden",
}
RECENT_S: Final = 600.0


class Done:
    """Something that was asked for, and what has become of it. how: "" as long as it goes on."""

    def __init__(self, text: str, who: str, steps: list[str], since_s: float, reply: Reply) -> None:
        self.text = text
        self.who = who
        self.steps = steps
        self.since_s = since_s
        self.reply = reply
        self.how = ""
        self.by = ""
        self.said = ""
        self.ended_s = 0.0
        self.paused_by = ""

    @property
    def words(self) -> str:
        """After "I am"."""
        return ING[self.text] if len(self.steps) == 1 else f"doing this: {self.text}"

    def ends(self, how: str, at_s: float, by: str = "", said: str = "") -> None:
        self.how, self.ended_s, self.by, self.said = how, at_s, by, said


class Past:
    """All of it, as whoever asks has to be told."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.all: list[Done] = []
        self.last_said = dict.fromkeys(PEOPLE, "")
        self.devices: list[tuple[float, str]] = []
        self.is_stopped = False
        self.asked_s = 0.0

    def device_fails(self) -> None:
        """Something is told of a device that belongs to no plan."""
        text = f"Camera {len(self.devices)} is gone."
        self.devices.append((self.desk.stage.now_s, text))
        self.desk.supervisor.events.emit(EventKind.DEVICE, text)

    def devices_during(self, done: Done) -> str:
        """What was told of devices from its begin to its end, with a blank in front."""
        told = [text for at_s, text in self.devices if done.since_s <= at_s <= done.ended_s]
        return "".join(f" {text}" for text in told[-MOST_CAUSES:])

    @property
    def active(self) -> list[Done]:
        return [each for each in self.all if not each.how]

    @property
    def last(self) -> Done | None:
        """What ended last."""
        ended = [each for each in self.all if each.how]
        return max(ended, key=lambda each: each.ended_s) if ended else None


async def accounts(stage: HistoryStage) -> None:
    """Two people have things done, which succeed, fail, are paused and stopped; both ask about all of it."""
    lots = stage.lots
    desk = Desk(stage)
    work = desk.work
    work.trade("mow_lawn", takes_s=LONG_S)
    work.trade("bake_bread", takes_s=0.4)
    work.trade("sort_books", takes_s=0.4, fails=True, why=lots.choice(("", "a shelf is full")))
    work.trade("water_garden", takes_s=LONG_S, tells_s=1.0)
    for about in About:
        name = f"tell_{about.value}"
        work.trade(name, only_answers=True, while_stopped=True, accounts=about.value)
        desk.learns(f"ask {about.value}", Do(name))
    plans = {name.replace("_", " "): [name.replace("_", " ")] for name in list(work.trades)[:4]}
    first = lots.choice(("bake bread", "mow lawn"))
    plans[f"{first}, then water garden"] = [first, "water garden"]
    for text, steps in plans.items():
        dos: list[Plan] = [Do(each.replace(" ", "_")) for each in steps]
        desk.learns(text, dos[0] if len(dos) == 1 else Steps(tuple(dos)))
    async with desk:
        past = Past(desk)
        await judge_answers(past, "")
        for _ in range(lots.randint(4, 8)):
            who = lots.choice(PEOPLE)
            await _happens(past, plans, who)
            await judge_answers(past, "")
            await judge_answers(past, lots.choice(PEOPLE))
            await asyncio.sleep(lots.choice((0.0, 0.0, 5.0, 100.0)))
        await desk.says("stop")


async def _happens(past: Past, plans: dict[str, list[str]], who: str) -> None:
    desk, lots = past.desk, past.desk.stage.lots
    match lots.choice(
        ("begin", "begin", "begin", "stop", "pause", "carry on", "emergency", "reset", "nonsense")
    ):
        case "begin":
            text = lots.choice(list(plans))
            if any(each.text == text for each in past.active):
                return
            since_s = desk.stage.now_s
            if lots.random() < 0.4:
                asyncio.get_running_loop().call_later(lots.choice((0.2, 0.6)), past.device_fails)
            reply = await desk.says(text, who)
            past.last_said[who] = text
            if past.is_stopped:
                must(
                    reply.succeeded is False, "something begins while all is stopped", Breach.SURPRISE_MOTION
                )
                return
            done = Done(text, who, plans[text], since_s, reply)
            past.all.append(done)
            if text == "bake bread":
                done.ends("done", since_s + 0.4)
            elif text == "sort books":
                done.ends("failed", since_s + 0.4)
            must((reply.succeeded is None) is (not done.how), f"{text} is told as {reply.succeeded}", UNTOLD)
        case "stop" if past.active:
            now_s = desk.stage.now_s
            await desk.says("stop", who)
            past.last_said[who] = "stop"
            for each in past.active:
                each.ends("stopped", now_s, who, "stop")
        case "pause" if past.active:
            await desk.says("pause", who)
            past.last_said[who] = "pause"
            for each in past.active:
                each.paused_by = each.paused_by or who
        case "carry on" if any(each.paused_by for each in past.active):
            await desk.says("carry on", who)
            past.last_said[who] = "carry on"
            own = [each for each in past.active if each.paused_by == who]
            for each in own or past.active:
                each.paused_by = ""
        case "emergency" if not past.is_stopped:
            now_s = desk.stage.now_s
            await desk.says("emergency stop", who)
            past.last_said[who] = "emergency stop"
            past.is_stopped = True
            for each in past.active:
                each.ends("stopped", now_s, who, "emergency stop")
        case "reset" if past.is_stopped:
            await desk.says("reset", who)
            await desk.says("yes", who)
            past.last_said[who] = "yes"
            past.is_stopped = False
        case "nonsense":
            reply = await desk.says("colourless green ideas", who)
            past.last_said[who] = "colourless green ideas"
            must(reply.succeeded is False, "what means nothing is done", DOING)


async def asked(past: Past, about: About, who: str, of: str = "") -> str:
    """What is answered: to nobody in particular, or to somebody who says so."""
    desk = past.desk
    past.asked_s = desk.stage.now_s
    if not who:
        return desk.supervisor.account(about, of)
    before = len(desk.work.jobs)
    active = len(past.active)
    await desk.says(f"ask {about.value}", who)
    (job,) = desk.work.jobs[before:]
    must(len(past.active) == active, "a question has ended something", DOING)
    return str(job.value)


async def judge_answers(past: Past, who: str) -> None:
    """Every answer follows from what has happened."""
    stage = past.desk.stage
    active, last = past.active, past.last
    latched = "The emergency stop is set" if past.is_stopped else ""

    def said_by(by: str) -> str:
        return "you" if by == who else by or "somebody"

    doing = await asked(past, About.DOING, who)
    judge_doing(past, doing)
    there = await asked(past, About.THERE, who)
    must(there.startswith("Yes, I am here. "), f"are you there: {there}", UNTOLD)
    judge_doing(past, there)
    steps = await asked(past, About.STEPS, who)
    for each in active:
        now, *following = _steps_left(each, past)
        then = f"Next: {'; then '.join(following)}." if following else "Nothing comes after that."
        must(f"Now: {now}. {then}" in steps, f"{each.text}: in which step: {steps}", UNTOLD)
    must(bool(active) or steps.startswith("I am at no step"), f"in which step: {steps}", UNTOLD)
    since = await asked(past, About.SINCE, who)
    for each in active:
        must(
            f"{each.words}, for {_ago(past.asked_s - each.since_s)} now." in since, f"since: {since}", UNTOLD
        )
    must(bool(active) or since.startswith("I am doing nothing."), f"since when: {since}", UNTOLD)
    if not active and last is not None:
        same = [each for each in past.all if each.how and each.ended_s == last.ended_s]
        is_told = any(since.endswith(f"ago: {each.text}.") for each in same)
        must(is_told, f"since when: {since}", UNTOLD)
    until = await asked(past, About.UNTIL, who)
    must(active or until.startswith("There is nothing to wait for"), f"until: {until}", UNTOLD)
    for each in active:
        paused = " (paused)" if each.paused_by else ""
        is_half = each.steps[-1] == "water garden" and len(_steps_left(each, past)) == 1
        is_half = is_half and _told_half(past, each)
        half = ", 50 percent done" if is_half else ""
        must(f"{each.words}{half}{paused}" in until.replace("i am", "I am"), f"until: {until}", UNTOLD)
    faults = await asked(past, About.FAULTS, who)
    must((latched in faults) if latched else "emergency" not in faults, f"is all well: {faults}", UNTOLD)
    wrong = past.desk.work.trades["sort_books"].why or "sort_books went wrong"
    is_wrong = last is not None and last.how == "failed" and stage.now_s - last.ended_s < RECENT_S - 5.0
    if is_wrong and last is not None:
        must(f"did not work: {last.text}: {wrong}." in faults, f"is all well: {faults}", UNTOLD)
    elif last is not None and last.how != "failed":
        must("did not work" not in faults, f"is all well: {faults}", UNTOLD)
    why = await asked(past, About.WHY, who)
    stopped = await asked(past, About.STOPPED, who)
    must(why.startswith(latched) and stopped.startswith(latched), f"why, who: {why} {stopped}", UNTOLD)
    if last is not None and not active:
        reasons = {
            "done": "I stopped because that is done.",
            "failed": f"I stopped because it did not work: {wrong}.",
            "stopped": f'I stopped because {said_by(last.by)} said "{last.said}"',
        }
        same = [each for each in past.all if each.how and each.ended_s == last.ended_s]
        is_refused = "and I did nothing" in why
        must(is_refused or reasons[last.how] in why, f"why did you stop: {why}", UNTOLD)
        if last.how == "stopped":
            must(reasons["stopped"] in stopped, f"who stopped you: {stopped}", UNTOLD)
        else:
            must("Nobody has said so." in stopped, f"who stopped you: {stopped}", UNTOLD)
        if len(same) == 1 and not is_refused:
            began = f'{said_by(last.who)} said "{last.text}", and I began: {last.text}.'
            all_of_it = f"{began[1:]}{past.devices_during(last)} {reasons[last.how]}"
            must(all_of_it in why, f"why did you stop: {why}, not {all_of_it}", UNTOLD)
    elif active and not past.is_stopped:
        held = [each for each in active if each.paused_by]
        must(held or "I have not stopped: " in why or "did nothing" in why, f"why: {why}", UNTOLD)
        for each in held:
            must(f"I pause: {each.text}." in why, f"why do you not move: {why}", UNTOLD)
    for each in past.all[-3:]:
        if not who and len([other for other in past.all if other.text == each.text]) == 1:
            judge_done(past, each)
    if who:
        heard = await asked(past, About.HEARD, who)
        # The questions themselves were said, too.
        must(heard.startswith(f'You said "ask {About.STOPPED.value}"'), f"what did I say: {heard}", UNTOLD)


def judge_done(past: Past, each: Done) -> None:
    """Whether it is done."""
    told = past.desk.supervisor.account(About.DONE, each.text)
    if any(other is not each and set(other.text.split()) & set(each.text.split()) for other in past.all):
        return  # it may mean another one
    if not each.how:
        must(told.startswith(f"Not yet: I am {each.words}"), f"is {each.text} done: {told}", UNTOLD)
    elif each.how == "done":
        must(told == f"Yes, that is done: {each.text}.", f"is {each.text} done: {told}", UNTOLD)
    else:
        must(told.startswith(f"No, not to its end: {each.text}."), f"is {each.text} done: {told}", UNTOLD)


def judge_doing(past: Past, told: str) -> None:
    """What goes on, and how."""
    for each in past.active:
        how = f"I have paused {each.words}" if each.paused_by else f"I am {each.words}"
        how = how.replace("paused doing this", "paused this")
        must(how in told, f"what are you doing: {told}", UNTOLD)
    must(bool(past.active) is ("I am doing nothing." not in told), f"what are you doing: {told}", UNTOLD)
    must(past.is_stopped is ("emergency stop is set" in told), f"what are you doing: {told}", UNTOLD)


def _steps_left(done: Done, past: Past) -> list[str]:
    """What of it goes on, and what is to come."""
    jobs = past.desk.work.jobs
    over = [job.name.replace("_", " ") for job in jobs if job.ended_s is not None and job.began_s is not None]
    is_over = len(done.steps) == 2 and done.steps[0] == "bake bread" and done.steps[0] in over
    return done.steps[1:] if is_over else done.steps


def _told_half(past: Past, done: Done) -> bool:
    """Whether it has said that it is half done."""
    return any(
        job.has_told and job.goes_on and job.name == "water_garden" and job.plan_id == done.reply.plan
        for job in past.desk.work.jobs
    )


def _ago(duration_s: float) -> str:
    return f"{duration_s:.0f} s" if duration_s < 90 else f"{duration_s / 60:.0f} minutes"


# -- by their numbers


async def by_number(stage: HistoryStage) -> None:
    """Plans are paused, gone on with, changed and ended by their numbers; what cannot be is said in words."""
    lots = stage.lots
    desk = Desk(stage)
    for name in ("mow_lawn", "bake_bread", "sort_books", "water_garden"):
        desk.work.trade(name, takes_s=LONG_S if name == "mow_lawn" else 0.3)
    supervisor = desk.supervisor
    async with desk:
        reply = supervisor.carry_out(Steps((Do("mow_lawn"), Do("bake_bread"))), who="ann")
        await asyncio.sleep(0.2)
        plan = reply.plan
        left = ["bake_bread"]
        is_paused = is_over = False
        for number in range(lots.randint(4, 9)):
            deed = lots.choice(
                ("pause", "resume", "insert", "insert", "remove", "replace", "unknown", "stop")
            )
            if deed == "stop" and number < 3:
                continue
            new = lots.choice(("sort_books", "water_garden"))
            at = lots.randint(0, len(left) + 1)
            views = [view for view in supervisor.plans() if view.id == plan]
            nodes = [each.id for view in views for each in view.tree.children or (view.tree,)]
            node = nodes[at] if at < len(nodes) else f"{plan}.4711"
            is_there = 0 < at <= len(left)
            done: Callable[[], None]
            match deed:
                case "pause":
                    done, fits = partial(supervisor.pause_plan, plan), not is_paused
                case "resume":
                    done, fits = partial(supervisor.resume_plan, plan), is_paused
                case "insert":
                    is_after = lots.random() < 0.5
                    part: Plan = Do(new) if lots.random() < 0.6 else Steps((Do(new), Do("bake_bread")))
                    change = Insert(part, after=node) if is_after else Insert(part, before=node)
                    fits = is_paused and (is_there or (is_after and not at))
                    done = partial(supervisor.change_plan, plan, change)
                case "remove" | "replace":
                    other = Remove(node) if deed == "remove" else Replace(node, Do(new))
                    done, fits = partial(supervisor.change_plan, plan, other), is_paused and is_there
                case "unknown":
                    done, fits = partial(supervisor.pause_plan, "4711"), False
                case _:
                    done, fits = partial(supervisor.stop_plan, plan, "enough"), True
            fits = fits and not is_over
            refused = ""
            try:
                done()
            except PlanError as error:
                refused = str(error)
            must((not refused) is fits, f"{deed} of {left}, paused {is_paused}: refused: {refused}", DOING)
            if fits:
                match deed:
                    case "pause" | "resume":
                        is_paused = deed == "pause"
                    case "insert":
                        at = at if is_after else at - 1
                        left[at:at] = [new] if isinstance(part, Do) else [new, "bake_bread"]
                    case "remove":
                        del left[at - 1]
                    case "replace":
                        left[at - 1] = new
                    case _:
                        is_over = True
            await asyncio.sleep(0.1)
            now = desk.states().get(plan)
            wanted = None if is_over else PlanState.PAUSED if is_paused else PlanState.RUNNING
            must(now is wanted, f"after {deed} it is {now}", DOING)
            if not is_over:
                shown = supervisor.plan(plan)
                steps = shown.steps if isinstance(shown, Steps) else (shown,)
                names = [step.action for step in steps if isinstance(step, Do)]
                must(names == ["mow_lawn", *left], f"after {deed} it is shown as {names}", UNTOLD)
        must(reply.succeeded is (False if is_over else None), f"it is told as {reply.succeeded}", UNTOLD)
        if is_over:
            (ended,) = supervisor.ended_plans()
            must(ended.id == plan, "what has ended is not shown", UNTOLD)
        journal = supervisor.journal(plan)
        kinds = [event.kind for event in journal]
        must(kinds and kinds[0] is EventKind.STARTED, f"its journal begins with {kinds[:1]}", UNTOLD)
        must((EventKind.CANCELLED in kinds) is is_over, f"its journal has {kinds}", UNTOLD)
        await desk.says("stop")


HISTORIES: Final = (
    History(accounts, None, 2),
    History(by_number, None, 2),
)
