"""Which session a request means, and what is said if none or several do."""

from __future__ import annotations

from collections.abc import Sequence

from framework.errors import ResourceUnavailable
from resources.types.naming import listed, plain
from resources.types.operator import OperatorSession, SessionLine
from resources.types.people import GET_IN


def chosen(request: OperatorSession, sessions: Sequence[SessionLine]) -> SessionLine:
    """The session that is meant. Raises ResourceUnavailable in words."""
    wanted = plain(request.session)
    found = [line for line in sessions if wanted and wanted in (line.session, plain(line.name))]
    if found and request.kind and found[0].kind.value != request.kind:
        wanted, found = "", []  # said on another device than the one that is to drive
    if not wanted:
        found = [line for line in sessions if not request.kind or line.kind.value == request.kind]
        found = [line for line in found if line.alive] or found
    kind = f" {request.kind}" if request.kind else ""
    if not found:
        if not sessions:
            raise ResourceUnavailable(f"nobody is connected who could drive: {GET_IN}")
        there = listed(line.name for line in sessions)
        if wanted:
            raise ResourceUnavailable(f"no session is called {request.session!r}; connected: {there}")
        raise ResourceUnavailable(f"no{kind} is connected, only {there}; to drive with a{kind}, {GET_IN}")
    if len(found) > 1:
        names = listed(line.name for line in found)
        raise ResourceUnavailable(
            f'{names} are connected: say it on the one that is to drive, or say "let {found[0].name} drive"'
        )
    (line,) = found
    if not line.alive:
        raise ResourceUnavailable(f"{line.name} is silent: open its page again")
    return line
