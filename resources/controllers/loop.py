"""Whose orders a mechanism follows, what stops it, and what has become of its goals. Pure, for any mechanism.

This is where a lease is enforced: the registrar decides who holds a device, but a former holder's command
may still be on its way. It is also where everything stops: the emergency stop, a silent supervisor, a lapsed
order and a fault act here, in the very tick that moves. What moves is a `Mechanism`; it knows of no leases.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol

import msgspec

from framework.errors import CommandLate, CommandRefused
from framework.registrar.fencing import CommandGate
from resources.controllers.following import Following
from resources.types.masters import HandSample
from resources.types.motion import (
    GIVEN_BEFORE,
    HEARTBEAT_MISSING,
    ORDER_LAPSES_S,
    ORDERS_CEASED,
    STOOD_STILL,
    Drive,
    EndKind,
    Follow,
    LoopState,
    MotionCommand,
    Orders,
    StopCategory,
    StopKind,
    TrackJoints,
    TrackPose,
    TrackTwist,
    Wanted,
)

STREAMED = (TrackPose, TrackTwist, TrackJoints, Drive)
"""Targets that a client streams: each is new, and their ageing is the mechanism's own business."""

STOOD_STILL_S = 0.3
"""A loop that was not run for so long (its process was stopped) does not go on where it was [s]: it rests."""

RESET_FIRST = "reset the emergency stop first"
"""What is said to a recovery ordered under an emergency stop: it is carried out neither then nor later."""

HandNews = Callable[[Follow | None, float], HandSample | None]
"""Reads what is new of the hand that is followed, at a time [s]; None if nothing is."""

_REMEMBERED = 32  # wishes that have ended; a repetition of one of them may still be on its way


