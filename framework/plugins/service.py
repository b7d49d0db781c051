"""What a running action may ask of the supervisor. Deliberately little: the rest goes through requests."""

from __future__ import annotations

from typing import Protocol

import msgspec


class Help(msgspec.Struct, frozen=True):
    """One thing that can be asked for. does: what it does, in a sentence; say: real examples."""

    action: str
    does: str
    say: tuple[str, ...]


class Whether(msgspec.Struct, frozen=True):
    """Whether something is so. is_so: None if that cannot be told; why: why not, may be empty."""

    is_so: bool | None
    why: str = ""


class SupervisorService(Protocol):
    """The supervisor, as actions see it. Whoever starts a runner may hand one in."""

    def stop(self, what: str, *, asked_by: str) -> tuple[str, ...]:
        """Stop the running actions or plans that `what` names ("" names all), but never `asked_by`.

        Returns the names of what is being stopped; does not wait for it.
        Raises PlanError, naming what runs, if `what` names nothing that does.
        """
        ...

    def operator(self, *, asked_by: str) -> str:
        """Who wanted the plan of the action that asks; "" if nobody in particular."""
        ...

    def wait_for_word(self, why: str, *, asked_by: str, was_interrupted: bool) -> bool:
        """Pause the plan of the action that asks if it lacks an operator's word; whether it is paused.

        It lacks one if the motion interlock has refused it something for that (`framework.interlock`), or if
        somebody has taken what it needs and that cannot be had again: others are busy there.
        why: is said, with how it is gone on with, if the interlock knows no other reason.
        """
        ...

    async def repeat(self, times: int, *, asked_by: str) -> str:
        """Do the operator's last instruction again (not counting repetitions), so many times; its words.

        Returns when it is done or established. Raises PlanError if there is none, or it did not succeed.
        """
        ...

    async def abilities(self, topic: str) -> tuple[Help, ...]:
        """What can be asked for now; with a topic, only what has to do with it."""
        ...

    def account(self, about: str, of: str, *, asked_by: str) -> str:
        """What goes on and has happened, in plain words (`framework.supervisor.account` has what about).

        of: the words for what it is asked of; "" for everything.
        """
        ...

    async def whether(self, clause: str) -> Whether:
        """Whether what a clause says is so now ("the door is open"), as an "if" would find it."""
        ...


class Supervision:
    """`self.supervisor` of one action: the service, with the action's own name filled in."""

    def __init__(self, service: SupervisorService, who: str) -> None:
        self._service = service
        self._who = who

    def stop(self, what: str = "") -> tuple[str, ...]:
        """As `SupervisorService.stop`; the action that asks goes on."""
        return self._service.stop(what, asked_by=self._who)

    def operator(self) -> str:
        """As `SupervisorService.operator`."""
        return self._service.operator(asked_by=self._who)

    async def repeat(self, times: int = 1) -> str:
        """As `SupervisorService.repeat`."""
        return await self._service.repeat(times, asked_by=self._who)

    async def abilities(self, topic: str = "") -> tuple[Help, ...]:
        """As `SupervisorService.abilities`."""
        return await self._service.abilities(topic)

    def account(self, about: str, of: str = "") -> str:
        """As `SupervisorService.account`."""
        return self._service.account(about, of, asked_by=self._who)

    async def whether(self, clause: str) -> Whether:
        """As `SupervisorService.whether`."""
        return await self._service.whether(clause)
