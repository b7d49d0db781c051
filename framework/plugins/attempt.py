"""One run of an action: its object, its task, what it uses meanwhile. Needs are held in `claim.py`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Protocol

from framework.errors import LoopHeld, PilothouseError
from framework.events import EventKind, Subject
from framework.interlock import Permit
from framework.phrasing import the
from framework.plugins.action import Action
from framework.plugins.client import Client, client_for
from framework.plugins.left_behind import Scope, watched
from framework.plugins.need import in_words
from framework.plugins.service import Supervision
from framework.plugins.signature import ActionSpec
from framework.plugins.uses_queue import UsesQueue
from framework.plugins.voice import Voice
from framework.registrar import Lease, ResourceRegistrar
from framework.status import Priority, ReasonKind, Severity, Status

log = logging.getLogger("pilothouse.actions")

#: Bodies that were given up; kept so that nobody collects a task that is still pending.
_abandoned: set[asyncio.Task[Any]] = set()


#: The run of an action in whose name the present code runs; it follows the tasks that the action makes.
running: ContextVar[Attempt | None] = ContextVar("the run of an action", default=None)


class Desk(Protocol):
    """The runner, as one run of its action sees it."""

    async def ask(self, question: str) -> str: ...

    @property
    def uses(self) -> UsesQueue: ...

    @property
    def supervision(self) -> Supervision: ...

    @property
    def permit(self) -> Permit: ...

    @property
    def ends_by_word(self) -> bool: ...

    @property
    def holds_alone(self) -> bool: ...

    def lets_go(self, why: str) -> None: ...


class Attempt:
    """One run; it is the stage that the action's methods stand on."""

    def __init__(
        self,
        spec: ActionSpec,
        values: Mapping[str, Any],
        memory: Any,
        clients: dict[str, Client],
        registrar: ResourceRegistrar,
        priority: Priority,
        desk: Desk,
        voice: Voice,
        *,
        who: str,
    ) -> None:
        self._who = who
        self._voice = voice
        self._spec = spec
        self._values = values
        self._memory = memory
        self._clients = clients
        self._registrar = registrar
        self._priority = priority
        self._desk = desk
        self._uses: list[Use] = []
        self._is_over = False
        self._done: Callable[[], None] = lambda: None
        self.task: asyncio.Task[Any] | None = None
        self._held_loop: LoopHeld | None = None
        self.scope: Scope | None = None
        self.left_behind: tuple[str, ...] = ()

    def start(self, done: Callable[[], None]) -> asyncio.Task[Any]:
        """Call `run` in a task of its own; `done` is called when it has ended."""
        self._done = done
        self.task = asyncio.create_task(self._body(), name=f"action {self._spec.name}")
        self.task.add_done_callback(lambda _: done())
        return self.task

    def fail(self, error: LoopHeld) -> None:
        """It has failed, whatever it is doing."""
        if not self._is_over:
            self._held_loop = error
            self._done()

    def held_loop(self) -> LoopHeld | None:
        """That its own code has held the main loop, if it has: by that it has failed."""
        return self._held_loop

    async def stop(self, timeout_s: float, why: str) -> bool:
        """Cancel it, once: a second cancellation would end its clean-up. False: it does not end.

        why: the words of its CancelledError, for what it says to others before it leaves.
        """
        assert self.task is not None
        if not self.task.done():
            self.task.cancel(why)
            await asyncio.wait({self.task}, timeout=timeout_s)
        return self.task.done()

    async def clear_up(self) -> None:
        """Whatever it forgot to give back is given back; its clients are of no use any more."""
        self._is_over = True
        for client in self._clients.values():
            client.end()
        self.left_behind = () if self.scope is None else self.scope.left
        for use in reversed(self._uses):
            await use.give_back()
        self._uses.clear()
        if self.task is not None and not self.task.done():
            _abandoned.add(self.task)
            self.task.add_done_callback(_forget)

    # -- what the action calls

    @property
    def supervision(self) -> Supervision:
        return self._desk.supervision

    def say(self, text: str, subject: Subject, data: Mapping[str, str | int | float | bool]) -> None:
        if not self._is_over:
            self._voice.say(EventKind.DOING, text, subject, data)

    def tell(self, text: str, subject: Subject) -> None:
        if not self._is_over:
            self._voice.say(EventKind.ANSWERED, text, subject)

    def progress(self, fraction: float, text: str) -> None:
        if not self._is_over:
            self._voice.progress(fraction, text)

    def established(
        self, text: str, value: object, subject: Subject, data: Mapping[str, str | int | float | bool]
    ) -> None:
        if not self._spec.continuous:
            raise PilothouseError(
                f"{self._spec.name} is not continuous: say `continuous = True` in its class, or return"
            )
        if not self._is_over:
            self._voice.established(text, value, subject, data)

    def lets_go(self, why: str) -> None:
        self._desk.lets_go(why)

    async def ask(self, question: str) -> str:
        self._refuse_if_over()
        return await self._desk.ask(question)

    def use(self, request: Any, exclusive: bool, wait: bool) -> AbstractAsyncContextManager[Any]:
        self._refuse_if_over()
        use = Use(request, self._desk, self._voice)
        use.lend(
            self._registrar.request(
                request,
                exclusive=exclusive,
                priority=self._priority,
                wait=wait or self._desk.uses.was_taken(request),
                on_status=use.told,
                who=self._who,
                permit=self._desk.permit,
            )
        )
        self._uses.append(use)
        return use

    # -- inside

    async def _body(self) -> Any:
        running.set(self)
        action: Action = self._spec.type()
        action._stage = self
        action._clients = self._clients
        action.memory = self._memory
        for name, value in self._values.items():
            setattr(action, name, value)
        try:
            async with watched(self._spec.name, self._spec.type.__module__) as scope:
                self.scope = scope
                return await action.run()
        except SystemExit as error:
            # Let out of a task, it would end the whole process.
            raise PilothouseError(
                f"it called sys.exit({error.code!r}); an action ends by returning"
            ) from error

    def _refuse_if_over(self) -> None:
        if self._is_over:
            raise PilothouseError(f"this run of {self._spec.name} is over; it can ask for nothing any more")


