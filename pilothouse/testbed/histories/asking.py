"""What is asked back before anything moves, who may answer how, and what is done again.

What has to be asked is written down here anew, from the documents: what was not heard clearly, what was put
right, what is dangerous and came over a recogniser, what was before an emergency stop.
"""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Final

from framework.events import EventKind
from framework.plan.ast import Do
from framework.plan.instruction import Pointing, Source
from framework.plan.parser import Correction
from framework.plan.value import Reference
from framework.plugins.action import Risk
from framework.plugins.parameters import ParameterSpec
from framework.scenarios.invariants import Breach
from framework.supervisor.reply import Reply
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.desk import ACTED_S, Desk
from pilothouse.testbed.histories.stage import History, HistoryStage

DOING: Final = Breach.DOING
MOTION: Final = Breach.SURPRISE_MOTION
UNTOLD: Final = Breach.UNTOLD
CLEAR: Final = 0.9
PUT_RIGHT: Final = 0.75
TYPED: Final = (Source.TYPED, Source.PHONE)
HEARD: Final = (Source.SPEECH, Source.PHONE_SPEECH, Source.GESTURE)
WAITS_S: Final = 15.0


def has_to_be_asked(
    risk: Risk, source: Source, confidence: float, *, is_put_right: bool, answers: bool
) -> bool:
    """Whether this begins only by a yes."""
    if is_put_right:
        return source not in TYPED or not answers or confidence < PUT_RIGHT
    return confidence < CLEAR or (risk is Risk.DANGEROUS and source not in TYPED)


async def asks_first(stage: HistoryStage) -> None:
    """Something is said, in some way; it begins at once, or after the yes of who said it, or never."""
    lots = stage.lots
    desk = Desk(stage)
    risk = lots.choice((*Risk, Risk.DANGEROUS))
    answers = risk is Risk.NONE and lots.random() < 0.5
    trade = desk.work.trade("paint_fence", takes_s=0.3, risk=risk, only_answers=answers)
    is_put_right = lots.random() < 0.25
    reading, source = lots.choice((1.0, 0.95, 0.8, 0.5)), lots.choice((*TYPED, *HEARD, Source.SPEECH))
    heard = 1.0 if source in TYPED else lots.choice((1.0, 0.95, 0.85, 0.4))
    corrections = (Correction("fense", "fence"),) if is_put_right else ()
    text = desk.learns("paint fence", Do(trade.name), reading, corrections)
    desk.work.trade("sort_books", takes_s=0.3)
    other = desk.learns("sort books", Do("sort_books"))
    async with desk:
        reply = await desk.says(text, "ann", source, confidence=heard)
        is_asked = has_to_be_asked(
            risk, source, min(reading, heard), is_put_right=is_put_right, answers=answers
        )
        how = f"{risk.value} by {source.value}, {min(reading, heard):g}"
        must(bool(desk.supervisor.questions) is is_asked, f"{how}: it is asked about, or is not", DOING)
        must(bool(desk.work.jobs) is not is_asked, f"{how}: it begins unasked, or does not", MOTION)
        if is_asked:
            is_meant = await _answered(desk, other)
            must(bool(desk.work.of(Do(trade.name))) is is_meant, f"{how}: it begins, or does not", MOTION)
            await desk.until(lambda: reply.succeeded is not None, f"{how}: nobody hears of its end")
            must(reply.succeeded is is_meant, f"{how}: told as {reply.succeeded}", Breach.UNTOLD)


