"""What a scenario needs of an installation, real or scripted. The scenarios know no manager, only this.

All times are seconds on the stage's own clock (`now_s`); stamps of samples count on it too.
`SupervisedStage` has the half that every stage with a supervisor shares.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from framework.errors import ResourceUnavailable
from framework.events import EventBus
from framework.plan.instruction import Source
from framework.registrar import LeaseView, ResourceView, Snapshot
from framework.registrar.journal import Journal
from framework.scenarios.scenario import How
from framework.supervisor.plans import PlanView
from framework.supervisor.reply import Reply
from framework.supervisor.supervisor import Supervisor
from framework.tree.view import NodeState, TreeView


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


class StageMotion(msgspec.Struct, frozen=True):
    """How something that moves stands just now: in truth, not as a loop that lies may report it.

    place: [m], of a tool in its arm's base, of a base in its odometry frame, or a gripper's width.
    force_n: at the tool or between the fingers; None where nothing measures it.
    by_hand: a person's hand moves it now.
    reported_s: when its loop last reported. life: another number after the world it stands in began anew.
    top_speed: it is never faster [m/s]. carried_by: what it rides on, "" nothing. steered_to: the place that
    its law steers to, if it is compliant. is_seen: else this is where it was when it was seen last.
    """

    device: str
    place: tuple[float, ...]
    is_at_rest: bool
    reported_s: float
    by_hand: bool = False
    force_n: float | None = None
    life: int = 0
    top_speed: float = 3.0
    carried_by: str = ""
    steered_to: tuple[float, ...] | None = None
    is_seen: bool = True

    @property
    def counts_at(self) -> tuple[float, ...]:
        """Where it is as far as motion is judged, but for jumps: what sways is where it is steered to."""
        return self.place if self.steered_to is None else self.steered_to


class StageActivity(msgspec.Struct, frozen=True):
    """One action of a plan that has not ended. moves: the devices that are granted to it."""

    plan: str
    node: str
    state: NodeState
    moves: tuple[str, ...] = ()
    awaits_word: bool = False


class StagePlace(msgspec.Struct, frozen=True):
    """Where faults can be: a device, a process, a person's link, the machine.

    cannot: of the ways to fail that do not exist there, why not. All others do. while_up: those that exist
    only while the place is up: a process that does not run cannot be slow.
    """

    name: str
    cannot: dict[How, str] = {}
    while_up: frozenset[How] = frozenset()

    @property
    def ways(self) -> tuple[How, ...]:
        """In which it can fail."""
        return tuple(how for how in How if how not in self.cannot)


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

    def say(self, text: str, who: str = "", *, heard: float | None = None) -> Reply:
        """heard: so sure is who recognised it; None: it was typed."""
        ...

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

    @property
    def listens(self) -> bool:
        """Whether somebody has it listen (`listen`)."""
        ...

    def listen(self, *, is_on: bool) -> str:
        """Have it listen by its microphones, until that is taken back."""
        ...

    def speak(self, words: str) -> str:
        """Say something aloud, where its microphones are."""
        ...

    def plans(self) -> tuple[PlanView, ...]:
        """All that are remembered, running or ended, the oldest first."""
        ...

    def devices(self) -> tuple[StageDevice, ...]: ...

    def views(self) -> tuple[StageView, ...]: ...

    def processes(self) -> tuple[StageProcess, ...]: ...

    def resources(self) -> tuple[StageResource, ...]: ...

    def motions(self) -> tuple[StageMotion, ...]:
        """Of everything that moves."""
        ...

    def activities(self) -> tuple[StageActivity, ...]:
        """The actions of all plans that have not ended."""
        ...

    def journals(self) -> tuple[Journal, ...]:
        """Of all registrars."""
        ...

    def places(self) -> tuple[StagePlace, ...]:
        """Where faults can be, whether they are there just now or not."""
        ...

    def up(self) -> frozenset[str]:
        """The names of the places that are up just now, of those that may not be."""
        ...

    def dangling(self) -> tuple[str, ...]:
        """Leases and grants whose other end does not know them, in words. Only when nothing is going on."""
        ...

    def leaked(self) -> tuple[str, ...]:
        """What is up although nothing runs, in words, apart from what is kept for good."""
        ...

    def ailing(self) -> tuple[str, ...]:
        """What does not work although nothing is broken any more, in words; what waits for its next try, or
        for a person to say "retry now", is told to."""
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

    def say(self, text: str, who: str = "", *, heard: float | None = None) -> Reply:
        """Give an instruction."""
        if heard is None:
            return self._supervisor.say(text, who=who or self._who)
        return self._supervisor.say(text, Source.SPEECH, who or self._who, confidence=heard)

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

    @property
    def listens(self) -> bool:
        """Only who has microphones does."""
        return False

    def listen(self, *, is_on: bool) -> str:
        """As `listens`."""
        raise ResourceUnavailable("there are no microphones here, so nobody can be listened to")

    def speak(self, words: str) -> str:
        """As `listens`."""
        raise ResourceUnavailable(f"there are no microphones here, so nobody hears: {words}")

    def motions(self) -> tuple[StageMotion, ...]:
        """Only who has something that moves has any."""
        return ()

    def activities(self) -> tuple[StageActivity, ...]:
        """Of the supervisor's plans."""
        return tuple(
            StageActivity(plan.id, leaf.id, leaf.state)
            for plan in self._supervisor.plans()
            for leaf in leaves_of(plan.tree)
        )

    def journals(self) -> tuple[Journal, ...]:
        """Who has registrars names theirs."""
        return ()

    def places(self) -> tuple[StagePlace, ...]:
        """Who can hurt something names it."""
        return ()

    def up(self) -> frozenset[str]:
        """Where everything can fail at any time nobody asks."""
        return frozenset()

    def dangling(self) -> tuple[str, ...]:
        """Who has registrars looks."""
        return ()

    def ailing(self) -> tuple[str, ...]:
        """Who has devices looks."""
        return ()

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


def leaves_of(tree: TreeView) -> tuple[TreeView, ...]:
    """The actions of a plan's tree, in the order in which they were said."""
    if tree.kind == "do":
        return (tree,)
    return tuple(leaf for child in tree.children for leaf in leaves_of(child))


def dangling_of(snapshots: tuple[Snapshot, ...]) -> tuple[str, ...]:
    """Leases that one end knows and the other does not, among registrars that are all there; in words."""
    lent, held = (
        {
            lease.id: (snapshot.registrar, lease)
            for snapshot in snapshots
            for lease in snapshot.leases
            if lease.side in (side, "both")
        }
        for side in ("lent", "held")
    )
    resources = {resource.id for snapshot in snapshots for resource in snapshot.resources}
    found = [
        f"{_lease(*lent[each])} is lent, but nobody holds it" for each in sorted(lent.keys() - held.keys())
    ]
    found += [
        f"{_lease(*held[each])} is held, but nobody lends it" for each in sorted(held.keys() - lent.keys())
    ]
    found += [
        f"{_lease(registrar, lease)} is of a resource that is gone"
        for registrar, lease in lent.values()
        if lease.resource not in resources
    ]
    return tuple(found)


def _lease(registrar: str, lease: LeaseView) -> str:
    return f"lease {lease.id} of {registrar}/{lease.request} ({lease.phase})"
