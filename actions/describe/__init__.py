"""Says what is seen and known, or where one thing is and how. Looks with a camera at what can be followed."""

from __future__ import annotations

import asyncio

import pilothouse as ph
from actions.describe import words
from resources.types.naming import unknown

#: A camera and its detector may have to be started first; longer than this nobody waits for an answer [s].
_PATIENCE_S = 12.0


class Describe(ph.Action):
    """Say what I see and know, or where a thing is and how it is."""

    while_stopped = True

    thing: str = ph.param(default="", doc="name of a thing; everything by default")

    known = ph.needs(ph.Known)

    async def run(self) -> str | None:
        things: tuple[ph.KnownThing, ...] = self.known.things
        if not self.thing.strip():
            await self._everything(things)
            return None
        asked = words.meant(self.thing, things)
        if not asked:
            names = dict.fromkeys(thing.spoken for thing in things)
            raise ph.PilothouseError(unknown(self.thing, names, "what I know is"))
        if len(asked) > 1:
            self.tell(words.several(asked, things))
            return None
        (thing,) = asked
        if thing.marker is None:
            self.tell(words.one(thing, things))
            return thing.name
        sighting, why_not = await self._look_for(thing)
        self.tell(words.followed(thing, sighting, why_not, things))
        return thing.name

    async def _everything(self, things: tuple[ph.KnownThing, ...]) -> None:
        self.progress(0.1, "looking around")
        seen: list[str] = []
        reasons: list[str] = []
        # Things with the same marker look the same to a camera: one look is for all of them.
        for thing in {thing.marker: thing for thing in reversed(things) if thing.marker is not None}.values():
            sighting, why_not = await self._look_for(thing)
            if sighting is not None:
                seen.append(words.seen(thing, sighting, things))
            elif why_not:
                reasons.append(why_not)
        self.tell(words.everything(things, seen, reasons))

    async def _look_for(self, thing: ph.KnownThing) -> tuple[ph.Sighting | None, str]:
        """Where it is seen; if not, why nobody can look, "" if it is just not there."""
        try:
            async with asyncio.timeout(_PATIENCE_S), self.use(ph.Tracked(thing.name)) as tracked:
                return await tracked.look(), ""
        except TimeoutError:
            return None, "no picture came in time"
        except ph.ResourceUnavailable as error:
            return None, error.message
        except (ph.ResourceFailed, ph.StreamError) as error:
            return None, str(error)