async def _answered(desk: Desk, other: str) -> bool:
    """Whether the open question is answered with a yes that counts."""
    lots = desk.stage.lots
    supervisor = desk.supervisor
    (question,) = supervisor.questions
    for _ in range(lots.randint(0, 3)):  # what is none
        match lots.randrange(5):
            case 0:
                await desk.says("yes", "bob")
            case 1:
                refused = supervisor.answer(question.id, 1, "bob")
                must(refused.succeeded is False, "somebody else's click is an answer", MOTION)
            case 2:
                refused = supervisor.answer(question.id, lots.randint(2, 4), "ann")
                must(refused.succeeded is False, "a choice that was not offered is one", MOTION)
            case 3:
                await desk.says("yes", "ann", Source.SPEECH, confidence=lots.choice((0.3, 0.85)))
            case _:
                must(supervisor.answer("q-0", 1, "ann").succeeded is False, "no question is one", MOTION)
        await asyncio.sleep(0.05)
        must(not desk.work.jobs, "it begins by an answer that is none", MOTION)
    match lots.choice(
        ("yes", "yes", "click", "spoken", "no", "never", "changed", "changed", "stop", "emergency", "else")
    ):
        case "yes":
            await desk.says("yes", "ann")
            return True
        case "click":
            supervisor.answer(question.id, 1, "ann")
            await asyncio.sleep(ACTED_S)
            return True
        case "spoken":
            await desk.says("yes", "ann", Source.SPEECH, confidence=0.97)
            return True
        case "no":
            await desk.says(lots.choice(("no", "never mind")), "ann")
        case "never":
            await asyncio.sleep(WAITS_S + 1.0)
            await desk.says("yes", "ann")
        case "changed":
            plan, *_ = desk.means[other]
            desk.learns("paint fence", plan)
            if lots.random() < 0.5:
                del desk.means["paint fence"]
            await desk.says("yes", "ann")
        case "stop":
            await desk.says("stop", lots.choice(("ann", "bob")))
            await desk.says("yes", "ann")
        case "emergency":
            desk.button.latch("somebody has pressed it")
            await asyncio.sleep(lots.choice((0.0, 0.05, 0.3)))
            await desk.says("yes", "ann")
        case _:
            await desk.says(other, "ann")
            await desk.says("yes", "ann")
    return False


async def which_one(stage: HistoryStage) -> None:
    """What could mean several things: the one that is chosen is done, and no other."""
    lots = stage.lots
    desk = Desk(stage)
    names = lots.sample(("paint_fence", "sort_books", "water_garden", "bake_bread"), lots.randint(2, 4))
    for name in names:
        desk.work.trade(name, takes_s=0.3)
    desk.means_several("that", [Do(name) for name in names])
    async with desk:
        reply = await desk.says("that", "ann")
        must(not desk.work.jobs, "it begins before it is known what is meant", MOTION)
        if lots.random() < 0.3:  # it is said once more: that is another question, in the place of the first
            first, reply = reply, await desk.says("that", "ann")
            must(first.succeeded is False, "a question that is not open any more is not over", Breach.UNTOLD)
            must(not desk.work.jobs, "it begins before it is known what is meant", MOTION)
        (question,) = desk.supervisor.questions
        beyond = lots.choice((len(names) + 1, len(names) + 2, -1))
        must(
            desk.supervisor.answer(question.id, beyond, "ann").succeeded is False,
            "a choice that was not offered is one",
            MOTION,
        )
        await asyncio.sleep(ACTED_S)
        must(not desk.work.jobs, "a choice that was not offered sets something off", MOTION)
        choice = lots.randint(0, len(names))
        if choice and lots.random() < 0.5:
            words = names[choice - 1].replace("_", " ")
            await desk.says(lots.choice((f"{choice}", f"number {choice}", words)), "ann")
        else:
            desk.supervisor.answer(question.id, choice, "ann")
            await asyncio.sleep(ACTED_S)
        done = [job.name for job in desk.work.jobs]
        must(done == (names[choice - 1 : choice] if choice else []), f"{choice}: {done} is done", MOTION)
        must(reply.succeeded is bool(choice), f"{choice}: told as {reply.succeeded}", Breach.UNTOLD)


