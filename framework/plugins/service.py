"""What a running action may ask of the supervisor. Deliberately little: the rest goes through requests."""

from __future__ import annotations

from typing import Protocol

import msgspec


class Help(msgspec.Struct, frozen=True):
    """One thing that can be asked for. does: what it does, in a sentence; say: real examples."""

    action: str
    does: str
    say: tuple[str, ...]


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

    def hold_back(
        self, why: str, *, asked_by: str, if_interrupted: bool = False, own_only: bool = False
    ) -> tuple[str, ...]:
        """Pause every plan that moves something or is yet to, until an operator says to carry on.

        For an action that ends otherwise than it should, before what it has interrupted goes on by itself.
        Nothing is paused if an operator has ended or paused `asked_by`, nor what another person keeps.
        why: is said with each plan. if_interrupted: only if any of them waits for what was taken from it.
        own_only: only the plan of `asked_by`, if that moves something besides.
        Returns the words of the plans that were paused.
        """
        ...

    def pause(self, why: str, *, asked_by: str) -> bool:
        """Pause the plan of the action that asks, as that cannot go on now; whether it is paused.

        why: is said, with how it is gone on with.
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

    def hold_back(self, why: str, *, if_interrupted: bool = False, own_only: bool = False) -> tuple[str, ...]:
        """As `SupervisorService.hold_back`; the action that asks is not paused unless its plan moves more."""
        return self._service.hold_back(
            why, asked_by=self._who, if_interrupted=if_interrupted, own_only=own_only
        )

    async def repeat(self, times: int = 1) -> str:
        """As `SupervisorService.repeat`."""
        return await self._service.repeat(times, asked_by=self._who)

    async def abilities(self, topic: str = "") -> tuple[Help, ...]:
        """As `SupervisorService.abilities`."""
        return await self._service.abilities(topic)
