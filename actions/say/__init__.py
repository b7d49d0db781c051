"""Tells the operator something, in their own words."""

from __future__ import annotations

import pilothouse as ph


class Say(ph.Action):
    """Tell the operator these words."""

    text: str = ph.param(doc="the words")
    whom: str = ph.param(default="", doc="to whom they are said, if that is said as well")

    async def run(self) -> None:
        text = self.text.strip()
        if not text:
            raise ph.PilothouseError("there are no words to say")
        whom = self.whom.strip()
        self.tell(f"{text}, {whom}" if whom and whom not in _ALL else text)


#: Who hears it anyway.
_ALL = ("me", "us")
