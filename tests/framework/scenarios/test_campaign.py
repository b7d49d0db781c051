"""Campaigns over a scripted installation: what is covered, what is found, and how small it becomes."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest

from framework.events import Event, EventBus, EventKind
from framework.scenarios import Report, parse_scenario, run_scenario
from framework.scenarios.campaign import CampaignReport, Case, CaseResult, run_campaign, written
from framework.scenarios.campaign.junit import junit
from framework.scenarios.campaign.page import page
from framework.scenarios.campaign.report import Verdict
from framework.scenarios.campaign.shrinking import shrunk
from framework.scenarios.campaign.story import story_of
from framework.scenarios.invariants import Breach, Broken
from framework.scenarios.scenario import Fail, How, Phase, Scenario, Strike, When
from framework.testing import ScriptedDevice, ScriptedInstallation, run
from framework.testing.scripted_installation import ScriptedStage
from framework.transport.local import LocalLink
from framework.transport.messages import Release
from framework.tree.action import ActionNode
from pilothouse.testbed.playing import Logged

STORY = parse_scenario(
    """
name: look
clock: virtual
steps:
  - {say: look, settles: later}
  - wait_s: 1.5
  - say: pause
  - wait_s: 0.5
  - say: carry on
  - expect: {shown: front}
    within_s: 2
  - wait_s: 1
  - say: stop