async def again(stage: HistoryStage) -> None:
    """Done again: as unsure as the less sure of both times; after an emergency stop no motion is unasked."""
    lots = stage.lots
    desk = Desk(stage)
    risk = lots.choice(tuple(Risk))
    trade = desk.work.trade("paint_fence", takes_s=0.3, risk=risk)
    desk.work.trade("do_it_again", again=1)
    desk.work.trade("sort_books", takes_s=0.2)
    text = desk.learns("paint fence", Do(trade.name))
    other = desk.learns("sort books", Do("sort_books"))
    again_ = desk.learns("do it again", Do("do_it_again"))
    source = lots.choice((Source.TYPED, Source.SPEECH, Source.SPEECH))
    heard = 1.0 if source is Source.TYPED else lots.choice((1.0, 0.95, 0.6, 0.6))
    then = lots.choice((Source.TYPED, Source.SPEECH))
    async with desk:
        await desk.says(text, "ann", source, confidence=heard)
        if has_to_be_asked(risk, source, heard, is_put_right=False, answers=False):
            await desk.says("yes", "ann")
        must(len(desk.work.of(Do(trade.name))) == 1, "it is not done the first time", DOING)
        if lots.random() < 0.5:
            await desk.says(other, "bob")  # what somebody else wanted last is not meant
        was_stopped = lots.random() < 0.5
        if was_stopped:
            desk.button.latch("somebody has pressed it")
            await asyncio.sleep(ACTED_S)
            await desk.says("reset", "ann")
            await desk.says("yes", "ann")
            must(not desk.button.is_latched, "the emergency stop is not taken back", DOING)
        reply: Reply = await desk.says(again_, "ann", then)
        unsure = source if source not in TYPED else then
        is_asked = has_to_be_asked(risk, unsure, heard, is_put_right=False, answers=False)
        is_asked = is_asked or (was_stopped and risk is not Risk.NONE)
        what = f"{risk.value} by {source.value} ({heard:g}), again by {then.value}, {was_stopped=}"
        times = len(desk.work.of(Do(trade.name)))
        must(times == (1 if is_asked else 2), f"{what}: it is done {times} times", MOTION)
        must(bool(desk.supervisor.questions) is is_asked, f"{what}: it is asked about, or is not", DOING)
        if is_asked:
            answer = lots.choice(("yes", "no", "never mind", "stop do it again"))
            wanted = answer == "yes"
            await desk.says(answer, "ann")
            times = len(desk.work.of(Do(trade.name)))
            must(times == 1 + wanted, f"{what}: after the answer it is done {times} times", MOTION)
            must(not desk.supervisor.questions, f"{what}: after {answer!r} it is asked still", DOING)
            if answer in ("no", "never mind"):
                left = desk.heard(EventKind.CANCELLED)[-1].text
                said = reply.events[-1].text
                must(
                    left in said, f"{what}: after {answer!r} it is said {said!r}, not {left!r}", Breach.UNTOLD
                )
        await desk.until(lambda: reply.succeeded is not None, f"{what}: nobody hears of its end")
        others = len(desk.work.of(Do("sort_books")))
        must(others <= 1, "what somebody else wanted is done again", MOTION)


