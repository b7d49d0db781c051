"""What is refused although its action could do it, and how that is said."""

from __future__ import annotations

import math

import pytest

from framework.plan.ast import Do, Value
from framework.plugins.parameters import ParameterSpec
from framework.supervisor.objections import beyond
from tests.framework.supervisor.desk import Desk, scene
from tests.framework.tree.scripted import Kind, Stage

HOLD = Kind("hold", continuous=True, holds_on=True, ready_after_s=0.05, alone="left arm")
MOVE = Kind(
    "move",
    (
        ParameterSpec("distance_m", float, 0.05, "m", gt=0.0, le=1.0),
        ParameterSpec("angle_rad", float, 1.0, "rad", gt=0.0, le=math.tau),
    ),
    alone="left arm",
)
WALK = Kind("walk", alone="base")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"distance_m": 5000.0}, "5 km is too much: at most 1 m at once"),
        ({"distance_m": 1.5}, "1.5 m is too much: at most 1 m at once"),
        ({"angle_rad": math.radians(1000.0)}, "1000° is too much: at most 360° at once"),
        ({"distance_m": 0.0}, "0 m is too little: more than 0 m"),
        ({"distance_m": 1.0}, ""),
        ({"distance_m": "far"}, ""),
        ({"distance_m": math.nan}, ""),
        ({"another": 5000.0}, ""),
    ],
)
def test_numbers_are_said_as_people_say_them(given: dict[str, Value], words: str) -> None:
    assert beyond(Do("move", given), Stage(MOVE)) == words


@scene(HOLD, MOVE, WALK)
async def test_what_is_held_until_told_is_not_queued_for(desk: Desk) -> None:
    await desk.say_and_settle("hold", who="ann")
    for text in ("move", "move then walk"):
        refused = desk.say(text, who="ann")
        assert refused.succeeded is False
        assert refused.events[-1].text == (
            'That needs the left arm, and I am holding: say "stop holding" first.'
        )
    await desk.say_and_settle("walk", who="ann")
    await desk.say_and_settle("move", who="bob")
    assert desk.running == ["hold", "walk", "move"], "others queue as ever"
    assert await desk.say("stop holding", who="ann").done()
    assert desk.running == ["walk", "move"]
    assert await desk.say("cancel move", who="bob").done()
    await desk.say_and_settle("hold", who="ann")
    assert desk.running == ["walk", "hold"]
    await desk.say_and_settle("no, move", who="ann")
    assert desk.running == ["walk", "move"], "what it corrects does not stand in its way"
    assert await desk.say("stop").done()
