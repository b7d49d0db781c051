"""Which known thing is meant by a name, and where one is now that must be looked for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from framework.errors import PilothouseError
from resources.types.context import ThingKind, Tracked
from resources.types.naming import plain, unknown

if TYPE_CHECKING:
    from framework.plugins.action import Action
    from resources.types.context import KnownThing
    from resources.types.streams import Pose7

#: A camera and its detector may have to be started first [s].
_PATIENCE_S = 12.0


#: The robot's own parts: they may be meant, but nobody is told to try them.
_NOT_OFFERED = (ThingKind.ROBOT, ThingKind.SENSOR)


def one_called(things: Iterable[KnownThing], said: str, could: str) -> KnownThing:
    """The thing of this name, or which people call so.

    could: begins the list of names in the error: "what I know is".
    Raises PilothouseError if there is none, or several are.
    """
    asked, every = plain(said), tuple(things)
    found = [thing for thing in every if plain(thing.name) == asked]
    found = found or [thing for thing in every if plain(thing.spoken) == asked]
    if not found:
        names = dict.fromkeys(each.spoken for each in every if each.kind not in _NOT_OFFERED)
        raise PilothouseError(unknown(said, names, could))
    if len(found) > 1:
        raise PilothouseError(f"{len(found)} things are called {asked!r}; say which of them")
    return found[0]


async def place_seen(action: Action, thing: KnownThing, otherwise: str) -> Pose7:
    """World from thing, of one with a marker: looked for, until a camera sees it.

    Raises PilothouseError, with `otherwise`, if none does in time.
    """
    action.progress(0.0, f"looking for the {thing.spoken}")
    try:
        async with asyncio.timeout(_PATIENCE_S), action.use(Tracked(thing.name)) as tracked:
            sighting = await tracked.look()
    except TimeoutError:
        sighting = None
    if sighting is None:
        raise PilothouseError(f"I do not see the {thing.spoken} now, so {otherwise}")
    place: Pose7 = sighting.world_T_thing
    return place