""",
    "look.yaml",
)


def scripted(case: Case) -> Report:
    async def main() -> Report:
        devices = [ScriptedDevice("front"), ScriptedDevice("wrist")]
        async with ScriptedInstallation(
            devices, {"look": ("front", "wrist")}, seed=case.seed
        ) as installation:
            return await run_scenario(
                case.scenario,
                installation.stage,
                seed=case.seed,
                look_s=0.02,
                cleanup_s=6.0,
                is_drawn=False,
            )

    return run(main, seed=case.seed, shuffled=True)


def play(cases: Sequence[Case]) -> Iterable[CaseResult]:
    for case in cases:
        with Logged() as logged:
            report = scripted(case)
        broken = (*report.broken, *(Broken(Breach.ERROR, text) for text in logged.texts))
        yield CaseResult(broken, report.struck, report.moments, report.places, report.took_s, report.first_s)


def campaign(
    faults: int, seed: int = 1, scenario: Scenario = STORY, *, fail_fast: bool = False
) -> CampaignReport:
    ticks = itertools.count()
    now_s = lambda: float(next(ticks))  # noqa: E731
    return run_campaign(
        scenario,
        play,
        now_s=now_s,
        faults=faults,
        seed=seed,
        batch=4,
        most_shrunk=3,
        fail_fast=fail_fast,
    )


def test_a_campaign_covers_what_is_in_reach_and_nothing_breaks() -> None:
    report = campaign(120)
    assert report.passed, [verdict.words for verdict in report.verdicts if verdict.words]
    assert report.coverage.percent >= 90.0, report.coverage.holes
    assert {moment.phase for moment in report.coverage.moments} >= {
        Phase.STARTING,
        Phase.READY,
        Phase.RESUMING,
        Phase.STOPPING,
    }
    assert set(report.repairs) == {How.DIE, How.HANG, How.GARBAGE, How.STALE}
    assert all(repair.n and repair.p50_ms <= repair.p99_ms for repair in report.repairs.values())
    assert report.coverage.out_of_reach["front: reflex"] == "no scripted device can do that"
    assert "said_0: moving" in report.coverage.out_of_reach
    cases = ElementTree.fromstring(junit(report)).iter("testcase")
    assert len(list(cases)) == len(report.verdicts)
    html = page(report, {}, {})
    assert f"<b>{report.coverage.percent:.1f} %</b> of the cells in reach were struck" in html


def test_the_same_seed_gives_the_same_campaign() -> None:
    first, again, other = campaign(8), campaign(8), campaign(8, seed=2)
    assert first.coverage.struck == again.coverage.struck
    assert first.repairs == again.repairs
    assert first.coverage.struck != other.coverage.struck


def test_a_small_campaign_is_small_and_says_where_it_is_from_the_beginning() -> None:
    told: list[int] = []
    report = run_campaign(
        STORY, play, now_s=lambda: 0.0, faults=20, seed=1, watch=lambda faults, *_: told.append(faults)
    )
    assert 20 <= report.faults < 40
    assert told[0] == 0 and told[-1] == report.faults


def test_the_page_lists_what_was_played_beside_the_story() -> None:
    """Of each kind how often something did not hold, and what."""
    report = msgspec.structs.replace(
        campaign(8),
        histories=(Verdict(1, 0, 0.1), Verdict(2, 0, 0.1, ("doing: words.orders, seed 17: it <moves>",))),
        histories_of=("words.orders", "words.orders.far"),
    )
    html = page(report, {}, {})
    assert (
        "<td>words.orders</td><td class='n bad'>1</td><td>doing: words.orders, seed 17: it &lt;moves" in html
    )
    assert "1 in which everything held</summary><p>words.orders.far</p>" in html
    assert report.figures.breaches.keys() == set(Breach) and not any(report.figures.breaches.values())


# ---------------------------------------------------------------- planted bugs


def lose_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    send = LocalLink.send

    def lossy(self: LocalLink, to: str, message: Any) -> None:
        if not isinstance(message, Release):
            send(self, to, message)

    monkeypatch.setattr(LocalLink, "send", lossy)


def forget_to_cancel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ActionNode, "wind_down", lambda self, why: None)


def say_nothing_of_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    publish = EventBus.publish

    def silent(self: EventBus, event: Event) -> Event:
        is_news = event.plan and event.kind in (EventKind.SWITCHED, EventKind.FAILED, EventKind.WAITING)
        return event if is_news else publish(self, event)

    monkeypatch.setattr(EventBus, "publish", silent)


def say_all_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    publish = EventBus.publish

    def twice(self: EventBus, event: Event) -> Event:
        publish(self, event)
        return publish(self, event)

    monkeypatch.setattr(EventBus, "publish", twice)


def log_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    wind_down = ActionNode.wind_down

    def loud(self: ActionNode, why: str) -> None:
        logging.getLogger("pilothouse").error("nobody expected that")
        wind_down(self, why)

    monkeypatch.setattr(ActionNode, "wind_down", loud)


@pytest.mark.parametrize(
    ("plant", "breaches"),
    [
        (lose_releases, {Breach.LEAKED, Breach.DANGLING}),
        (forget_to_cancel, {Breach.NEVER_ENDED}),
        (say_nothing_of_plans, {Breach.UNTOLD}),
        (say_all_twice, {Breach.TOLD_TWICE}),
        (log_an_error, {Breach.ERROR}),
    ],
)
def test_a_planted_bug_is_found(
    plant: Callable[[pytest.MonkeyPatch], None], breaches: set[Breach], monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    report = campaign(20)
    assert breaches <= report.breaches.keys()
    assert not report.passed
    found = {each.breach: each for each in report.found}
    assert all(len(found[each].case.faults) <= found[each].shrunk_from for each in breaches)
    assert all(each.value in page(report, {}, {}) for each in breaches)


def test_the_first_failure_may_be_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    say_nothing_of_plans(monkeypatch)
    report = campaign(10_000, fail_fast=True)
    assert not report.passed
    assert report.faults < 100
    assert len(report.found[0].case.faults) == report.found[0].shrunk_from, "it is told as it was"


def test_one_that_is_interrupted_reports_what_came_of_it_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    say_nothing_of_plans(monkeypatch)

    def until_there_are_some(cases: Sequence[Case]) -> Iterable[CaseResult]:
        for result in play(cases):
            if len(played) == 10:
                raise KeyboardInterrupt
            played.append(result)
            yield result

    played: list[CaseResult] = []
    report = run_campaign(STORY, until_there_are_some, now_s=lambda: 0.0, faults=10_000, batch=4)
    assert report.interrupted and 0 < report.faults < 10_000
    assert len(report.verdicts) == 10
    assert report.found and len(report.found[0].case.faults) == report.found[0].shrunk_from


def test_what_was_found_fails_again_from_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    say_nothing_of_plans(monkeypatch)
    found = next(each for each in campaign(20).found if each.breach is Breach.UNTOLD)
    assert 1 <= len(found.case.faults) <= 2
    again = scripted(Case(parse_scenario(written(found.case, "found"), "found.yaml"), found.seed))
    assert "untold" in again.failure
    monkeypatch.undo()
    assert scripted(Case(found.case, found.seed)).passed


# ---------------------------------------------------------------- parts


def strike(device: str, after_s: float = 0.5) -> Strike:
    return Strike(Fail(device), When(Phase.READY, "said_0", after_s=after_s), 1.0)


def test_shrinking_leaves_only_what_is_needed() -> None:
    names = [f"device_{number}" for number in range(9)]
    case = Scenario("x", (), faults=tuple(map(strike, names)))
    needed = {"device_2", "device_7"}
    tried: list[int] = []

    def fails(scenario: Scenario) -> bool:
        tried.append(len(scenario.faults))
        return needed <= {each.fail.device for each in scenario.faults}

    smallest = shrunk(case, fails, most_plays=100)
    assert {each.fail.device for each in smallest.faults} == needed
    assert all(each.when.after_s == 0.0 and each.lasts_s == 0.0 for each in smallest.faults)
    assert len(tried) < 60


@pytest.mark.parametrize("file", ["look", "with faults"])
def test_a_scenario_that_is_written_is_read_as_the_same(file: str) -> None:
    scenario = story_of(STORY)
    if file == "with faults":
        scenario = Scenario(**{**_fields(scenario), "faults": (strike("front"), strike("wrist", 0.0))})
    again = parse_scenario(written(scenario), "look.yaml")
    bare = [step.do for step in again.steps]
    assert bare == [step.do for step in scenario.steps]
    assert (again.faults, again.invariants, again.clock) == (scenario.faults, True, scenario.clock)


def _fields(scenario: Scenario) -> dict[str, Any]:
    return {name: getattr(scenario, name) for name in scenario.__struct_fields__}


# ---------------------------------------------------------------- afterwards

WITH_ROUNDS = parse_scenario(
    f"""{written(STORY)}rounds:
  - name: it looks again
    steps:
      - say: look
      - expect: {{shown: front}}
        within_s: 2
      - say: stop
      - expect: {{shown: nothing, empty: true}}
  - name: it looks away
    steps:
      - say: look
      - say: stop
  - name: it does what only metal can
    clock: real
    steps: [{{say: fly}}]
""",
    "look.yaml",
)


def test_when_all_is_mended_everything_works_again() -> None:
    report = campaign(20, scenario=WITH_ROUNDS)
    assert report.passed, [verdict.words for verdict in report.verdicts if verdict.words]
    assert report.faults >= 20


def test_what_does_not_work_again_is_found_and_fails_from_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ScriptedStage, "restore", lambda self, device: f"{device} is plugged in, it says")
    report = campaign(8, scenario=WITH_ROUNDS)
    found = next(each for each in report.found if each.breach is Breach.AFTERWARDS)
    assert "it looks" in found.words and found.case.rounds == WITH_ROUNDS.rounds
    again = parse_scenario(written(found.case, "found"), "found.yaml")
    assert any(each.breach is Breach.AFTERWARDS for each in scripted(Case(again, found.seed)).broken)
