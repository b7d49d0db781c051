"""How the robot's devices are, in sentences. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pilothouse as ph
from resources.types.naming import listed, plain

#: What else people call devices by, and what their names have then.
_NOUNS = {"cam": "camera", "laser": "lidar", "scanner": "lidar", "eye": "camera"}
_ALL = ("device", "sensor", "equipment", "hardware", "system", "component", "part")


def devices(things: Sequence[ph.KnownThing]) -> tuple[str, ...]:
    """The names of the robot's sensors, arms and grippers."""
    own = (ph.ThingKind.SENSOR, ph.ThingKind.ROBOT)
    return tuple(thing.spoken for thing in things if thing.kind in own and thing.part_of)


def of_kind(said: str, names: Sequence[str]) -> tuple[str, ...]:
    """Those that are called so ("cameras"); all of them if that names no kind."""
    words = {word.removesuffix("s") for word in plain(said).split()}
    nouns = {_NOUNS.get(word, word) for word in words}
    found = tuple(name for name in names if nouns & set(plain(name).split()))
    return found if not nouns & set(_ALL) and found else tuple(names)


def working(said: str, work: Mapping[str, bool | None]) -> str:
    """ "These work: the front camera. These do not: the wrist lidar." """
    sentences = (
        [f"{_some(True, work)} ({_count(True, work)}): {_the(True, work)}."] if True in work.values() else []
    )
    if False in work.values():
        sentences.append(f"{_some(False, work)}: {_the(False, work)}.")
    if None in work.values():
        sentences.append(f"Of {_the(None, work)} I cannot tell.")
    return " ".join(sentences) or f"I have no {plain(said) or 'device'}."


def faults(recent: str, work: Mapping[str, bool | None], doing: str) -> str:
    """What is broken, and what did not work lately."""
    broken = _the(False, work)
    sentences = [f"Out of order: {broken}."] if broken else []
    sentences += [recent] if recent else []
    if sentences:
        return " ".join(sentences)
    unknown = _the(None, work)
    but = f" Of {unknown} I cannot tell." if unknown else ""
    return f"Everything is okay, as far as my devices tell.{but} {doing}"


def unmeasured(what: str, names: Sequence[str]) -> str:
    """Of what nothing measures."""
    return f"I cannot know that ({plain(what)}): none of my devices measures it. I have the {listed(names)}."


def _some(works: bool, work: Mapping[str, bool | None]) -> str:
    one = list(work.values()).count(works) == 1
    return ("This works" if one else "These work") if works else ("This does not" if one else "These do not")


def _count(works: bool, work: Mapping[str, bool | None]) -> int:
    return list(work.values()).count(works)


def _the(works: bool | None, work: Mapping[str, bool | None]) -> str:
    return listed(f"the {name}" for name, each in work.items() if each is works)
