"""Whether a scenario goes the same way in two worlds: what happens in both, compared moment by moment. Pure.

A report becomes moments in lanes: what is said of each plan, what is said of processes and devices, how each
device, plan and resource is, what is shown. Within a lane the order has to be the same; between lanes, whose
moments come from different processes, it may not be reversed by more than `Tolerance.order_s`. Times count
from the deed before, and may differ by `Tolerance`. What else may differ is data: `MAY_DIFFER`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from itertools import groupby, zip_longest
from typing import Final

import msgspec

from framework.events import EventKind
from framework.scenarios.report import Entry, Kind, Line, Report, Span
from framework.scenarios.scenario import ABSENT

#: What an alignment costs: what is nowhere else, what need not be there, what is late, each deed and second
#: that lies between.
_MISSING, _EXCUSED, _LATE, _A_DEED, _A_SECOND = 1.0, 0.1, 0.1, 0.15, 0.0005

_DEEDS: Final = (Kind.SAID, Kind.ACTED, Kind.FAULT, Kind.MENDED, Kind.CLEANUP)


class Tolerance(msgspec.Struct, frozen=True):
    """How far two worlds may be apart.

    s, share: a moment's time since the deed before may differ by so much, and such a share of it more.
    order_s: of moments of different lanes the earlier one may be the later one elsewhere, by so much.
    brief_s: a state that lasts no longer need not be seen, as whoever looks may miss it. gap_s: nor need
    such a gap in what is shown, as rendering is late on a busy machine.
    """

    s: float = 2.0
    share: float = 0.5
    order_s: float = 1.0
    brief_s: float = 1.0
    gap_s: float = 1.5

    def allows(self, one_s: float, other_s: float) -> bool:
        """Whether these are the same moment."""
        return abs(one_s - other_s) <= self.s + self.share * max(one_s, other_s)


class MayDiffer(msgspec.Struct, frozen=True):
    """Moments that one world may have and the other not: whose lane and words match; and why that is so."""

    lane: str
    what: str
    why: str

    def covers(self, moment: Moment) -> bool:
        """Whether this is about it."""
        return bool(re.search(self.lane, moment.lane) and re.search(self.what, moment.what))


MAY_DIFFER: Final[tuple[MayDiffer, ...]] = ()
"""What is no difference."""

NEVER_THE_SAME: Final = (
    (r"-?\d+(?:\.\d+)? ?(?:m?s|seconds?|%)(?![a-z])", "what was measured"),
    (
        r"""(?<=the last: )(?:.*?beginning b(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")|[^;]*)""",
        "what is garbage, byte for byte",
    ),
    (r"/\S*/pilothouse-[^/\s]+", "the run directory"),
)
"""Words that no two runs have in common: a pattern, and what it is."""


class Moment(msgspec.Struct, frozen=True):
    """Something was said, or came to be so. t_s: since the beginning; lasts_s: a state's, else infinite."""

    lane: str
    what: str
    t_s: float
    lasts_s: float = float("inf")


class DifferenceKind(StrEnum):
    """In which way two worlds differ."""

    OUTCOME = "outcome"
    ONLY_ONE = "only one"
    TIME = "time"
    ORDER = "order"


class Difference(msgspec.Struct, frozen=True):
    """One thing in which they do. times_s: in the one and in the other world; None: it is not there."""

    kind: DifferenceKind
    lane: str
    what: str
    times_s: tuple[float | None, float | None]

    def __str__(self) -> str:
        one, other = (f"{t_s:9.2f}" if t_s is not None else "        –" for t_s in self.times_s)
        return f"{one} {other}  {self.kind.value:<8}  {self.lane}: {self.what}"


class Comparison(msgspec.Struct, frozen=True):
    """What came of comparing two runs of a scenario. moments: so many were compared."""

    scenario: str
    file: str
    moments: int
    differences: tuple[Difference, ...]

    @property
    def same(self) -> bool:
        """Whether it went the same way."""
        return not self.differences

    def __str__(self) -> str:
        if self.same:
            return f"{self.scenario}: the same in both worlds ({self.moments} moments)"
        number = len(self.differences)
        many = f"{number} differences" if number > 1 else "1 difference"
        title = f"{self.scenario}: {many} among {self.moments} moments"
        return "\n".join([title, "  virtual      real  [s]", *map(str, self.differences)])


def same_pct(comparisons: Sequence[Comparison]) -> float:
    """`virtual_equals_real_pct`: how many of the scenarios go the same way in both worlds [%]."""
    return 100.0 * sum(each.same for each in comparisons) / len(comparisons) if comparisons else 0.0


