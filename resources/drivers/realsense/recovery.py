"""What is done about a depth camera that gives no pictures: wait, reset it, wait for its return, give up.

    no picture N times in a row → stop → reset → wait until it is enumerated again → start, or give up

Pure: events and the time go in, effects come out. Nothing here knows the library, a clock or a process;
who carries the effects out is `child.py`. An unplugged camera is given up at once: what takes its place is
decided by managers, and they try it again later.
"""

from __future__ import annotations

import math
from enum import Enum

import msgspec

from framework.errors import DescriptionError
from framework.status import Severity

# ---------------------------------------------------------------- how long


class Patience(msgspec.Struct, frozen=True):
    """How long a camera is waited for.

    timeout_s: without a picture for so long is one time-out. timeouts: so many in a row, and it is reset.
    first_picture_s: the first picture after a start may take so long. resets: so many without
    `healthy_s` of pictures in between; 0 gives up instead.
    settle_s: a camera that is still listed so long after its reset has it behind it.
    return_s: after a reset it must work again within so long.
    """

    timeout_s: float = 1.0
    timeouts: int = 3
    first_picture_s: float = 5.0
    resets: int = 1
    settle_s: float = 2.0
    return_s: float = 12.0
    healthy_s: float = 30.0

    def __post_init__(self) -> None:
        for name in ("timeout_s", "first_picture_s", "settle_s", "return_s", "healthy_s"):
            value = getattr(self, name)
            if not (math.isfinite(value) and 0 < value <= 600):
                raise DescriptionError(f"{name} is {value}; above 0 s and up to 600 s is allowed")
        if not (1 <= self.timeouts <= 100 and 0 <= self.resets <= 100):
            raise DescriptionError(
                f"timeouts is {self.timeouts}, resets is {self.resets}; 1 to 100 and 0 to 100 are allowed"
            )

    @property
    def longest_silence_s(self) -> float:
        """The longest time without a picture before it is given up [s], however it goes."""
        return self.timeouts * self.timeout_s + self.longest_start_s

    @property
    def longest_start_s(self) -> float:
        """The longest a start may take until the first picture or until it is given up [s]."""
        return self.first_picture_s + self.resets * (self.return_s + self.first_picture_s)


# ---------------------------------------------------------------- events


class Seen(Enum):
    """What was seen of the camera."""

    PICTURE = "picture"
    SILENCE = "silence"  # looked, and there is no new picture
    GONE = "gone"  # it is not enumerated (any more)
    PRESENT = "present"  # it is enumerated


class Broken(msgspec.Struct, frozen=True):
    """The library failed at starting, reading or resetting, and said so."""

    words: str


class Ended(msgspec.Struct, frozen=True):
    """There will be no more pictures, and nothing is wrong: a recording is over."""

    words: str


Event = Seen | Broken | Ended


# ---------------------------------------------------------------- effects


class Do(Enum):
    """What is to be done with the camera. A STOP may come where it has stopped: that does nothing."""

    START = "start"
    STOP = "stop"
    RESET = "reset"


class Say(msgspec.Struct, frozen=True):
    """Tell the owner. ERROR: degraded, until OK."""

    severity: Severity
    words: str


class GiveUp(msgspec.Struct, frozen=True):
    """It is over; only a new process helps."""

    words: str


Effect = Do | Say | GiveUp


# ---------------------------------------------------------------- the machine


class Phase(Enum):
    """Where it stands."""

    IDLE = "idle"
    STARTING = "starting"  # started, no picture yet
    STREAMING = "streaming"
    AWAITING = "awaiting"  # reset, and not started again yet
    OVER = "over"


