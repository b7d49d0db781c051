"""What registrars say to each other over a network, and what none may ever say, whatever is lost or late.

docs/registrar.md says so: leases are told about to who asked for them and to nobody else, with numbers that
rise; what somebody has given back is not given to them any more; and who is given what they know nothing of
says so.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from framework.registrar.heartbeats import LAST_SEQUENCE
from framework.scenarios.invariants import Breach
from framework.transport.messages import Ask, Grant, Heartbeat, Message, Queued, Refusal, Release, Tell
from pilothouse.testbed.histories.machines import MachinesTransport
from pilothouse.testbed.histories.stage import HistoryStage


class Overheard:
    """Listens to all wires of a stage, and notes what is not as it should be.

    on_release: takes the server and the release when one is heard for the first time.
    """

    def __init__(self, stage: HistoryStage, transport: MachinesTransport) -> None:
        self._stage = stage
        self._transport = transport
        self._asked: dict[tuple[str, str], float] = {}
        self._left: set[tuple[str, str]] = set()
        self._numbers: dict[tuple[str, str], int] = {}
        self._grants: dict[str, dict[str, tuple[str, int]]] = {}
        self._beats: dict[tuple[str, str], float] = {}
        self._owes = ""
        self.on_release: Callable[[str, Release], None] = lambda server, release: None
        transport.on_said = self._said
        transport.on_heard = self._heard
        transport.on_answered = self._answered

    def asked_s(self, server: str, lease: str) -> float:
        """When it was heard there last that somebody wants it [s]."""
        return self._asked.get((server, lease), 0.0)

    def silent_s(self, sender: str, to: str) -> float:
        """How long nothing has been heard there that says that the sender is alive [s]."""
        last_s = max(self._beats.get((sender, to), 0.0), self._transport.seen_s.get((to, sender), 0.0))
        return self._stage.now_s - last_s

    # -- inside

    def _said(self, sender: str, to: str, message: Message) -> None:
        match message:
            case Release(lease) if lease == self._owes:
                self._owes = ""
            case Grant(lease) | Queued(lease) | Tell(lease) | Refusal(lease):
                self._news(sender, to, lease, message)
            case _:
                pass

    def _news(self, sender: str, to: str, lease: str, message: Message) -> None:
        broke = partial(self._stage.broke, Breach.CONTENTION)
        if not lease.startswith(f"{to}:"):
            broke(f"{sender} tells {to} of {lease}, which is another one's")
        if isinstance(message, Grant | Queued):
            if (sender, lease) not in self._asked:
                broke(f"{sender} says {message}, and nobody has asked for that")
            if isinstance(message, Grant) and (sender, lease) in self._left:
                broke(f"{sender} says {message}, and knows that it was given back")
        if isinstance(message, Refusal) or message.sequence == LAST_SEQUENCE:  # type: ignore[attr-defined]
            return
        life = f"{sender}:{self._transport.peers[sender].boot}"
        number: int = message.sequence  # type: ignore[attr-defined]
        if number <= self._numbers.get((life, lease), 0):
            broke(f"{sender} says {message} after the number {self._numbers[life, lease]}")
        self._numbers[life, lease] = number
        if isinstance(message, Grant) and message.generation:
            self._granted(sender, message)

    def _granted(self, server: str, grant: Grant) -> None:
        """Grants are numbered over all resources and restarts; one that is said again keeps its number."""
        peer = self._transport.peers[server]
        grants = self._grants.setdefault(server if peer.durable else f"{server}:{peer.boot}", {})
        boot, number = grants.get(grant.lease, ("", 0))
        newest = max((other for _, other in grants.values()), default=0)
        if grant.generation != number if boot == peer.boot else grant.generation <= newest:
            words = f"{server} says {grant}, which had the number {number}, and {newest} is the newest"
            self._stage.broke(Breach.CONTENTION, words)
        grants[grant.lease] = peer.boot, grant.generation

    def _heard(self, sender: str, to: str, message: Message) -> None:
        match message:
            case Ask(lease):
                self._asked[to, lease] = self._stage.now_s
            case Release():
                self._leaves(to, message)
            case Heartbeat():
                self._beats[sender, to] = self._stage.now_s
                for release in message.released:
                    self._leaves(to, release)
            case Grant(lease) | Queued(lease):
                known = {view.id for view in self._stage.registrars[to].snapshot().leases}
                self._owes = "" if lease in known else lease
            case _:
                pass

    def _leaves(self, server: str, release: Release) -> None:
        if (server, release.lease) not in self._left:
            self._left.add((server, release.lease))
            self.on_release(server, release)

    def _answered(self, sender: str, to: str, message: Message) -> None:
        if self._owes and isinstance(message, Grant | Queued):
            words = f"{to} is given {self._owes} by {sender}, does not know of it, and does not give it back"
            self._stage.broke(Breach.LEAKED, words)
        self._owes = ""