async def again_for_long(stage: HistoryStage) -> None:
    """What is done again, once or more often, is ended with what does it again, and is ended alone."""
    lots = stage.lots
    desk = Desk(stage)
    work = desk.work
    stays = lots.random() < 0.3
    times = lots.randint(1, 3)
    work.trade("paint_fence", takes_s=2.0, continuous=stays, ends_s=lots.choice((0.0, 0.3)))
    work.trade("do_it_again", again=times)
    work.trade("sort_books", takes_s=500.0)
    for name in work.trades:
        desk.learns(name.replace("_", " "), Do(name))
    async with desk:
        nothing = await desk.says("do it again", "ann")
        must(nothing.succeeded is False, "nothing is done again", UNTOLD)
        beside = await desk.says("sort books", "bob")
        first = await desk.says("paint fence", "ann")
        await asyncio.sleep(lots.choice((0.0, 3.0)))
        runs = work.of(Do("paint_fence"))
        is_going = runs[0].goes_on
        reply = await desk.says("do it again", "ann")
        how = lots.choice(("nothing", "stop do it again", "stop paint fence", "emergency"))
        await asyncio.sleep(lots.choice((0.0, 1.0, 2.5)))
        before = len(work.of(Do("paint_fence")))
        if how == "emergency":
            desk.button.latch("somebody has pressed it")
            await asyncio.sleep(ACTED_S)
            must(not desk.going(), f"after an emergency stop {sorted(desk.at_work())} go on", MOTION)
        elif how != "nothing":
            over = reply.succeeded is not None
            await desk.says(how, "ann")
            if not over and before > 1:
                must(not work.alive("paint_fence"), f"after {how!r} it is done again", MOTION)
        await asyncio.sleep(20.0)
        done = work.of(Do("paint_fence"))
        most = 1 + times
        must(len(done) <= most, f"{how}: it is done {len(done)} times, and was to be {most} times", MOTION)
        if how == "nothing":
            wanted = 1 if stays else most - is_going
            must(len(done) in (wanted, most), f"it is done {len(done)} times, not {wanted}", DOING)
        beside_each_other = [
            (one, other) for one, other in pairwise(done) if (other.began_s or 0.0) < (one.ended_s or 1e9)
        ]
        must(not beside_each_other, "it is done again beside itself", MOTION)
        if how != "emergency":
            must(beside.succeeded is None and work.alive("sort_books") == 1, "bob's ends with it", MOTION)
        must(reply.succeeded is not None or stays, f"{how}: nobody hears of the end", Breach.NEVER_ENDED)
        must(first.succeeded is not None or stays, "nobody hears of the first one", Breach.NEVER_ENDED)
        await desk.says("stop")


