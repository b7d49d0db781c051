"""What the operator is shown, and what is on a screen now."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from resources.types.poses import Vector3
from resources.types.sensors import CameraFeed
from resources.types.streams import StreamHandle


class Encoded(msgspec.Struct, frozen=True):
    """What pages draw of a stream: its points and pictures, encoded in a process of their own, for all pages.

    The handle is the ring of what comes out (see resources/console).
    """

    handle_type: ClassVar[type] = StreamHandle

    source: StreamHandle

    def __str__(self) -> str:
        return f"drawing of {self.source.name}"


class DrawnCamera(msgspec.Struct, frozen=True):
    """The best camera that gives a cloud, as pages draw it: the `stream` of its handle is encoded.

    UPDATE whenever another camera takes its place.
    """

    handle_type: ClassVar[type] = CameraFeed

    def __str__(self) -> str:
        return "drawing of the best RGB-D camera"


class PageHandle(msgspec.Struct, frozen=True):
    """A page that is being served."""

    screen: str
    url: str


class Page(msgspec.Struct, frozen=True):
    """A screen: the console, later a phone."""

    handle_type: ClassVar[type] = PageHandle

    screen: str = "console"

    def __str__(self) -> str:
        return f"page {self.screen}"


class ViewHandle(msgspec.Struct, frozen=True):
    """A stream on a screen. `encoded` is the ring with what the page draws (see resources/console)."""

    screen: str
    source: StreamHandle
    encoded: StreamHandle


class View(msgspec.Struct, frozen=True):
    """Show a stream on a screen while somebody wants it there.

    title: what the page writes beside it.
    """

    handle_type: ClassVar[type] = ViewHandle

    source: StreamHandle
    screen: str = "console"
    title: str = ""

    def __str__(self) -> str:
        return f"view of {self.source.name} on the {self.screen}"


class ShownView(msgspec.Struct, frozen=True):
    """A view that is on a screen."""

    title: str
    source: StreamHandle


class ScreenContent(msgspec.Struct, frozen=True):
    """Everything that a screen shows."""

    screen: str
    views: tuple[ShownView, ...] = ()


class Screen(msgspec.Struct, frozen=True):
    """What is on a screen; UPDATE whenever a view comes or goes. It puts nothing there (see `View`)."""

    handle_type: ClassVar[type] = ScreenContent

    screen: str = "console"

    def __str__(self) -> str:
        return f"content of the {self.screen}"


class Look(msgspec.Struct, frozen=True):
    """How a page's three-dimensional picture is to be looked at.

    middle: what is to be in its middle, in the world [m]; None: all, as when the page was opened. size_m: of
    what is there. is_above: straight down; else from where the page looks now.
    """

    middle: Vector3 | None = None
    size_m: Vector3 = (0.0, 0.0, 0.0)
    is_above: bool = False


class ViewPutHandle(msgspec.Struct, frozen=True):
    """That page has been told."""

    page: str


class ViewPut(msgspec.Struct, frozen=True):
    """A page looks at its three-dimensional picture in another way: done once it is granted. No robot moves.

    page: as the log calls it; whoever has no such picture is refused, and no other page takes its place.
    """

    handle_type: ClassVar[type] = ViewPutHandle

    page: str
    look: Look

    def __str__(self) -> str:
        return f"look of {self.page}"
