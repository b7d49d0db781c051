"""What a running action may ask of the supervisor. Deliberately little: the rest goes through requests."""

from __future__ import annotations

from typing import Protocol


class SupervisorService(Protocol):
    """The supervisor, as actions see it. Whoever starts a runner may hand one in."""

    def stop(self, what: str, *, asked_by: str) -> tuple[str, ...]:
        """Stop the running actions or plans that `what` names ("" names all), but never `asked_by`.

        Returns the names of what is being stopped; does not wait for it.
        Raises PlanError, naming what runs, if `what` names nothing that does.
        """
        ...


class Supervision:
    """`self.supervisor` of one action: the service, with the action's own name filled in."""

    def __init__(self, service: SupervisorService, who: str) -> None:
        self._service = service
        self._who = who

    def stop(self, what: str = "") -> tuple[str, ...]:
        """As `SupervisorService.stop`; the action that asks goes on."""
        return self._service.stop(what, asked_by=self._who)
