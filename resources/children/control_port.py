"""What a control loop shares with its manager: orders and hands in, reports out, failures on purpose.

What the orders mean, the control loop decides.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from framework.errors import CommandRefused, StreamError
from framework.processes.child import Child
from framework.transport.ring import RingWriter
from framework.unreadable import UNREADABLE
from resources.children.complaints import Complaints
from resources.children.failing import Fail, FailMode, babble, die, hang
from resources.children.hand_reading import HandReading
from resources.children.safety import Safety
from resources.controllers.loop import ControlLoopCore, Mechanism
from resources.controllers.mailbox import OrdersReader
from resources.types.masters import HandSample
from resources.types.motion import Follow, MotionSample, Orders, StopCategory, encode_motion
from resources.types.streams import SampleMeta, StreamFormat, StreamHandle, encode_meta

LEAVES_S = 1.5
"""A real device may take so long to come to rest at the end [s]."""

_SLOT_BYTES, _SLOTS = 8 * 1024, 8


class LoopChannels:
    """Orders and a hand in, reports out, of one device's loop. Raises SharedMemoryFull.

    Args:
        directory: the run directory, where the ring `motion_<device>` is made.
        mailbox: path of the orders, "" if nobody gives any.
    """

    def __init__(self, directory: Path, device: str, mailbox: str, complaints: Complaints) -> None:
        self.device = device
        self.complaints = complaints
        self.ring = RingWriter(
            directory, f"motion_{device}", slot_bytes=_SLOT_BYTES, slots=_SLOTS, replace=True
        )
        self._mailbox = OrdersReader(Path(mailbox)) if mailbox else None
        self._hand = HandReading(device, complaints)

    def stream(self, stream_format: StreamFormat, frame: str, rate_hz: float) -> StreamHandle:
        """The reports, for the device's handle."""
        return StreamHandle(self.ring.path.stem, str(self.ring.path), stream_format, frame, rate_hz)

    def orders(self, now_s: float) -> Orders | None:
        """The orders if they are new and can be read."""
        if self._mailbox is None:
            return None
        try:
            return self._mailbox.read()
        except (CommandRefused, StreamError) as error:
            self.complaints.add(f"{self.device}: {error}", now_s)
            return None

    def hand(self, follow: Follow | None, now_s: float) -> HandSample | None:
        """What is new of the hand that is followed, if any is."""
        return self._hand.news(follow, now_s)

    def write(self, sample: MotionSample, now_s: float) -> None:
        """A report. Raises StreamError."""
        meta = encode_meta(SampleMeta(sample.time_s))
        self.ring.write(encode_motion(sample), stamp_s=now_s, meta=meta)

    def close(self) -> None:
        """The reports end; idempotent."""
        self.ring.close()
        self._hand.close()
        if self._mailbox is not None:
            self._mailbox.close()


class ControlPort(LoopChannels):
    """Of a device that has a process of its own."""

    def __init__(self, child: Child, directory: Path, device: str, mailbox: str) -> None:
        super().__init__(directory, device, mailbox, Complaints(child.status))
        self._child = child
        self._failing: FailMode | None = None

    def publish(self, sample: MotionSample, now_s: float) -> None:
        """A report, unless the device was told to fail in a way that shows here."""
        self.complaints.settle(now_s)
        if self._failing is FailMode.GARBAGE:
            babble(self._child, self.ring, now_s)
        if self._failing is not None:
            return
        self.write(sample, now_s)
        self._child.sampled(self.ring.path.stem)

    def reflex_wanted(self, now_s: float) -> bool:
        """Fail as it was told to, if it was; true if that is by a reflex, which is the loop's to have."""
        wanted = False
        for payload in self._child.commands():
            try:
                how = msgspec.msgpack.decode(payload, type=Fail).how
            except UNREADABLE as error:
                words = f"{self.device} is told to fail, nothing else; {len(payload)} bytes came: {error}"
                self.complaints.add(words, now_s)
                continue
            match how:
                case FailMode.DIE:
                    die()
                case FailMode.HANG:
                    hang()
                case FailMode.REFLEX:
                    wanted = True
                case _:
                    self._failing = how
        return wanted


class HardwareLoop:
    """What the loops of real devices share: their core, and how they come and go. The rest is the device's.

    What the mailbox has counted before it began was meant for a predecessor; all that comes is for it.
    now_s: the clock that stamps the orders.
    """

    def __init__(
        self,
        child: Child,
        device: str,
        mechanism: Mechanism,
        stop: StopCategory,
        safety: Safety,
        port: ControlPort,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._child = child
        self._now_s = now_s
        self._name = device
        self._safety = safety
        self._port = port
        self._core = ControlLoopCore(device, mechanism, stop=stop)
        self._leaves_at_s: float | None = None
        began_s = now_s()
        self._core.obey(self._orders(began_s) or Orders(), began_s)

    def _orders(self, now_s: float) -> Orders | None:
        """What is ordered, until it is told to stop."""
        return self._port.orders(now_s) if self._leaves_at_s is None else None

    def _leaves_by(self, now_s: float) -> float:
        """It was told to stop: when it ends at the latest, at rest or not."""
        if self._leaves_at_s is None:
            self._leaves_at_s = now_s + LEAVES_S
            self._core.release("its process ends", now_s)
        return self._leaves_at_s

    def _have_reflex_if_told(self, now_s: float) -> None:
        """Somebody may want to see one."""
        if self._port.reflex_wanted(now_s):
            self._core.fail("reflex: it was made to have one", now_s)
