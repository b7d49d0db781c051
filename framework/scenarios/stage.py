"""What a scenario needs of an installation, real or scripted. The scenarios know no manager, only this.

All times are seconds on the stage's own clock (`now_s`); stamps of samples count on it too.
`SupervisedStage` has the half that every stage with a supervisor shares.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from framework.errors import ResourceUnavailable
from framework.events import EventBus
from framework.registrar import ResourceView
from framework.scenarios.scenario import How
from framework.supervisor.plans import PlanView
from framework.supervisor.reply import Reply
from framework.supervisor.supervisor import Supervisor


class StageDevice(msgspec.Struct, frozen=True):
    """A device as it is now; `state` in the words of whoever manages it."""

    name: str
    state: str
    detail: str = ""


class StageView(msgspec.Struct, frozen=True):
    """Something that is shown now.

    sequence, stamp_s: of the newest sample that the page can draw; 0 and -inf before the first one.
    stamp_s is when it was taken, not when it was drawn.
    """

    id: str
    device: str
    sequence: int
    stamp_s: float


class StageProcess(msgspec.Struct, frozen=True):
    """A child process that runs."""

    name: str
    pid: int


class StageResource(msgspec.Struct, frozen=True):
    """A resource that is up. `name` is registrar/request, as people write it."""

    name: str
    state: str
    detail: str = ""


class Stage(Protocol):
    """An installation that a scenario runs on. Nothing here waits.

    What does something returns what was done, in words, and raises PilothouseError if it cannot be done.
    """

    @property
    def events(self) -> EventBus: ...

    @property
    def is_stopped(self) -> bool:
        """Whether the emergency stop is set."""
        ...

    def now_s(self) -> float: ...

    def say(self, text: str, who: str = "") -> Reply: ...

    def fail(self, device: str, how: How) -> str: ...

    def restore(self, device: str) -> str: ...

    def kill(self, process: str) -> str: ...

    def stop_process(self, process: str) -> str: ...

    def continue_process(self, process: str) -> str: ...

    def emergency_stop(self, reason: str) -> str: ...

    def reset(self) -> str: ...

    def take(self, device: str) -> str:
        """With an operator's right; the device is held soon, until `give_back`."""
        ...

    def give_back(self, device: str) -> str: ...

    def play(self, sentence: str) -> str:
        """Have a scripted person do something."""
        ...

    def plans(self) -> tuple[PlanView, ...]:
        """All that are remembered, running or ended, the oldest first."""
        ...

    def devices(self) -> tuple[StageDevice, ...]: ...

    def views(self) -> tuple[StageView, ...]: ...

    def processes(self) -> tuple[StageProcess, ...]: ...

    def resources(self) -> tuple[StageResource, ...]: ...

    def leaked(self) -> tuple[str, ...]:
        """What is up although nothing runs, in words, apart from what is kept for good."""
        ...


class SupervisedStage:
    """The half of a stage that only needs its supervisor; the rest is the subclass's.

    who: the operator in whose name everything is said.
    """

    def __init__(self, supervisor: Supervisor, *, who: str = "scenario") -> None:
        self._supervisor = supervisor
        self._who = who

    @property
    def events(self) -> EventBus:
        """Everything that is said."""
        return self._supervisor.events

    def say(self, text: str, who: str = "") -> Reply:
        """Give an instruction."""
        return self._supervisor.say(text, who=who or self._who)

    def emergency_stop(self, reason: str) -> str:
        """Set it."""
        self._supervisor.emergency_stop(reason, self._who)
        return "the emergency stop was set"

    def reset(self) -> str:
        """Take it back."""
        done = self._supervisor.reset_emergency(self._who).succeeded
        return "the emergency stop was taken back" if done else "there was no emergency stop to take back"

    def take(self, device: str) -> str:
        """Only who has something that moves can do that."""
        raise ResourceUnavailable(f"nothing moves here, so nobody can take {device}")

    def give_back(self, device: str) -> str:
        """As `take`."""
        raise ResourceUnavailable(f"nothing moves here, so nobody has taken {device}")

    def play(self, sentence: str) -> str:
        """Only a stage with scripted people can do that."""
        raise ResourceUnavailable(f"there are no scripted people here, so this cannot be done: {sentence}")

    def plans(self) -> tuple[PlanView, ...]:
        """Running and ended ones, the oldest first."""
        return (*self._supervisor.ended_plans(), *self._supervisor.plans())


def leaked_of(resources: tuple[ResourceView, ...], kept: frozenset[str]) -> tuple[ResourceView, ...]:
    """The resources that are up apart from those in `kept` (ids) and what these depend on."""
    by_id = {resource.id: resource for resource in resources}
    left = list(kept)
    good: set[str] = set()
    while left:
        each = left.pop()
        if each in by_id and each not in good:
            good.add(each)
            left += by_id[each].depends_on
    return tuple(resource for resource in resources if resource.id not in good)
