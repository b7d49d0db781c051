"""Which fault was tried at which place, in which phase of which action: struck, a hole, or out of reach.

A cell is in reach if the place can fail so and the action comes into the phase in this story. Some ways to
fail need a place that is up (a process that does not run cannot be slow): whether it ever is in that phase is
judged for all of them at once, from every run in which the phase came and from those in which the place was
sought.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from framework.scenarios.phases import Moment
from framework.scenarios.report import Struck
from framework.scenarios.scenario import How, Phase
from framework.scenarios.stage import StagePlace

COMINGS: Final = 60
SOUGHT: Final = 6
"""A place that was not up in so many comings of a phase, also not when it was sought so often, never is."""


class Cell(msgspec.Struct, frozen=True, order=True):
    """A place fails in some way at a moment."""

    place: str
    how: How
    moment: Moment

    def __str__(self) -> str:
        return f"{self.place} ({self.how.value}) when {self.moment}"


class Coverage(msgspec.Struct):
    """What was tried so far.

    places: all there are. moments: how often each came, over all runs. up: in how many runs each place was up
    in that phase. sought: how often it was sought there. struck: how often each cell was.
    """

    places: tuple[StagePlace, ...] = ()
    moments: dict[Moment, int] = {}
    up: dict[Moment, Counter[str]] = {}
    sought: dict[Moment, Counter[str]] = {}
    struck: dict[Cell, int] = {}

    def add(
        self, struck: Iterable[Struck], moments: Mapping[Moment, int], up: Mapping[Moment, Iterable[str]]
    ) -> None:
        """One more run. up: the places that were up at some time of each phase."""
        counts = Counter(self.moments)
        counts.update(moments)
        self.moments = dict(sorted(counts.items(), key=lambda each: _order(each[0])))
        for moment, places in up.items():
            self.up.setdefault(moment, Counter()).update(places)
        for each in struck:
            if not each.never and not each.error:
                for moment in set(each.moments):
                    cell = Cell(each.strike.fail.device, each.strike.fail.how, moment)
                    self.struck[cell] = self.struck.get(cell, 0) + 1

    def seek(self, place: str, moment: Moment) -> None:
        """A run in which the phase came was made for this place to be up in it."""
        self.sought.setdefault(moment, Counter())[place] += 1

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All that may be in reach, in order."""
        return tuple(
            Cell(place.name, how, moment)
            for place in self.places
            for how in place.ways
            for moment in self.moments
        )

    def was_up(self, place: StagePlace, moment: Moment) -> bool:
        """Whether it was ever seen up in that phase."""
        return place.name in self.up.get(moment, ())

    def is_never_up(self, place: StagePlace, moment: Moment) -> bool:
        """Whether so much was tried in vain that this takes it for out of reach."""
        is_known_elsewhere = any(place.name in counts for counts in self.up.values())
        return (
            not self.was_up(place, moment)
            and self.moments.get(moment, 0) >= COMINGS
            and (self.times_sought(place, moment) >= SOUGHT or not is_known_elsewhere)
        )

    def times_sought(self, place: StagePlace, moment: Moment) -> int:
        """In so many runs in which the phase came."""
        return self.sought[moment][place.name] if moment in self.sought else 0

    @property
    def unseen(self) -> tuple[tuple[StagePlace, Moment], ...]:
        """Where a place was never seen up, and nothing says yet that it never is."""
        return tuple(
            (place, moment)
            for place in self.places
            if place.while_up
            for moment in self.moments
            if not self.was_up(place, moment) and not self.is_never_up(place, moment)
        )

    @property
    def out(self) -> dict[Cell, str]:
        """The cells that are out of reach as far as it was tried, and how that was."""
        found: dict[Cell, str] = {}
        for place in self.places:
            for moment, times in self.moments.items():
                if not place.while_up or not self.is_never_up(place, moment):
                    continue
                sought = self.times_sought(place, moment)
                why = f"it was never up then: this came {times} times, and it was sought {sought} times"
                for how in place.ways:
                    cell = Cell(place.name, how, moment)
                    if how in place.while_up and cell not in self.struck:
                        found[cell] = why
        return found

    @property
    def holes(self) -> tuple[Cell, ...]:
        """In reach, and never struck."""
        out = self.out
        return tuple(each for each in self.cells if each not in self.struck and each not in out)

    @property
    def in_reach(self) -> int:
        """So many cells are."""
        return len(self.cells) - len(self.out)

    @property
    def percent(self) -> float:
        """Of the cells in reach, those that were struck."""
        in_reach = self.in_reach
        return 100.0 * (in_reach - len(self.holes)) / in_reach if in_reach else 0.0

    @property
    def out_of_reach(self) -> dict[str, str]:
        """What is out of reach, and why: ways to fail by place, phases by action, places by phase."""
        found = {
            f"{place.name}: {how.value}": why for place in self.places for how, why in place.cannot.items()
        }
        actions = {moment.action for moment in self.moments}
        for action in sorted(actions):
            for phase in Phase:
                if Moment(action, phase) not in self.moments:
                    found[str(Moment(action, phase))] = "it never comes to that in this story"
        ways: dict[tuple[str, Moment, str], list[str]] = {}
        for cell, why in self.out.items():
            ways.setdefault((cell.place, cell.moment, why), []).append(cell.how.value)
        for (place, moment, why), how in ways.items():
            found[f"{place} ({', '.join(how)}) when {moment}"] = why
        return found


def _order(moment: Moment) -> tuple[str, int]:
    """By action, and as a life goes."""
    return moment.action, list(Phase).index(moment.phase)