class Recovery:
    """One camera, from its start until it is given up.

    Args:
        what: how people call it, for words.
        can_reset: whether there is anything to reset; a recording has nothing.
    """

    def __init__(self, what: str, patience: Patience, *, can_reset: bool) -> None:
        self.phase = Phase.IDLE
        self.resets = 0  # since it was last healthy
        self._what = what
        self._patience = patience
        self._most_resets = patience.resets if can_reset else 0
        self._now_s = -math.inf
        self._since_s = 0.0  # of the phase
        self._picture_s = 0.0  # of the last picture
        self._reset_s = 0.0
        self._timeouts = 0  # in a row, that were told
        self._was_gone = False
        self._why_not = ""  # it did not start again
        self._is_degraded = False

    def begin(self, now_s: float) -> tuple[Effect, ...]:
        """The first effects; call it once."""
        self._now_s = now_s
        return self._start()

    def on(self, event: Event, now_s: float) -> tuple[Effect, ...]:
        """What follows from an event at `now_s` [s], on any clock that does not go back."""
        self._now_s = max(self._now_s, now_s)
        if self.phase in (Phase.IDLE, Phase.OVER):
            return ()
        if isinstance(event, Ended):
            return self._give_up(event.words)
        if self.phase is Phase.AWAITING:
            return self._awaiting(event)
        if isinstance(event, Broken):
            return self._broken(event.words)
        match event:
            case Seen.PICTURE:
                return self._picture()
            case Seen.SILENCE:
                return self._silence()
            case Seen.GONE:
                return self._gone()
        return ()

    # ------------------------------------------------------------ while it works

    def _picture(self) -> tuple[Effect, ...]:
        if self.phase is Phase.STARTING or self._timeouts:
            self.phase, self._since_s = Phase.STREAMING, self._now_s
        elif self.resets and self._now_s - self._since_s >= self._patience.healthy_s:
            self.resets = 0
        self._picture_s = self._now_s
        was_told = bool(self._timeouts) or self._is_degraded
        self._timeouts, self._is_degraded = 0, False
        return (Say(Severity.OK, f"{self._what} gives pictures again"),) if was_told else ()

    def _silence(self) -> tuple[Effect, ...]:
        patience = self._patience
        if self.phase is Phase.STARTING:
            if self._now_s - self._since_s < patience.first_picture_s:
                return ()
            return self._starved(f"gave no picture within {patience.first_picture_s:g} s of its start")
        silent_s = self._now_s - self._picture_s
        timeouts = int(silent_s / patience.timeout_s)
        if timeouts >= patience.timeouts:
            return self._starved(f"has given no picture for {silent_s:.1f} s")
        if timeouts <= self._timeouts:
            return ()
        self._timeouts = timeouts
        words = f"{self._what} has given no picture for {silent_s:.1f} s"
        return (Say(Severity.WARNING, f"{words} (time-out {timeouts} of {patience.timeouts})"),)

    def _broken(self, words: str) -> tuple[Effect, ...]:
        if self.phase is Phase.STREAMING:
            return self._starved(f"failed: {words}")
        if self.resets:
            self._why_not = words
            return self._await_again() if self._may_return else self._give_up(self._too_late)
        # At a first start somebody else may be using the camera: a reset would take it from them.
        return self._give_up(f"{self._what} does not start: {words}")

    def _gone(self) -> tuple[Effect, ...]:
        if self.phase is Phase.STARTING and self.resets and self._may_return:
            return self._await_again()  # some firmware enumerates twice
        return self._give_up(f"{self._what} was unplugged")

    # ------------------------------------------------------------ while it is away

    def _awaiting(self, event: Event) -> tuple[Effect, ...]:
        if isinstance(event, Broken):
            return self._give_up(f"{self._what} cannot be reset: {event.words}")
        if not self._may_return:
            return self._give_up(self._too_late)
        if event is Seen.GONE:
            self._was_gone = True
        # It stays listed for a moment after the order to reset: that is not being back.
        elif event is Seen.PRESENT and (self._was_gone or self._is_settled):
            return self._start()
        return ()

    def _await_again(self) -> tuple[Effect, ...]:
        self.phase, self._since_s, self._was_gone = Phase.AWAITING, self._now_s, True
        return (Do.STOP,)

    @property
    def _is_settled(self) -> bool:
        return self._now_s - self._reset_s >= self._patience.settle_s

    @property
    def _may_return(self) -> bool:
        return self._now_s - self._reset_s < self._patience.return_s

    @property
    def _too_late(self) -> str:
        why = f" ({self._why_not})" if self._why_not else ""
        return (
            f"{self._what} did not come back within {self._patience.return_s:g} s of its reset{why}; "
            "unplug it and plug it in again, and look at its cable and at its hub's power supply"
        )

    # ------------------------------------------------------------ steps

    def _start(self) -> tuple[Effect, ...]:
        self.phase, self._since_s = Phase.STARTING, self._now_s
        return (Do.START,)

    def _starved(self, how: str) -> tuple[Effect, ...]:
        if self.resets >= self._most_resets:
            tried = f", {self.resets} × reset" if self.resets else ""
            return self._give_up(f"{self._what} {how}{tried}")
        self.resets += 1
        self.phase, self._since_s, self._reset_s = Phase.AWAITING, self._now_s, self._now_s
        self._was_gone, self._timeouts, self._is_degraded, self._why_not = False, 0, True, ""
        words = f"{self._what} {how}; it is reset ({self.resets} of {self._most_resets})"
        return (Say(Severity.ERROR, words), Do.STOP, Do.RESET)

    def _give_up(self, words: str) -> tuple[Effect, ...]:
        self.phase = Phase.OVER
        return (Do.STOP, GiveUp(words))
