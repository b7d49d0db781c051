"""Tells the operator something, in their own words."""

from __future__ import annotations

import pilothouse as ph


class Say(ph.Action):
    """Tell the operator these words."""

    text: str = ph.param(doc="the words")

    async def run(self) -> None:
        text = self.text.strip()
        if not text:
            raise ph.PilothouseError("there are no words to say")
        self.tell(text)
