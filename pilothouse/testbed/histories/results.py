"""What "it" is: the nearest earlier result that fits, of this plan, then of this person's earlier plans.

Results are things, places, or something that has both as its parts; some give nothing.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from framework.events import EventKind
from framework.plan.ast import Do, Parallel, Plan, Reference
from framework.plan.ast import Sequence as Steps
from framework.plugins.parameters import ParameterSpec
from framework.scenarios.invariants import Breach
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.desk import Desk
from pilothouse.testbed.histories.stage import History, HistoryStage

DOING: Final = Breach.DOING
PEOPLE: Final = ("ann", "bob")


class Cup(msgspec.Struct, frozen=True):
    """Something to be taken."""

    number: int


class Spot(msgspec.Struct, frozen=True):
    """Somewhere to go."""

    at: float


class Seen(msgspec.Struct, frozen=True):
    """Both."""

    thing: Cup
    place: Spot


WANTS: Final = {"thing": Cup, "place": Spot, "anything": object}


def fits(found: Any, parameter: str) -> Any:
    """What of a result goes there; None if nothing does."""
    if found is None or parameter == "anything":
        return found
    if isinstance(found, WANTS[parameter]):
        return found
    return getattr(found, parameter) if isinstance(found, Seen) else None


async def it(stage: HistoryStage) -> None:
    """Plans of two people, one after the other or beside each other; each asks for what was found before."""
    lots = stage.lots
    desk = Desk(stage)
    work = desk.work
    found: dict[str, list[Any]] = {who: [] for who in PEOPLE}
    async with desk:
        for number in range(lots.randint(2, 5)):
            who = lots.choice(PEOPLE)
            before: list[Any] = []
            steps: list[Plan] = []
            for _ in range(lots.randint(0, 3)):
                index = len(work.trades)
                before.append(
                    lots.choice((Cup(index), Spot(float(index)), Seen(Cup(index), Spot(0.5)), None))
                )
                steps.append(work.action(gives=before[-1]))
            parameter = lots.choice(list(WANTS))
            spec = ParameterSpec(parameter, WANTS[parameter])
            taker = work.trade(takes_s=0.2, parameters=(spec,))
            reference = Reference(lots.choice(("it", "that")))
            steps.append(Do(taker.name, {parameter: reference}))
            at_once = lots.random() < 0.4
            plan: Plan = Parallel(tuple(steps)) if at_once else Steps(tuple(steps))
            reply = desk.supervisor.carry_out(plan, who=who)
            if lots.random() < 0.3:
                other = next(each for each in PEOPLE if each != who)
                desk.supervisor.carry_out(work.action(gives=Seen(Cup(-1), Spot(-1.0))), who=other)
                found[other].append(Seen(Cup(-1), Spot(-1.0)))
            await desk.until(lambda: not desk.states(), "it waits for ever")
            must(reply.succeeded is not None, "nobody hears of its end", Breach.UNTOLD)
            # Of several that fit the nearest is meant.
            known = [fits(each, parameter) for each in (*found[who], *before)]
            meant = next((each for each in reversed(known) if each is not None), None)
            runs = work.of(Do(taker.name))
            what = f"plan {number + 1} of {who}, {parameter}"
            must(len(runs) == (meant is not None), f"{what}: it is done {len(runs)} times", DOING)
            if runs:
                has = runs[0].parameters[parameter]
                must(has == meant, f'{what}: "it" is {has}, not {meant}', DOING)
                found[who] += [each for each in before if each is not None]
            elif not at_once:
                found[who] += [each for each in before if each is not None]
            else:
                return  # what was ended with it, and how far it was, is another matter
    stage.judge()


async def them(stage: HistoryStage) -> None:
    """ "Them" is all that was found, of this plan or else of the last one; or the list that was found."""
    lots = stage.lots
    desk = Desk(stage)
    work = desk.work
    async with desk:
        last: list[Any] = []
        for number in range(lots.randint(1, 3)):
            here: list[Any] = []
            steps: list[Plan] = []
            for _ in range(lots.randint(0, 3)):
                index = len(work.trades)
                two = [Cup(index), Cup(index + 1000)]
                here.append(lots.choice((Cup(index), Cup(index), two, None)))
                steps.append(work.action(gives=here[-1]))
            spec = ParameterSpec("things", list[Cup])
            taker = work.trade(takes_s=0.2, parameters=(spec,))
            reference = Reference(
                lots.choice(("them", "both", "those")), "Cup" if lots.random() < 0.3 else ""
            )
            steps.append(Do(taker.name, {"things": reference}))
            reply = desk.supervisor.carry_out(Steps(tuple(steps)), who="ann")
            await desk.until(lambda: not desk.states(), "it waits for ever")
            found = [each for each in here if each is not None]
            meant = _together(found, reference.type) or _together(last, reference.type)
            runs = work.of(Do(taker.name))
            what = f'plan {number + 1}: "{reference.word}" of {found} after {last}'
            must(len(runs) == bool(meant), f"{what}: it is done {len(runs)} times", DOING)
            must(reply.succeeded is bool(meant), f"{what}: told as {reply.succeeded}", Breach.UNTOLD)
            if runs:
                has = runs[0].parameters["things"]
                must(has == meant, f"{what}: it is {has}, not {meant}", DOING)
            last = found or last
    stage.judge()


def _together(found: list[Any], kind: str) -> list[Cup]:
    """What these are together: the list that came last, unless it is named by the kind of one; or all."""
    lists = [each for each in found if isinstance(each, list)]
    if lists and not kind:
        return list(lists[-1])
    return [each for each in found if isinstance(each, Cup)] if not lists or kind else []


async def one_of(stage: HistoryStage) -> None:
    """What may be only one of several things takes the nearest of these; what nothing fits is said so."""
    lots = stage.lots
    desk = Desk(stage)
    work = desk.work
    colours = ("red", "green", "blue")
    allowed = tuple(lots.sample(colours, 2))
    gives = [lots.choice((*colours, 7, None)) for _ in range(lots.randint(1, 4))]
    steps: list[Plan] = [work.action(gives=each) for each in gives]
    taker = work.trade(takes_s=0.2, parameters=(ParameterSpec("colour", str, one_of=allowed),))
    steps.append(Do(taker.name, {"colour": Reference("it")}))
    async with desk:
        reply = desk.supervisor.carry_out(Steps(tuple(steps)), who="ann")
        await desk.until(lambda: reply.succeeded is not None, "it waits for ever")
        meant = next((each for each in reversed(gives) if each in allowed), None)
        done = [job.parameters["colour"] for job in work.of(Do(taker.name))]
        must(done == ([meant] if meant else []), f"of {gives} {allowed} may be: it is {done}", DOING)
        if meant is None:
            told = " ".join(event.text for event in desk.heard(EventKind.FAILED))
            must('"it"' in told, f"it is not said what it could not be: {told!r}", Breach.UNTOLD)


HISTORIES: Final = (
    History(it, None, 4),
    History(them, None, 3),
    History(one_of, None, 2),
)
