"""What came of a scenario, as data: the timeline, what was seen, the numbers, the verdict.

How it is written down is in `markdown.py`, `junit.py` and `picture.py`. Times are seconds since the
scenario began.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from framework.scenarios.invariants import Broken
from framework.scenarios.phases import Moment
from framework.scenarios.scenario import Strike, WhichClock
from framework.scenarios.stage import StagePlace


class Kind(StrEnum):
    """What a line of the timeline is about."""

    SAID = "said"
    ACTED = "acted"
    FAULT = "fault"
    MENDED = "mended"
    WAITED = "waited"
    EXPECTED = "expected"
    SKIPPED = "skipped"
    CLEANUP = "cleanup"


class Entry(msgspec.Struct, frozen=True):
    """One line of the timeline: something was done, or expected.

    ok: None where nothing could go wrong. ended_s: when it was done, or came. late_s: against its `at_s`.
    detail: what came of it; of a failed expectation what was there instead.
    """

    began_s: float
    ended_s: float
    kind: Kind
    text: str
    ok: bool | None = None
    within_s: float | None = None
    late_s: float = 0.0
    line: int = 0
    detail: tuple[str, ...] = ()

    @property
    def sign(self) -> str:
        """✓ it came, ✗ it did not, – it was not tried, · nothing to judge."""
        if self.kind is Kind.SKIPPED:
            return "–"
        return "·" if self.ok is None else "✓" if self.ok else "✗"

    def __str__(self) -> str:
        took = ""
        if self.kind is Kind.EXPECTED:
            bound = f" (within {self.within_s:g} s)" if self.within_s is not None else ""
            took = f": after {self.ended_s - self.began_s:.3f} s{bound}" if self.ok else f": not{bound}"
        late = f", {self.late_s:.3f} s late" if self.late_s > 0.01 else ""
        return f"{self.began_s:9.3f} s  {self.sign} {self.kind.value:<8} {self.text}{took}{late}"


class Span(msgspec.Struct, frozen=True):
    """Something was so for a while. group: "shown", "device" or "plan"; lane: which; label: how it was."""

    group: str
    lane: str
    label: str
    from_s: float
    to_s: float


class Line(msgspec.Struct, frozen=True):
    """Something was said. about: of which plan, and of which action in it; "" if of none."""

    t_s: float
    kind: str
    text: str
    about: str = ""

    def __str__(self) -> str:
        return f"{self.t_s:9.3f} s  {self.kind}: {self.text}"


class Struck(msgspec.Struct, frozen=True):
    """What became of a strike.

    moments: what all actions were at.
    repaired_ms: until everybody who had something had it again, or knew; None: nobody had, or it never came.
    error: why it could not be done; never: because its moment did not come.
    """

    strike: Strike
    at_s: float = 0.0
    moments: tuple[Moment, ...] = ()
    repaired_ms: float | None = None
    words: str = ""
    error: str = ""
    never: bool = False


class Report(msgspec.Struct, frozen=True):
    """One run of a scenario with one seed.

    failure: why it did not pass, in words; empty if it did. numbers: what was recorded, by name.
    leaked: what was left after the clean-up. struck: what failed beside the steps; moments: how often each
    action came into each phase; first_s: when it came first, under "", and when each place was first up in
    it. broken: the invariants that did not hold, if they were judged. places: where faults can be.
    """

    scenario: str
    file: str
    seed: int
    clock: WhichClock
    took_s: float
    failure: str
    entries: tuple[Entry, ...] = ()
    spans: tuple[Span, ...] = ()
    lines: tuple[Line, ...] = ()
    numbers: dict[str, float] = {}
    leaked: tuple[str, ...] = ()
    description: str = ""
    struck: tuple[Struck, ...] = ()
    moments: dict[Moment, int] = {}
    first_s: dict[Moment, dict[str, float]] = {}
    broken: tuple[Broken, ...] = ()
    places: tuple[StagePlace, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether all went as expected."""
        return not self.failure

    @property
    def signature(self) -> str:
        """What happened when, on one text: equal for equal runs of the virtual clock."""
        lines = [f"{entry.began_s:.6f} {entry.ended_s:.6f} {entry.ok} {entry.text}" for entry in self.entries]
        return "\n".join([*lines, *(f"{line.t_s:.6f} {line.kind} {line.text}" for line in self.lines)])
