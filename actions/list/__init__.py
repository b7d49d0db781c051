"""Says what can be asked for, with examples from the phrases of the actions; or which motions are known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pilothouse as ph
from resources.types.memory import RememberedPath, RememberedPlace, RememberedPose, RememberedView
from resources.types.naming import listed


class List(ph.Action):
    """Say what I can do."""

    while_stopped = True
    only_answers = True

    topic: str = ph.param(default="", doc="only what has to do with this; everything by default")
    kind: str = ph.param(
        default="abilities",
        one_of=("abilities", "motions", "places", "views", "poses", "remembered"),
        doc="what is listed",
    )

    async def run(self) -> None:
        if self.kind == "motions":
            self.tell(await self._motions())
        elif self.kind != "abilities":
            self.tell(await self._remembered())
        else:
            self.tell(await self._abilities(), subject=ph.Subject.ABILITIES)

    async def _abilities(self) -> str:
        topic = self.topic.strip()
        abilities = await self.supervisor.abilities(topic)
        if not abilities:
            about = f" that has to do with {topic!r}" if topic else ""
            raise ph.PilothouseError(f'there is nothing I can do{about}; "what can you do?" lists everything')
        lines = [_line(ability.does or ability.action, ability.say) for ability in abilities]
        about = f" with {topic!r}" if topic else ""
        return "\n".join((f"This is what I can do{about}:", *lines))

    async def _remembered(self) -> str:
        async with self.use(ph.Memory()) as memory:
            every: Mapping[str, tuple[RememberedPlace | RememberedView | RememberedPose, ...]] = {
                "places": memory.places,
                "views": memory.views,
                "poses": memory.poses,
            }
        if self.kind == "remembered":
            told = [_these(kind, kept) for kind, kept in every.items() if kept]
            return " ".join((*told, await self._motions())) if told else await self._motions()
        kept = every[self.kind]
        if not kept:
            return f'No {self.kind} are remembered yet; say "{_SAY_SO[self.kind]}", for instance.'
        return _these(self.kind, kept)

    async def _motions(self) -> str:
        async with self.use(ph.Memory()) as memory:
            paths: tuple[RememberedPath, ...] = memory.paths
        if not paths:
            return 'I was taught no motion yet; say "teach wave", for instance, and guide my arm.'
        return f"I was taught {listed(map(_motion, paths))}."


def _these(kind: str, kept: Iterable[RememberedPlace | RememberedView | RememberedPose]) -> str:
    return f"These {kind} are remembered: {listed(each.name for each in kept)}."


_SAY_SO = {
    "places": "remember this place as dock",
    "views": "remember this view as overview",
    "poses": "remember the pose of the left arm as berth",
}


def _motion(path: RememberedPath) -> str:
    arm = f"the {path.side} arm" if path.side else "the arm"
    return f"{path.name!r} ({arm}, {path.duration_s:.1f} s)"


def _line(does: str, say: tuple[str, ...]) -> str:
    example = f', for instance "{say[0]}"' if say else ""
    return f"- {does.strip().rstrip('.').replace('_', ' ')}{example}"
