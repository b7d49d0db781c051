"""Plans that move arms by themselves and hands that take them from them, on machines joined badly.

Words are said on one machine and count on another, where the arm is: a ledger notes them as they are heard
there.
"""

from __future__ import annotations

from framework.interlock import Interlock
from framework.registrar.effects import JournalKind
from framework.registrar.journal import JournalEntry
from framework.scenarios.invariants import Breach
from framework.status import Priority, ReasonKind
from framework.transport.messages import Release
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.things import Asked, Request, Tower, label
from pilothouse.testbed.histories.users import User
from pilothouse.testbed.histories.wired import ARMS, TOWER, WiredStage
from pilothouse.testbed.histories.wired_judge import MOTION


class Words:
    """Who has said what, and what was lost when, as it was heard where it counts.

    A hand that lets go by its word loses nothing, whichever of its messages gets there first. What is lost is
    so for certain, or perhaps: by a hand that had nothing yet, or with the wire to what moved.
    """

    def __init__(self, wired: WiredStage) -> None:
        self._wired = wired
        self._now = 0
        self._word: dict[str, int] = {}
        self._surely: dict[str, int] = {}
        self._perhaps: dict[str, int] = {}
        self._granted: set[str] = set()
        self.paused: set[str] = set()
        wired.overheard.on_release = self._heard
        for registrar in wired.stage.registrars.values():
            registrar.journal.listen(self._written)

    def says(self, plan: str) -> None:
        """An operator starts it, or lets it go on."""
        self._now += 1
        self._word[plan] = self._now

    def may(self, plan: str, device: str) -> bool | None:
        """Whether it moves by itself there; None: that cannot be told from outside."""
        word = self._word.get(plan, 0)
        if word <= self._surely.get(device, -1):
            return False
        return None if word <= self._perhaps.get(device, -1) else True

    def word(self, plan: str) -> int:
        """Which of all words and losses its last one was."""
        return self._word.get(plan, 0)

    def is_lost_since(self, word: int, device: str) -> bool:
        """Whether something may have been lost there since then."""
        return max(self._surely.get(device, -1), self._perhaps.get(device, -1)) >= word

    def loses(self, device: str, *, surely: bool = True) -> None:
        """A hand is lost there."""
        self._now += 1
        (self._surely if surely else self._perhaps)[device] = self._now

    def _heard(self, server: str, release: Release) -> None:
        """A hand lets go: it counts if it was still thought to have, or want, something."""
        if not release.lease.startswith("people:"):
            return
        by_word = {lease.id for user in self._wired.by_word for lease in user.leases}
        if release.lease in by_word:
            return
        for view in self._wired.stage.registrars[server].snapshot().leases:
            if view.id == release.lease:
                self.loses(view.request.device, surely=view.id in self._granted)

    def _written(self, entry: JournalEntry) -> None:
        """A hand is given something, or not heard of any more; or what moves by itself has failed."""
        if entry.deed is JournalKind.FAIL:
            self.loses(entry.request.device, surely=False)
        if not entry.lease.startswith("people:"):
            return
        if entry.deed is JournalKind.GRANT:
            self._granted.add(entry.lease)
        elif entry.deed is JournalKind.REAP:
            self.loses(entry.request.device, surely=entry.lease in self._granted)


