"""The main loop of a device's process: a turn a period, beating, and failing when it is told to.

A device writes `for now_s in Turns(...)` and does its work in the body. Turns that were missed
are not made up: a sensor gives the newest, never many.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import msgspec

from framework.processes.child import Child
from framework.transport.ring import RingWriter
from framework.unreadable import UNREADABLE
from resources.children.complaints import Complaints
from resources.children.failing import Fail, FailMode, babble, die, hang


class Turns:
    """Iterates with the time of each turn (CLOCK_MONOTONIC [s]) until the child is to stop.

    writer: the stream that a failure by garbage spoils. wait: what is done between turns, for at most so long
    [s]; a turn may be early by that, never late.
    """

    def __init__(
        self,
        child: Child,
        rate_hz: float,
        writer: RingWriter,
        *,
        wait: Callable[[float], object] | None = None,
    ) -> None:
        self._child = child
        self._wait = wait or child.wait
        self._period_s = 1.0 / rate_hz
        self._writer = writer
        self._failing: FailMode | None = None
        self._complaints = Complaints(child.status)
        self._orders = msgspec.msgpack.Decoder(Fail)

    def __iter__(self) -> Iterator[float]:
        due_s = time.monotonic()
        while not self._child.stopping:
            now_s = time.monotonic()
            self._child.beat()
            self._complaints.settle(now_s)
            for payload in self._child.commands():
                self._obey(payload, now_s)
            if self._failing is None:
                yield now_s
            elif self._failing is FailMode.GARBAGE:
                babble(self._child, self._writer, now_s)
            now_s = time.monotonic()
            due_s = min(max(due_s + self._period_s, now_s), now_s + self._period_s)
            self._wait(due_s - now_s)

    def _obey(self, payload: bytes, now_s: float) -> None:
        try:
            how = self._orders.decode(payload).how
        except UNREADABLE as error:
            text = f"a device is told to fail, nothing else; {len(payload)} bytes came: {error}"
            self._complaints.add(text, now_s)
            return
        if how is FailMode.REFLEX:
            self._complaints.add("a sensor has no reflexes: they are an arm's", now_s)
            return
        self._failing = how
        if self._failing is FailMode.DIE:
            die()
        if self._failing is FailMode.HANG:
            hang()