async def actions_ask(stage: HistoryStage) -> None:
    """Actions ask whoever wanted them: each is told what was said to it, once, and waits until then."""
    lots = stage.lots
    desk = Desk(stage)
    texts = lots.sample(("paint fence", "sort books", "water garden"), lots.randint(1, 2))
    whether = {text: lots.random() < 0.5 for text in texts}
    for text in texts:
        trade = desk.work.trade(
            text.replace(" ", "_"), takes_s=0.3, asks="Is the way clear?" if whether[text] else "Say when."
        )
        desk.learns(text, Do(trade.name))
    async with desk:
        replies = {text: await desk.says(text, "ann") for text in texts}
        jobs = {job.name.replace("_", " "): job for job in desk.work.jobs}
        must(set(jobs) == set(texts), f"{sorted(jobs)} begin, not {texts}", DOING)
        questions = {each.id: each for each in desk.supervisor.questions}
        must(len(questions) == len(texts), f"{len(texts)} actions ask {len(questions)} things", Breach.UNTOLD)
        wanted: dict[str, list[str]] = {text: [] for text in texts}
        for _ in range(lots.randint(0, 3)):  # what is no answer
            question = lots.choice(list(questions.values()))
            match lots.randrange(4):
                case 0:
                    told = await desk.says("carry on", "bob")
                    must(told.succeeded is False, "somebody else's word is an answer", MOTION)
                case 1:
                    told = desk.supervisor.answer(question.id, 1, "bob")
                    must(told.succeeded is False, "somebody else's click is an answer", MOTION)
                case 2:
                    told = desk.supervisor.answer(question.id, lots.randint(2, 3), "ann")
                    must(told.succeeded is False, "a choice that was not offered is one", MOTION)
                case _ if len(texts) == 1:
                    told = await desk.says("carry on", "ann", Source.SPEECH, confidence=0.4)
                    must(told.succeeded is False, "what was not heard clearly is an answer", MOTION)
            await asyncio.sleep(0.05)
            must(not any(job.answers for job in jobs.values()), "an action hears what is no answer", MOTION)
        first = lots.choice(texts)
        way = lots.choice(("click", "no click", "said", "no", "end", "end of all"))
        asked = next(each for each in questions.values() if jobs[first].trade.asks in each.text)
        if len(texts) == 2 and len(set(whether.values())) == 1:
            way = lots.choice(("said", "end", "end of all"))
        match way:
            case "click" | "no click":
                told = desk.supervisor.answer(asked.id, int(way == "click"), "ann")
                await asyncio.sleep(ACTED_S)
                must(told.succeeded is True, "a click is no answer", DOING)
                wanted[first] = ["carry on" if way == "click" else "no"]
                twice = desk.supervisor.answer(asked.id, 1, "ann")
                must(twice.succeeded is False, "a question is answered twice", MOTION)
            case "said" | "no":
                word = "carry on" if way == "said" else "no"
                reply = await desk.says(word, "ann")
                if len(texts) == 2:
                    (which,) = [each for each in desk.supervisor.questions if each.id not in questions]
                    must(
                        not any(job.answers for job in jobs.values()),
                        "one of two is answered before it is known which",
                        MOTION,
                    )
                    place = next(n for n, each in enumerate(which.options, 1) if each.startswith(first))
                    desk.supervisor.answer(which.id, place, "ann")
                    await asyncio.sleep(ACTED_S)
                must(reply.succeeded is True, f'"{word}" is no answer', DOING)
                wanted[first] = [word]
            case "end":
                await desk.says(f"stop {first}", "ann")
            case _:
                await desk.says("stop", "ann")
        for text in texts:
            heard = jobs[text].answers
            must(heard == wanted[text], f"{way}: {text} is told {heard}, not {wanted[text]}", MOTION)
        ended = {first} if way != "end of all" else set(texts)
        for text in texts:
            goes_on = jobs[text].goes_on
            must(goes_on is (text not in ended), f"{way}: {text} goes on, or does not", DOING)
            must(
                (replies[text].succeeded is None) is goes_on,
                f"{text}: nobody hears of its end",
                Breach.UNTOLD,
            )
        left = len(desk.supervisor.questions)
        must(left == len(texts) - len(ended), f"{way}: {left} questions are open", Breach.NEVER_ENDED)
        late = await desk.says("carry on", "bob")
        must(late.succeeded is False, "a word for nobody is one", DOING)


async def resets(stage: HistoryStage) -> None:
    """Emergency stops are taken back by a yes to that very stop, and by nothing else; all is told."""
    lots = stage.lots
    desk = Desk(stage)
    desk.work.trade("paint_fence", takes_s=0.3, risk=Risk.MOVES)
    text = desk.learns("paint fence", Do("paint_fence"))
    async with desk:
        none = await desk.says("reset", "ann")
        must(
            none.succeeded is False and not desk.supervisor.questions, "what is not set is taken back", DOING
        )
        desk.button.latch("somebody has pressed it")
        await asyncio.sleep(lots.choice((0.0, 0.3)))
        refused = await desk.says(text, "ann")
        must(refused.succeeded is False and not desk.work.jobs, "it begins after an emergency stop", MOTION)
        reply = await desk.says("reset", "ann")
        must(reply.succeeded is None and desk.button.is_latched, "it is taken back without a yes", MOTION)
        then = lots.choice(("yes", "no", "again", "elsewhere", "bob"))
        match then:
            case "yes":
                await desk.says("yes", "ann")
            case "no":
                await desk.says("no", "ann")
            case "bob":
                await desk.says("yes", "bob")
            case "again":
                (question,) = desk.supervisor.questions
                desk.button.latch("it was pressed again")
                if lots.random() < 0.5:
                    await asyncio.sleep(0.3)
                if lots.random() < 0.5:
                    desk.supervisor.answer(question.id, 1, "ann")
                    await asyncio.sleep(ACTED_S)
                else:
                    await desk.says("yes", "ann")
            case _:
                desk.button.token = 0  # another process
                await desk.says("yes", "ann")
        must(
            desk.button.is_latched is (then not in ("yes", "elsewhere")), f"{then}: it is set, or not", MOTION
        )
        if then != "bob":
            must(reply.succeeded is (then == "yes"), f"{then}: told as {reply.succeeded}", Breach.UNTOLD)
            must(said_to(reply), f"{then}: nothing is said", Breach.UNTOLD)
        if then == "again":
            must(
                "pressed again" in said_to(reply),
                f"it is not said why it stays: {said_to(reply)}",
                Breach.UNTOLD,
            )
        after = await desk.says(text, "ann")
        is_free = then in ("yes", "elsewhere")
        must(bool(desk.work.jobs) is is_free, f"{then}: afterwards it moves, or does not", MOTION)
        must(after.succeeded is is_free, f"{then}: afterwards told as {after.succeeded}", Breach.UNTOLD)


