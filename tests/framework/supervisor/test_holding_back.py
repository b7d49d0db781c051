"""What is interrupted by somebody who is lost afterwards waits until an operator says so."""

from __future__ import annotations

from framework.events import EventKind
from framework.plugins.action import Risk
from framework.plugins.events import RunState
from framework.tree.run import PlanState
from tests.framework.supervisor.desk import Desk, scene
from tests.framework.supervisor.test_asked_by import DRIVE, TWO
from tests.framework.tree.scripted import Kind

MOVE = Kind("move", risk=Risk.MOVES, alone="arm")
HOME = Kind("home", risk=Risk.MOVES, alone="arm")
WHY = "phone 1 is lost: the arm holds"


def hold_back(desk: Desk, who: str = "phone 1") -> tuple[str, ...]:
    assert desk.stage.service is not None
    return desk.stage.service.hold_back(WHY, asked_by=f"drive {who}")


def states(desk: Desk) -> dict[str, PlanState]:
    return {plan.words: PlanState(plan.state) for plan in desk.supervisor.plans()}


@scene(DRIVE, MOVE, HOME, world=TWO)
async def test_what_moves_or_is_yet_to_is_paused_and_goes_on_when_somebody_says_so(desk: Desk) -> None:
    await desk.say_and_settle("move then home", who="ann")
    await desk.say_and_settle("a then home", who="ann")
    await desk.say_and_settle("b", who="ann")
    await desk.say_and_settle("drive", who="phone 1")
    assert hold_back(desk) == ("move, then home", "a, then home")
    desk.of("drive").fail("phone 1 was silent for 10 s")
    await desk.settle()
    assert states(desk) == {
        "move, then home": PlanState.PAUSED,
        "a, then home": PlanState.PAUSED,
        "b": PlanState.RUNNING,
    }
    assert f'{WHY}; "move, then home" is paused: say "carry on" to go on.' in desk.texts(EventKind.PAUSED)
    assert await desk.say("carry on", who="phone 2").done()
    assert desk.of("move").state is RunState.RUNNING
    assert await desk.say("stop").done()


@scene(DRIVE, MOVE, world=TWO)
async def test_only_what_the_driver_has_ended_holds_nothing_back(desk: Desk) -> None:
    await desk.say_and_settle("move", who="ann")
    await desk.say_and_settle("drive", who="phone 1")
    desk.say("carry on", who="phone 1")
    assert hold_back(desk) == ()
    await desk.settle()
    assert states(desk) == {"move": PlanState.RUNNING}
    await desk.say_and_settle("drive and b", who="phone 1")
    desk.say("stop drive", who="phone 1")
    assert hold_back(desk) == ()
    await desk.settle()
    await desk.say_and_settle("drive and b", who="phone 1")
    desk.say("stop drive", who="ann")
    assert len(hold_back(desk)) == 1
    assert states(desk)["move"] is PlanState.PAUSED
    assert await desk.say("stop").done()


@scene(DRIVE, MOVE, world=TWO)
async def test_what_another_person_drives_is_theirs(desk: Desk) -> None:
    await desk.say_and_settle("drive", who="phone 2")
    await desk.say_and_settle("drive", who="phone 1")
    assert hold_back(desk) == ()
    assert len(states(desk)) == 2
    assert await desk.say("stop").done()


@scene(DRIVE, MOVE, world=TWO)
async def test_what_the_same_plan_has_besides_is_held_back_with_it(desk: Desk) -> None:
    await desk.say_and_settle("drive and move", who="phone 1")
    assert len(hold_back(desk)) == 1
    assert desk.of("move").state is RunState.PAUSED
    assert await desk.say("stop").done()
