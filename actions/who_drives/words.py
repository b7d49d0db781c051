"""Who is there and who drives, in sentences for operators. Pure."""

from __future__ import annotations

from resources.types.naming import listed, plain
from resources.types.operator import SessionLine
from resources.types.people import GET_IN, PeopleHandle, drives_in_words, what_is_driven


def driver(people: PeopleHandle) -> str:
    """Who drives what; if nobody does, how one would."""
    if people.driver:
        silent = not any(line.alive for line in people.sessions if line.name == people.driver)
        return f"{drives_in_words(people)}{', and is silent just now' if silent else ''}."
    there = [line.name for line in people.sessions if line.alive]
    if not there:
        return f"Nobody drives. To drive: {GET_IN}."
    are = "is" if len(there) == 1 else "are"
    return f'Nobody drives. {listed(there)} {are} there: "let me drive" is said on what is to drive.'


def driver_of(people: PeopleHandle, part: str) -> str:
    """Who drives this part of the robot, by its device's name; if nobody does, who drives anything."""
    if not people.driver or any(part in (each.arm, each.gripper, each.base) for each in people.driven):
        return driver(people)
    return f"Nobody drives the {plain(part)}. {driver(people)}"


def whether(people: PeopleHandle, who: str, *, is_asker: bool = False) -> str:
    """Whether this person drives. is_asker: it is who asks."""
    if who and who == people.driver:
        return f"Yes: {drives_in_words(people)}{', and that is you' if is_asker else ''}."
    return f"No. {driver(people)}"


def connected(people: PeopleHandle, who: str = "") -> str:
    """Everybody who is there, or whether this one is."""
    for line in people.sessions:
        if line.name == who:
            return f"{'Yes' if line.alive else 'Not just now'}: {_line(line, people)}."
    if not people.sessions:
        return f"Nobody is connected. To drive: {GET_IN}."
    return f"Connected: {listed(_line(line, people) for line in people.sessions)}."


def _line(line: SessionLine, people: PeopleHandle) -> str:
    notes = [f"drives {what_is_driven(people.driven)}"] if line.name == people.driver else []
    notes += [] if line.alive else ["silent just now"]
    return f"{line.name} ({', '.join(notes)})" if notes else line.name
