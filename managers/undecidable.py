"""Why a condition could never be told, and what that would take: in words, for refusals. Pure.

What a sensor that is unplugged, or a thing that is not known yet, may still tell is not among it.
"""

from __future__ import annotations

import msgspec

from framework.plan.ast import Compare, State
from managers.answers import called
from managers.context_manager import ContextManager
from managers.devices import HasDevices
from resources.types.context import KnownThing, ThingKind
from resources.types.motion import ControllerKind
from resources.types.naming import listed, plain

#: What a camera has to be for a thing to be followed with it (`ContextManager`).
_FOLLOWS = "rgbd"


def why_undecidable(condition: State | Compare, context: ContextManager, devices: HasDevices) -> str:
    """The reason; empty if it can be told, or may be one day."""
    if isinstance(condition, Compare):
        if condition.quantity != "distance":
            return f"nothing here measures a {plain(condition.quantity)}"
        thing = _thing(condition, context)
        return _never_located(thing, context, devices) if thing is not None else ""
    if condition.name == "working":
        return _never_there(str(condition.arguments.get("device", "")), devices)
    if condition.name == "blocked":
        has_base = any(device.kind == ControllerKind.BASE.value for device in devices.devices())
        return "" if has_base else "nothing here drives that could be in anybody's way"
    if condition.name not in ("open", "seen", "at", "facing"):
        return f"nothing here tells whether something is {plain(condition.name)}"
    thing = _thing(condition, context)
    if thing is None:
        return ""
    if condition.name in ("at", "facing"):
        return _never_located(msgspec.structs.replace(thing, marker=None), context, devices)
    return _never_seen(thing, context, devices) if condition.name == "seen" else _never_open(thing)


def _never_open(thing: KnownThing) -> str:
    if thing.state or "open" in thing.states:
        return ""
    name = thing.spoken
    return f"nothing tells whether the {name} is open or closed: it would take a contact on it"


def _never_seen(thing: KnownThing, context: ContextManager, devices: HasDevices) -> str:
    if thing.marker is None:
        missing = f"a camera finds things by a marker, and {thing.with_article} carries none"
        return f"{missing}; {_can_look_for(context)}"
    if not any(device.kind == _FOLLOWS for device in devices.devices()):
        return f"seeing {thing.with_article} takes a depth camera, and I have none"
    return ""


def _never_located(thing: KnownThing, context: ContextManager, devices: HasDevices) -> str:
    if thing.marker is not None:
        return _never_seen(thing, context, devices)
    if thing.world_T_thing is None:
        missing = "a camera would have to find it by a marker, and it carries none"
        return f"nothing tells where {thing.with_article} is: {missing}; {_can_look_for(context)}"
    robot = next((each for each in context.things() if each.kind is ThingKind.ROBOT), None)
    if robot is None or robot.world_T_thing is None:
        return "nothing tells where I stand myself: it would take odometry"
    return ""


def _never_there(device: str, devices: HasDevices) -> str:
    every = devices.devices()
    if called(device, every):
        return ""
    return f"I have no {plain(device)}; I have {listed(f'the {plain(each.name)}' for each in every)}"


def _can_look_for(context: ContextManager) -> str:
    names = context.trackable()
    if not names:
        return "nothing that I know does"
    return f"what I can look out for is {listed(f'the {plain(name)}' for name in names)}"


def _thing(condition: State | Compare, context: ContextManager) -> KnownThing | None:
    """The thing that is asked about; None unless there is just one of that name."""
    said = condition.arguments.get("thing")
    things = context.called(said) if isinstance(said, str) else ()
    return things[0] if len(things) == 1 else None
