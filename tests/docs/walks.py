"""The walks of docs/architecture.md: how they are written, and what would be wrong with one.

A hop is a numbered line: the file and function in back-quotes, how one comes there, and what happens there.

| it says | it comes there |
|---|---|
| nothing | by a call: the file of something before it, in its own layer or above, names it |
| (through `file:Name`) | by a call through what its caller may import: protocol, base, effect, callable |
| (message: what) | from another task, process or machine |
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from tests.docs.declarations import declares, source_of
from tests.docs.layers import PAGES, Layers

MESSAGES = (
    "request",
    "grant",
    "failure",
    "new process",
    "channel",
    "ring",
    "WebSocket",
    "data channel",
    "wake-up",
)
"""What goes between tasks, processes and machines, and therefore in any direction."""

FEWEST = 8
"""Hops of a walk."""

_WALK = re.compile(r"^### (.+?)\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
_HOP = re.compile(
    r"^\d+\. `(?P<path>[\w./]+):(?P<name>[\w.]+)`"
    r"(?: \((?:through `(?P<via>[\w./]+):(?P<through>[\w.]+)`|message: (?P<message>.+?))\))?: \S"
)


class Hop(NamedTuple):
    """One line. through: by what, "" if it is a plain call. message: by which it comes, "" if by none."""

    path: str
    name: str
    through: tuple[str, str] = ("", "")
    message: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.name}"


class Walk(NamedTuple):
    """A title with its hops. unreadable: numbered lines that are no hop."""

    title: str
    hops: tuple[Hop, ...]
    unreadable: tuple[str, ...] = ()


def walks_in(document: str) -> tuple[Walk, ...]:
    """All walks below the heading "Walks"."""
    _, _, after = document.partition("\n## Walks\n")
    section = re.split(r"^## ", after, maxsplit=1, flags=re.MULTILINE)[0]
    return tuple(_walk(title, body) for title, body in _WALK.findall(section))


def mistakes_in(walk: Walk, layers: Layers) -> list[str]:
    """Everything that is wrong with it, in words."""
    wrong = [f"this is no hop: {line}" for line in walk.unreadable]
    if len(walk.hops) < FEWEST:
        wrong.append(f"it has {len(walk.hops)} hops; {FEWEST} are the fewest")
    for number, hop in enumerate(walk.hops):
        if not declares(hop.path, hop.name):
            wrong.append(f"{hop} does not exist")
        elif str(hop) in map(str, walk.hops[:number]):
            wrong.append(f"{hop} is gone through twice")
        elif number > 0 and (why := _not_reached(hop, walk.hops[:number], layers)):
            wrong.append(f"{hop} {why}")
    return wrong


def _not_reached(hop: Hop, before: tuple[Hop, ...], layers: Layers) -> str:
    """Why nothing before it leads there; "" if something does."""
    if hop.message:
        known = any(hop.message.startswith(each) for each in MESSAGES)
        return "" if known else f"comes by {hop.message!r}; messages are {', '.join(MESSAGES)}"
    before = tuple(each for each in before if _is_page(each.path) == _is_page(hop.path))
    path, name = hop.through
    if path:
        if not declares(path, name):
            return f"goes through {path}:{name}, which does not exist"
        lowest = _layer(path, layers)
        if not any(_names(each.path, name) and lowest <= _layer(each.path, layers) for each in before):
            return f"goes through {path}:{name}, which nothing before it uses, or only something below"
        return ""
    callers = [each for each in before if _names(each.path, hop.name, beside=hop.path)]
    if not callers:
        return "is named by nothing before it"
    if all(_layer(each.path, layers) < _layer(hop.path, layers) for each in callers):
        return f"is above {', '.join(map(str, callers))}: that would be a hop back"
    return ""


def _walk(title: str, body: str) -> Walk:
    lines = [" ".join(each.split()) for each in re.findall(r"^\d+\. .+(?:\n +.+)*", body, re.MULTILINE)]
    found = [(line, _HOP.match(line)) for line in lines]
    hops = [
        Hop(hop["path"], hop["name"], (hop["via"] or "", hop["through"] or ""), hop["message"] or "")
        for _, hop in found
        if hop is not None
    ]
    return Walk(title, tuple(hops), tuple(line for line, hop in found if hop is None))


@cache
def _names(path: str, name: str, beside: str = "") -> bool:
    """Whether a file names a function; constructors and the like go by their class.

    beside: the file that declares it; there its own declaration does not count.
    """
    owner, _, last = name.rpartition(".")
    word = owner if last == "constructor" or last.startswith("__") else last
    return len(re.findall(rf"\b{re.escape(word)}\b", source_of(path))) > (path == beside)


def _is_page(path: str) -> bool:
    return path.startswith(PAGES)


def _layer(path: str, layers: Layers) -> tuple[int, int]:
    return (0, 0) if _is_page(path) else layers.of(path)