async def pointed(stage: HistoryStage) -> None:
    """A word that points means what was pointed at; if that is not clear it is asked for, and waited for."""
    lots = stage.lots
    desk = Desk(stage)
    desk.work.trade("paint", takes_s=0.3, parameters=(ParameterSpec("thing", str),))
    text = desk.learns("paint that", Do("paint", {"thing": Reference("that", is_pointing=True)}))
    for thing in ("fence", "wall"):
        desk.learns(f"paint {thing}", Do("paint", {"thing": thing}))

    def at(thing: str, likelihood: float = 1.0, ago_s: float = 0.0) -> Pointing:
        return Pointing(thing, stage.now_s - ago_s, likelihood)

    async with desk:
        how = lots.choice(("one", "faint", "two", "none", "none", "unfit", "long ago"))
        pointing = {
            "one": (at("fence"),),
            "faint": (at("fence"), at("wall", 0.02)),
            "two": (at("fence"), at("wall", 0.95)),
            "none": (),
            "unfit": (at("sky"),),
            "long ago": (at("fence", ago_s=60.0),),
        }[how]
        reply = await desk.says(text, "ann", pointing=pointing)
        wanted = "fence" if how in ("one", "faint") else ""
        if how == "two":
            must(not desk.work.jobs, "it begins before it is known what is meant", MOTION)
            (question,) = desk.supervisor.questions
            choice = lots.choice((0, 1, 2))
            desk.supervisor.answer(question.id, choice, "ann")
            wanted = ("", "fence", "wall")[choice]
        elif not wanted:
            must(not desk.work.jobs, f"{how}: it begins before it is known what is meant", MOTION)
            must(desk.supervisor.questions, f"{how}: nobody is asked what is meant", Breach.UNTOLD)
            for _ in range(lots.randint(0, 2)):
                none = lots.choice(("the sky", "that", "bob"))
                who, words = ("bob", "wall") if none == "bob" else ("ann", none)
                await desk.says(words, who)
                must(not desk.work.jobs, f"{how}: it begins by {none!r}", MOTION)
            answer = lots.choice(("fence", "that", "this one", "no"))
            must(desk.supervisor.questions, f"{how}: the question is gone", DOING)
            seen = (at("wall"),) if answer in ("that", "this one") else ()
            await desk.says(answer, "ann", pointing=seen)
            wanted = "wall" if seen else answer.replace("no", "")
        await asyncio.sleep(ACTED_S)
        done = [job.parameters["thing"] for job in desk.work.jobs]
        must(done == ([wanted] if wanted else []), f"{how}: {done} are painted, not {wanted!r}", MOTION)
        must(reply.succeeded is bool(wanted), f"{how}: told as {reply.succeeded}", Breach.UNTOLD)


def said_to(reply: Reply) -> str:
    """What somebody was told, in words."""
    return " ".join(event.text for event in reply.events)


HISTORIES: Final = (
    History(asks_first, None, 8),
    History(which_one, None, 2),
    History(again, None, 6),
    History(again_for_long, None, 3),
    History(actions_ask, None, 4),
    History(resets, None, 6),
    History(pointed, None, 5),
)
