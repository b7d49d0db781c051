"""The real runners: actions of the plugin catalogue, requesting through one registrar."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from framework.clock import Clock
from framework.errors import PilothouseError, PluginUnavailable
from framework.interlock import Permit
from framework.plan.ast import Do, Reference
from framework.plugins.alternatives import RunnerPolicy
from framework.plugins.catalogue import ActionCatalogue
from framework.plugins.need import in_words
from framework.plugins.runner import ActionRunner
from framework.plugins.service import SupervisorService
from framework.plugins.signature import ActionSpec
from framework.registrar import ResourceRegistrar
from framework.tree.runner import Runner, Say


class CatalogueSignatures:
    """The catalogue as plans see it (`framework.plan.Signatures`)."""

    def __init__(self, catalogue: ActionCatalogue) -> None:
        self._catalogue = catalogue

    def find(self, name: str) -> ActionSpec | None:
        """The action of this name, also if it is unavailable."""
        if name in self._catalogue:
            return self._catalogue[name]
        return next((spec for spec in self._catalogue.unavailable if spec.name == name), None)

    def names(self) -> tuple[str, ...]:
        """Of all that are available."""
        return tuple(spec.name for spec in self._catalogue.available)


class ActionRunners(CatalogueSignatures):
    """Makes an ActionRunner for each action (`framework.tree.RunnerFactory`)."""

    def __init__(
        self,
        catalogue: ActionCatalogue,
        registrar: ResourceRegistrar,
        *,
        policy: RunnerPolicy | None = None,
        clock: Clock | None = None,
    ) -> None:
        super().__init__(catalogue)
        self._registrar = registrar
        self._policy = policy
        self._clock = clock
        self._service: SupervisorService | None = None

    def serve(self, service: SupervisorService) -> None:
        """Actions that are started from now on reach the supervisor through this."""
        self._service = service

    def runner(
        self,
        do: Do,
        parameters: Mapping[str, Any],
        *,
        say: Say,
        changed: Callable[[], None],
        who: str,
        permit: Permit,
        memory: Any = None,
    ) -> Runner:
        """A fresh runner. Raises PluginUnavailable or PlanError."""
        return ActionRunner(
            self._catalogue[do.action],
            parameters,
            registrar=self._registrar,
            say=say,
            who=who,
            permit=permit,
            memory=memory,
            supervisor=self._service,
            on_change=changed,
            policy=self._policy,
            clock=self._clock,
        )

    def collide(self, one: Do, other: Do) -> str:
        """What both need for themselves alone, and neither has an alternative to."""
        for mine in self.needed_alone(one):
            for theirs in self.needed_alone(other):
                if mine == theirs:
                    return in_words(mine)
        return ""

    def is_continuous(self, do: Do) -> bool:
        """Whether it stays after it is established."""
        return do.action in self._catalogue and self._catalogue[do.action].continuous

    def needed_alone(self, do: Do) -> Sequence[Any]:
        """Exclusive needs with a single alternative: those with more have another way out."""
        if any(isinstance(value, Reference) for value in do.parameters.values()):
            return []  # not known before it starts
        try:
            spec = self._catalogue[do.action]
            values = spec.values(do.parameters)
            requests = [need.requests(values) for need in spec.needs if need.exclusive]
        except (PluginUnavailable, PilothouseError):
            return []
        return [alternatives[0] for alternatives in requests if len(alternatives) == 1]
