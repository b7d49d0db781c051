"""Which fault was tried at which place, in which phase of which action: reached, a hole, or out of reach.

A cell is in reach if the place can fail so, and the action comes into the phase in this story. It turns out
to be out of reach when it was tried often enough and the place was never there: no such process runs then.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

import msgspec

from framework.scenarios.phases import Moment
from framework.scenarios.report import Struck
from framework.scenarios.scenario import How, Phase
from framework.scenarios.stage import StagePlace

TRIES: Final = 4
"""What could not be done so often, for want of the place, is out of reach."""


class Cell(msgspec.Struct, frozen=True, order=True):
    """A place fails in some way at a moment."""

    place: str
    how: How
    moment: Moment

    def __str__(self) -> str:
        return f"{self.place} ({self.how.value}) when {self.moment}"


class Coverage(msgspec.Struct):
    """What was tried so far.

    places: all there are. moments: how often each came, over all runs. struck: how often each cell was;
    in_vain: how often it could not be; why: the reason.
    """

    places: tuple[StagePlace, ...] = ()
    moments: dict[Moment, int] = {}
    struck: dict[Cell, int] = {}
    in_vain: dict[Cell, int] = {}
    why: dict[Cell, str] = {}

    def add(self, struck: tuple[Struck, ...], moments: dict[Moment, int]) -> None:
        """One more run."""
        counts = Counter(self.moments)
        counts.update(moments)
        self.moments = dict(sorted(counts.items(), key=lambda each: _order(each[0])))
        for each in struck:
            fail = each.strike.fail
            if each.never:
                continue
            if not each.error:
                for moment in set(each.moments):
                    cell = Cell(fail.device, fail.how, moment)
                    self.struck[cell] = self.struck.get(cell, 0) + 1
            elif each.in_phase:
                cell = Cell(fail.device, fail.how, meant(each))
                self.in_vain[cell] = self.in_vain.get(cell, 0) + 1
                self.why[cell] = each.error

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All that may be in reach, in order."""
        return tuple(
            Cell(place.name, how, moment)
            for place in self.places
            for how in place.ways
            for moment in self.moments
        )

    def is_out_of_reach(self, cell: Cell) -> bool:
        """Whether it was tried often enough, always in vain."""
        return cell not in self.struck and self.in_vain.get(cell, 0) >= TRIES

    @property
    def holes(self) -> tuple[Cell, ...]:
        """In reach, and never struck."""
        return tuple(
            each for each in self.cells if each not in self.struck and not self.is_out_of_reach(each)
        )

    @property
    def percent(self) -> float:
        """Of the cells in reach, those that were struck."""
        in_reach = [each for each in self.cells if not self.is_out_of_reach(each)]
        if not in_reach:
            return 0.0
        return 100.0 * sum(each in self.struck for each in in_reach) / len(in_reach)

    @property
    def out_of_reach(self) -> dict[str, str]:
        """What is out of reach, and why: ways to fail by place, phases by action, single cells."""
        found = {
            f"{place.name}: {how.value}": why for place in self.places for how, why in place.cannot.items()
        }
        actions = {moment.action for moment in self.moments}
        for action in sorted(actions):
            for phase in Phase:
                if Moment(action, phase) not in self.moments:
                    found[str(Moment(action, phase))] = "it never comes to that in this story"
        found |= {str(cell): self.why[cell] for cell in self.cells if self.is_out_of_reach(cell)}
        return found


def _order(moment: Moment) -> tuple[str, int]:
    """By action, and as a life goes."""
    return moment.action, list(Phase).index(moment.phase)


def meant(struck: Struck) -> Moment:
    """For which moment it was armed."""
    return Moment(struck.strike.when.action, struck.strike.when.phase)
