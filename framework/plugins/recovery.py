"""What it means for an action that something failed, was taken or was of no use, and how to say so.

The books about alternatives are updated and what was lost is given back, so that the next acquisition takes
the right ones. Whether and when the action is run again is the runner's business.
"""

from __future__ import annotations

import asyncio
import logging

from framework.clock import Clock
from framework.errors import (
    LeaseError,
    PilothouseError,
    Preempted,
    ResourceFailed,
    ResourceUnavailable,
    StreamError,
    in_words,
)
from framework.events import EventKind
from framework.phrasing import the
from framework.plugins.action import OnPreempt
from framework.plugins.alternatives import Alternative, Blame, RunnerPolicy, blame_of
from framework.plugins.binding import NeedBinding
from framework.plugins.claim import Claim
from framework.plugins.events import Outcome, RunState
from framework.plugins.voice import Voice
from framework.status import ReasonKind

log = logging.getLogger("pilothouse.actions")

#: What a run ends with when something that it used, and not the action itself, is to blame.
OF_RESOURCES = (ResourceFailed, Preempted, ResourceUnavailable, StreamError)
#: What a run that was told to end may end with.
EXPECTED = (*OF_RESOURCES, LeaseError, asyncio.CancelledError)


class FailureRecovery:
    """Judges how runs of one action ended. Every method returns the action's outcome, or None: run it again.

    `why_again` says why, `lost_why` what has failed of what it needs, `taken_by` who took of that, and
    `waits_for` what is tried again, until the next run has begun.
    """

    def __init__(
        self, claim: Claim, voice: Voice, on_preempt: OnPreempt, policy: RunnerPolicy, clock: Clock
    ) -> None:
        self.why_again = ""
        self.taken_by = ""
        self.lost_why = ""
        self.waits_for = ""
        self._to_blame: Blame | None = None
        self._claim = claim
        self._voice = voice
        self._on_preempt = on_preempt
        self._policy = policy
        self._clock = clock
        self._use_failures: list[float] = []
        self._worked: set[Alternative] = set()
        self._on_its_way_back = ""
        self._used: dict[str, Alternative] = {}

    @property
    def who(self) -> str:
        """The action, as people know it."""
        return self._voice.who

    def starts(self) -> None:
        """A run begins: say with what, and why if that is another thing than before."""
        now = {binding.need.name: binding for binding in self._claim.bindings if binding.taken is not None}
        new = [binding for name, binding in now.items() if self._used.get(name) is not binding.taken]
        used = new or list(now.values())
        if self._on_its_way_back and not new:
            pass  # it was said when it went away
        elif self.why_again:
            kind = EventKind.SWITCHED if new else EventKind.DOING
            with_what = _devices(used) or _all(used)
            going_on = f"going on with {with_what}" if with_what else "going on"
            self._voice.say(kind, f"{self.who}: {self.why_again}; {going_on}")
        else:
            with_what = _devices(used)
            text = f"{self.who}: at work" + (f", with {with_what}" if with_what else "")
            self._voice.say(EventKind.DOING, text)
        self._used = {name: binding.taken for name, binding in now.items() if binding.taken is not None}
        self.why_again = self.taken_by = self.lost_why = self.waits_for = self._on_its_way_back = ""
        self._to_blame = None

    async def lost(self) -> Outcome | None:
        """Something it needs has failed or was taken."""
        now_s = self._clock.now_s()
        lost = self._claim.lost
        for binding in lost:
            status = binding.lost
            if status is None or binding.taken is None:
                continue
            if not status.preempted_by:
                self.lost_why = status.message
                self._to_blame = blame_of(status)
                self.why_again = f"{binding.taken} failed: {status.message}"
                binding.taken.failed(status.message, now_s, now_s - binding.since_s, self._to_blame)
                continue
            self.taken_by = status.preempted_by
            self.why_again = f"{status.preempted_by} took {the(str(binding.taken))}"
            self._voice.waits(self.why_again)
            has_substitute = len(binding.alternatives) > 1 and not binding.need.exclusive
            if self._on_preempt is OnPreempt.GIVE_UP and not has_substitute:
                return self._failed("gives up", self.why_again)
            binding.taken.taken(status.message, now_s)
            if binding.need.exclusive:
                binding.queues_for = binding.taken
            self._claim.is_patient = self._on_preempt is OnPreempt.RESUME
        await self._give_back(lost)
        return None

    async def better_is_back(self) -> None:
        """What is better is in hand: exchange."""
        for binding, old in await self._claim.move_to_better():
            self.why_again = f"{binding.taken} works again, better than {old}"

    async def use_failed(self, error: BaseException) -> Outcome | None:
        """Its needs are all there, but something it made of them is not."""
        why = in_words(error)
        self.why_again = why
        if isinstance(error, Preempted):
            self.taken_by = error.by
            self._voice.say(EventKind.WAITING, f"{self.who}: {why}")
            gives_up = self._on_preempt is OnPreempt.GIVE_UP
            return self._failed("gives up", why) if gives_up else None
        if self._may_be_tried_again(error):
            if self._has_worked and self._voice.state is not RunState.READY:
                # What stands behind it may be on its way back: each time it is given longer.
                self._on_its_way_back = why
                await self._clock.sleep(self._policy.settle_s * (2 ** (len(self._use_failures) - 1) - 1))
            else:
                self._on_its_way_back = ""
            return None
        self._on_its_way_back = ""
        bindings = [
            binding
            for binding in self._claim.bindings
            if len(binding.alternatives) > 1 and binding.taken is not None
        ]
        if not bindings:
            return self._failed("cannot go on", why)
        self._use_failures.clear()
        self._to_blame = blame_of(error) or Blame("", self.who)
        now_s = self._clock.now_s()
        for binding in bindings:
            if binding.taken is not None:
                self.why_again = f"{binding.taken} is of no use: {why}"
                binding.taken.is_of_no_use(why, now_s, self._to_blame)
        await self._give_back(tuple(bindings))
        return None

    @property
    def is_worth_waiting(self) -> bool:
        """Whether what it worked with last has failed, and is tried again by whoever provides it."""
        blames = (used.to_blame for used in self._used.values())
        return bool(self.why_again) and any(b is not None and b.kind is ReasonKind.RETRYING for b in blames)

    async def wait(self) -> None:
        """Until it is worth asking again."""
        if not self.waits_for:
            how = 'it is tried again by itself, or at once by "retry now"'
            self.waits_for = f"{self.why_again}; {how}"
            self._voice.waits(self.waits_for)
        await self._clock.sleep(self._policy.first_return_s)

    async def settle(self, news: asyncio.Event) -> None:
        """What failed was made of a need: wait a little for that one's own failure, or its UPDATE."""
        began_s = self._clock.now_s()
        try:
            async with asyncio.timeout(self._policy.settle_s):
                while not self._claim.lost and self._claim.updated_at_s < began_s - self._policy.settle_s:
                    await news.wait()
                    news.clear()
        except TimeoutError:
            return

    def raised(self, error: BaseException) -> Outcome:
        """It failed by itself."""
        if isinstance(error, asyncio.CancelledError):
            return self._failed("failed", "it cancelled itself")
        if not isinstance(error, PilothouseError):
            log.error("%s raised", self.who, exc_info=error)
        return self._failed("failed", in_words(error))

    def clean_up_raised(self, error: BaseException) -> None:
        """It was told to end, and did so badly."""
        log.error("the clean-up of %s raised", self.who, exc_info=error)
        text = f"{self.who} was told to end, and its clean-up raised {in_words(error)}"
        self._voice.say(EventKind.DOING, text)

    def nothing_left(self, error: ResourceUnavailable) -> Outcome:
        """What it needs cannot be had."""
        if not self.why_again:  # it never began: the reason alone is what the operator needs
            return Outcome(RunState.FAILED, None, error.message)
        is_the_same = self._claim.to_blame == {self._to_blame}
        also = "" if is_the_same else f"; {error.message}"
        return self._failed("cannot go on", f"{self.why_again}{also}")

    def abandoned(self, cancelled_why: str | None) -> Outcome:
        """It does not end."""
        lost = [binding.lost.message for binding in self._claim.lost if binding.lost is not None]
        why = cancelled_why or (lost[0] if lost else "it was to make room")
        state = RunState.FAILED if cancelled_why is None else RunState.CANCELLED
        text = f"{self.who} did not end within {self._policy.stop_timeout_s:g} s ({why})"
        return Outcome(state, None, f"{text}: it is abandoned, what it held is given back")

    # -- inside

    def _may_be_tried_again(self, error: BaseException) -> bool:
        """With the same resources: what worked once, or was made of a handle that is another one by now."""
        now_s = self._clock.now_s()
        recent = [at_s for at_s in self._use_failures if now_s - at_s < self._policy.within_s]
        self._use_failures = [*recent, now_s]
        if self._voice.state is RunState.READY:
            self._worked |= self._in_use
        updated = now_s - self._claim.updated_at_s <= 2.0 * self._policy.settle_s
        may_work = isinstance(error, ResourceFailed | StreamError) or self._has_worked
        return len(self._use_failures) < self._policy.most_failures and (updated or may_work)

    @property
    def _has_worked(self) -> bool:
        """Whether what it does was established with all that it has now."""
        return bool(self._in_use) and self._in_use <= self._worked

    @property
    def _in_use(self) -> set[Alternative]:
        return {binding.taken for binding in self._claim.bindings if binding.taken is not None}

    async def _give_back(self, lost: tuple[NeedBinding, ...]) -> None:
        if any(binding.need.exclusive for binding in lost):
            # All or none: what is left of a group would be held while the rest is waited for.
            await self._claim.give_back(exclusive_only=True)
        for binding in lost:
            await binding.drop_better()
            await binding.release()

    def _failed(self, how: str, why: str) -> Outcome:
        return Outcome(RunState.FAILED, None, f"{self.who} {how}: {why}", why)


def _devices(bindings: list[NeedBinding]) -> str:
    """The devices that are held, in words; a right, a role or what one reads in tells nobody anything."""
    return _all([binding for binding in bindings if binding.device])


def _all(bindings: list[NeedBinding]) -> str:
    return " and ".join(the(str(binding)) for binding in bindings)


def error_of(body: asyncio.Task[object]) -> BaseException | None:
    """What a body ended with; of a group, the one that says most."""
    if body.cancelled():
        return asyncio.CancelledError()
    error = body.exception()
    while isinstance(error, BaseExceptionGroup):
        others = [each for each in error.exceptions if not isinstance(each, OF_RESOURCES)]
        error = (others or list(error.exceptions))[0]
    return error
