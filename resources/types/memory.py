"""What operators have the robot remember: places and views, by name. Kept between runs by who provides it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

import msgspec

from framework.errors import PilothouseError
from framework.plugins.client import Client
from resources.types.streams import Pose7

if TYPE_CHECKING:
    from framework.registrar import Lease

#: An answer comes at once or never [s].
_PATIENCE_S = 5.0


class RememberedPlace(msgspec.Struct, frozen=True, tag="place"):
    """A place: a pose in the world frame."""

    name: str
    world_T_place: Pose7


class ShownThen(msgspec.Struct, frozen=True):
    """What was on a screen: the device whose stream it was, and the title beside it."""

    device: str
    title: str = ""


class RememberedView(msgspec.Struct, frozen=True, tag="view"):
    """What was shown at that time."""

    name: str
    shown: tuple[ShownThen, ...]


class Forget(msgspec.Struct, frozen=True, tag="forget"):
    """Forget the place or the view of this name."""

    name: str


class MemoryOrder(msgspec.Struct, frozen=True):
    """What a client sends. id: by which it knows the answer."""

    id: str
    what: RememberedPlace | RememberedView | Forget


class MemoryAnswer(msgspec.Struct, frozen=True):
    """What has become of an order, in words."""

    id: str
    words: str
    is_refused: bool = False


class Remembered(msgspec.Struct, frozen=True):
    """Everything that is remembered, and what the last orders were answered."""

    places: tuple[RememberedPlace, ...] = ()
    views: tuple[RememberedView, ...] = ()
    answers: tuple[MemoryAnswer, ...] = ()


class MemoryClient(Client):
    """The memory, as an action holds it: fields of `Remembered`, and orders to it.

    Each order returns what was done, in words, and raises PilothouseError with the reason if it was refused.
    """

    def __init__(self, name: str, lease: Lease | None) -> None:
        super().__init__(name, lease)
        self._orders = 0

    async def keep(self, what: RememberedPlace | RememberedView) -> str:
        """Remember it; what had the name before, if it was of the same kind, is forgotten."""
        return await self._order(what)

    async def forget(self, name: str) -> str:
        """Forget a place or a view."""
        return await self._order(Forget(name))

    async def _order(self, what: RememberedPlace | RememberedView | Forget) -> str:
        self._orders += 1
        order = MemoryOrder(f"{self.lease.id}#{self._orders}", what)
        self.send(encode_memory_order(order))
        try:
            async with asyncio.timeout(_PATIENCE_S):
                while (answer := self._answer(order.id)) is None:
                    await self.changed()
        except TimeoutError as error:
            raise PilothouseError(f"the memory did not answer within {_PATIENCE_S:g} s; try again") from error
        if answer.is_refused:
            raise PilothouseError(answer.words)
        return answer.words

    def _answer(self, order_id: str) -> MemoryAnswer | None:
        answers: tuple[MemoryAnswer, ...] = self.handle.answers
        return next((answer for answer in answers if answer.id == order_id), None)


class Memory(msgspec.Struct, frozen=True):
    """The places and views that are remembered."""

    handle_type: ClassVar[type] = Remembered
    client_type: ClassVar[type] = MemoryClient

    def __str__(self) -> str:
        return "memory"


encode_memory_order = msgspec.msgpack.Encoder().encode
"""An order as it is sent: msgpack."""

decode_memory_order = msgspec.msgpack.Decoder(MemoryOrder).decode
"""An order of a client; raises msgspec.MsgspecError if it is none."""
