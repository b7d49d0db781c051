"""Who may command which part of a world, and what is refused: gates before `World.command`. Pure.

The registrar decides who holds a part; this is where it is enforced, because a former holder's
command may still be on its way when the next one is let in.
"""

from __future__ import annotations

import msgspec

from framework.errors import CommandRefused
from framework.registrar.fencing import CommandGate
from resources.children.orders import Do, Grant, Rest
from resources.types.control import PartReport
from resources.worlds.commands import ARMS, Part, part_of
from resources.worlds.world import World

_REST_RAD_S = 0.02  # of every joint; what an arm that holds shows of its own noise is far below
_REST_M_S = 0.005


class Authority:
    """Obeys orders for one world. `stopped`: why no command passes now, or ""."""

    def __init__(self, world: World) -> None:
        self.stopped = ""
        self._world = world
        self._gates = {part: CommandGate() for part in Part}
        self._generations = dict.fromkeys(Part, 0)

    def obey(self, order: Grant | Do | Rest, now_s: float) -> None:
        """Carry out an order given by `now_s` [s]. CommandRefused says why not; then nothing has changed."""
        match order:
            case Grant():
                self._grant(order)
            case Do():
                self._do(order, now_s)
            case Rest():
                self._world.safe_stop(order.part)

    def void(self) -> None:
        """An emergency stop ends every grant: lifting it moves nothing, whoever goes on commanding."""
        for gate in self._gates.values():
            gate.close()

    def report(self) -> tuple[PartReport, ...]:
        """Each part: who holds it, and whether it rests."""
        return tuple(
            PartReport(part.value, gate.holder, self._generations[part], self._at_rest(part))
            for part, gate in self._gates.items()
        )

    def _grant(self, order: Grant) -> None:
        gate = self._gates[order.part]
        if not order.lease:
            gate.close()
        else:
            gate.open(order.lease, order.generation)
            self._generations[order.part] = order.generation
        # Whatever the former holder set in motion must not go on in the name of the next.
        self._world.safe_stop(order.part)

    def _do(self, order: Do, now_s: float) -> None:
        part = part_of(order.command)
        if self.stopped:
            raise CommandRefused(f"{part.value} does not move: {self.stopped}")
        self._gates[part].check(order.stamp, now_s)
        command = msgspec.structs.replace(order.command, stamp_s=order.stamp.sent_s)
        self._world.command(command, now_s=now_s)

    def _at_rest(self, part: Part) -> bool:
        if part in self._world.moving_parts:
            return False
        if part in ARMS:
            return bool(abs(self._world.measured_joints(part)[1]).max() < _REST_RAD_S)
        forward, left, turn = self._world.base_velocity()
        return max(abs(forward), abs(left)) < _REST_M_S and abs(turn) < _REST_RAD_S
