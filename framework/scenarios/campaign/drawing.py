"""The next case of a campaign: groups of one to three faults, each group at one moment of the story.

All is drawn from the seed. The first fault of a group goes to a cell that was never struck, as long as there
is one, the others there or anywhere; how long all last is left to chance. There are three kinds of cases:

    fresh         for holes whose phase comes, and whose place is up in it, in every run: many groups
    after others  the phase comes, or the place is up in it, only after other faults: the case in which that
                  was seen is played again up to then, with the same seed and faults; then come some more
    seeking       the place was never seen up in that phase: the faults after which it was up in another one,
                  for longer, and perhaps from the beginning
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from framework.scenarios.campaign.coverage import Cell, Coverage
from framework.scenarios.phases import Moment
from framework.scenarios.report import Struck
from framework.scenarios.scenario import Fail, Phase, Scenario, Strike, When
from framework.scenarios.stage import StagePlace

GROUPS: Final = 5
"""So many times a story is struck at most; a long one up to as often as it has moments."""

ALONE: Final = 0.2
"""This share of the cases has one or two faults only, one at a time: how long each is felt is measured."""

AT_ONCE: Final = (1, 1, 1, 2, 2, 3)
"""How many faults strike together, by chance."""

LASTS_S: Final = (0.2, 2.0)
LATER_S: Final = 0.2
"""On average, if it does not strike in the very moment."""

MOST_NTH: Final = 3

SEEKING: Final = 0.15
"""This share of the cases at most."""

RARE: Final = 0.2
"""This share strikes rare moments although no holes are left there."""


class Case(msgspec.Struct, frozen=True):
    """A story with faults, and the seed with which it is played. seeks: the place that it is to bring up."""

    scenario: Scenario
    seed: int
    seeks: str = ""


class Witness(msgspec.Struct, frozen=True):
    """A case in which something rare came, with the faults before. later: moments that first came after."""

    case: Case
    later: tuple[Moment, ...]


class Draw:
    """Draws cases, each with a seed to play it with. Made after the dry runs; `played` hears of all others.

    usual: the moments of the dry runs, and which places were up then.
    """

    def __init__(self, story: Scenario, coverage: Coverage, lots: random.Random) -> None:
        self._story = story
        self._usual: dict[Moment, frozenset[str]] = {
            moment: frozenset(coverage.up.get(moment, ())) for moment in coverage.moments
        }
        self._first = next(iter(coverage.moments), Moment("", Phase.STARTING))
        self._witnesses: dict[tuple[str, Moment], Witness] = {}
        self._coverage = coverage
        self._lots = lots
        self._wanted: set[Cell] = set()
        self._holes: tuple[Cell, ...] | None = None
        self._unseen: tuple[tuple[StagePlace, Moment], ...] = ()
        self._needs_up: dict[str, StagePlace] = {}

    def case(self, seed: int) -> Case:
        """The story with faults; with this seed, or one of a case that it repeats."""
        if self._holes is None:
            self._look()
        holes = [each for each in self._holes or () if each not in self._wanted]
        unseen = {(place.name, moment) for place, moment in self._unseen}
        fresh: list[Cell] = []
        after_others: list[Cell] = []
        for cell in holes:
            if self._needs(cell) and (cell.place, cell.moment) in unseen:
                continue
            (fresh if self._is_usual(cell) else after_others).append(cell)
        lots = self._lots
        if self._unseen and lots.random() < min(SEEKING, len(self._unseen) / (len(holes) or 1)):
            return self._seeking(*lots.choice(self._unseen), seed)
        if after_others and lots.random() < len(after_others) / (len(fresh) + len(after_others)):
            return self._after_others(lots.choice(after_others), after_others, fresh)
        if not holes and self._witnesses and lots.random() < RARE:
            name, moment = lots.choice(tuple(self._witnesses))
            place = self._needs_up.get(name) or lots.choice(self._coverage.places)
            return self._after_others(Cell(place.name, lots.choice(place.ways), moment), (), fresh)
        return Case(self._with(self._fresh(fresh, tuple(self._usual))), seed)

    def played(
        self, case: Case, struck: Iterable[Struck], first_s: Mapping[Moment, Mapping[str, float]]
    ) -> None:
        """It is in the coverage. first_s: as in `Report`."""
        self._wanted.clear()
        self._holes = None
        faults = [(each.at_s, each.strike) for each in struck if not each.never and not each.error]
        for moment, places in first_s.items():
            usual = self._usual.get(moment)
            for place, at_s in places.items():
                if usual is not None and (not place or place in usual):
                    continue
                before = self._witnesses.get((place, moment))
                needed = [strike for struck_s, strike in faults if struck_s <= at_s]
                if before is None or len(needed) < len(before.case.scenario.faults):
                    later = tuple(each for each, first in first_s.items() if first[""] > at_s)
                    self._witnesses[place, moment] = Witness(Case(self._with(needed), case.seed), later)
        if case.seeks:
            for moment in first_s:  # what was to bring it up goes on until the end
                self._coverage.seek(case.seeks, moment)

    def _look(self) -> None:
        self._holes = self._coverage.holes
        self._unseen = self._coverage.unseen
        self._needs_up = {place.name: place for place in self._coverage.places if place.while_up}

    def _needs(self, cell: Cell) -> bool:
        """Whether its place has to be up."""
        place = self._needs_up.get(cell.place)
        return place is not None and cell.how in place.while_up

    def _is_usual(self, cell: Cell) -> bool:
        up = self._usual.get(cell.moment)
        return up is not None and (not self._needs(cell) or cell.place in up)

    def _witness(self, cell: Cell) -> Witness | None:
        """The case with the fewest faults in which it could have been struck."""
        if self._needs(cell) and cell.place not in self._usual.get(cell.moment, ()):
            found = self._witnesses.get((cell.place, cell.moment))
            if found is not None:
                return found
        return self._witnesses.get(("", cell.moment))

    def _with(self, strikes: Iterable[Strike]) -> Scenario:
        return msgspec.structs.replace(self._story, faults=tuple(strikes))

    def _fresh(self, holes: list[Cell], moments: Sequence[Moment]) -> list[Strike]:
        """Many groups, at some of these moments."""
        strikes: list[Strike] = []
        holes = [each for each in holes if each.moment in moments]
        is_alone = self._lots.random() < ALONE
        for _ in range(self._lots.randint(1, 2 if is_alone else max(GROUPS, len(moments)))):
            cell = self._lots.choice(holes) if holes else None
            moment = cell.moment if cell is not None else self._lots.choice(moments)
            if cell is not None:
                holes.remove(cell)
                self._wanted.add(cell)
            at_once = 1 if is_alone else self._lots.choice(AT_ONCE)
            strikes += self._group(moment, cell, at_once, holes)
        return strikes

    def _after_others(self, cell: Cell, others: Sequence[Cell], fresh: list[Cell]) -> Case:
        """Struck in the very moment, with some others, in the case in which that came; and afterwards."""
        witness = self._witness(cell)
        assert witness is not None
        chosen = [cell]
        beside = [each for each in others if each.moment == cell.moment and not self._needs(each)]
        for each in self._lots.sample(beside, min(len(beside), self._lots.choice(AT_ONCE) - 1)):
            if each.place not in {one.place for one in chosen}:
                chosen.append(each)
        self._wanted.update(chosen)
        when = When(cell.moment.phase, cell.moment.action)
        strikes = [Strike(Fail(each.place, each.how), when, self._lasts_s()) for each in chosen]
        later = [each for each in witness.later if each in self._usual]
        afterwards = self._fresh(fresh, later) if later else []
        case = witness.case
        return Case(self._with((*case.scenario.faults, *strikes, *afterwards)), case.seed)

    def _seeking(self, place: StagePlace, moment: Moment, seed: int) -> Case:
        """What was followed by its being up at another moment, for longer, and perhaps from the beginning."""
        elsewhere = [each.case for (name, _), each in self._witnesses.items() if name == place.name]
        causes = self._lots.choice(elsewhere).scenario.faults if elsewhere else ()
        if self._lots.random() < 0.5:
            begin = When(self._first.phase, self._first.action)
            causes = tuple(msgspec.structs.replace(each, when=begin) for each in causes)
        causes = tuple(msgspec.structs.replace(each, lasts_s=0.0) for each in causes)
        rare = self._witnesses.get(("", moment))
        how = self._lots.choice([each for each in place.ways if each in place.while_up])
        strike = Strike(Fail(place.name, how), When(moment.phase, moment.action), self._lasts_s())
        if rare is None:
            return Case(self._with((*causes, strike)), seed, place.name)
        faults = (*causes, *rare.case.scenario.faults, strike)
        return Case(self._with(faults), rare.case.seed, place.name)

    def _group(self, moment: Moment, cell: Cell | None, at_once: int, holes: list[Cell]) -> list[Strike]:
        """Strikes at one moment. Those beside the first go to holes of that moment, or anywhere, evenly."""
        lots = self._lots
        fails: list[Fail] = []
        taken: set[str] = set()
        if cell is not None:
            fails.append(Fail(cell.place, cell.how))
            taken.add(cell.place)
        for _ in range(min(at_once, len(self._coverage.places)) - len(fails)):
            beside = [each for each in holes if each.moment == moment and each.place not in taken]
            if beside and lots.random() < 0.5:
                other = lots.choice(beside)
                holes.remove(other)
                self._wanted.add(other)
                fails.append(Fail(other.place, other.how))
            else:
                place = lots.choice([each for each in self._coverage.places if each.name not in taken])
                fails.append(Fail(place.name, lots.choice(place.ways)))
            taken.add(fails[-1].device)
        # A cell is struck in the very moment: a phase may be over soon.
        is_now = lots.random() < (0.7 if cell is not None else 0.3)
        after_s = 0.0 if is_now else round(min(lots.expovariate(1.0 / LATER_S), 1.0), 3)
        nth = lots.randint(1, MOST_NTH) if lots.random() < 0.3 else 1
        when = When(moment.phase, moment.action, nth, after_s)
        return [Strike(fail, when, self._lasts_s()) for fail in fails]

    def _lasts_s(self) -> float:
        return round(self._lots.uniform(*LASTS_S), 2)