def compare(
    one: Report,
    other: Report,
    *,
    tolerance: Tolerance | None = None,
    may_differ: Sequence[MayDiffer] = MAY_DIFFER,
) -> Comparison:
    """Compare a run in one world with one in another."""
    comparing = _Comparing(one, other, tolerance or Tolerance(), may_differ)
    return Comparison(one.scenario, one.file, *comparing.run())


def moments_of(report: Report, tolerance: Tolerance) -> dict[str, list[Moment]]:
    """Its normal form: the lanes of a run, each in its order."""
    found = [*map(_said, report.lines), *_states(report.spans), *_shown(report.spans, tolerance.gap_s)]
    lanes: dict[str, list[Moment]] = {}
    for moment in sorted(found, key=lambda moment: moment.t_s):
        lane = lanes.setdefault(moment.lane, [])
        # How far it has got is said as often as there is time.
        if not lane or lane[-1].what != moment.what:
            lane.append(moment)
    return lanes


class _Comparing:
    def __init__(
        self, one: Report, other: Report, tolerance: Tolerance, may_differ: Sequence[MayDiffer]
    ) -> None:
        self._reports = (one, other)
        self._tolerance = tolerance
        self._may_differ = may_differ
        self._deeds = (_deeds(one.entries), _deeds(other.entries))
        self._differences: list[Difference] = []

    def run(self) -> tuple[int, tuple[Difference, ...]]:
        self._outcomes()
        lanes = [moments_of(report, self._tolerance) for report in self._reports]
        pairs: list[tuple[Moment, Moment]] = []
        for lane in sorted({*lanes[0], *lanes[1]}):
            pairs += self._align(lanes[0].get(lane, []), lanes[1].get(lane, []))
        for one, other in pairs:
            if not self._tolerance.allows(*self._since_s(one, other)):
                self._differ(DifferenceKind.TIME, one, other)
        for number, pair in enumerate(pairs):
            swapped = next((each for each in pairs[number + 1 :] if self._are_swapped(pair, each)), None)
            if swapped is not None:
                words = f"{pair[0].what}, against {swapped[0].lane}: {swapped[0].what}"
                times_s = (pair[0].t_s, pair[1].t_s)
                self._differences.append(Difference(DifferenceKind.ORDER, pair[0].lane, words, times_s))
        self._differences.sort(key=lambda each: min(t_s for t_s in each.times_s if t_s is not None))
        count = max(sum(map(len, each.values())) for each in lanes)
        return count, tuple(self._differences)

    def _are_swapped(self, first: tuple[Moment, Moment], second: tuple[Moment, Moment]) -> bool:
        """Whether one is clearly before the other in one world, and after it in the other one."""
        here_s, there_s = (after.t_s - before.t_s for before, after in zip(first, second, strict=True))
        return here_s * there_s < 0.0 and min(abs(here_s), abs(there_s)) > self._tolerance.order_s

    def _outcomes(self) -> None:
        one, other = self._reports
        for here, there in zip_longest(one.entries, other.entries):
            known = here or there
            if here is None or there is None or (here.text, here.ok) != (there.text, there.ok):
                signs = " ".join(each.sign if each is not None else "–" for each in (here, there))
                times_s = (
                    here.began_s if here is not None else None,
                    there.began_s if there is not None else None,
                )
                self._differences.append(
                    Difference(DifferenceKind.OUTCOME, known.kind.value, f"{known.text} {signs}", times_s)
                )

    def _align(self, one: list[Moment], other: list[Moment]) -> list[tuple[Moment, Moment]]:
        """The moments of a lane that both have; the others are differences, or excused."""
        pairs = self._pairs(one, other)
        for number, moments in enumerate((one, other)):
            kept = {id(pair[number]) for pair in pairs}
            for moment in _unmatched(moments, kept, self._is_excused):
                both = (moment, None) if number == 0 else (None, moment)
                self._differ(DifferenceKind.ONLY_ONE, *both)
        return pairs

    def _pairs(self, one: list[Moment], other: list[Moment]) -> list[tuple[Moment, Moment]]:
        """The cheapest alignment: best the same words at the same time, else at another one."""
        costs = [[0.0] * (len(other) + 1) for _ in range(len(one) + 1)]
        for i in range(len(one), -1, -1):
            for j in range(len(other), -1, -1):
                costs[i][j] = min((cost for cost, _, _ in self._ways(one, other, i, j, costs)), default=0.0)
        pairs: list[tuple[Moment, Moment]] = []
        i = j = 0
        while i < len(one) or j < len(other):
            _, next_i, next_j = min(self._ways(one, other, i, j, costs))
            if next_i > i and next_j > j:
                pairs.append((one[i], other[j]))
            i, j = next_i, next_j
        return pairs

    def _ways(
        self, one: list[Moment], other: list[Moment], i: int, j: int, costs: list[list[float]]
    ) -> Iterable[tuple[float, int, int]]:
        """How an alignment can go on: its cost, and where it is then."""
        if i < len(one):
            yield costs[i + 1][j] + self._cost(one[i]), i + 1, j
        if j < len(other):
            yield costs[i][j + 1] + self._cost(other[j]), i, j + 1
        if i < len(one) and j < len(other) and one[i].what == other[j].what:
            since = self._since_s(one[i], other[j])
            apart_s = min(abs(since[0] - since[1]), 100.0)
            late = _LATE if not self._tolerance.allows(*since) else 0.0
            deeds_apart = abs(
                _last_before(one[i].t_s, self._deeds[0]) - _last_before(other[j].t_s, self._deeds[1])
            )
            cost = late + _A_DEED * deeds_apart + _A_SECOND * apart_s
            yield costs[i + 1][j + 1] + cost, i + 1, j + 1

    def _cost(self, moment: Moment) -> float:
        return _EXCUSED if self._is_excused(moment) else _MISSING

    def _is_excused(self, moment: Moment) -> bool:
        """Whether it need not be in both worlds."""
        is_brief = moment.lasts_s <= self._tolerance.brief_s
        return is_brief or any(each.covers(moment) for each in self._may_differ)

    def _since_s(self, one: Moment, other: Moment) -> tuple[float, float]:
        """When they were, counted from the last deed before it in both worlds."""
        deeds, there = self._deeds
        number = min(_last_before(one.t_s, deeds), _last_before(other.t_s, there))
        return (one.t_s - deeds[number], other.t_s - there[number]) if number >= 0 else (one.t_s, other.t_s)

    def _differ(self, kind: DifferenceKind, one: Moment | None, other: Moment | None) -> None:
        moment = one or other
        assert moment is not None
        times_s = (one.t_s if one is not None else None, other.t_s if other is not None else None)
        self._differences.append(Difference(kind, moment.lane, moment.what, times_s))


