"""Says what can be asked for, with an example each, from the phrases of the actions that there are."""

from __future__ import annotations

import pilothouse as ph


class List(ph.Action):
    """Say what I can do."""

    topic: str = ph.param(default="", doc="only what has to do with this; everything by default")

    async def run(self) -> None:
        topic = self.topic.strip()
        abilities = self.supervisor.abilities(topic)
        if not abilities:
            about = f" that has to do with {topic!r}" if topic else ""
            raise ph.PilothouseError(f'there is nothing I can do{about}; "what can you do?" lists everything')
        lines = [_line(ability.does or ability.action, ability.say) for ability in abilities]
        about = f" with {topic!r}" if topic else ""
        self.tell("\n".join((f"This is what I can do{about}:", *lines)))


def _line(does: str, say: tuple[str, ...]) -> str:
    example = f', for instance "{say[0]}"' if say else ""
    return f"- {does.strip().rstrip('.').replace('_', ' ')}{example}"
