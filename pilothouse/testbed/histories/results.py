"""What "it" is: the nearest earlier result that fits, of this plan, then of this person's earlier plans.

Results are things, places, or something that has both as its parts; some give nothing.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from framework.plan.ast import Do, Parallel, Plan, Reference
from framework.plan.ast import Sequence as Steps
from framework.plugins.parameters import ParameterSpec
from framework.scenarios.invariants import Breach
from pilothouse.testbed.histories.desk import Desk
from pilothouse.testbed.histories.stage import History, HistoryStage, must

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


HISTORIES: Final = (History(it, None, 4),)
