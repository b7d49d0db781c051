"""Where known things are to one another, in a sentence: what is beside one, how far apart two are. Pure.

Distances are between the middles of things, along the floor where robots drive [m].
"""

from __future__ import annotations

import math
from typing import Final

import pilothouse as ph
from actions.describe.words import Things, one
from resources.types.naming import listed, plain
from resources.types.whereabouts import distance_in_words, is_in_room

#: What is farther from a thing than this is not beside it [m].
_BESIDE_M: Final = 1.5
_MOST: Final = 3
_FAR: Final = ("farthest", "furthest")


def beside(thing: ph.KnownThing, things: Things) -> str:
    """ "Next to the shelf I know the drum (80 cm from it)." """
    if thing.world_T_thing is None:
        return f"What is next to {thing.with_article} I cannot know: I do not know where it is."
    near = sorted(
        (far, other.spoken)
        for other in things
        if other.kind in (ph.ThingKind.FIXTURE, ph.ThingKind.OBJECT)
        and other.name != thing.name
        and thing.name not in (other.part_of, other.name)
        and (far := apart_m(thing, other)) is not None
        and far <= _BESIDE_M
    )
    if not near:
        return f"I know of nothing next to {thing.with_article}. I cannot know what nobody told me of."
    told = listed(f"the {name} ({distance_in_words(far)} from it)" for far, name in near[:_MOST])
    return f"Next to {thing.with_article} I know {told}."


def between(thing: ph.KnownThing, other: ph.KnownThing) -> str:
    """ "From the table to the door it is 2.1 m, from middle to middle." """
    far = apart_m(thing, other)
    pair = f"{thing.with_article} to {other.with_article}"
    if far is None:
        return f"How far it is from {pair} I cannot know: I do not know where both are."
    return f"From {pair} it is {distance_in_words(far)}, from middle to middle."


def nearest(found: Things, question: str, things: Things) -> str:
    """ "The nearest is the red cup. The red cup is 2.1 m away." """
    me = next((each for each in things if each.kind is ph.ThingKind.ROBOT and not each.part_of), None)
    far = {each.name: metres for each in found if me and (metres := apart_m(me, each)) is not None}
    if not far:
        return "Which of them is nearest I cannot know: I do not know where they are."
    is_far = any(word in question.casefold() for word in _FAR)
    name = (max if is_far else min)(far, key=far.__getitem__)
    thing = next(each for each in found if each.name == name)
    return f"The {'farthest' if is_far else 'nearest'} is {thing.with_article}. {one(thing, things)}"


def standing(thing: ph.KnownThing, place: str, things: Things) -> str:
    """ "Yes, as far as I know: the red cup is on the table, 2.1 m away." """
    parent = next((each for each in things if each.name == thing.part_of), None)
    if parent is None and thing.world_T_thing is None:
        return f"I cannot know that: nothing tells me where {thing.with_article} is."
    asked = plain(place)
    is_so = parent is not None and asked in (plain(parent.name), plain(parent.spoken))
    is_so = is_so or any(plain(room.spoken) == asked and is_in_room(thing, room) for room in things)
    return f"{'Yes' if is_so else 'No'}, as far as I know. {one(thing, things)}"


def apart_m(thing: ph.KnownThing, other: ph.KnownThing) -> float | None:
    """How far apart their middles are along the floor; None if nobody knows where one of them is."""
    if thing.world_T_thing is None or other.world_T_thing is None:
        return None
    return math.dist(thing.world_T_thing[:2], other.world_T_thing[:2])
