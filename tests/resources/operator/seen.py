"""What somebody sees of the operator's page, measured in the browser: how much of the picture is covered, by
what, how large what is written is, and where the tool is drawn.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec
from playwright.async_api import Page

_DATA: Final = Path(__file__).with_name("data")
GRAPHICS_SPY: Final = (_DATA / "graphics_spy.js").read_text()
TOOL_SPY: Final = GRAPHICS_SPY + (_DATA / "tool_spy.js").read_text()
_LOOK: Final = (_DATA / "look.js").read_text()


class Panel(msgspec.Struct, frozen=True):
    """Something that covers the picture [CSS px]."""

    name: str
    left: float
    top: float
    right: float
    bottom: float


class Text(msgspec.Struct, frozen=True):
    """Something written, how large [CSS px], and whether it says something or only names a button."""

    words: str
    px: float
    role: str


class Seen(msgspec.Struct, frozen=True):
    """covered: share of the picture. outside: what reaches out of the window. prominent: buttons in colour.

    deaf: controls whose middle takes no finger. tool: points of its axes [CSS px], as drawn last.
    """

    covered: float
    panels: list[Panel]
    texts: list[Text]
    tool: list[tuple[float, float]]
    prominent: list[str]
    outside: list[str]
    deaf: list[str]

    @property
    def sentences(self) -> list[str]:
        """What is said, but for names of buttons and who is who."""
        return [text.words for text in self.texts if text.role == "sentence"]

    def over(self, points: list[tuple[float, float]]) -> list[str]:
        """What lies over these points."""
        return [
            panel.name
            for panel in self.panels
            for x, y in points
            if panel.left <= x <= panel.right and panel.top <= y <= panel.bottom
        ]


async def look(page: Page) -> Seen:
    """Look at it."""
    return msgspec.convert(await page.evaluate(_LOOK), Seen)
