"""What scripted arms, grippers and bases share: what a test lets go wrong, whatever is commanded."""

from __future__ import annotations

from typing import Any, ClassVar

from framework.errors import CommandRefused
from resources.controllers.ideal import IdealDevice
from resources.controllers.loop import Ended
from resources.types.motion import ControllerKind, LoopState, MotionCommand, MotionSample
from resources.types.streams import StreamHandle


class ScriptedMover(IdealDevice):
    """An ideal mechanism (`resources.controllers.ideal`) whose mishaps a test writes down.

    Attributes:
        device, side: as in a robot description.
        speed: how fast it is, 1 is as it is told; 0.1 takes ten times as long.
        refusal: if set, every command is refused with these words.
        commands: every command that was begun, in order.
        fault: what it has to recover from, "" if it is well.
    """

    kind: ClassVar[ControllerKind]

    device: str
    side: str

    def script(self, device: str, side: str) -> None:
        """Begin with nothing going wrong."""
        self.device = device
        self.side = side
        self.speed = 1.0
        self.refusal = ""
        self.commands: list[MotionCommand] = []
        self.fault = ""
        self._mishaps: list[tuple[float, bool, str]] = []

    def reflex(self, why: str, *, at: float | None = None) -> None:
        """A fault: now, or when so much (0 to 1) of the next goal is done. It lasts until recovered from."""
        if at is None:
            self.fault = why
        else:
            self._mishaps.append((at, True, why))

    def recover(self) -> None:
        """Forget the fault."""
        self.fault = ""

    def block(self, why: str, *, at: float = 0.5) -> None:
        """The next goal fails, with these words, when so much of it is done."""
        self._mishaps.append((at, False, why))

    def begin(self, command: MotionCommand, given_s: float, now_s: float) -> None:
        """Follow it. Raises CommandRefused as the script, or the mechanism, has it."""
        if self.refusal:
            raise CommandRefused(self.refusal)
        self.take(command, given_s, now_s)
        self.commands.append(command)

    def tick(self, dt_s: float, now_s: float) -> None:
        """Let time pass, as fast as the script says, until the next mishap."""
        for mishap in self._mishaps:
            at, is_fault, why = mishap
            if not self.is_at_rest and self.progress >= at:
                self._mishaps.remove(mishap)
                if is_fault:
                    self.fault = why
                else:
                    self.end(why)
                return
        super().tick(dt_s * self.speed, now_s)

    def end(self, why: str) -> None:
        """Its goal fails."""
        self.rest()
        self._ended = Ended(why)

    def take(self, command: MotionCommand, given_s: float, now_s: float) -> None:
        """Follow it, mishaps aside. Raises CommandRefused."""
        raise NotImplementedError

    def sample(self, time_s: float, loop: LoopState) -> MotionSample:
        """What it reports."""
        raise NotImplementedError

    def handle(self, state: StreamHandle) -> Any:
        """What a client gets."""
        raise NotImplementedError
