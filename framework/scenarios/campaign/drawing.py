"""The next case of a campaign: groups of one to three faults, each group at one moment of the story.

All is drawn from the seed. The first fault of a group goes to a cell that was never struck, as long as there
is one; the others, and how long all last, are left to chance.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from framework.scenarios.campaign.coverage import Cell, Coverage
from framework.scenarios.phases import Moment
from framework.scenarios.scenario import Fail, Scenario, Strike, When
from framework.scenarios.stage import StagePlace

GROUPS: Final = 5
"""So many times a story is struck."""

AT_ONCE: Final = (1, 1, 1, 2, 2, 3)
"""How many faults strike together, by chance."""

LASTS_S: Final = (0.2, 2.0)
LATER_S: Final = 0.2
"""On average, if it does not strike in the very moment."""

MOST_NTH: Final = 3


class Case(msgspec.Struct, frozen=True):
    """A story with faults, and the seed with which it is played."""

    scenario: Scenario
    seed: int


class Draw:
    """Draws cases, each with a seed to play it with.

    A moment that only comes after other faults is struck in a case in which it came, played in the same way
    again: up to then nothing is different.
    """

    def __init__(self, story: Scenario, coverage: Coverage, lots: random.Random) -> None:
        self._story = story
        self._usual: frozenset[Moment] = frozenset(coverage.moments)
        self._witnesses: dict[Moment, Case] = {}
        self._coverage = coverage
        self._lots = lots
        self._wanted: set[Cell] = set()

    def case(self, seed: int) -> Case:
        """The story with faults; with this seed, or one of a case that it repeats."""
        holes = [each for each in self._coverage.holes if each not in self._wanted]
        rare = [each for each in holes if each.moment in self._witnesses]
        if rare and self._lots.random() < len(rare) / len(holes):
            return self._after_others(self._lots.choice(rare))
        holes = [each for each in holes if each.moment in self._usual]
        strikes: list[Strike] = []
        taken: set[str] = set()
        for _ in range(GROUPS):
            cell = self._lots.choice(holes) if holes else None
            moment = cell.moment if cell is not None else self._lots.choice(tuple(self._coverage.moments))
            if cell is not None:
                holes.remove(cell)
                self._wanted.add(cell)
            strikes += self._group(moment, cell, taken)
        return Case(msgspec.structs.replace(self._story, faults=tuple(strikes)), seed)

    def played(self, case: Case, moments: Iterable[Moment]) -> None:
        """It is in the coverage. moments: those that came."""
        self._wanted.clear()
        for moment in moments:
            if moment not in self._usual:
                before = self._witnesses.get(moment)
                if before is None or len(case.scenario.faults) < len(before.scenario.faults):
                    self._witnesses[moment] = case

    def _after_others(self, cell: Cell) -> Case:
        """Struck in the very moment, in the case in which that came."""
        self._wanted.add(cell)
        witness = self._witnesses[cell.moment]
        when = When(cell.moment.phase, cell.moment.action)
        strike = Strike(Fail(cell.place, cell.how), when, round(self._lots.uniform(*LASTS_S), 2))
        faults = (*witness.scenario.faults, strike)
        return Case(msgspec.structs.replace(witness.scenario, faults=faults), witness.seed)

    def _group(self, moment: Moment, cell: Cell | None, taken: set[str]) -> list[Strike]:
        lots = self._lots
        fails: list[Fail] = []
        if cell is not None and cell.place not in taken:
            fails.append(Fail(cell.place, cell.how))
            taken.add(cell.place)
        for _ in range(lots.choice(AT_ONCE) - len(fails)):
            place = _one_of(self._coverage.places, taken, lots)
            if place is not None:
                fails.append(Fail(place.name, lots.choice(place.ways)))
                taken.add(place.name)
        # A cell is struck in the very moment: a phase may be over soon.
        after_s = 0.0 if lots.random() < 0.5 else round(min(lots.expovariate(1.0 / LATER_S), 1.0), 3)
        nth = lots.randint(1, MOST_NTH) if lots.random() < 0.3 else 1
        when = When(moment.phase, moment.action, nth, after_s)
        return [Strike(fail, when, round(lots.uniform(*LASTS_S), 2)) for fail in fails]


def _one_of(places: Sequence[StagePlace], taken: set[str], lots: random.Random) -> StagePlace | None:
    free = [place for place in places if place.name not in taken]
    return lots.choice(free) if free else None
