"""Child, port, safety and clock of a loop, from a script: `turn` is called after each of the loop's turns."""

from __future__ import annotations

from collections.abc import Callable

from framework.status import Severity
from resources.controllers.loop import MotionStop
from resources.types.masters import HandSample
from resources.types.motion import Follow, MotionSample, Orders

TURN_S = 0.001


class Scripted:
    """Stands in for `Child`, `ControlPort` and `Safety` at once. Each turn takes a millisecond.

    Attributes:
        mail: orders that lie in the mailbox. stop: what forbids motion. reflex: it is told to have one.
        stopping: the process is told to end. samples, said: what was reported.
    """

    def __init__(self, turn: Callable[[int], None] = lambda number: None) -> None:
        self.turn = turn
        self.turns = 0
        self.time_s = 100.0
        self.mail: Orders | None = None
        self.stop = MotionStop()
        self.reflex = False
        self.stopping = False
        self.samples: list[MotionSample] = []
        self.said: list[str] = []

    def now_s(self) -> float:
        """The loop's clock."""
        return self.time_s

    # -- the port

    def orders(self, now_s: float) -> Orders | None:
        orders, self.mail = self.mail, None
        return orders

    def hand(self, follow: Follow | None, now_s: float) -> HandSample | None:
        """Nobody's is followed here."""
        return None

    def reflex_wanted(self, now_s: float) -> bool:
        reflex, self.reflex = self.reflex, False
        return reflex

    def publish(self, sample: MotionSample, now_s: float) -> None:
        self.samples.append(sample)

    # -- safety

    def look(self, now_s: float) -> MotionStop:
        return self.stop

    # -- the child

    def beat(self) -> None:
        self.turns += 1
        self.time_s += TURN_S
        self.turn(self.turns)

    def busy(self, for_s: float) -> None:
        pass

    def wait(self, for_s: float) -> bool:
        return False

    def status(self, severity: Severity, words: str) -> None:
        self.said.append(f"{severity.name} {words}")
