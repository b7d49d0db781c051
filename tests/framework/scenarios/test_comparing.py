"""Whether two runs of a scenario went the same way: what is a difference, and what is none."""

from __future__ import annotations

import msgspec
import pytest

from framework.scenarios.comparing import (
    Comparison,
    DifferenceKind,
    MayDiffer,
    Tolerance,
    compare,
    same_pct,
)
from framework.scenarios.report import Entry, Kind, Line, Report, Span
from framework.scenarios.scenario import WhichClock

PLAN = "1 drive"


def run(*lines: Line, spans: tuple[Span, ...] = (), entries: tuple[Entry, ...] = ()) -> Report:
    """A run in which something was said and seen."""
    return Report("played", "played.yaml", 0, WhichClock.VIRTUAL, 30.0, "", entries, spans, lines)


def doing(t_s: float, text: str, about: str = PLAN) -> Line:
    """Something is said of an action."""
    return Line(t_s, "doing", text, about)


def state(label: str, from_s: float, to_s: float, *, group: str = "device", lane: str = "base") -> Span:
    """Something is so for a while."""
    return Span(group, lane, label, from_s, to_s)


def shown(from_s: float, to_s: float) -> Span:
    """A camera is shown for a while."""
    return Span("shown", "camera", "camera", from_s, to_s)


def kinds(one: Report, other: Report, **how: object) -> list[DifferenceKind]:
    """In which ways they differ."""
    return [each.kind for each in compare(one, other, **how).differences]  # type: ignore[arg-type]


def test_a_run_is_like_itself_and_like_one_that_is_a_little_slower() -> None:
    one = run(doing(0.5, "driving"), doing(2.0, "there"), spans=(state("in use", 0.5, 2.1),))
    slower = run(doing(1.2, "driving"), doing(3.1, "there"), spans=(state("in use", 1.2, 3.2),))
    assert compare(one, one).same and compare(one, slower).same
    assert compare(one, slower).moments == 3


def test_what_only_one_says_is_a_difference_whichever_it_is() -> None:
    more, less = run(doing(0.5, "driving"), doing(2.0, "there")), run(doing(0.5, "driving"))
    assert kinds(more, less) == kinds(less, more) == [DifferenceKind.ONLY_ONE]
    assert compare(more, less).differences[0].times_s == (2.0, None)


def test_other_words_are_two_differences() -> None:
    blocked = run(doing(2.0, "waiting to see where I drive"))
    assert kinds(run(doing(2.0, "there")), blocked) == [DifferenceKind.ONLY_ONE] * 2


def test_progress_is_said_as_often_as_there_is_time_and_figures_differ() -> None:
    one = run(doing(0.5, "driving"), doing(0.6, "the scan is 0.8 s old"))
    other = run(doing(0.5, "driving"), doing(0.6, "driving"), doing(0.7, "the scan is 1.1 s old"))
    assert compare(one, other).same


def test_within_an_action_the_order_is_the_same() -> None:
    one = run(doing(0.5, "driving"), doing(0.6, "there"))
    other = run(doing(0.5, "there"), doing(0.6, "driving"))
    assert DifferenceKind.ONLY_ONE in kinds(one, other)


def test_two_actions_may_interleave_but_not_be_swapped() -> None:
    def beside(track_s: float) -> Report:
        return run(doing(2.0, "driving"), doing(track_s, "tracking", "1 track"))

    assert compare(beside(1.9), beside(2.1)).same
    assert kinds(beside(0.8), beside(3.2)) == [DifferenceKind.ORDER]


def test_times_count_from_the_deed_before() -> None:
    def after(deed_s: float, told_s: float) -> Report:
        deed = Entry(deed_s, deed_s, Kind.FAULT, "fail base")
        return run(doing(deed_s + told_s, "failed"), entries=(deed,))

    assert compare(after(1.0, 0.3), after(9.0, 0.8)).same
    assert kinds(after(1.0, 0.3), after(1.0, 5.0)) == [DifferenceKind.TIME]
    assert kinds(after(1.0, 0.3), after(1.0, 1.0), tolerance=Tolerance(s=0.1)) == [DifferenceKind.TIME]