class Use:
    """A request made while running. The body enters and leaves it; the runner can take it back."""

    def __init__(self, request: Any, desk: Desk, voice: Voice) -> None:
        self._request = request
        self._voice = voice
        self._desk = desk
        self._inner: AbstractAsyncContextManager[Lease] | None = None
        self._client: Client | None = None
        self._lease: Lease | None = None

    def lend(self, inner: AbstractAsyncContextManager[Lease]) -> None:
        """What stands behind it."""
        self._inner = inner

    def told(self, status: Status) -> None:
        """Something is said about it."""
        if status.severity is Severity.UPDATE and self._client is not None:
            self._client.tell_change()
        elif status.reason.kind is ReasonKind.QUEUED and self._client is None:
            words = f"{status.message} for {the(in_words(self._request))}"
            self._desk.uses.waits(self._request, words)
            self._voice.say(EventKind.DOING, words)
        if status.preempted_by:
            self._desk.uses.taken(self._request)

    async def give_back(self) -> None:
        """From outside: the body is over, or given up."""
        inner, self._inner = self._inner, None
        if inner is not None and self._client is not None:
            self._client.end()
            self._lets_go(is_done=False)
            try:
                await inner.__aexit__(None, None, None)
            except PilothouseError:
                log.debug("%r had failed when it was given back", self._request)

    async def __aenter__(self) -> Client:
        if self._inner is None or self._client is not None:
            raise PilothouseError(
                f"self.use({self._request!r}) is entered once; call it again to use it again"
            )
        if self._desk.uses.was_taken(self._request):
            self._desk.uses.waits(self._request, f"{in_words(self._request)}: getting it again")
        try:
            lease = await self._inner.__aenter__()
        finally:
            self._desk.uses.waits_no_more(self._request)
        self._lease = lease
        self._client = client_for(type(self._request).__name__.lower(), self._request, lease)
        return self._client

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        inner, self._inner = self._inner, None
        if inner is None or self._client is None:
            return None
        self._client.end()
        self._lets_go(is_done=error is None)
        return await inner.__aexit__(kind, error, trace)

    def _lets_go(self, *, is_done: bool) -> None:
        """Whether a hand loses something is decided by what its action needs, if that is held alone."""
        if self._lease is not None:
            by_word = is_done or self._desk.holds_alone or self._desk.ends_by_word
            self._lease.lets_go(by_word=by_word)


def _forget(task: asyncio.Task[Any]) -> None:
    _abandoned.discard(task)
    if not task.cancelled() and task.exception() is not None:
        log.warning("an abandoned action ended late with %r", task.exception())
