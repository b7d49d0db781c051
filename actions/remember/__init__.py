"""Gives a name to a place, to what is shown or to an arm's pose, and keeps it between runs.

An arm's pose is only read: somebody may be moving it meanwhile, or hold it still in their hand.
"""

from __future__ import annotations

import asyncio

import pilothouse as ph
from resources.types.begun import SIDES
from resources.types.memory import ShownThen
from resources.types.naming import plain, unknown

#: A camera and its detector may have to be started first [s].
_PATIENCE_S = 12.0


class Remember(ph.Action):
    """Remember a place, a view or an arm's pose by a name."""

    while_stopped = True

    name: str = ph.param(doc="what it is to be called")
    thing: str = ph.param(default="", doc="the place is where this is; by default where the robot is now")
    kind: str = ph.param(
        default="place",
        one_of=("place", "view", "pose"),
        doc="a place, what is shown now, or how an arm stands",
    )
    side: str = ph.param(default="", one_of=SIDES, doc="of the arm; by default the one that is in use")

    store = ph.needs(ph.Memory)
    known = ph.needs(ph.Known)

    async def run(self) -> str:
        name = plain(self.name)
        if self.kind == "view":
            kept = await self.store.keep(ph.RememberedView(name, await self._shown()))
        elif self.kind == "pose":
            kept = await self.store.keep(await self._pose(name))
        else:
            kept = await self.store.keep(ph.RememberedPlace(name, await self._where()))
        self.tell(f"{kept}.")
        return name

    async def _shown(self) -> tuple[ShownThen, ...]:
        async with self.use(ph.Screen()) as screen:
            views = screen.views
        if not views:
            raise ph.PilothouseError(
                'nothing is shown now that could be remembered; show something first ("show the camera")'
            )
        return tuple(dict.fromkeys(ShownThen(view.source.name, view.title) for view in views))

    async def _pose(self, name: str) -> ph.RememberedPose:
        """Of the arm on the side that was said, of the only one, or of the one that somebody moves now."""
        found: dict[str, tuple[str, ph.ArmSample]] = {}
        refused = ""
        for side in (self.side,) if self.side else SIDES:
            try:
                async with self.use(ph.ArmState(side)) as arm:
                    found[arm.device] = (arm.side, await arm.first())
            except ph.ResourceUnavailable as error:
                refused = refused or error.message
        if not found:
            raise ph.PilothouseError(refused)
        used = {device: each for device, each in found.items() if each[1].loop.holder}
        chosen = used if len(used) == 1 else found
        if len(chosen) > 1:
            arms = " or ".join(f"the {plain(device)}" for device in chosen)
            raise ph.PilothouseError(f"whose pose, that of {arms}? Say which")
        ((side, sample),) = chosen.values()
        return ph.RememberedPose(name, side, sample.q, sample.base_T_tool)

    async def _where(self) -> ph.Pose7:
        things: tuple[ph.KnownThing, ...] = self.known.things
        asked = plain(self.thing)
        if not asked:
            found = [thing for thing in things if thing.kind is ph.ThingKind.ROBOT and not thing.part_of]
        else:
            found = [thing for thing in things if plain(thing.name) == asked]
            found = found or [thing for thing in things if plain(thing.spoken) == asked]
        if not found:
            names = dict.fromkeys(thing.spoken for thing in things)
            raise ph.PilothouseError(unknown(self.thing, names, "what I know is"))
        if len(found) > 1:
            raise ph.PilothouseError(f"{len(found)} things are called {asked!r}; say which of them")
        (thing,) = found
        if thing.marker is not None:
            return await self._look_for(thing)
        if thing.world_T_thing is None:
            who = "I am" if thing.kind is ph.ThingKind.ROBOT else f"the {thing.spoken} is"
            raise ph.PilothouseError(f"I do not know where {who}, so there is no place to remember")
        x, y, z, *turn = thing.world_T_thing
        # Of the robot the place on the floor is meant, not its middle.
        z -= thing.size_m[2] / 2 if thing.kind is ph.ThingKind.ROBOT else 0.0
        return (x, y, z, turn[0], turn[1], turn[2], turn[3])

    async def _look_for(self, thing: ph.KnownThing) -> ph.Pose7:
        try:
            async with asyncio.timeout(_PATIENCE_S), self.use(ph.Tracked(thing.name)) as tracked:
                sighting = await tracked.look()
        except TimeoutError:
            sighting = None
        if sighting is None:
            raise ph.PilothouseError(f"I do not see the {thing.spoken} now, so there is no place to remember")
        pose: ph.Pose7 = sighting.world_T_thing
        return pose