def test_a_state_that_lasts_is_seen_in_both_and_a_brief_one_may_be_missed() -> None:
    one = run(spans=(state("free", 0.0, 2.0), state("in use", 2.0, 2.2), state("free", 2.2, 9.0)))
    missed = run(spans=(state("free", 0.0, 9.0),))
    assert compare(one, missed).same
    lasting = run(spans=(state("free", 0.0, 2.0), state("in use", 2.0, 5.0), state("free", 5.0, 9.0)))
    assert set(kinds(lasting, missed)) == {DifferenceKind.ONLY_ONE}
    other = run(spans=(state("fault", 0.0, 9.0),))
    assert kinds(missed, other) == [DifferenceKind.ONLY_ONE] * 2


def test_a_gap_in_what_is_shown_may_be_short_and_has_to_end() -> None:
    whole, short = run(spans=(shown(0.0, 9.0),)), run(spans=(shown(0.0, 3.0), shown(4.0, 9.0)))
    assert compare(whole, short).same
    frozen = run(spans=(shown(0.0, 3.0),))
    back = run(spans=(shown(0.0, 3.0), shown(6.0, 9.0)))
    assert set(kinds(frozen, back)) == {DifferenceKind.ONLY_ONE}
    assert set(kinds(whole, back)) == {DifferenceKind.ONLY_ONE}


def test_a_step_that_comes_out_otherwise_is_a_difference() -> None:
    def expected(ok: bool) -> Report:
        return run(entries=(Entry(0.0, 1.0, Kind.EXPECTED, "base is free", ok),))

    assert kinds(expected(True), expected(False)) == [DifferenceKind.OUTCOME]


def test_a_run_that_ended_early_differs() -> None:
    step = Entry(0.0, 1.0, Kind.EXPECTED, "base is free", True)
    assert kinds(run(entries=(step, step)), run(entries=(step,))) == [DifferenceKind.OUTCOME]


def test_what_may_differ_is_said_with_its_reason() -> None:
    allowed = (MayDiffer("1 drive", "^doing: humming$", "nobody hums on the virtual clock"),)
    one, other = run(doing(0.5, "driving"), doing(0.6, "humming")), run(doing(0.5, "driving"))
    assert kinds(one, other) == [DifferenceKind.ONLY_ONE]
    assert compare(one, other, may_differ=allowed).same


@pytest.mark.parametrize(("same", "percent"), [((True, True), 100.0), ((True, False), 50.0), ((), 0.0)])
def test_the_share_of_scenarios_that_go_the_same_way(same: tuple[bool, ...], percent: float) -> None:
    different = compare(run(doing(0.5, "driving")), run())
    alike = msgspec.structs.replace(different, differences=())
    comparisons: list[Comparison] = [alike if each else different for each in same]
    assert same_pct(comparisons) == percent
    assert "1 difference among" in str(different) and "the same in both worlds" in str(alike)


def test_what_comes_again_and_again_is_compared_with_its_own_time() -> None:
    """A brief state that one world misses is the first one, not the last one."""

    def cycles(*starts_s: float) -> Report:
        deeds = tuple(Entry(t_s, t_s, Kind.SAID, "say it") for t_s in (0.0, 10.0, 20.0))
        spans = [
            span
            for t_s in starts_s
            for span in (state("in use", t_s, t_s + 0.4), state("free", t_s + 0.4, t_s + 9.0))
        ]
        return run(spans=tuple(spans), entries=deeds)

    comparison = compare(cycles(1.0, 11.0, 21.0), cycles(11.3, 21.3))
    assert {each.times_s for each in comparison.differences} == {(1.4, None)}


def test_a_resource_that_was_there_for_a_moment_is_no_difference() -> None:
    here = {"group": "resource", "lane": "controller_manager/ArmState"}
    moment = run(spans=(state("ready", 1.0, 1.1, **here), state("absent", 1.1, 9.0, **here)))
    assert compare(moment, run()).same
    lasting = run(spans=(state("ready", 1.0, 5.0, **here), state("absent", 5.0, 9.0, **here)))
    assert set(kinds(lasting, run())) == {DifferenceKind.ONLY_ONE}


@pytest.mark.parametrize("garbage", [b"\xc1;FI\xe4", b"it's;\xc1", b'"it\'s";\\'])
def test_garbage_is_never_the_same(garbage: bytes) -> None:
    why = "17 unreadable messages in a row, the last: "
    one = run(doing(1.0, f"{why}a message that is none (scripted); it is unplugged"))
    other = run(doing(1.0, f"{why}malformed (byte 0) in 16 bytes beginning {garbage!r}; it is unplugged"))
    assert compare(one, other).same