class MotionStop(msgspec.Struct, frozen=True):
    """What forbids motion now. emergency: the latch is set; alone: the supervisor's heartbeat is missing.

    token: names the latest emergency stop, lifted or not: one that was lifted between two looks counts too.
    lent: from when to when the heartbeat was lent [s]: goals could not be repeated then.
    """

    emergency: bool = False
    alone: bool = False
    reason: str = ""
    token: int = 0
    lent: tuple[float, float] = (0.0, 0.0)

    def lent_s(self, from_s: float, until_s: float) -> float:
        """How much of a time was lent [s]."""
        return max(0.0, min(until_s, self.lent[1]) - max(from_s, self.lent[0]))

    @property
    def kind(self) -> StopKind:
        """What forbids motion."""
        if self.emergency:
            return StopKind.EMERGENCY
        return StopKind.ALONE if self.alone else StopKind.NONE

    @property
    def words(self) -> str:
        """Why nothing may move, or ""."""
        if self.emergency:
            return f"emergency stop: {self.reason or 'no reason was given'}"
        return HEARTBEAT_MISSING if self.alone else ""


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
        """Follow a new command, given by its sender at `given_s`.

        Raises CommandRefused for what is out of bounds, not finite or not for it; nothing changes then.
        """
        ...

    def rest(self) -> None:
        """Brake from the measured state, and hold; forget every goal and target.

        May be repeated. What is locked stays locked.
        """
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
    """One mechanism's loop. All times are CLOCK_MONOTONIC [s], or any other clock that stamps the commands.

    Args:
        name: the device's, for messages.
        stop: what an emergency stop does to it.
        after: grants up to this generation were given to a loop that is no more; they are not followed.
    """

    def __init__(
        self,
        name: str,
        mechanism: Mechanism,
        *,
        stop: StopCategory = StopCategory.HOLD,
        after: int = 0,
    ) -> None:
        self.name = name
        self.mechanism = mechanism
        self.stop = stop
        self._gate = CommandGate()
        self._generation = after
        self._orders = Orders()
        self._has_orders = False
        self._following: Wanted | None = None
        self._hand: Following | None = None
        self._renewed_s = 0.0
        self._not_before_s = float("-inf")
        self._ran_s: float | None = None
        self._ended: deque[int] = deque(maxlen=_REMEMBERED)
        self._done = 0
        self._outcome = ""
        self._end_kind = EndKind.REACHED
        self._fault = ""
        self._unrecovered = 0
        self._recovered_now = False
        self._advice = ""
        self._stopped = MotionStop()
        self._has_looked = False
        self._is_locked = False
        self._refused = 0
        self._refused_number = 0
        self._refusal = ""
        self._refused_as = EndKind.REACHED

    def begin_turn(
        self,
        orders: Orders | None,
        stop: MotionStop,
        now_s: float,
        *,
        hand: HandNews | None = None,
        recover: Callable[[], None] | None = None,
    ) -> bool:
        """The first half of a turn: obey, look, hear. Then the mechanism ticks, and `end_turn` is called.

        May be repeated before that: a stop must not wait for a mechanism that has many ticks to make up for.

        Args:
            orders: what is new in the mailbox; None: nothing is.
            stop: what forbids motion now.
            recover: mends the mechanism if a recovery was ordered. None: whoever runs the loop does so when
                it can, and then calls `recovered` or `not_recovered`.

        Returns:
            Whether a recovery was ordered.
        """
        is_recovery = self.obey(orders, now_s)
        if is_recovery and recover is not None:
            recover()
            self.recovered()
            self._recovered_now = True
        self.look(stop, now_s)
        if hand is not None and (sample := hand(self.hand, now_s)) is not None:
            self.hear(sample, now_s)
        return is_recovery

    def end_turn(self, now_s: float, fault: str = "") -> None:
        """The second half of a turn: settle. `fault`: why the mechanism has stopped by itself, or "".

        What trips again in the turn of its recovery has not recovered: whoever ordered it need not wait.
        """
        self.settle(now_s)
        if fault:
            (self.not_recovered if self._recovered_now else self.fail)(fault, now_s)
        self._recovered_now = False

    @property
    def scans(self) -> tuple[tuple[str, str], ...]:
        """The scanners that guard the mechanism: name and ring."""
        return self._orders.scans

    @property
    def hand(self) -> Follow | None:
        """Whose hand it follows, and which ring to read; None if nobody's."""
        following = self._following
        return following.command if following is not None and isinstance(following.command, Follow) else None

    def hear(self, sample: HandSample, now_s: float) -> None:
        """A new sample of the hand that it follows."""
        if self._hand is not None and not (self._fault or self._stopped.words):
            self._hand.hear(sample, now_s)

    @property
    def holder(self) -> str:
        """Whom the newest orders name, followed or not; "" if nobody."""
        return self._orders.holder

    @property
    def granted(self) -> int:
        """The generation of the newest grant that it was told of, followed or not."""
        return max(self._generation, self._orders.generation)

    @property
    def fault(self) -> str:
        """What it has to recover from, or ""."""
        return self._fault

    def obey(self, orders: Orders | None, now_s: float) -> bool:
        """Take over new orders. True if a recovery was ordered: call `recovered` when it is done."""
        self._notice_absence(now_s)
        if orders is None:
            return False
        before, self._orders = self._orders, orders
        # What a mailbox counted before this loop began was meant for its predecessor.
        is_first, self._has_orders = not self._has_orders, True
        if (orders.holder, orders.generation) != (before.holder, before.generation):
            self._hand_over(orders)
        if orders.rests != before.rests:
            self._rest("it was told to come to rest", now_s, EndKind.TAKEN)
        if orders.stamp is not None and orders.wanted is not None and orders.stamp != before.stamp:
            try:
                self._take(orders.wanted, now_s)
            except CommandRefused as error:
                self._refuse(orders.wanted, str(error), self._kind_of(error))
        # Only more than before counts: a mailbox that is made anew counts from 0 and confirms nothing.
        is_new = orders.recoveries > max(before.recoveries, orders.withdrawn)
        if not is_new or is_first or not self._fault:
            return False
        if self._stopped.emergency:
            self._advice, self._unrecovered = RESET_FIRST, orders.recoveries
            return False
        return True

    def look(self, stop: MotionStop, now_s: float) -> None:
        """Stop what must not move, and let lapse what is not renewed."""
        self._notice_absence(now_s)
        before, self._stopped = self._stopped, stop
        has_passed_by = self._has_looked and stop.token != before.token and not stop.emergency
        self._has_looked = True
        if not stop.emergency:
            self._advice = ""
        if stop.emergency and not before.emergency:
            self.release(stop.words, now_s)
        elif has_passed_by:
            self.release("there was an emergency stop, which has been lifted", now_s)
        if stop.alone and not before.alone:
            self._rest(stop.words, now_s, EndKind.HEARTBEAT)
        self._lock_or_unlock()
        following = self._following
        if (
            following is not None
            and not isinstance(following.command, STREAMED)
            and now_s - self._renewed_s - stop.lent_s(self._renewed_s, now_s) > ORDER_LAPSES_S
        ):
            self._rest(ORDERS_CEASED, now_s, EndKind.CEASED)
        if self._hand is not None:
            self._hand.look(now_s)

    def settle(self, now_s: float) -> None:
        """Note what has become of the goal."""
        ended = self.mechanism.ended()
        if ended is None:
            return
        if self._hand is not None:  # of the target; the hand is followed on
            self._hand.ended(ended.why)
        else:
            self._end(ended.why)

    def release(self, words: str, now_s: float) -> None:
        """Come to rest and follow nobody any more, until the next grant: `words` say why.

        Whatever ends the grant here, lifting it moves nothing, whoever goes on commanding.
        """
        self._gate.close()  # before a mechanism is asked that may be broken
        self._rest(words, now_s)

    def fail(self, words: str, now_s: float) -> None:
        """A fault: nothing moves until it has been recovered from."""
        if not self._fault:
            self._fault = words
            self.release(words, now_s)
            self._lock_or_unlock()

    def recovered(self) -> None:
        """The fault is over: it may be commanded again, by whoever asks anew. Moves nothing."""
        self._fault = ""
        self._lock_or_unlock()

    def not_recovered(self, words: str, now_s: float) -> None:
        """The recovery that was ordered did not help: `words` say why, and are the fault from now on."""
        self._fault = ""
        self.fail(words, now_s)
        self._unrecovered = self._orders.recoveries

    def state(self) -> LoopState:
        """As it stands now."""
        mechanism = self.mechanism
        clutch = self._hand.clutch if self._hand is not None else None
        return LoopState(
            holder=self._gate.holder,
            generation=self._generation,
            following=0 if self._following is None else self._following.number,
            done=self._done,
            outcome=self._outcome,
            ended=self._end_kind,
            progress=mechanism.progress,
            mode=mechanism.mode,
            is_at_rest=mechanism.is_at_rest,
            stopped=self._stopped.words,
            stop=self._stopped.kind,
            fault=f"{self._fault}; {self._advice}" if self._fault and self._advice else self._fault,
            rests=self._orders.rests,
            recoveries=self._orders.recoveries if not self._fault else 0,
            refused=self._refused,
            refused_number=self._refused_number,
            refusal=self._refusal,
            refused_as=self._refused_as,
            target_age_s=mechanism.target_age_s,
            unrecovered=self._unrecovered,
            engaged=clutch.engaged if clutch is not None else 0,
            disengaged=clutch.disengaged if clutch is not None else "",
        )

    def _hand_over(self, orders: Orders) -> None:
        """Whatever the former holder set in motion must not go on in the name of the next."""
        self._gate.close()
        forbidden = bool(self._fault) or self._stopped.emergency
        if orders.holder and orders.generation > self._generation and not forbidden:
            self._gate.open(orders.holder, orders.generation)
            self._generation = orders.generation
        self._end("somebody else has it now" if orders.holder else "its holder has let it go")
        self.mechanism.rest()

    def _take(self, wanted: Wanted, now_s: float) -> None:
        stamp = self._orders.stamp
        assert stamp is not None
        if why := self._stopped.words or self._fault:
            raise CommandRefused(f"{self.name} does not move: {why}")
        self._gate.check(stamp, now_s)
        if stamp.sent_s < self._not_before_s:
            raise CommandLate(f"{GIVEN_BEFORE} {self.name} was told to come to rest")
        self.settle(now_s)
        following = self._following
        if following is not None and following.number == wanted.number:
            # The same wish, repeated. By its sender's time: its way here must not add to how long it counts.
            self._renewed_s = max(self._renewed_s, min(stamp.sent_s, now_s))
            return
        if wanted.number == self._done:
            return  # a repetition that crossed with the report of its end
        if wanted.number in self._ended:
            raise CommandRefused(f"{self.name} has ended this command already, and followed another since")
        hand = self._begin(wanted.command, stamp.sent_s, now_s)
        if following is not None and not isinstance(following.command, STREAMED):
            self._end("another command took its place")
        self._following, self._renewed_s = wanted, min(stamp.sent_s, now_s)
        self._hand = hand

    def _begin(self, command: MotionCommand, given_s: float, now_s: float) -> Following | None:
        try:
            if isinstance(command, Follow):
                hand = Following(self.mechanism, command.session)
                self.mechanism.rest()
                return hand
            self.mechanism.begin(command, given_s, now_s)
            return None
        except CommandRefused:
            raise
        except Exception as error:
            # A mistake of ours in one command must not end the process that moves; nor is it known how far
            # the mechanism has got with it.
            words = (
                f"{self.name} cannot follow this {type(command).__name__}: {type(error).__name__}: {error}"
            )
            self._rest(words, now_s)
            raise CommandRefused(words) from error

    def _kind_of(self, error: CommandRefused) -> EndKind:
        if isinstance(error, CommandLate):
            return EndKind.LATE
        return EndKind.HEARTBEAT if self._stopped.kind is StopKind.ALONE else EndKind.FAILED

    def _refuse(self, wanted: Wanted, words: str, kind: EndKind) -> None:
        self._refused += 1
        # A repetition of what is followed, or has just ended, is dropped: its end is said elsewhere.
        if wanted.number != self._done and (
            self._following is None or wanted.number != self._following.number
        ):
            self._refused_number = wanted.number
            self._refusal = words
            self._refused_as = kind

    def _notice_absence(self, now_s: float) -> None:
        before_s, self._ran_s = self._ran_s, now_s
        if before_s is None or now_s - before_s <= STOOD_STILL_S:
            return
        # What rested all the while may be told to move at once; its command is young enough, or refused.
        if self._following is not None or not self.mechanism.is_at_rest:
            self._rest(f"{STOOD_STILL} for {now_s - before_s:.1f} s", now_s, EndKind.STOOD_STILL)

    def _lock_or_unlock(self) -> None:
        wanted = bool(self._fault) or (self._stopped.emergency and self.stop is StopCategory.BRAKES)
        if wanted != self._is_locked:
            self._is_locked = wanted
            if wanted:
                self.mechanism.lock()
            else:
                self.mechanism.unlock()

    def _rest(self, why: str, now_s: float, kind: EndKind = EndKind.FAILED) -> None:
        self._not_before_s = max(self._not_before_s, now_s)
        self._end(why, kind)
        self.mechanism.rest()

    def _end(self, why: str, kind: EndKind = EndKind.FAILED) -> None:
        if self._following is not None:
            self._done, self._outcome = self._following.number, why
            self._end_kind = kind if why else EndKind.REACHED
            self._ended.append(self._done)
            self._following = self._hand = None
