"""Whose orders a mechanism follows, what stops it, and what has become of its goals. Pure, for any mechanism.

This is where a lease is enforced: the registrar decides who holds a device, but a former holder's command may
still be on its way. It is also where everything stops: the emergency stop, a silent supervisor, a lapsed order
and a fault act here, in the very tick that moves.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from framework.errors import CommandRefused
from framework.registrar.fencing import CommandGate
from resources.types.motion import (
    ORDER_LAPSES_S,
    Drive,
    LoopState,
    MotionCommand,
    Orders,
    StopCategory,
    TrackJoints,
    TrackPose,
    TrackTwist,
    Wanted,
)

STREAMED = (TrackPose, TrackTwist, TrackJoints, Drive)
"""Targets that a client streams: each is new, and their ageing is the mechanism's own business."""


class Stop(msgspec.Struct, frozen=True):
    """What forbids motion now. emergency: the latch is set; alone: the supervisor's heartbeat is missing."""

    emergency: bool = False
    alone: bool = False
    reason: str = ""

    @property
    def words(self) -> str:
        """Why nothing may move, or ""."""
        if self.emergency:
            return f"emergency stop: {self.reason or 'no reason was given'}"
        return "the supervisor's heartbeat is missing" if self.alone else ""


class Ended(msgspec.Struct, frozen=True):
    """A goal has ended; `why` it failed, or "" if it was reached."""

    why: str = ""


