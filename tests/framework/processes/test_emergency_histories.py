"""Random histories of one latch in several hands, beside a list of what was pressed, reset and lent."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

from framework.processes.emergency import MOST_LENT_S, EmergencyStop
from tests.effort import share

MOST_PAGES = 64


class History:
    """`pressed`: of each page its latest press that set the latch, in the order in which pages came."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.lots = random.Random(seed)
        made = EmergencyStop.create(folder)
        self.hands = [made, EmergencyStop.attach(folder), EmergencyStop.attach(folder)]
        self.now_s = 1000.0
        self.is_latched = False
        self.reason = ""
        self.tokens: list[int] = []
        self.pressed: dict[str, int] = {}
        self.beat_s: float | None = None
        self.lent = (0.0, 0.0)
        self.tried: Counter[str] = Counter()

    def run(self, steps: int) -> None:
        events = (
            self.latches,
            *(self.presses,) * 4,
            *(self.resets,) * 2,
            self.resets_an_earlier_one,
            *(self.beats,) * 2,
            *(self.lends,) * 2,
        )
        for _ in range(steps):
            self.now_s += self.lots.choice((0.01, 0.1, 0.5, 1.0))
            self.lots.choice(events)(self.lots.choice(self.hands))
            for hand in self.hands:
                self.check(hand)
        for hand in self.hands:
            hand.close()

    def latches(self, hand: EmergencyStop) -> None:
        self.reason = f"reason {self.lots.randrange(100)} " * self.lots.choice((1, 40))
        hand.latch(self.reason)
        self._is_set(hand)

    def presses(self, hand: EmergencyStop) -> None:
        """Some page, of more than are remembered, presses; or its press comes once more, or late."""
        page = (
            f"{self.lots.randint(1, 80):012x}"
            if self.lots.random() < 0.7
            else f"{self.lots.randint(1, 3):012x}"
        )
        number = self.lots.randint(1, 6)
        had = number <= self.pressed.get(page, 0)
        assert hand.has_had(f"{page}-{number}") is had
        self.tried["doubled" if had else "pressed"] += 1
        if not had:
            self.reason = f"page {page}"
        assert hand.latch_once(f"{page}-{number}", f"page {page}") is (self.is_latched or not had)
        if not had:
            if page not in self.pressed and len(self.pressed) == MOST_PAGES:
                del self.pressed[next(iter(self.pressed))]
            self.pressed[page] = number
            self._is_set(hand)

    def resets(self, hand: EmergencyStop) -> None:
        if self.tokens:
            assert hand.reset(self.tokens[-1])
            self.is_latched = False

    def resets_an_earlier_one(self, hand: EmergencyStop) -> None:
        for token in (*self.tokens[-3:-1], 4711):
            assert not hand.reset(token), "that was another stop"

    def beats(self, hand: EmergencyStop) -> None:
        hand.beat(self.now_s)
        self.beat_s = self.now_s

    def lends(self, hand: EmergencyStop) -> None:
        since_s = self.now_s - self.lots.choice((0.1, 0.5, 0.74, 0.76, 2.0))
        hand.lend(since_s, self.now_s)
        self.lent = (since_s, self.now_s)

    def check(self, hand: EmergencyStop) -> None:
        assert hand.is_latched is self.is_latched
        assert hand.token == (self.tokens[-1] if self.is_latched else 0)
        assert hand.latest == (self.tokens[-1] if self.tokens else 0)
        assert hand.reason == self.reason[:1000]
        age_s = float("inf") if self.beat_s is None else self.now_s - self.beat_s
        assert _same(hand.heartbeat_age_s(self.now_s), age_s)
        from_s, until_s = self.lent
        counts = 0.0 < until_s - from_s <= MOST_LENT_S
        assert _same(hand.lent[1], until_s if counts else 0.0)
        after_s = until_s - self.beat_s if counts and self.beat_s is not None else -1.0
        is_soon = 0.0 < after_s <= MOST_LENT_S
        assert _same(hand.motion_age_s(self.now_s), self.now_s - until_s if is_soon else age_s)
        self.tried["lent" if is_soon else "alone"] += 1

    def _is_set(self, hand: EmergencyStop) -> None:
        self.is_latched = True
        assert hand.token not in (0, *self.tokens)
        self.tokens.append(hand.token)


def _same(one: float, other: float) -> bool:
    return one == other or abs(one - other) < 1e-6


def test_whoever_does_what_the_latch_says_what_was_last_said(tmp_path: Path) -> None:
    tried: Counter[str] = Counter()
    for seed in range(share(40)):
        (tmp_path / str(seed)).mkdir()
        one = History(seed, tmp_path / str(seed))
        one.run(150)
        tried += one.tried
    assert min(tried[each] for each in ("doubled", "pressed", "lent", "alone")) > 100, tried
