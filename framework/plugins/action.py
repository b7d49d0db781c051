"""The base class of all actions: what an author writes, and what `run` may call. `runner.py` runs it.

    class LookAt(ph.Action):
        \"""Keep an object in view.\"""

        thing: str
        distance_m: float = ph.param(default=0.30, ge=0.10, le=0.80)

        camera = ph.needs(ph.Camera(kind="rgbd"), ph.Camera(kind="rgb"))

        async def run(self) -> str:
            ...
            return self.thing

`run` is called when everything needed is there, and cancelled (`asyncio.CancelledError`) when it is to
stop: because somebody says so, because a resource failed or was taken, or because a better one is back.
In all but the first case it is called again, on a fresh object; what has to survive is in `self.memory`.
The error's text says why (`except asyncio.CancelledError as error: str(error)`).
Clean up in `finally`, quickly: an action that does not end within its bound is abandoned.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from enum import StrEnum
from typing import Any, ClassVar, Protocol

from framework.errors import PilothouseError
from framework.events import Subject
from framework.plugins.client import Client
from framework.plugins.service import Supervision
from framework.status import Priority


class Risk(StrEnum):
    """What an action could do to people and things. The supervisor confirms by it; no proposer can set it."""

    NONE = "none"
    MOVES = "moves"
    DANGEROUS = "dangerous"


class OnPreempt(StrEnum):
    """What becomes of an action whose resource somebody with more right took."""

    RESUME = "resume"
    GIVE_UP = "give_up"


class Stage(Protocol):
    """What one run of an action stands on; the runner's side of the methods below."""

    @property
    def supervision(self) -> Supervision: ...

    def say(self, text: str, subject: Subject, data: Mapping[str, str | int | float | bool]) -> None: ...
    def tell(self, text: str, subject: Subject) -> None: ...
    def progress(self, fraction: float, text: str) -> None: ...
    def established(
        self, text: str, value: object, subject: Subject, data: Mapping[str, str | int | float | bool]
    ) -> None: ...
    async def ask(self, question: str) -> str: ...
    def lets_go(self, why: str) -> None: ...
    def use(self, request: Any, exclusive: bool, wait: bool) -> AbstractAsyncContextManager[Any]: ...


class Action:
    """Base class of all actions. Annotated attributes are parameters, `needs(...)` are needs.

    Attributes:
        continuous: it goes on after it is established, keeping its resources, until stopped.
        on_preempt: "resume" queues for what was taken and runs again; if that cannot be had again, its plan
            is paused and says so. "give_up" ends the action.
        risk: what it could do.
        retains: it keeps what it needs until its operator ends it. What the same operator asks for meanwhile
            and needs the same is refused, and not done when nobody thinks of it any more.
        instead: what its operator does instead of asking for what it `keeps` besides its needs.
        priority: with which it asks for what it needs; a person's own hand comes before what runs by itself.
        if_held: it does not queue for what somebody else with as much right has: it is refused, and these
            words say how to get it. Empty: it queues.
        while_stopped: it is done also under an emergency stop, as it moves nothing and starts nothing that
            goes on: answers, and what ends something.
        only_answers: it only reads what is known and answers at once. Screens show the question and what it
            tells; that it began, and with what, stands among the asides of the log.
        repeats: it does again what its operator has asked for before; where that is nothing, it is refused.
        is_said: people ask for it in words; if not, it is a step of plan files and has no `phrases.yaml`.
        memory: annotate it with a struct whose fields all have defaults; it survives from run to run.
    """

    continuous: ClassVar[bool] = False
    on_preempt: ClassVar[OnPreempt | str] = OnPreempt.RESUME
    risk: ClassVar[Risk | str] = Risk.NONE
    is_said: ClassVar[bool] = True
    while_stopped: ClassVar[bool] = False
    only_answers: ClassVar[bool] = False
    repeats: ClassVar[bool] = False
    retains: ClassVar[bool] = False
    priority: ClassVar[Priority] = Priority.AUTONOMY
    if_held: ClassVar[str] = ""
    instead: ClassVar[str] = ""
    memory: Any = None

    _clients: dict[str, Client]
    _stage: Stage | None = None

    @classmethod
    def keeps(cls, has: Any) -> tuple[Any, ...]:
        """Requests that would wait for what it uses for itself alone while it runs, besides its needs.

        Of an action that `retains`: its operator is refused them, with `instead`.
        has: the handles of what it holds, by the names of its needs; None where that is nothing.
        """
        return ()

    async def run(self) -> Any:
        """Do it. What it returns is the action's value, and what "it" refers to next."""
        raise NotImplementedError(f"{type(self).__name__} has no `run`")

    def say(
        self,
        text: str,
        *,
        subject: Subject = Subject.NONE,
        data: Mapping[str, str | int | float | bool] | None = None,
    ) -> None:
        """Say what is going on, in a sentence: one line among others.

        subject, data: the same for programs.
        """
        self._on_stage.say(text, subject, data or {})

    def tell(self, text: str, *, subject: Subject = Subject.NONE) -> None:
        """Answer the operator: what they asked for is this text, which may have several lines."""
        self._on_stage.tell(text, subject)

    def progress(self, fraction: float, text: str = "") -> None:
        """Say how much is done (0 to 1; outside of that it is clipped) and, in words, what is being done."""
        self._on_stage.progress(fraction, text)

    def established(
        self,
        text: str = "",
        value: object = None,
        *,
        subject: Subject = Subject.NONE,
        data: Mapping[str, str | int | float | bool] | None = None,
    ) -> None:
        """A continuous action works now; `text` says what it does ("showing front_camera").

        subject, data: the same for programs.
        """
        self._on_stage.established(text, value, subject, data or {})

    async def stay(self, text: str = "", value: object = None) -> None:
        """Be established and stay so until stopped."""
        self.established(text, value)
        await asyncio.Event().wait()

    async def ask(self, question: str) -> str:
        """Ask the operator and wait; returns the answer, "carry on" if it was just that.

        If the operator takes what this action holds meanwhile, `run` is cancelled like with any preemption.
        """
        return await self._on_stage.ask(question)

    def lets_go(self, why: str) -> None:
        """Say why it is about to end what an operator's hand has: told with what waits for a word then."""
        self._on_stage.lets_go(why)

    def use(
        self, request: Any, *, exclusive: bool = False, wait: bool = False
    ) -> AbstractAsyncContextManager[Any]:
        """Request something while running: `async with self.use(ph.View(...)) as view:` gives a client.

        Raises as `ResourceRegistrar.request` does. A failure that `run` lets pass counts against the
        alternatives that it ran with: the next ones are tried.
        """
        return self._on_stage.use(request, exclusive, wait)

    @property
    def supervisor(self) -> Supervision:
        """What may be asked of the supervisor; raises PilothouseError where none runs."""
        return self._on_stage.supervision

    @property
    def _on_stage(self) -> Stage:
        if self._stage is None:
            raise PilothouseError(
                f"{type(self).__name__} is not running: start it with an ActionRunner, and call this in `run`"
            )
        return self._stage