class Mechanism(Protocol):
    """What a loop moves. Every method acts from the measured state that the last tick was given."""

    @property
    def mode(self) -> str:
        """What it is doing, in a word for people."""
        ...

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing moves and nothing is going to."""
        ...

    @property
    def progress(self) -> float:
        """Of the goal it is going to, 0 to 1."""
        ...

    @property
    def target_age_s(self) -> float:
        """Of the streamed target it follows; 0 if it follows none."""
        ...

    def begin(self, command: MotionCommand, given_s: float, now_s: float) -> None:
        """Follow a new command, given by its sender at `given_s`. CommandRefused says why not; nothing changes then."""
        ...

    def rest(self) -> None:
        """Brake from the measured state, and hold; forget every goal and target. May be repeated."""
        ...

    def lock(self) -> None:
        """Brake, then lock: the drives do nothing any more until `unlock`."""
        ...

    def unlock(self) -> None:
        """Drives again, holding where it stands; moves nothing."""
        ...

    def ended(self) -> Ended | None:
        """What became of the goal, once after its end (a streamed target that lapsed ends too); else None."""
        ...


class ControlLoopCore:
    """One mechanism's loop.

    Args:
        name: the device's, for messages.
        stop: what an emergency stop does to it.
    """

    def __init__(self, name: str, mechanism: Mechanism, *, stop: StopCategory = StopCategory.HOLD) -> None:
        self.name = name
        self.mechanism = mechanism
        self.stop = stop
        self._gate = CommandGate()
        self._orders = Orders()
        self._generation = 0
        self._following: Wanted | None = None
        self._renewed_s = 0.0
        self._not_before_s = float("-inf")
        self._done = 0
        self._outcome = ""
        self._fault = ""
        self._stopped = Stop()
        self._refused = 0
        self._refused_number = 0
        self._refusal = ""

    @property
    def scans(self) -> tuple[tuple[str, str], ...]:
        """The scanners that guard the mechanism: name and ring."""
        return self._orders.scans

    @property
    def fault(self) -> str:
        """What it has to recover from, or ""."""
        return self._fault

    def obey(self, orders: Orders | None, now_s: float) -> bool:
        """Take over new orders. True if a recovery was ordered: call `recovered` when it is done."""
        if orders is None:
            return False
        before, self._orders = self._orders, orders
        if (orders.holder, orders.generation) != (before.holder, before.generation):
            self._hand_over(orders)
        if orders.rests != before.rests:
            self._rest("it was told to come to rest", now_s)
        if orders.stamp is not None and orders.wanted is not None and orders.stamp != before.stamp:
            try:
                self._take(orders.wanted, now_s)
            except CommandRefused as error:
                self._refused += 1
                self._refused_number = orders.wanted.number
                self._refusal = str(error)
        return orders.recoveries != before.recoveries and bool(self._fault)

    def look(self, stop: Stop, now_s: float) -> None:
        """Stop what must not move, and let lapse what is not renewed."""
        before, self._stopped = self._stopped, stop
        if stop.emergency and not before.emergency:
            self._rest(stop.words, now_s)
            # It ends the grant where the motion is made: lifting it moves nothing, whoever goes on commanding.
            self._gate.close()
            if self.stop is StopCategory.BRAKES:
                self.mechanism.lock()
        elif before.emergency and not stop.emergency and not self._fault:
            self.mechanism.unlock()
        if stop.alone and not before.alone:
            self._rest(stop.words, now_s)
        following = self._following
        if (
            following is not None
            and not isinstance(following.command, STREAMED)
            and now_s - self._renewed_s > ORDER_LAPSES_S
        ):
            self._rest("its orders ceased", now_s)

    def settle(self, now_s: float) -> None:
        """Note what has become of the goal; after the mechanism's tick."""
        ended = self.mechanism.ended()
        if ended is not None and self._following is not None:
            self._end(ended.why)

    def fail(self, words: str, now_s: float) -> None:
        """A fault: nothing moves until it has been recovered from."""
        if not self._fault:
            self._fault = words
            self._rest(words, now_s)
            self._gate.close()
            self.mechanism.lock()

    def recovered(self) -> None:
        """The fault is over: it may be commanded again, by whoever asks anew. Moves nothing."""
        self._fault = ""
        if not self._stopped.emergency:
            self.mechanism.unlock()

    def state(self) -> LoopState:
        """As it stands now."""
        mechanism = self.mechanism
        return LoopState(
            holder=self._gate.holder,
            generation=self._generation,
            following=0 if self._following is None else self._following.number,
            done=self._done,
            outcome=self._outcome,
            progress=mechanism.progress,
            mode=mechanism.mode,
            is_at_rest=mechanism.is_at_rest,
            stopped=self._stopped.words,
            fault=self._fault,
            rests=self._orders.rests,
            recoveries=self._orders.recoveries if not self._fault else 0,
            refused=self._refused,
            refused_number=self._refused_number,
            refusal=self._refusal,
            target_age_s=mechanism.target_age_s,
        )

    def _hand_over(self, orders: Orders) -> None:
        """Whatever the former holder set in motion must not go on in the name of the next."""
        if not orders.holder:
            self._gate.close()
        elif orders.generation > self._generation and not (self._fault or self._stopped.emergency):
            self._gate.open(orders.holder, orders.generation)
            self._generation = orders.generation
        self._end("somebody else has it now")
        self.mechanism.rest()

    def _take(self, wanted: Wanted, now_s: float) -> None:
        stamp = self._orders.stamp
        assert stamp is not None
        if why := self._stopped.words or self._fault:
            raise CommandRefused(f"{self.name} does not move: {why}")
        self._gate.check(stamp, now_s)
        if stamp.sent_s < self._not_before_s:
            raise CommandRefused(f"the command was given before {self.name} was told to come to rest")
        following = self._following
        if following is not None and following.number == wanted.number:
            self._renewed_s = now_s  # the same wish, repeated
            return
        if wanted.number == self._done:
            return  # a repetition that crossed with the report of its end
        self.mechanism.begin(wanted.command, stamp.sent_s, now_s)
        self._following, self._renewed_s = wanted, now_s

    def _rest(self, why: str, now_s: float) -> None:
        self._not_before_s = max(self._not_before_s, now_s)
        self._end(why)
        self.mechanism.rest()

    def _end(self, why: str) -> None:
        if self._following is not None:
            self._done, self._outcome = self._following.number, why
            self._following = None
