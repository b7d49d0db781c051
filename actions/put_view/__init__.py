"""Moves the view of whoever says it: the three-dimensional picture of their own page. It moves no robot."""

from __future__ import annotations

import pilothouse as ph
from actions.known_things import one_called, place_seen
from resources.types.poses import position_of
from resources.types.views import Look, ViewPut

#: From where it is looked at: from where the page looks now, straight down, or as when the page was opened.
_HOW = ("", "above", "reset")

#: In a headset, and on a phone in a session, the eye is its wearer's: the thing comes before them.
_FROM_ABOVE = ", from above; in a session from where you stand"


class PutView(ph.Action):
    """Put the view of one's own page onto something."""

    while_stopped = True

    thing: str = ph.param(default="", doc="name of a thing or place that is known")
    how: str = ph.param(default="", one_of=_HOW, doc="from where: as now, from above, or as at the start")

    known = ph.needs(ph.Known)

    async def run(self) -> str | None:
        look, words = await self._look()
        async with self.use(ViewPut(self.supervisor.operator(), look)):
            self.tell(words)
        return self.thing or None

    async def _look(self) -> tuple[Look, str]:
        if self.how == "reset":
            return Look(), "your view shows all again"
        if not self.thing:
            raise ph.PilothouseError('what to look at, was not said; "put the view on the red cup", for one')
        thing = one_called(self.known.things, self.thing, "what I know is")
        place = thing.world_T_thing
        if thing.marker is not None:
            place = await place_seen(self, thing, "I cannot put the view on it")
        if place is None:
            raise ph.PilothouseError(f"I do not know where {thing.with_article} is")
        is_above = self.how == "above"
        look = Look(position_of(place), thing.size_m, is_above=is_above)
        return look, f"your view is on {thing.with_article}{_FROM_ABOVE if is_above else ''}"
