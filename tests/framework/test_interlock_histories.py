"""Random histories of losses, words, pauses and plans, beside a list of it all: who may move what, who waits.

The list holds what happened, in order; what a permit is worth is read off it anew at each step. A failure
names its seed: `history(SEED)` is that one again.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import NamedTuple

from framework.interlock import Interlock, Listener, Loss, LossKind, Permit
from tests.effort import share
from tests.framework.people_there import PERSONS, People

REACH = {"left": ("right",), "right": ("left",), "base": ()}
DEVICES = tuple(REACH)
PLANS = ("1", "2", "3")


class Rise(NamedTuple):
    """One loss: what it was, and for which devices it counts."""

    epoch: int
    kind: LossKind
    devices: tuple[str, ...]


class Word(NamedTuple):
    """An operator's word to a plan: of which epoch, whose, and at which epoch it was said."""

    plan: str
    epoch: int
    by: str


class Ear(Listener):
    """Counts what it is told; leaves when it is told to, in the middle of being told."""

    def __init__(self, interlock: Interlock) -> None:
        self.interlock = interlock
        self.heard: Counter[str] = Counter()
        self.leaves = False

    def epoch_rose(self) -> None:
        self._told("rise")

    def permit_changed(self, plan: str) -> None:
        self._told(f"permit {plan}")

    def waits_for_word(self, plan: str, what: str, loss: Loss) -> None:
        self._told(f"waits {plan} {what} {loss.epoch}")

    def _told(self, what: str) -> None:
        self.heard[what] += 1
        if self.leaves:
            self.interlock.unlisten(self)


