"""What operators have the robot remember, by name: places, views, taught motions, poses of an arm.

Kept between runs by who provides it. How a motion is recorded and replayed is not said here: `paths.py`.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

import msgspec

from framework.errors import PilothouseError
from framework.plugins.client import Client
from resources.types.motion import Joints7
from resources.types.streams import IDENTITY, Pose7

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


class Waypoint(msgspec.Struct, frozen=True, array_like=True):
    """Where an arm was: [s] since the motion's beginning, joints [rad]."""

    time_s: float
    joints: Joints7


MOST_WAYPOINTS = 800
"""More than these do not fit into one order."""


class RememberedPath(msgspec.Struct, frozen=True, tag="path"):
    """A motion that an arm was taught. side: of the arm; waypoints: in the order of their times, from 0 s."""

    name: str
    side: str
    waypoints: tuple[Waypoint, ...]

    @property
    def duration_s(self) -> float:
        """How long it took when it was taught."""
        return self.waypoints[-1].time_s if self.waypoints else 0.0


class RememberedPose(msgspec.Struct, frozen=True, tag="pose"):
    """A posture of an arm [rad], and where its tool was then, in the arm's base frame."""

    name: str
    side: str
    joints: Joints7
    base_T_tool: Pose7 = IDENTITY


Kept = RememberedPlace | RememberedView | RememberedPath | RememberedPose
"""What can be remembered. A name stands for one thing of all of these."""


class Forget(msgspec.Struct, frozen=True, tag="forget"):
    """Forget what has this name."""

    name: str


class Check(msgspec.Struct, frozen=True, tag="check"):
    """Only ask whether this could be remembered, before somebody takes the trouble to make it."""

    what: Kept


class MemoryOrder(msgspec.Struct, frozen=True):
    """What a client sends. id: by which it knows the answer."""

    id: str
    what: Kept | Forget | Check


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
    paths: tuple[RememberedPath, ...] = ()
    poses: tuple[RememberedPose, ...] = ()


class MemoryClient(Client):
    """The memory, as an action holds it: fields of `Remembered`, and orders to it.

    Each order returns what was done, in words, and raises PilothouseError with the reason if it was refused.
    """

    def __init__(self, name: str, lease: Lease | None) -> None:
        super().__init__(name, lease)
        self._orders = 0

    async def keep(self, what: Kept) -> str:
        """Remember it; what had the name before, if it was of the same kind, is forgotten."""
        return await self._order(what)

    async def forget(self, name: str) -> str:
        """Forget what has this name."""
        return await self._order(Forget(name))

    async def check(self, what: Kept) -> str:
        """Whether this could be remembered under its name; its content is not looked at."""
        return await self._order(Check(what))

    async def _order(self, what: Kept | Forget | Check) -> str:
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
    """The places, views, motions and poses that are remembered."""

    handle_type: ClassVar[type] = Remembered
    client_type: ClassVar[type] = MemoryClient

    def __str__(self) -> str:
        return "memory"


encode_memory_order = msgspec.msgpack.Encoder().encode
"""An order as it is sent: msgpack."""

decode_memory_order = msgspec.msgpack.Decoder(MemoryOrder).decode
"""An order of a client; raises msgspec.MsgspecError if it is none."""