class Moving:
    """Plans that move arms by themselves, and hands that take them from them, over wires."""

    def __init__(self, wired: WiredStage, interlock: Interlock) -> None:
        self._wired = wired
        self._interlock = interlock
        self._words = Words(wired)
        self._plans: dict[str, Asked | Tower] = {}
        self._asked_by: dict[User, int] = {}

    def look(self) -> None:
        """Who is refused for want of a word has asked before something was lost there."""
        for user in self._wired.stage.users:
            if user.permit is None:
                continue
            word = self._asked_by.setdefault(user, self._words.word(user.permit.plan))
            device = user.requests[0].device
            is_refused = user.over_s is not None and user.reason is ReasonKind.NEEDS_WORD
            what = f"{user.permit.plan} is refused {label(user.requests[0])}"
            is_so = self._words.is_lost_since(word, device)
            must(not is_refused or is_so, f"{what}, and nothing was lost since its word", Breach.KEEPING)

    def begins(self) -> None:
        """A plan, on an arm or on what stands on one."""
        plan = f"plan {len(self._plans)}"
        self._plans[plan] = self._wired.stage.lots.choice((*ARMS, TOWER))
        self.goes_on(plan)

    def goes_on(self, plan: str) -> None:
        """An operator says so."""
        self._words.says(plan)
        self._words.paused.discard(plan)
        self._interlock.suspend(plan, False)
        self._interlock.give_word(plan, by="ann")
        if not self._living(plan):
            self._asks(plan)

    def pauses(self, plan: str) -> None:
        """An operator says so: it keeps what it has."""
        self._words.paused.add(plan)
        self._interlock.suspend(plan, True)

    def takes(self, device: Asked) -> None:
        """Somebody takes an arm into their hand."""
        wired = self._wired
        here = [user for user in wired.stage.users if user.requests == (device,) and user.over_s is None]
        if not [user for user in here if user.at == "people"]:
            wired.asks("people", device, exclusive=True, wait=True, priority=Priority.OPERATOR)

    def lets_go(self) -> None:
        """They have done what they wanted, and say so, or not."""
        hands = [user for user in self._wired.stage.users if user.at == "people" and user.over_s is None]
        hands = [user for user in hands if user.has_it] or hands
        if hands:
            lots = self._wired.stage.lots
            self._wired.leaves(lots.choice(hands), by_word=lots.random() < 0.7)

    def something(self) -> None:
        """One of all that."""
        lots = self._wired.stage.lots
        plans = [*self._plans]
        deeds = ("begins", "word", "pauses", "takes", "takes", "lets go", "lets go", "weather", "weather")
        match lots.choice(deeds):
            case "begins":
                self.begins()
            case "word" if plans:
                self.goes_on(lots.choice(plans))
            case "pauses" if plans:
                self.pauses(lots.choice(plans))
            case "takes":
                moved = [request for request in self._plans.values() if request in ARMS]
                self.takes(lots.choice(moved or ARMS))
            case "lets go":
                self.lets_go()
            case "weather":
                self._wired.weather()
            case _:
                pass

    async def judge(self) -> None:
        """All has come to rest: who may move does, or waits for somebody who has it; nobody else does."""
        self.look()
        for plan, request in self._plans.items():
            if self._words.may(plan, request.device) and not self._living(plan):
                self._asks(plan)
        await self._wired.stage.settle(1.5)
        self.look()
        for plan, request in self._plans.items():
            may = self._words.may(plan, request.device)
            living = self._living(plan)
            # What is not up yet is not known to move: who waits for that is refused when it is given.
            wrongly = [user for user in living if user.has_it or request in ARMS]
            words = f"{plan} has {label(request)}, or waits for it, without a word since it was lost"
            must(may is not False or not wrongly, words, MOTION)
            masters = [
                user
                for user in self._wired.stage.users
                if user.over_s is None and user.requests[0].device == request.device and user not in living
            ]
            words = f"{plan} has the word, and does not get {label(request)}, which is free"
            must(not may or masters or any(user.has_it for user in living), words, Breach.KEEPING)
            self._judge_rest(request)

    def _judge_rest(self, request: Request) -> None:
        """What moves for paused plans only is told to rest."""
        stage = self._wired.stage
        thing = stage.things.get(request)
        using = [user for user in stage.users if request in user.requests and user.over_s is None]
        views = [view for each in stage.registrars.values() for view in each.snapshot().resources]
        lent = {lease for view in views if view.request == request for lease in view.leases}
        had = {lease.id for user in using for lease in user.leases}
        if thing is None or thing.supply is None or not had or lent != had:
            return  # others want it, too
        plans = [user.permit.plan if user.permit is not None else "" for user in using]
        rests = set(plans) <= self._words.paused
        words = f"{plans} have {label(request)}, {sorted(self._words.paused)} are paused"
        told = thing.supply.is_suspended
        must(told is rests, f"{words}: it is told {told}", MOTION if rests else Breach.KEEPING)

    def _living(self, plan: str) -> list[User]:
        return [
            user
            for user in self._wired.stage.users
            if user.over_s is None and user.permit is not None and user.permit.plan == plan
        ]

    def _asks(self, plan: str) -> None:
        permit = self._wired.stage.permit(plan)
        self._wired.asks("plans", self._plans[plan], exclusive=True, wait=True, permit=permit)
