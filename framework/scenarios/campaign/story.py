"""A scenario as the story of a campaign: what is done stays, in order and pace; nothing of it is judged."""

from __future__ import annotations

import msgspec

from framework.scenarios import scenario as s


def story_of(scenario: s.Scenario) -> s.Scenario:
    """The story: expectations are waited for, instructions may end in any way, the invariants are judged."""
    steps = tuple(
        msgspec.structs.replace(step, do=_told(step.do))
        for step in scenario.steps
        if not isinstance(step.do, s.RandomFaults)
    )
    return msgspec.structs.replace(
        scenario, steps=steps, clock=s.WhichClock.VIRTUAL, invariants=True, faults=()
    )


def _told(do: s.Deed | s.WaitStep | s.Expect | s.Await | s.RandomFaults) -> s.Deed | s.WaitStep | s.Await:
    match do:
        case s.Expect(conditions=conditions, within_s=within_s):
            return s.Await(conditions, within_s)
        case s.Say(settles=settles) if settles is not s.Settles.LATER:
            return msgspec.structs.replace(do, settles=s.Settles.EITHER)
        case s.RandomFaults():
            raise TypeError("random faults are no part of a story")
        case _:
            return do
