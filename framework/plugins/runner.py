"""The life of one action: acquire what it needs, run it, cope with what goes wrong, give everything back.

    waiting → running ⇄ asking → succeeded | failed | cancelled
        ↑        ↓ ↑
        └─ lost, taken, better one back, paused ─ the run is cancelled, and called again when all is there

A run is always ended the same way: cancelled once, and awaited for at most `stop_timeout_s`. One that does
not end then is abandoned: that is said, its leases are given back, its clients refuse to do anything.

What was taken and cannot be had again pauses the plan, in words: others are busy there.
Pausing ends the run and gives the exclusive leases back; shared ones are kept. Resuming runs it again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from framework.clock import Clock, LoopClock
from framework.errors import (
    ActionOver,
    LeaseError,
    PilothouseError,
    PlanError,
    PluginUnavailable,
    ResourceUnavailable,
)
from framework.events import Event, EventKind
from framework.interlock import Permit
from framework.plugins.alternatives import RunnerPolicy
from framework.plugins.attempt import Attempt
from framework.plugins.begun import memory_of
from framework.plugins.claim import Claim
from framework.plugins.client import Client
from framework.plugins.events import Outcome, RunState
from framework.plugins.recovery import EXPECTED, OF_RESOURCES, FailureRecovery, error_of
from framework.plugins.service import Supervision, SupervisorService
from framework.plugins.signature import ActionSpec
from framework.plugins.uses_queue import UsesQueue
from framework.plugins.voice import Voice
from framework.plugins.withheld import Withheld, withheld
from framework.registrar import ResourceRegistrar
from framework.status import Priority


class ActionRunner:
    """Runs one action once.

    Args:
        spec: the action. parameters: plain data for its parameters.
        registrar: its needs are requested through this one.
        say: called with each event; what it raises is logged and harms nothing.
        who: the name under which this run is known to people; the action's name by default. What it holds
            is held in this name, or in that of who asked for it, if a parameter has that (`asked_by`).
        priority: with which its needs are requested; the action's own by default.
        supervisor: what `self.supervisor` of the action reaches, if anything.
        permit: in whose plan's name it asks (`framework.interlock`).
        on_change: called whenever `state` or `detail` have changed.

    Raises PluginUnavailable if the action cannot be used, PlanError if the parameters do not fit.
    """

    def __init__(
        self,
        spec: ActionSpec,
        parameters: Mapping[str, object] | None = None,
        *,
        registrar: ResourceRegistrar,
        say: Callable[[Event], None] | None = None,
        who: str = "",
        priority: Priority | None = None,
        supervisor: SupervisorService | None = None,
        permit: Permit | None = None,
        memory: Any = None,
        on_change: Callable[[], None] | None = None,
        policy: RunnerPolicy | None = None,
        clock: Clock | None = None,
    ) -> None:
        if spec.unavailable:
            raise PluginUnavailable(spec.name, spec.unavailable)
        self.spec = spec
        self.who = who or spec.name
        self.parameters = spec.values(parameters or {})
        self._registrar = registrar
        self._priority = spec.priority if priority is None else priority
        self._holder = spec.asked_by(self.parameters) or self.who
        self._service = supervisor
        self._policy = policy or RunnerPolicy()
        self._memory = memory_of(spec.memory_type, memory)
        self._voice = Voice(spec.name, self.who, say, on_change)
        self._signal = asyncio.Event()
        clock = clock or LoopClock()
        self.permit = replace(permit or Permit(), is_still=spec.retains)
        requests = spec.requests(self.parameters)
        self._not_needed = [name for name, alternatives in requests.items() if not alternatives]
        self._claim = Claim(
            {need: requests[need.name] for need in spec.needs if requests[need.name]},
            registrar,
            self._priority,
            self._policy,
            clock,
            who=self._holder,
            permit=self.permit,
            if_held=spec.if_held,
            told=self._voice.waits,
            wake=self._signal.set,
        )
        self._recovery = FailureRecovery(self._claim, self._voice, spec.on_preempt, self._policy, clock)
        self._cancelled_why: str | None = None
        self._lets_go_why = ""
        self.ends_by_word = False
        """Its operator has said that it ends: what it has interrupted may go on."""
        self._is_paused = False
        self._left_behind: tuple[str, ...] = ()
        self._question: asyncio.Future[str] | None = None
        self.uses = UsesQueue(self._voice)
        self._life: asyncio.Task[Outcome] | None = None

    def __repr__(self) -> str:
        return f"<ActionRunner {self.who}: {self.state}, {self.detail}>"

    # -- what others look at

    @property
    def state(self) -> RunState:
        """Where it is."""
        return self._voice.state

    @property
    def detail(self) -> str:
        """What it is doing, in words: "showing front_camera", "waiting for phone 1, first in the queue"."""
        return self._voice.detail

    @property
    def value(self) -> Any:
        """What it has given so far: of a continuous action when it is established, else at its end."""
        return self._voice.value

    @property
    def memory(self) -> Any:
        """What the action remembers of its runs; None if nothing."""
        return self._memory

    @property
    def fraction(self) -> float:
        """How much is done, 0 to 1; -1 where it is not known."""
        return self._voice.fraction

    @property
    def holds_alone(self) -> bool:
        """Whether it has anything for itself alone."""
        return bool(self._claim.held_alone)

    def withholds(self, wanted: Sequence[Any]) -> Withheld:
        """Which of these requests would wait for what it holds for itself alone just now."""
        return withheld(
            wanted,
            self._claim.held_alone,
            self.spec.kept(self._claim.handles),
            in_hand=self._priority > Priority.AUTONOMY,
            instead=self.spec.type.instead,
        )

    # -- what others call

    async def run(self) -> Outcome:
        """Run it to its end; never raises for the action's own errors. Cancelling this cancels the action."""
        if self._life is not None:
            raise PlanError(f"{self.who} has been run already: make another ActionRunner to run it again")
        self._life = asyncio.create_task(self._live(), name=f"runner of {self.who}")
        try:
            return await asyncio.shield(self._life)
        except asyncio.CancelledError:
            self.cancel("its caller was cancelled")
            while not self._life.done():
                try:
                    await asyncio.wait({self._life})
                except asyncio.CancelledError:
                    continue  # it ends within its bounds, whatever happens
            raise

    def cancel(self, why: str = "stopped", *, by_word: bool = False) -> None:
        """End it. Idempotent; the first reason counts. by_word: the operator whose it is has said so."""
        if self._cancelled_why is None and not self.state.is_over:
            self._cancelled_why, self.ends_by_word = why, by_word
            self._claim.lets_go(self._lets_go_why, by_word=by_word)
            self._signal.set()

    def pause(self) -> None:
        """End the present run and give back what others might wait for, until resumed. Idempotent."""
        if not self.state.is_over:
            self._is_paused = True
            self._signal.set()

    def resume(self) -> None:
        """Run again after a pause. Idempotent."""
        self._is_paused = False
        self._signal.set()

    def answer(self, text: str) -> None:
        """Answer the action's question; "carry on" lets it go on. Nothing happens if it asks none."""
        if self._question is not None and not self._question.done():
            self._question.set_result(text)

    # -- what the action calls, through its attempt

    @property
    def supervision(self) -> Supervision:
        """The supervisor, as the action sees it."""
        if self._service is None:
            raise PilothouseError(f"{self.who} runs without a supervisor, so it can ask nothing of one")
        return Supervision(self._service, self.who)

    def lets_go(self, why: str) -> None:
        """The action says why it is about to give back what an operator's hand has."""
        self._lets_go_why = why
        self._claim.lets_go(why, by_word=self.ends_by_word)

    async def ask(self, question: str) -> str:
        """The action asks the operator."""
        voice = self._voice
        before = voice.state, voice.detail
        self._question = asyncio.get_running_loop().create_future()
        voice.enter(RunState.ASKING, question)
        voice.say(EventKind.ASKED, question)
        try:
            answer = await self._question
        finally:
            self._question = None
        voice.enter(*before)
        voice.say(EventKind.DOING, f"{self.who} goes on: {answer}")
        return answer

    # -- its life

    async def _live(self) -> Outcome:
        outcome = Outcome(RunState.CANCELLED, None, f"{self.who} was cancelled")
        voice = self._voice
        voice.say(EventKind.STARTED, f"starting: {self.who}")
        try:
            outcome = await self._perform()
        except Exception as error:  # a client's or a request's own code: the action fails, nobody else
            outcome = self._recovery.raised(error)
        finally:
            if outcome.state is RunState.FAILED and not self._lets_go_why:
                self.lets_go(f'"{self.who}" has not worked')
            await self._claim.give_back()
            outcome = replace(outcome, left_behind=self._left_behind)
            voice.value = outcome.value if outcome.value is not None else voice.value
            voice.enter(outcome.state, outcome.words)
            voice.say(_ENDS[outcome.state], outcome.words)
        return outcome

    async def _perform(self) -> Outcome:
        outcome: Outcome | None = None
        while outcome is None:
            if self._cancelled_why is not None:
                return Outcome(RunState.CANCELLED, None, f"{self.who} was stopped: {self._cancelled_why}")
            if self._is_paused:
                await self._rest()
            elif self._claim.lost:
                outcome = await self._recovery.lost()
            elif self._claim.has_better:
                await self._recovery.better_is_back()
            else:
                outcome = await self._acquire_and_run()
        return outcome

    async def _rest(self) -> None:
        """Paused: hold nothing that somebody else could wait for."""
        await self._claim.give_back(exclusive_only=True)
        if self.state is not RunState.PAUSED:
            self._voice.enter(RunState.PAUSED, "paused")
            because = f": {self._recovery.lost_why}" if self._recovery.lost_why else ""
            self._voice.say(EventKind.WAITING, f"{self.who} is paused{because}")
        await self._news()

    async def _acquire_and_run(self) -> Outcome | None:
        if self._claim.is_incomplete:
            why = self._recovery.waits_for or self._recovery.why_again
            self._voice.waits(why or "getting what it needs")
        try:
            if await self._unless_called_off(self._claim.acquire()):
                return await self._run_once()
        except ResourceUnavailable as error:
            may_go_on = self._claim.waits_for_word_or_others  # by itself, with what comes back
            if not may_go_on and self._waits_for_word(error):
                return None
            if not (may_go_on or self._recovery.is_worth_waiting):
                return self._recovery.nothing_left(error)
            await self._unless_called_off(self._recovery.wait())
        return None

    def _waits_for_word(self, error: ResourceUnavailable) -> bool:
        """Whether its plan is paused until an operator says so, rather than that it fails."""
        was_interrupted = bool(self._recovery.taken_by)
        return self._service is not None and self._service.wait_for_word(
            error.why, asked_by=self.who, was_interrupted=was_interrupted
        )

    async def _run_once(self) -> Outcome | None:
        """Call `run` once. None: it is to be run again, after whatever has changed."""
        clients = {name: Client(name, None) for name in self._not_needed}
        clients |= {binding.need.name: binding.new_client() for binding in self._claim.bindings}
        attempt = Attempt(
            self.spec,
            self.parameters,
            self._memory,
            clients,
            self._registrar,
            self._priority,
            self,
            self._voice,
            who=self._holder,
        )
        body = attempt.start(self._signal.set)
        improving = asyncio.create_task(self._claim.improve(), name=f"improving {self.who}")
        self._voice.enter(RunState.RUNNING, f"{self.spec.name} runs")
        self._recovery.starts()
        try:
            while self._goes_on(attempt) and not body.done():
                await self._news()
            if self._goes_on(attempt) and self.spec.continuous and error_of(body) is None:
                self._voice.established(self.detail if self.state is RunState.READY else "", body.result())
                while self._goes_on(attempt):
                    await self._news()
            ended_itself = body.done()
            if not await attempt.stop(self._policy.stop_timeout_s, self._why_it_ends):
                return self._recovery.abandoned(self._cancelled_why)
            if (held := attempt.held_loop()) is not None and self._cancelled_why is None:
                return self._recovery.raised(held)
            return await self._after(attempt, body, ended_itself)
        except asyncio.CancelledError:
            body.cancel()  # this task itself is cancelled, as at the end of a loop
            raise
        finally:
            try:
                await _ended(improving)
            finally:
                await attempt.clear_up()
                self._left_behind += attempt.left_behind

    async def _after(self, attempt: Attempt, body: asyncio.Task[Any], ended_itself: bool) -> Outcome | None:
        """The run is over: what comes next."""
        error = error_of(body)
        has_result = error is None and not self.spec.continuous
        if ended_itself and isinstance(error, OF_RESOURCES):
            await attempt.clear_up()
            await self._recovery.settle(self._signal)
        if not ended_itself and error is not None and not isinstance(error, EXPECTED):
            self._recovery.clean_up_raised(error)
        if self._cancelled_why is not None:
            return None
        if ended_itself and isinstance(error, ActionOver):
            return Outcome(RunState.SUCCEEDED, None, str(error))
        if self._claim.lost and not (ended_itself and has_result):
            # Also of a body that swallowed its cancellation and returned as if nothing had happened.
            return await self._recovery.lost()
        if has_result:
            self.ends_by_word = True  # what was asked for is done
            self._claim.lets_go("", by_word=True)
            return Outcome(RunState.SUCCEEDED, body.result(), f"done: {self.who}")
        if not ended_itself or error is None:
            return None  # paused, or something better is there
        if self._claim.has_better and isinstance(error, LeaseError):
            return None  # it was surprised by the exchange
        if isinstance(error, ResourceUnavailable) and self._waits_for_word(error):
            return None
        if isinstance(error, OF_RESOURCES):
            return await self._recovery.use_failed(error)
        return self._recovery.raised(error)

    # -- waiting

    @property
    def _must_stop(self) -> bool:
        called_off = self._cancelled_why is not None or self._is_paused
        return called_off or bool(self._claim.lost) or self._claim.has_better

    def _goes_on(self, attempt: Attempt) -> bool:
        return not self._must_stop and attempt.held_loop() is None

    @property
    def _why_it_ends(self) -> str:
        """In words, for the action itself."""
        if self._cancelled_why is not None:
            return self._cancelled_why
        lost = [binding.lost.message for binding in self._claim.lost if binding.lost is not None]
        return lost[0] if lost else "it pauses" if self._is_paused else "something better is there"

    async def _news(self) -> None:
        await self._signal.wait()
        self._signal.clear()

    async def _unless_called_off(self, work: Coroutine[Any, Any, None]) -> bool:
        """Do it, unless it is cancelled or paused meanwhile; whether it was done. Raises what it raises."""
        task = asyncio.create_task(work, name=f"needs of {self.who}")
        task.add_done_callback(lambda _: self._signal.set())
        try:
            while not task.done() and self._cancelled_why is None and not self._is_paused:
                await self._news()
        finally:
            await _ended(task)
        if task.cancelled() or self._cancelled_why is not None or self._is_paused:
            return False
        task.result()
        return True


_ENDS = {
    RunState.SUCCEEDED: EventKind.ENDED,
    RunState.FAILED: EventKind.FAILED,
    RunState.CANCELLED: EventKind.CANCELLED,
}


async def _ended(task: asyncio.Task[Any]) -> None:
    """Cancel it and wait until it has ended."""
    task.cancel()
    while not task.done():
        await asyncio.wait({task})
