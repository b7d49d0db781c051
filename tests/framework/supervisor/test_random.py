"""Random instructions, stops, pauses, failures: at the end nothing runs, and all that was said is true."""

from __future__ import annotations

import asyncio
import random

from framework.plan import Source
from framework.plugins.action import Risk
from framework.supervisor import EventKind, Reply
from framework.testing import VirtualLoop, run_on
from framework.tree import PlanState
from tests.effort import seeds
from tests.framework.supervisor.desk import Desk
from tests.framework.tree.scripted import Kind

KINDS = (
    Kind("quick", after_s=0.05),
    Kind("long", after_s=3.0, value="a cup"),
    Kind("fails", after_s=0.3, fails="it broke"),
    Kind("show", continuous=True, ready_after_s=0.2, alone="the screen"),
    Kind("track", continuous=True, ready_after_s=0.4, alone="the screen", end_takes_s=0.3),
    Kind("deaf", ignores_cancel=True),
    Kind("bad", raises_at="run"),
    Kind("danger", risk=Risk.DANGEROUS, after_s=1.0),
)
SAYINGS = (
    *("quick", "long", "fails", "show", "track", "deaf", "bad", "danger", "nonsense", "", "crash", "either"),
    *("quick then long", "show and long", "show then track", "fails and deaf", "long then quick and show"),
    *("stop", "stop", "cancel", "cancel show", "stop tracking", "pause", "carry on", "yes", "no", "2"),
    *("what are you doing?", "emergency stop", "reset", "reset", "yes"),
    *("no, quick", "rather show then track", "not show, long", "no, stop", "pause plan 1", "resume plan 2"),
)


@seeds("seed", 100)
def test_whatever_happens_nothing_is_left(seed: int) -> None:
    replies: list[Reply] = []

    async def main() -> None:
        chance = random.Random(seed)
        desk = Desk(*KINDS)
        async with desk.supervisor:
            for _ in range(60):
                source = chance.choice((Source.TYPED, Source.TYPED, Source.SPEECH))
                replies.append(
                    desk.say(chance.choice(SAYINGS), source=source, who=chance.choice(("ann", "bob")))
                )
                happening = chance.random()
                running = [runner for runner in desk.stage.made if runner.is_running]
                if happening < 0.1 and running:
                    chance.choice(running).fail("scripted")
                elif happening < 0.15 and running:
                    chance.choice(running).ask("what now?")
                elif happening < 0.35 and desk.supervisor.questions:
                    question = chance.choice(desk.supervisor.questions)
                    who = chance.choice((question.who, "bob"))
                    replies.append(desk.supervisor.answer(question.id, chance.choice((0, 1, 2)), who))
                elif happening < 0.37:
                    desk.latch.latch("the button")
                elif happening < 0.42:
                    desk.supervisor.reset_emergency("carl")
                if desk.latch.is_latched:
                    desk.supervisor.look_at_emergency()
                await asyncio.sleep(chance.choice((0.0, 0.001, 0.02, 0.3, 2.0)))
                if desk.latch.is_latched:
                    wanted = [
                        plan for plan in desk.supervisor.plans() if plan.state is not PlanState.STOPPING
                    ]
                    assert wanted == []
            await desk.say("stop").done()
            assert desk.running == []
        assert desk.supervisor.plans() == ()
        check_what_was_said(desk)

    loop = VirtualLoop(seed=seed)
    run_on(loop, main)
    assert loop.leftovers == ()
    assert all(reply.succeeded is not None for reply in replies)


def check_what_was_said(desk: Desk) -> None:
    """Every plan was started once, ended once in the way that was said, and was silent afterwards."""
    ends = (EventKind.ENDED, EventKind.FAILED, EventKind.CANCELLED)
    assert [event.sequence for event in desk.said] == list(range(1, len(desk.said) + 1))
    for plan in desk.supervisor.ended_plans():
        said = [event for event in desk.said if event.plan == plan.id and event.action == ""]
        about = [event.kind for event in said if event.kind not in (EventKind.HEARD, EventKind.UNDERSTOOD)]
        assert about.count(EventKind.STARTED) == 1
        last = [kind for kind in about if kind in ends]
        expected = {
            PlanState.SUCCEEDED: EventKind.ENDED,
            PlanState.FAILED: EventKind.FAILED,
            PlanState.CANCELLED: EventKind.CANCELLED,
        }[plan.state]
        assert last == [expected]
        assert about[-1] is expected