class History:
    """One of them."""

    def __init__(self, seed: int) -> None:
        self.lots = random.Random(seed)
        self.reaches = self.lots.random() < 0.7
        self.interlock = Interlock(REACH.__getitem__ if self.reaches else None)
        self.people = People("", "console")
        self.interlock.keepers.people = self.people
        self.rises: list[Rise] = []
        self.words: list[Word] = []
        self.wishes: list[tuple[str, str]] = []
        self.over: dict[str, int] = {}
        self.suspended: dict[str, bool] = {}
        self.kept: dict[str, str] = {}
        self.waiting: dict[str, dict[str, Loss]] = {}
        self.incidents: list[tuple[str, str]] = []
        self.moving: dict[object, tuple[str, str, Permit]] = {}
        self.tried: Counter[str] = Counter()
        self.first, self.second = Ear(self.interlock), Ear(self.interlock)
        for ear in (self.first, self.second):
            self.interlock.listen(ear)

    def run(self, steps: int) -> None:
        events = (
            *(self.a_hand_is_lost,) * 2,
            *(self.somebody_says_so,) * 3,
            *(self.something_is_refused,) * 2,
            self.a_device_fails,
            self.an_emergency_stop,
            self.somebody_asks_for_it,
            self.it_is_paused,
            self.a_plan_is_over,
            self.somebody_comes_or_goes,
            self.it_is_given_back,
            self.something_is_granted,
        )
        for _ in range(steps):
            self.lots.choice(events)()
            self.check()
        self.first.leaves = True
        before = self.second.heard["rise"]
        self.interlock.tell_rise()
        assert self.second.heard["rise"] == before + 1, "who is told after one that leaves is told as well"

    # -- what happens

    def _rises(self, kind: LossKind, device: str) -> None:
        if kind is LossKind.DEVICE:
            devices: tuple[str, ...] = (device,)
        elif kind is LossKind.EMERGENCY or not self.reaches:
            devices = DEVICES
        else:
            devices = (device, *REACH[device])
        self.rises.append(Rise(len(self.rises) + 1, kind, devices))

    def a_hand_is_lost(self) -> None:
        device, person = self.lots.choice(DEVICES), self.lots.choice(PERSONS)
        self.interlock.keepers.lets_go(device, person, by_word=False)
        if person in self.people.there:
            self.kept[device] = person
        incident = self.lots.choice(("", "", "i1", "i2"))
        is_news = not incident or (incident, device) not in self.incidents
        self.incidents.append((incident, device))
        assert self.interlock.raise_for(device, Loss(LossKind.HAND, person), incident) is is_news
        if is_news:
            self._rises(LossKind.HAND, device)

    def a_device_fails(self) -> None:
        device = self.lots.choice(DEVICES)
        assert self.interlock.raise_for(device, Loss(LossKind.DEVICE, device))
        self._rises(LossKind.DEVICE, device)

    def an_emergency_stop(self) -> None:
        before = self.first.heard["rise"]
        kind = self.lots.choice((LossKind.EMERGENCY, LossKind.HAND))
        self.interlock.raise_all(Loss(kind))
        self.rises.append(Rise(len(self.rises) + 1, kind, DEVICES))
        assert self.first.heard["rise"] == before + 1

    def somebody_says_so(self) -> None:
        plan, by = self.lots.choice(PLANS), self.lots.choice((*PERSONS, "console", ""))
        epoch = self.lots.choice((None, None, self.lots.randint(0, len(self.rises))))
        said_at = len(self.rises) if epoch is None else epoch
        waiting = self.waiting.get(plan, {})
        left = {
            what: loss for what, loss in waiting.items() if loss.epoch > said_at or self._not_by(loss, by)
        }
        assert self.interlock.give_word(plan, epoch, by=by) is (len(left) < len(waiting))
        self.waiting[plan] = left
        self.words.append(Word(plan, said_at, by))

    def somebody_asks_for_it(self) -> None:
        plan, by = self.lots.choice(PLANS), self.lots.choice((*PERSONS, "console"))
        self.interlock.want(plan, by)
        self.wishes.append((plan, by))

    def it_is_paused(self) -> None:
        plan, is_suspended = self.lots.choice(PLANS), self.lots.random() < 0.5
        if self._is_known(plan):
            self.suspended[plan] = is_suspended
        before = self.first.heard[f"permit {plan}"], self.interlock.permit(plan)
        self.interlock.suspend(plan, is_suspended)
        told = self.first.heard[f"permit {plan}"] - before[0]
        assert told == (self.interlock.permit(plan) != before[1]), "told when it changes, and only then"

    def a_plan_is_over(self) -> None:
        plan = self.lots.choice(PLANS)
        self.interlock.forget(plan)
        self.words = [word for word in self.words if word.plan != plan]
        self.wishes = [wish for wish in self.wishes if wish[0] != plan]
        self.suspended.pop(plan, None)
        self.waiting.pop(plan, None)

    def something_is_refused(self) -> None:
        plan, device, what = (
            self.lots.choice(PLANS),
            self.lots.choice(DEVICES),
            self.lots.choice(("arm", "cup")),
        )
        permit = self.interlock.permit(plan)
        loss = self.interlock.since(device, permit)
        if loss is not None:
            told = f"waits {plan} {what} {loss.epoch}"
            before = self.first.heard[told]
            self.interlock.refused(permit, what, loss)
            self.waiting.setdefault(plan, {})[what] = loss
            assert self.first.heard[told] == before + 1

    def somebody_comes_or_goes(self) -> None:
        self.people.there ^= {self.lots.choice(PERSONS)}

    def it_is_given_back(self) -> None:
        person = self.lots.choice(PERSONS)
        self.interlock.keepers.gives_back(person)
        self.kept = {device: keeper for device, keeper in self.kept.items() if keeper != person}

    def something_is_granted(self) -> None:
        key = self.lots.randrange(3)
        if self.lots.random() < 0.4:
            self.interlock.moves_no_more(key)
            self.moving.pop(key, None)
            return
        device, node = self.lots.choice(DEVICES), self.lots.choice(("1.1", "1.2"))
        permit = Permit("1", node, is_still=self.lots.random() < 0.3)
        self.interlock.moves(key, device, f"use of {device}", lambda: permit)
        self.moving[key] = device, f"use of {device}", permit

    # -- what has to be so

    def check(self) -> None:
        assert self.interlock.epoch == len(self.rises)
        for plan in PLANS:
            permit = self.interlock.permit(plan)
            self._check_permit(plan, permit)
            for device in DEVICES:
                self._check_device(device, permit)
            losses = self.waiting.get(plan, {}).values()
            awaited = self.interlock.awaited(plan)
            assert (awaited.epoch if awaited else 0) == max((loss.epoch for loss in losses), default=0)
            for by in (*PERSONS, "console"):
                expected = awaited.keeper if awaited is not None and self._not_by(awaited, by) else ""
                assert self.interlock.awaits_another(plan, by) == expected
        for node in ("1.1", "1.2"):
            mine = [
                each[:2] for each in self.moving.values() if each[2].node == node and not each[2].is_still
            ]
            assert set(self.interlock.moved_for(node)) == {name for each in mine for name in each}

    def _check_permit(self, plan: str, permit: Permit) -> None:
        words = [word for word in self.words if word.plan == plan]
        assert permit.epoch == max((word.epoch for word in words), default=0)
        assert set(permit.by) == self._said_by(words)
        wished = tuple(dict.fromkeys(by for wish, by in self.wishes if wish == plan))
        assert permit.wanted_by == wished
        assert permit.is_suspended is self.suspended.get(plan, False)
        asking = Permit(plan, "7.7", 0, is_still=self.lots.random() < 0.5)
        now = self.interlock.current(asking)
        assert now is not None and (now.node, now.is_still) == ("7.7", asking.is_still)
        assert now.epoch == permit.epoch
        since_emergency = [rise for rise in self.rises if rise.kind is LossKind.EMERGENCY]
        was_before = bool(since_emergency) and permit.epoch < since_emergency[-1].epoch
        assert self.interlock.was_before_emergency(permit) is was_before

    @staticmethod
    def _said_by(words: list[Word]) -> set[str]:
        """Who has said the latest word, of all that were said to the same epoch."""
        latest, said = -1, set[str]()
        for word in words:
            if word.epoch > latest:
                latest, said = word.epoch, {word.by}
            elif word.epoch == latest:
                said.add(word.by)
        return said

    def _check_device(self, device: str, permit: Permit) -> None:
        assert self.interlock.since(device, Permit(permit.plan, is_still=True)) is None
        loss = self.interlock.since(device, permit)
        keeper = self._keeper(device, permit.by)
        rises = [rise.epoch for rise in self.rises if device in rise.devices]
        if keeper:
            assert loss is not None and (loss.keeper, loss.who) == (keeper, keeper)
            self.tried["kept"] += 1
        else:
            expected = rises[-1] if rises and permit.epoch < rises[-1] else None
            assert (loss.epoch if loss is not None else None) == expected
            self.tried["lost" if expected else "free"] += 1
        for hand in PERSONS:
            assert self.interlock.keeper(device, permit, hand) == self._keeper(
                device, (hand, *permit.wanted_by)
            )

    def _keeper(self, device: str, said: tuple[str, ...]) -> str:
        person = self.kept.get(device, "")
        enough = any(by == person or by in ("", "console") for by in said)
        return person if person in self.people.there and not enough else ""

    def _not_by(self, loss: Loss, by: str) -> bool:
        return loss.keeper in self.people.there and by not in (loss.keeper, "", "console")

    def _is_known(self, plan: str) -> bool:
        return any(word.plan == plan for word in self.words) or any(wish == plan for wish, _ in self.wishes)


def history(seed: int, steps: int = 50) -> History:
    played = History(seed)
    played.run(steps)
    return played


def test_whatever_happens_only_a_word_after_the_last_loss_lets_anything_move() -> None:
    tried: Counter[str] = Counter()
    for seed in range(share(240)):
        tried += history(seed).tried
    assert min(tried[each] for each in ("kept", "lost", "free")) > 500, tried


def test_of_very_many_failures_the_latest_are_known_to_have_counted() -> None:
    interlock = Interlock()
    for number in range(1000):
        assert interlock.raise_for("left", Loss(LossKind.DEVICE), f"i{number}")
        assert not interlock.raise_for("left", Loss(LossKind.DEVICE), f"i{number}")
    assert not interlock.raise_for("left", Loss(LossKind.DEVICE), "i900")
    assert interlock.epoch == 1000
