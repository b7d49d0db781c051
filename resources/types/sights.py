"""What can be shown by its name: a device, a thing in the picture in which it is seen, a remembered view."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from resources.types.streams import StreamHandle


class Picture(msgspec.Struct, frozen=True):
    """One stream to show. device: where it comes from; title: what the page writes beside it."""

    device: str
    stream: StreamHandle
    title: str = ""


class SightFeed(msgspec.Struct, frozen=True):
    """The pictures that belong to a name: one, or of a remembered view as many as were shown then."""

    of: str
    pictures: tuple[Picture, ...]


class Sight(msgspec.Struct, frozen=True):
    """The sight of something: a device's, a thing's or a remembered view's name.

    A thing that carries a marker is followed; any other one is in the picture of a camera that looks at
    the place where it is known to be (whether something stands in front of it is not looked into).
    """

    handle_type: ClassVar[type] = SightFeed

    of: str

    def __str__(self) -> str:
        return f"sight of {self.of}"