def _unmatched(
    moments: Sequence[Moment], kept: set[int], is_excused: Callable[[Moment], bool]
) -> Iterable[Moment]:
    """What only one world has; but not that a state goes on after one that need not be seen.

    What was there so briefly that it need not be seen is absent afterwards, as before.
    """
    there = [moment for moment in moments if id(moment) in kept or not is_excused(moment)]
    for number, moment in enumerate(there):
        around = [each.what for each in there[max(number - 1, 0) : number + 2] if each is not moment]
        if number == 0:
            around.append(f"is {ABSENT}")
        if id(moment) not in kept and not (moment.lasts_s < float("inf") and moment.what in around):
            yield moment


def _deeds(entries: Sequence[Entry]) -> list[float]:
    return [entry.began_s for entry in entries if entry.kind in _DEEDS]


def _last_before(t_s: float, deeds: Sequence[float]) -> int:
    return sum(deed_s <= t_s for deed_s in deeds) - 1


def _said(line: Line) -> Moment:
    words = line.text
    for pattern, _ in NEVER_THE_SAME:
        words = re.sub(pattern, "…", words)
    lane = "said"
    if line.about:  # actions of a plan go beside each other
        lane = f"said of {line.about}"
    elif line.kind == EventKind.DEVICE:  # processes start and end when they can: a lane for each sentence
        lane = f"said: {words}"
    return Moment(lane, f"{line.kind}: {words}", line.t_s)


def _states(spans: Sequence[Span]) -> Iterable[Moment]:
    for span in spans:
        if span.group != "shown":
            what = f"is {span.label}"
            yield Moment(f"{span.group} {span.lane}", what, span.from_s, span.to_s - span.from_s)


def _shown(spans: Sequence[Span], gap_s: float) -> Iterable[Moment]:
    shown = sorted(
        (span for span in spans if span.group == "shown"), key=lambda span: (span.lane, span.from_s)
    )
    for lane, of_lane in groupby(shown, key=lambda span: span.lane):
        spans_of = list(of_lane)
        for number, span in enumerate(spans_of):
            following = spans_of[number + 1 : number + 2]
            gap_lasts_s = following[0].from_s - span.to_s if following else float("inf")
            yield Moment(f"shown {lane}", "is shown", span.from_s, 1e9)
            # A gap that may be is a state so brief that it need not be seen.
            lasts_s = 0.0 if gap_lasts_s <= gap_s else gap_lasts_s
            yield Moment(f"shown {lane}", "is shown no more", span.to_s, lasts_s)
