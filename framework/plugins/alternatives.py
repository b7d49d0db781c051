"""The alternatives of one need, and which of them to try next. No resource is touched here.

A better one goes before a lesser one; one that failed within the cool-down is tried last; one that keeps
failing counts as broken for a while. What failed or was refused is tried again later, with back-off.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Any, NamedTuple

import msgspec

from framework.errors import Preempted, ResourceFailed, ResourceUnavailable
from framework.plugins.need import in_words
from framework.status import ReasonKind, Status


class RunnerPolicy(msgspec.Struct, frozen=True):
    """The times and numbers of an action's life.

    stop_timeout_s: how long a run may take to end once it is cancelled, before it is abandoned.
    cooldown_s: an alternative that failed this recently is tried last.
    first_return_s, last_return_s: back-off of trying a better alternative again, doubling.
    settle_s: how long the failure of a need may come after the failure of what was made of it.
    most_failures, within_s: so many failures in this time, and an alternative counts as broken.
    longest_rest_s: one that works but is of no use is left alone for the cool-down, doubling up to this.
    """

    stop_timeout_s: float = 2.0
    cooldown_s: float = 10.0
    first_return_s: float = 1.0
    last_return_s: float = 10.0
    settle_s: float = 0.25
    most_failures: int = 5
    within_s: float = 10.0
    longest_rest_s: float = 300.0


class Blame(NamedTuple):
    """What something failed by, as data: the same again is not said twice."""

    registrar: str
    request: str
    kind: ReasonKind = ReasonKind.FAILED


def blame_of(said: Status | BaseException) -> Blame | None:
    """Where a status or an error comes from; None if it names no resource."""
    if isinstance(said, ResourceFailed | Preempted):
        return blame_of(said.status)
    if not isinstance(said, Status | ResourceUnavailable) or not said.hops:
        return None
    return Blame(said.hops[0].registrar, said.hops[0].request, said.reason.kind)


class Alternative:
    """One alternative of a need, and its record."""

    def __init__(self, request: Any, rank: int, policy: RunnerPolicy) -> None:
        self.request = request
        self.rank = rank
        self.why = ""
        self.to_blame: Blame | None = None
        self.retry_at_s = 0.0
        self._policy = policy
        self._failures: deque[float] = deque(maxlen=policy.most_failures)
        self._failed_at_s = -math.inf
        self._broken_until_s = -math.inf
        self._back_off_s = policy.first_return_s
        self._rest_s = policy.cooldown_s

    def __str__(self) -> str:
        return in_words(self.request)

    def refused(self, why: str, now_s: float, to_blame: Blame | None) -> None:
        """It could not be had."""
        self.why, self.to_blame = why, to_blame
        self.retry_at_s = now_s + self._back_off_s
        self._back_off_s = min(2.0 * self._back_off_s, self._policy.last_return_s)

    def taken(self, why: str, now_s: float) -> None:
        """Somebody with more right took it: no failure, but there is no use in asking at once."""
        self.why, self.to_blame = why, None
        self.retry_at_s = now_s + self._policy.first_return_s
        self._failed_at_s = self.retry_at_s - self._policy.cooldown_s

    def failed(self, why: str, now_s: float, used_s: float, to_blame: Blame | None) -> None:
        """It failed after having been used for `used_s`."""
        if used_s >= self._policy.cooldown_s:
            self._back_off_s = self._policy.first_return_s
        self.refused(why, now_s, to_blame)
        self._failures.append(now_s)
        self._failed_at_s = now_s

    def is_of_no_use(self, why: str, now_s: float, to_blame: Blame | None) -> None:
        """It works, but what the action makes of it does not: leave it alone, each time for longer."""
        self.refused(why, now_s, to_blame)
        if now_s - self._broken_until_s > self._rest_s:  # it was of use for long enough
            self._rest_s = self._policy.cooldown_s
        self._failed_at_s = now_s
        self._broken_until_s = now_s + self._rest_s
        self._rest_s = min(2.0 * self._rest_s, self._policy.longest_rest_s)

    def is_cooling(self, now_s: float) -> bool:
        """Whether it failed a short while ago."""
        return now_s - self._failed_at_s < self._policy.cooldown_s

    def is_broken(self, now_s: float) -> bool:
        """Whether it is not worth asking for now."""
        often = len(self._failures) == self._policy.most_failures
        return now_s < self._broken_until_s or (often and now_s - self._failures[0] < self._policy.within_s)


def by_preference(alternatives: tuple[Alternative, ...], now_s: float) -> list[Alternative]:
    """What to try, in this order."""
    worth_it = [each for each in alternatives if not each.is_broken(now_s)]
    return sorted(worth_it, key=lambda each: (each.is_cooling(now_s), each.rank))
