"""Gives a name to a place, to what is shown or to an arm's pose, and keeps it between runs.

An arm's pose is only read: somebody may be moving it meanwhile, or hold it still in their hand.
"""

from __future__ import annotations

import pilothouse as ph
from actions.known_things import one_called, place_seen
from resources.types.begun import SIDES
from resources.types.memory import ShownThen
from resources.types.naming import plain


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
        thing = self._thing()
        if thing.marker is not None:
            return await place_seen(self, thing, "there is no place to remember")
        if thing.world_T_thing is None:
            who = "I am" if thing.kind is ph.ThingKind.ROBOT else f"the {thing.spoken} is"
            raise ph.PilothouseError(f"I do not know where {who}, so there is no place to remember")
        x, y, z, *turn = thing.world_T_thing
        # Of the robot the place on the floor is meant, not its middle.
        z -= thing.size_m[2] / 2 if thing.kind is ph.ThingKind.ROBOT else 0.0
        return (x, y, z, turn[0], turn[1], turn[2], turn[3])

    def _thing(self) -> ph.KnownThing:
        """By default the robot itself."""
        things: tuple[ph.KnownThing, ...] = self.known.things
        if self.thing:
            return one_called(things, self.thing, "what I know is")
        for each in things:
            if each.kind is ph.ThingKind.ROBOT and not each.part_of:
                return each
        raise ph.PilothouseError("I do not know where I am, so there is no place to remember")
