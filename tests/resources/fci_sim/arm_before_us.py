"""A control box without sockets, and a client for it that writes the bytes itself: what pure tests share."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import numpy as np
from numpy.typing import NDArray

from resources.fci_sim.box import ArmBox
from resources.fci_sim.faults import AnyFault, FaultPlan
from resources.fci_sim.physics import Scene
from resources.fci_sim.wire import (
    Command,
    Controller,
    Generator,
    MoveStatus,
    Request,
    RobotCommand,
    read_reply,
    read_state,
)

NOTHING = RobotCommand(
    0, (0.0,) * 7, (0.0,) * 7, (0.0,) * 16, (0.0,) * 6, (0.0, 0.0), False, False, (0.0,) * 7, False
)

DEVIATIONS = (10.0, 3.12, 6.28) * 2


def move(
    generator: Generator = Generator.NONE,
    controller: Controller = Controller.EXTERNAL,
    *,
    id_: int = 7,
    asynchronous: bool = False,
    deviations: tuple[float, ...] = DEVIATIONS,
) -> Request:
    """A Move."""
    fields = (int(controller), int(generator), *deviations, int(asynchronous), *(0.0,) * 7)
    return Request(Command.MOVE, id_, fields)


class Bench:
    """One arm's box, its replies and its words."""

    def __init__(self, *, scene: Scene = Scene(), faults: Iterable[AnyFault] = ()) -> None:
        self.words: list[str] = []
        self._bytes = bytearray()
        self.plan = FaultPlan(faults)
        self.box = ArmBox(scene, self.plan, self._bytes.extend, self.words.append)

    def ask(self, request: Request) -> int | None:
        """The status of the answer that has come by now, if one has."""
        self.box.request(request)
        replies = self.replies()
        return replies[-1][1] if replies else None

    def replies(self) -> list[tuple[Command, int]]:
        """Command and status of what was answered since."""
        found = []
        while (read := read_reply(self._bytes)) is not None:
            found.append((read[0], read[2]))
            del self._bytes[: read[4]]
        return found

    def begin(self, request: Request | None = None) -> None:
        """Start a motion."""
        assert self.ask(move() if request is None else request) == MoveStatus.MOTION_STARTED

    def step(self, **fields: object) -> None:
        """One period with a command that has these fields."""
        self.box.step(msgspec.structs.replace(NOTHING, **fields))

    def wait(self, steps: int) -> None:
        """Periods without command."""
        for _ in range(steps):
            self.box.step()

    def settle(self) -> None:
        """Until the arm rests."""
        for _ in range(3000):
            if self.box.is_ready:
                return
            self.box.step()
        raise AssertionError("it never came to rest")

    def state(self) -> NDArray[np.void]:
        """The next state packet."""
        return read_state(self.box.packet())

    @property
    def errors(self) -> tuple[str, ...]:
        """The flags that are up."""
        return tuple(flag.label for flag in self.box.errors)
