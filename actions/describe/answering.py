"""Answers to one question about known things, in a sentence: how many, what colour, how big, what is on it.

Pure. What is not known of a thing is said to be unknown, with what is known of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

import pilothouse as ph
from actions.describe.words import Things, begun, one, told_when
from resources.types.naming import listed, plain
from resources.types.whereabouts import distance_in_words, is_in_room

#: What a gripper says of itself, and what that tells of what it holds.
_HOLDS = {"open": "is open and holds nothing", "closed": "is closed and holds nothing"}

#: Words for all things of a kind, and what that is.
_KINDS: Final = {"place": ph.ThingKind.PLACE, "room": ph.ThingKind.PLACE, "person": ph.ThingKind.PERSON}


def called(said: str, things: Things) -> tuple[ph.KnownThing, ...]:
    """The things that these words may mean: by name, by what they are called, by a noun of it ("cup")."""
    asked = plain(said)
    if asked in _KINDS:
        return tuple(thing for thing in things if thing.kind is _KINDS[asked])
    for thing_names in (_name, _spoken, _noun):
        found = tuple(thing for thing in things if asked and asked == thing_names(thing))
        if found:
            return found
    return ()


def nothing_called(said: str, where: str = "") -> str:
    """ "I know no cat on the table." """
    kind = plain(said)
    return f"I know no {kind}{where}." if kind else f"I know nothing of that kind{where}."


def how_many(group: str, colour: str, on: str, things: Things) -> str:
    """ "I know 2 cups on the table: the red cup and the blue cup." """
    where = f" {_on_or_in(on, things)} the {plain(on)}" if on else ""
    # What is told of as a place may be a part of a room.
    kind = "place" if plain(group) == "room" else f"{colour} {plain(group)}".strip()
    found = [thing for thing in called(group, things) if _is(thing, colour) and _stands(thing, on, things)]
    if not found:
        every = called(group, things)
        known = f" What I know is {listed(f'the {each.spoken}' for each in every)}." if every else ""
        return f"{nothing_called(kind, where)}{known}"
    one_or_more = kind if len(found) == 1 else f"{kind}s"
    counted = f"I know {len(found)} {one_or_more}{where}: {_the(found)}."
    return f"{counted} I cannot know of any that nobody told me of."


def colours(said: str, on: str, things: Things) -> str:
    """ "The cups on the table: the red cup is red." """
    found = [thing for thing in called(said, things) if _stands(thing, on, things)]
    told = [f"the {each.spoken} is {each.colour}" for each in found if each.colour]
    unknown = [each for each in found if not each.colour]
    sentences = [f"{begun(listed(told))}."] if told else []
    if unknown:
        sentences.append(f"What colour {_the(unknown)} {'is' if len(unknown) == 1 else 'are'} I cannot know.")
    where = f" on the {plain(on)}" if on else ""
    return " ".join(sentences) or nothing_called(said, where)


def size(thing: ph.KnownThing) -> str:
    """ "The table is 0.8 m deep, 1.6 m wide and 0.7 m high." """
    depth, width, height = thing.size_m
    if not any(thing.size_m):
        return f"How big the {thing.spoken} is I cannot know: nobody told me, and I have not measured it."
    parts = ((depth, "deep"), (width, "wide"), (height, "high"))
    return f"The {thing.spoken} is {listed(f'{distance_in_words(metres)} {word}' for metres, word in parts)}."


def on_it(thing: ph.KnownThing, things: Things) -> str:
    """ "On the shelf I know the box." """
    found = [other for other in things if other.part_of == thing.name]
    known = (
        f"On the {thing.spoken} I know {_the(found)}."
        if found
        else f"I know of nothing on the {thing.spoken}."
    )
    return f"{known} I cannot know what nobody told me of."


def who(place: str, things: Things) -> str:
    """ "I know Charlie in the kitchen. I was told so at 10:56 on 29 November, …" """
    where = f" {_on_or_in(place, things)} the {plain(place)}" if place else ""
    found = [thing for thing in things if thing.kind is ph.ThingKind.PERSON and _stands(thing, place, things)]
    if not found:
        return f"I know of nobody{where}. I do not see people: there may be somebody whom nobody told me of."
    told = " and ".join(dict.fromkeys(filter(None, map(told_when, found))))
    known = f"I know {_the(found)}{where}."
    return f"{known} I was told so {told}, and people walk: I do not see them." if told else known


def held(said: str, things: Things) -> str:
    """ "The left gripper holds something; what it is I cannot know." """
    grippers = [thing for thing in things if thing.part_of and set(thing.states) >= set(_HOLDS)]
    of_side = [each for each in grippers if set(plain(said).split()) & set(plain(each.spoken).split()[:1])]
    found = of_side or grippers
    if not found:
        return "I cannot know what I hold: I have no gripper that tells."
    return " ".join(_held(each) for each in found)


_AS_I_SAY: Final = (
    (re.compile(r"\byou are\b"), "I am"),
    (re.compile(r"\byour\b"), "my"),
    (re.compile(r"\byou\b"), "I"),
)


def whether(holds: bool | None, clause: str, why: str, about: str) -> str:
    """Yes, no, or that it cannot be known. about: what is known of the thing besides."""
    for said, as_i_say in _AS_I_SAY:
        clause = said.sub(as_i_say, clause)
    more = f" {about}" if about else ""
    if holds is None:
        because = f": {why}" if why else ""
        return f"I cannot know whether {clause}{because}.{more}"
    return f"Yes, {clause}.{more}" if holds else f"No, it is not so that {clause}.{more}"


def cannot_tell(question: str, known: str) -> str:
    """Something is asked of a thing that nothing tells."""
    return (
        f'I cannot know that ("{question.rstrip("?. ")}"): nothing that I have tells me. What I know: {known}'
    )


def about(
    found: Sequence[ph.KnownThing], things: Things, describe: Callable[[ph.KnownThing, Things], str] = one
) -> str:
    """What is known of each."""
    return " ".join(describe(each, things) for each in found)


def _name(thing: ph.KnownThing) -> str:
    return plain(thing.name)


def _spoken(thing: ph.KnownThing) -> str:
    return plain(thing.spoken)


def _noun(thing: ph.KnownThing) -> str:
    return plain(thing.spoken).rpartition(" ")[2]


def _held(gripper: ph.KnownThing) -> str:
    name = f"The {gripper.spoken}"
    if not gripper.state:
        return f"{name} does not tell whether it holds anything."
    if gripper.state in _HOLDS:
        return f"{name} {_HOLDS[gripper.state]}."
    return f"{name} is {gripper.state}; what it is I cannot know."


def _is(thing: ph.KnownThing, colour: str) -> bool:
    return not colour or thing.colour == colour or colour in plain(thing.spoken).split()


def _stands(thing: ph.KnownThing, on: str, things: Things) -> bool:
    return not on or any(
        thing.part_of == place.name or is_in_room(thing, place) for place in called(on, things)
    )


def _on_or_in(place: str, things: Things) -> str:
    return (
        "in" if any(is_in_room(thing, each) for each in called(place, things) for thing in things) else "on"
    )


def _the(things: Sequence[ph.KnownThing]) -> str:
    return listed(thing.with_article for thing in things)
