"""Known and seen things in sentences, as the robot would say them. Pure."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence

import pilothouse as ph
from resources.types.device_states import DeviceState
from resources.types.naming import listed, plain
from resources.types.whereabouts import (
    bearing,
    direction_in_words,
    distance_in_words,
    distance_m,
    into,
    room_of,
)

Things = Sequence[ph.KnownThing]

_ORDER = (ph.ThingKind.FIXTURE, ph.ThingKind.OBJECT, ph.ThingKind.PERSON, ph.ThingKind.PLACE)
_OWN = ("robot", "yourself", "you", "me", "i")


def meant(said: str, things: Things) -> tuple[ph.KnownThing, ...]:
    """The thing of that name; else all that are called so."""
    asked = plain(said)
    if asked in _OWN:
        return tuple(thing for thing in things if _is_self(thing))
    named = tuple(thing for thing in things if plain(thing.name) == asked)
    return named or tuple(thing for thing in things if plain(thing.spoken) == asked)


def one(thing: ph.KnownThing, things: Things) -> str:
    """ "The red cup is on the table, 2.1 m away, slightly left." """
    if _is_self(thing):
        return _myself(thing, things)
    name = begun(thing.with_article)
    if thing.robot_T_thing is not None:
        return _sentence(f"{name} is {thing.state}" if thing.state else "", _of_mine(thing))
    if thing.kind is ph.ThingKind.SENSOR:
        return _sentence(f"{name} is one of my sensors", f"it is {thing.state}" if thing.state else "")
    where = _whereabouts(thing, things)
    state = f"{name} is {thing.state}" if thing.state else ""
    place = f"it is {where}" if state and where else f"{name} is {where}" if where else ""
    on_it = _on(thing, things)
    if not place and not state:
        return f"I know {thing.with_article}, but not where it is."
    told = f"I was told so {told_when(thing)}, and people walk: I do not see them" if told_when(thing) else ""
    return _sentence(state, place, f"on it I know {on_it}" if on_it else "", told)


def told_when(thing: ph.KnownThing) -> str:
    """ "at 10:56 on 29 November", local time; "" of what is not told of but known."""
    if thing.told_wall_s is None:
        return ""
    told = time.localtime(thing.told_wall_s)
    return f"at {time.strftime('%H:%M', told)} on {told.tm_mday} {time.strftime('%B', told)}"


def several(asked: Things, things: Things) -> str:
    """Of things that are called the same."""
    lines = [f"- {_whereabouts(thing, things) or 'I do not know where'}" for thing in asked]
    return "\n".join((f"There are {len(asked)} things called {asked[0].spoken}:", *lines))


def followed(thing: ph.KnownThing, sighting: ph.Sighting | None, why_not: str, things: Things) -> str:
    """Of a thing that a camera was asked about."""
    if sighting is not None:
        return f"I see {seen(thing, sighting, things)}."
    why = f": {why_not}" if why_not else ""
    return f"I {'cannot look for' if why_not else 'do not see'} the {thing.spoken} now{why}."


def seen(thing: ph.KnownThing, sighting: ph.Sighting, things: Things) -> str:
    """ "the hand, 1.4 m in front of me" """
    sensor, place = sighting.world_T_sensor, sighting.world_T_thing
    me = _my_pose(things)
    if sensor is not None:
        # A camera's frame has x to the right and z ahead.
        right, _, ahead = into(sensor, place[:3])
        azimuth = bearing(me, place[:3]).azimuth_rad if me is not None else math.atan2(-right, ahead)
        far = distance_in_words(distance_m(sensor, place))
        return f"{thing.with_article}, {far} {direction_in_words(azimuth)}"
    return f"{thing.with_article}, {bearing(me, place[:3])}" if me is not None else thing.with_article


def everything(things: Things, seen_now: Sequence[str], reasons: Sequence[str]) -> str:
    """What is seen and what is known, for "what do you see?"."""
    if seen_now:
        sees = f"I see {listed(seen_now)}."
    elif reasons:
        sees = f"I cannot look now: {'; '.join(dict.fromkeys(reasons))}."
    else:
        sees = "I see nothing now that I could follow."
    known = [thing for kind in _ORDER for thing in things if thing.kind is kind and thing.marker is None]
    named = dict.fromkeys(_mentioned(thing, known) for thing in known)
    knows = f"I know {listed(named)}." if named else "I know of nothing around me."
    broken = [thing for thing in things if thing.kind is ph.ThingKind.SENSOR and thing.state in _OUT_OF_USE]
    also = "".join(f" The {thing.spoken} is {thing.state}." for thing in broken)
    return f"{sees} {knows}{also}"


_OUT_OF_USE = (DeviceState.UNPLUGGED, DeviceState.RESTING, DeviceState.UNAVAILABLE)


def _mentioned(thing: ph.KnownThing, known: Things) -> str:
    same = sum(1 for other in known if other.spoken == thing.spoken)
    name = f"{same} things called {thing.spoken}" if same > 1 else thing.with_article
    return f"{name}, which is {thing.state}" if thing.state else name


def _whereabouts(thing: ph.KnownThing, things: Things) -> str:
    """ "on the table, 2.1 m away, slightly left"; "" if nobody knows."""
    parts = []
    parent = next((other for other in things if other.name == thing.part_of), None)
    if parent is not None and parent.kind is ph.ThingKind.FIXTURE:
        parts.append(f"on the {parent.spoken}")
    room = room_of(thing, things)
    if room is not None:
        parts.append(f"in the {room.spoken}")
    me = _my_pose(things)
    if thing.world_T_thing is not None and me is not None:
        parts.append(str(bearing(me, thing.world_T_thing[:3])))
    return ", ".join(parts)


def _of_mine(part: ph.KnownThing) -> str:
    """ "The tool of the left arm is 54 cm in front of me, at a height of 1.1 m"; a gripper is one itself."""
    assert part.robot_T_thing is not None
    place = part.robot_T_thing[:3]
    what = "it" if part.states else f"the tool of the {part.spoken}"
    me = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    return f"{what} is {bearing(me, place)}, at a height of {distance_in_words(place[2])}"


def _on(thing: ph.KnownThing, things: Iterable[ph.KnownThing]) -> str:
    if thing.kind is not ph.ThingKind.FIXTURE:
        return ""
    return listed(dict.fromkeys(f"the {other.spoken}" for other in things if other.part_of == thing.name))


def _myself(robot: ph.KnownThing, things: Things) -> str:
    sensors = [thing.spoken for thing in things if thing.kind is ph.ThingKind.SENSOR]
    where = ""
    if robot.world_T_thing is not None:
        x, y, *_ = robot.world_T_thing
        where = f"I stand at x {x:.2f} m, y {y:.2f} m"
    return _sentence(
        f"I am {robot.spoken}", where, f"my sensors are the {listed(sensors)}" if sensors else ""
    )


def begun(text: str) -> str:
    """As a sentence begins."""
    return text[:1].upper() + text[1:]


def _is_self(thing: ph.KnownThing) -> bool:
    return thing.kind is ph.ThingKind.ROBOT and not thing.part_of


def _my_pose(things: Iterable[ph.KnownThing]) -> ph.Pose7 | None:
    return next((thing.world_T_thing for thing in things if _is_self(thing)), None)


def _sentence(*parts: str) -> str:
    return " ".join(f"{part[0].upper()}{part[1:]}." for part in parts if part)
