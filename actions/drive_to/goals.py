"""What is meant by a thing or a place: where to stand, and what people call that."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

import pilothouse as ph
from actions.known_things import one_called, place_seen
from resources.types.motion_words import length_in_words
from resources.types.naming import plain
from resources.types.poses import rotation_of, turned
from resources.types.routes import Back, Beside, Departure, Goal, Nearer, Onto, Side, Spot

if TYPE_CHECKING:
    from actions.drive_to import DriveTo

#: People, and what they hold, are not come nearer [m].
_FROM_PEOPLE_M = 0.6

#: A place that is no higher lies on the floor [m].
_ON_FLOOR_M = 0.2


class Meant(msgspec.Struct, frozen=True):
    """Where it goes, and in words: "driving to the shelf", the way "to the shelf", it is "at the shelf".

    to: what people call the thing that it goes to; "" is none.
    """

    goal: Goal
    bound: str
    way: str
    there: str
    to: str = ""


NOWHERE = Meant(Back(Departure.START), "", "", "")

_BACK = {
    Departure.START: ("back to where it started", "back where it started"),
    Departure.BEFORE: ("back to where it was before", "back where it was before"),
}


async def goal_of(action: DriveTo) -> Meant:
    """What its parameters mean. Raises PilothouseError in words if that is nothing."""
    if bool(action.thing) == bool(action.place):
        raise ph.PilothouseError("where to? I drive to one thing, or to one place")
    if action.place:
        asked = plain(action.place)
        if asked in (each.value for each in Departure):
            way, there = _BACK[Departure(asked)]
            return Meant(Back(Departure(asked)), f"driving {way}", way, there)
        places = [thing for thing in action.known.things if thing.kind is ph.ThingKind.PLACE]
        place = one_called(places, action.place, "places that I know are")
        return at_place(place, action.distance_m)
    thing = one_called(action.known.things, action.thing, "what I can drive to is")
    return await _at_thing(action, thing)


def at_place(place: ph.KnownThing, away_m: float) -> Meant:
    """On it if it lies on the floor, else before it. Raises PilothouseError if nobody knows where it is."""
    name = f"the {plain(place.spoken)}" if any(place.size_m) else repr(plain(place.spoken))
    if place.world_T_thing is None:
        raise ph.PilothouseError(f"I do not know where {name} is")
    spot, (length_m, width_m, height_m) = spot_of(place.world_T_thing), place.size_m
    goal: Goal = Beside(spot, length_m, width_m, away_m)
    if height_m < _ON_FLOOR_M and abs(place.world_T_thing[2]) < _ON_FLOOR_M:
        # One that was named has a direction, too: how the robot stood then.
        goal = Onto(spot, turned=not any(place.size_m))
    return Meant(goal, f"driving to {name}", f"to {name}", f"at {name}", plain(place.spoken))


async def _at_thing(action: DriveTo, thing: ph.KnownThing) -> Meant:
    is_person = thing.kind is ph.ThingKind.PERSON
    name, the_thing = thing.spoken if is_person else plain(thing.spoken), thing.with_article
    away_m = max(action.distance_m, _FROM_PEOPLE_M) if is_person else action.distance_m
    if thing.marker is not None:
        pose = await place_seen(action, thing, "I cannot drive to it")
        away_m = max(away_m, _FROM_PEOPLE_M)
    elif thing.world_T_thing is not None:
        pose = thing.world_T_thing
    else:
        raise ph.PilothouseError(f"I do not know where {the_thing} is")
    spot, length_m, width_m = spot_of(pose), thing.size_m[0], thing.size_m[1]
    if action.closer_m:
        by = length_in_words(action.closer_m)
        nearer = Nearer(spot, length_m, width_m, action.closer_m, away_m if is_person else min(away_m, 0.2))
        words = f"driving {by} closer to {the_thing}"
        return Meant(nearer, words, f"closer to {the_thing}", f"closer to {the_thing}", name)
    holder = _holder(action.known.things, thing)
    near = None
    if holder is not None and holder.world_T_thing is not None:
        near = spot[:2]
        spot, length_m, width_m = spot_of(holder.world_T_thing), holder.size_m[0], holder.size_m[1]
    goal = Beside(spot, length_m, width_m, away_m, Side(action.side), near=near)
    where = {"": "to", "front": "to the front of", "behind": "behind"}
    at = {"": "at", "front": "in front of", "behind": "behind"}
    to_side = f"{where.get(action.side, f'to the {action.side} of')} {the_thing}"
    at_side = f"{at.get(action.side, f'to the {action.side} of')} {the_thing}"
    return Meant(goal, f"driving {to_side}", to_side, at_side, name)


def _holder(things: tuple[ph.KnownThing, ...], thing: ph.KnownThing) -> ph.KnownThing | None:
    """What it stands on or in: before that the base stops."""
    return next(
        (each for each in things if each.name == thing.part_of and each.kind is ph.ThingKind.FIXTURE), None
    )


def spot_of(pose: ph.Pose7) -> Spot:
    """A pose from above: x, y, and where its x axis points."""
    ahead = turned(rotation_of(pose), (1.0, 0.0, 0.0))
    return pose[0], pose[1], math.atan2(ahead[1], ahead[0])
