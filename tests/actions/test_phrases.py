"""How people ask for the actions, and what becomes of it; and what must not become one."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import pytest

from framework.plan import Known
from framework.plan.ast import (
    AnyOf,
    Cancel,
    Compare,
    Comparison,
    Do,
    Elapsed,
    If,
    Parallel,
    Plan,
    Reference,
    Sequence,
    State,
    Until,
    Value,
    Wait,
)
from framework.plan.parser import Reading, Understood
from framework.plugins import ActionCatalogue
from grammars import Language
from grammars.conditions import read_conditions
from managers.conditions import PHRASES
from tests.actions.fake_robot import ROOT

IT = Reference("it")


class Laboratory:
    """A world in which every kind has names."""

    _NAMES: ClassVar = {
        "devices": ("front camera", "wrist cloud", "front lidar"),
        "sensors": ("front camera", "wrist cloud", "front lidar"),
        "world.things": ("hand", "target"),
        "world.objects": ("red cup", "blue cup", "hand", "target"),
        "world.known": ("door", "table", "red cup", "blue cup", "hand", "target", "dock"),
        "world.openable": ("door",),
        "world.places": ("dock", "table top"),
        "views": ("overview",),
        "memories": ("overview", "dock", "wave"),
        "motions": ("wave",),
        "moving": ("left arm", "base"),
        "screens": ("console",),
        "running": ("track the hand",),
    }

    def names(self, kind: str) -> tuple[str, ...]:
        return self._NAMES.get(kind, ())

    def known(self, kind: str) -> tuple[Known, ...]:
        values = {
            name: name.replace(" ", "_") if kind in ("devices", "sensors", "moving") else name
            for name in self.names(kind)
        }
        return tuple(Known(value, name) for name, value in values.items())


@lru_cache
def language() -> Language:
    catalogue = ActionCatalogue.discover([Path(ROOT / "actions")], entry_points=False)
    return Language(catalogue.available, conditions=read_conditions(PHRASES))


def best(text: str) -> tuple[Reading, ...]:
    result = language().parse(text, Laboratory())
    if not isinstance(result, Understood):
        return ()
    return tuple(each for each in result.readings if each.confidence == result.readings[0].confidence)


def show(what: Value) -> Do:
    return Do("show", {"what": what})


def describe(thing: Value = "") -> Do:
    return Do("describe", {"thing": thing} if thing else {})


def remember(name: str, **more: Value) -> Do:
    return Do("remember", {"name": name, **more})


def track(thing: Value) -> Do:
    return Do("track", {"thing": thing})


def wait(duration_s: float) -> Do:
    return Do("wait", {"duration_s": duration_s})


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("let me see the camera", show("camera")),
        ("could you put the laser scan on the screen", show("scan")),
        ("display the point cloud on the console", show("cloud")),
        ("give me a look at the red cup", show("red cup")),
        ("bring up the front camera", show("front_camera")),
        ("I'd like to see the saved view overview", show("overview")),
        ("show it on the display", show(IT)),
        ("show me what is around you", Do("show_environment")),
        ("let me see your surroundings in 3-D", Do("show_environment")),
        ("keep your eyes on the hand", track("hand")),
        ("watch the target", track("target")),
        ("please keep following it", track(IT)),
        ("hold on for half a minute", wait(30.0)),
        ("take a break of two minutes", wait(120.0)),
        ("say that the work is done", Do("say", {"text": "the work is done"})),
        ("tell the operator dinner is ready", Do("say", {"text": "dinner is ready"})),
        ("what can you see?", describe()),
        ("what's around you", describe()),
        ("describe your surroundings", describe()),
        ("where's the red cup?", describe("red cup")),
        ("can you see the hand", describe("hand")),
        ("is the door open?", describe("door")),
        ("where are you", describe("robot")),
        ("save this as home base", remember("home base")),
        ("call this place pit stop", remember("pit stop")),
        ("remember where the red cup is as target spot", remember("target spot", thing="red cup")),
        ("save the current view as close up", remember("close up", kind="view")),
        ("forget about the dock", Do("forget", {"name": "dock"})),
        ("once more", Do("repeat")),
        ("do that three times", Do("repeat", {"times": 3})),
        ("repeat that twice", Do("repeat", {"times": 2})),
        ("help me", Do("list")),
        ("what can you do with the camera", Do("list", {"topic": "camera"})),
        ("let's see the red cup", show("red cup")),
        ("I'd love a view of the table", show("table")),
        ("can I have the camera on screen?", show("camera")),
        ("keep the camera on screen", show("camera")),
        ("the front camera's picture, please", show("front_camera")),
        ("the front lidar, if you don't mind", show("front_lidar")),
        ("could the scan be shown?", show("scan")),
        ("switch over to the scan", show("scan")),
        ("go back to the overview", show("overview")),
        ("show me what you see", show("camera")),
        ("environment please", Do("show_environment")),
        ("can I have a 3-D view of everything around you", Do("show_environment")),
        ("I want the room shown in 3D", Do("show_environment")),
        ("have the camera follow the target", track("target")),
        ("the hand should be tracked", track("hand")),
        ("keep the hand in the middle of the picture", track("hand")),
        ("follow the hand's movements wherever it goes", track("hand")),
        ("a ten second pause please", wait(10.0)),
        ("stay where you are for about a minute", wait(60.0)),
        ("tell me lunch is ready", Do("say", {"text": "lunch is ready"})),
        ("tell me: test passed", Do("say", {"text": "test passed"})),
        ("tell the operator to stand back", Do("say", {"text": "stand back"})),
        ("say the words mission complete", Do("say", {"text": "mission complete"})),
        ("say ladies first", Do("say", {"text": "ladies first"})),
        ("do you know where the red cup is?", describe("red cup")),
        ("have you seen the blue cup", describe("blue cup")),
        ("I'd like to know where the dock is", describe("dock")),
        ("what's the red cup's position?", describe("red cup")),
        ("check whether the door is open", describe("door")),
        ("what is that?", describe(Reference("that", "", is_pointing=True))),
        ("this place should be called base camp", remember("base camp")),
        ("as overview, remember this view", remember("overview", kind="view")),
        ("remember that this is the charging corner", remember("charging corner")),
        ("that again, six times", Do("repeat", {"times": 6})),
        ("what you just did, do it again", Do("repeat")),
        ("which commands do you understand?", Do("list")),
        ("I need help with tracking", Do("list", {"topic": "tracking"})),
        (
            "show the front camera for ten seconds, then the front lidar",
            Sequence((Until(show("front_camera"), Elapsed(10.0)), show("front_lidar"))),
        ),
        (
            "if the door is open show the camera, otherwise the scan",
            If(State("open", {"thing": "door"}), show("camera"), show("scan")),
        ),
        (
            "keep the hand and the target in view",
            Parallel((track("hand"), track("target"))),
        ),
        (
            "in two seconds tell me the door is open",
            Sequence((wait(2.0), Do("say", {"text": "the door is open"}))),
        ),
        (
            "when the tracking ends, describe the room",
            Sequence((Wait(State("running", {"what": "track"}, is_so=False)), describe())),
        ),
        (
            "show the camera, but stop tracking the target",
            Sequence((show("camera"), Cancel("track the target"))),
        ),
        (
            "if you see the hand or the target, say found",
            If(
                AnyOf((State("seen", {"thing": "hand"}), State("seen", {"thing": "target"}))),
                Do("say", {"text": "found"}),
            ),
        ),
        (
            "ahead of streaming the laser scanner onto the monitor, take a delay of two seconds",
            Sequence((wait(2.0), show("scan"))),
        ),
        (
            "after tracking the hand for ten seconds, show the scan",
            Sequence((Until(track("hand"), Elapsed(10.0)), show("scan"))),
        ),
        (
            "when the door opens show the camera",
            Sequence((Wait(State("open", {"thing": "door"})), show("camera"))),
        ),
        ("wait for the door to close", Wait(State("open", {"thing": "door"}, is_so=False))),
        (
            "if you don't see the hand look around",
            If(State("seen", {"thing": "hand"}, is_so=False), describe()),
        ),
        (
            "track the hand until it is closer than half a metre",
            Until(track("hand"), Compare("distance", {"thing": IT}, Comparison.LESS, 0.5, "m")),
        ),
        (
            "as soon as the front camera works again show it",
            Sequence((Wait(State("working", {"device": "front_camera"})), show(IT))),
        ),
    ],
)
def test_people_say_it_their_way(text: str, plan: Plan) -> None:
    assert [(reading.plan, reading.corrections) for reading in best(text)] == [(plan, ())]


@pytest.mark.parametrize(
    "text",
    [
        "open the door",
        "give me the red cup",
        "turn on the red cup",
        "tell me a joke",
        "track the table",
        "show me the dragon",
        "call a taxi",
        "drop the ball",
        "start the car",
        "what time is it",
        "tell me a story that is true",
        "remind me about this",
        "let's see about that",
        "never do that again",
        "write a complaint for the tablet I bought",
    ],
)
def test_what_sounds_alike_and_is_no_action_of_ours_is_not_understood(text: str) -> None:
    assert best(text) == ()
