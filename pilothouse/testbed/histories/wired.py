"""Machines that a network joins, their registrars, what people do on them, and what the network does.

What must hold of it is in `wired_judge`.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, Final

from framework.errors import LeaseError
from framework.registrar.fencing import CommandGate
from framework.scenarios.invariants import Breach
from framework.status import Priority, Severity
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.machines import MachinesTransport, Order
from pilothouse.testbed.histories.overheard import Overheard
from pilothouse.testbed.histories.stage import BEAT_S, HistoryStage
from pilothouse.testbed.histories.things import Asked, Base, Request, Tower, label
from pilothouse.testbed.histories.users import User

ARMS: Final = (Asked("left"), Asked("right"))
LAMP: Final = Base("lamp")
TOWER: Final = Tower("left")

MOST_LATE_S: Final = 0.25
"""A command that is older than this is obeyed by nobody (`Thing.gate`)."""


class WiredStage:
    """A stage of machines: "robot" provides arms and a lamp, "tools" what stands on an arm, others ask.

    asked: everybody so far. is_stubborn: who loses something asks for it again. durable: who keeps a
    catalog. gone: machines that were there. entered_s: when each came last [s]. ended_s: when somebody had
    done, or was gone [s]. timeouts_s: how long each waits [s]. well, handles: what each life of a thing has
    said of itself last. sent: by whom a command is, and when it was given [s]. by_word: who has let go with
    the words that they are done. killed: who was on a machine that is gone.
    """

    def __init__(self, stage: HistoryStage, order: Order) -> None:
        stage.transport = self.transport = MachinesTransport(stage.lots, BEAT_S)
        stage.latency_s = 0.0
        stage.somebody_is_gone = True  # so what each should see is judged here, and not by the stage
        self.transport.order = order
        self.stage = stage
        self.overheard = Overheard(stage, self.transport)
        self.clients: tuple[str, ...] = ()
        self.durable: set[str] = set()
        self.gone: set[str] = set()
        self.entered_s: dict[str, float] = {}
        self.ended_s: dict[User, float] = {}
        self.timeouts_s: dict[User, float] = {}
        self.well: dict[tuple[Request, int], Severity] = {}
        self.handles: dict[tuple[Request, int], str] = {}
        self.sent: dict[bytes, tuple[User, float]] = {}
        self._late_s = stage.lots.choice((0.0, 0.0, 0.02, 0.5))
        self.is_stubborn = stage.lots.random() < 0.5
        self.asked: list[User] = []
        self._heard_of: set[User] = set()
        self._left: set[User] = set()
        self._watchers: set[User] = set()
        self.by_word: set[User] = set()
        self.killed: set[User] = set()
        self._wishes: dict[User, dict[str, Any]] = {}

    # -- who is there

    async def enter(self, name: str) -> None:
        """A machine, with a registrar."""
        self.gone.discard(name)
        self.entered_s[name] = self.stage.now_s
        await self.stage.enter(name, durable=name in self.durable)

    def kill(self, name: str) -> None:
        """A machine is gone, without a word."""
        for user in [each for each in self.stage.users if each.at == name]:
            self.ends(user)
            self.killed.add(user)
        self.gone.add(name)
        self.stage.kill(name)
        self._drivers_end(name)

    async def closes(self, name: str) -> None:
        """A machine is left in order: everybody there ends, and gives back what they have."""
        for user in [each for each in self.stage.users if each.at == name]:
            self.ends(user)
        self.gone.add(name)
        await self.stage.leaves(name)
        left = [thing for thing in self.stage.things.values() if self.server_of(thing.request) == name]
        for thing in left:
            must(not thing.is_up, f"{name} is left, and {label(thing.request)} stays up", Breach.LEAKED)
        self._drivers_end(name)

    def _drivers_end(self, name: str) -> None:
        """Where no catalog is kept, the next one counts anew, with drivers that have heard of nobody."""
        for thing in self.stage.things.values():
            if name not in self.durable and self.server_of(thing.request) == name:
                thing.gate = CommandGate(max_age_s=MOST_LATE_S)

    def server_of(self, request: Request) -> str:
        """Who provides it."""
        return "tools" if isinstance(request, Tower) else "robot"

    @property
    def wanted(self) -> tuple[Request, ...]:
        """All that can be asked for now."""
        return (*ARMS, LAMP, *((TOWER,) if "tools" in self.stage.registrars else ()))

    # -- what people do

    def asks(self, at: str, *requests: Request, **wishes: Any) -> User:
        """Somebody asks."""
        user = self.stage.user(at, *requests, who=f"{at} {len(self.asked) + 1}", **wishes)
        self.asked.append(user)
        self._wishes[user] = wishes
        if (timeout_s := wishes.get("timeout_s")) is not None:
            self.timeouts_s[user] = timeout_s
        return user

    def asks_something(self, *, patiently: bool = False) -> User | None:
        """Somebody asks for something; None: nobody is there. patiently: however long it takes."""
        lots = self.stage.lots
        wanted: list[tuple[Request, ...]] = [(ARMS[0],), (ARMS[0],), (ARMS[1],), (LAMP,), (ARMS[0], LAMP)]
        if TOWER in self.wanted:
            wanted += [(TOWER,), (TOWER,)]
        here = [name for name in self.clients if name not in self.gone]
        if not here:
            return None
        return self.asks(
            lots.choice(here),
            *lots.choice(wanted),
            exclusive=lots.random() < 0.75,
            wait=patiently or lots.random() < 0.75,
            priority=lots.choice((Priority.AUTONOMY, Priority.AUTONOMY, *Priority)),
            timeout_s=None if patiently else lots.choice((0.15, 0.6, 3.0, None, None)),
            stays_s=lots.choice((0.0, 0.0, 0.0, 0.2, 3.0)),
        )

    def watches(self, at: str) -> None:
        """Somebody reads along all the time, and asks again whatever happens."""
        lots = self.stage.lots
        self._watchers.add(self.asks(at, lots.choice((*ARMS, LAMP))))

    def asks_again(self) -> None:
        """Who has just lost something asks for it again, even before they have left it."""
        for user in self.stage.users:
            if user in self._heard_of or (user.told_s is None and user.over_s is None):
                continue
            self._heard_of.add(user)
            if user in self._left or user.at in self.gone:
                continue
            if user in self._watchers:
                self._watchers.add(self.asks(user.at, *user.requests, **self._wishes[user]))
            elif self.is_stubborn and user.has_s:
                self.asks(user.at, *user.requests, **self._wishes[user])

    def changes_their_mind(self) -> None:
        """Somebody asks for something, and does not want it any more at once."""
        if (user := self.asks_something()) is not None:
            late_s = self.stage.lots.choice((0.0, 0.002, 0.02))
            asyncio.get_running_loop().call_later(late_s, self.leaves, user)

    def ends(self, user: User) -> None:
        """From now on nothing is to move for this one."""
        self.ended_s.setdefault(user, self.stage.now_s)

    def leaves(self, user: User, *, by_word: bool = False) -> None:
        """Somebody has done what they wanted, or gives up waiting."""
        self._left.add(user)
        if by_word:
            self.by_word.add(user)
        if user.told_s is None:  # else they have heard of an end already, and leave when they can
            self.ends(user)
        user.leave(by_word=by_word)

    def somebody_leaves(self) -> None:
        """Whoever has something, or waits."""
        there = [user for user in self.stage.users if user not in self.ended_s and user.over_s is None]
        there = [user for user in there if user not in self._watchers]
        if there:
            self.leaves(self.stage.lots.choice(there))

    def commands(self) -> None:
        """Everybody who has something moves it."""
        for user in self.stage.users:
            if user.has_it and user.lease.held.exclusive and user not in self.ended_s:
                payload = f"{user.who} {len(self.sent) + 1}".encode()
                self.sent[payload] = (user, self.stage.now_s)
                with suppress(LeaseError):  # it is lost already, and about to be told
                    user.send(payload)

    def something_happens(self) -> None:
        """To a thing."""
        lots = self.stage.lots
        views = [view for each in self.stage.registrars.values() for view in each.snapshot().resources]
        ready = [view.request for view in views if view.state in ("ready", "degraded")]
        for thing in self.stage.things.values():
            # What is being put away again after a start that failed may be asked for no more meanwhile.
            is_broken = not thing.stop_s and lots.random() < 0.1
            thing.breaks = "it does not start" if is_broken else ""
        up = [thing for thing in self.stage.things.values() if thing.request in ready and thing.is_up]
        if not up:
            return
        thing = lots.choice(up)
        assert thing.supply is not None
        life = thing.request, thing.lives
        match lots.choice(("fails", "warns", "well", "new")):
            case "fails":
                thing.fail(f"it broke {self.stage.now_s:.3f}")
            case "warns":
                self.well[life] = Severity.WARNING
                thing.supply.report(Severity.WARNING, f"it flickers {self.stage.now_s:.3f}")
            case "well":
                self.well[life] = Severity.OK
                thing.supply.report(Severity.OK, f"it is well {self.stage.now_s:.3f}")
            case _:
                self.well.pop(life, None)  # who was told that it is not well may believe either
                self.handles[life] = f"handle {self.stage.now_s:.3f}"
                thing.supply.update(self.handles[life], "it has changed")

    # -- what the network does

    def weather(self) -> None:
        """Some ways become bad, some good."""
        lots = self.stage.lots
        names = [*self.stage.registrars]
        for sender in names:
            for to in names:
                if sender != to:
                    lost = lots.choice((0.0, 0.0, 0.2, 0.5, 1.0))
                    self.transport.worsen(sender, to, lost=lost, late_s=lots.choice((0.0, self._late_s)))

    def parts(self) -> None:
        """Some machines from all others."""
        lots = self.stage.lots
        names = [*self.stage.registrars]
        some = lots.sample(names, lots.randint(1, len(names) - 1))
        others = [name for name in names if name not in some]
        longest_s = lots.choice((0.1, 0.6, 10.0))
        self.transport.part(some, others, lambda: lots.uniform(0.0, longest_s))

    def joins(self) -> None:
        """All is well again."""
        lots = self.stage.lots
        longest_s = lots.choice((0.02, 0.5))
        self.transport.join_again(lambda: lots.uniform(0.0, longest_s))
