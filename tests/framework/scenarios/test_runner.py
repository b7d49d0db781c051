"""Playing scenarios on an installation of scripted devices: what passes, what fails, what is said."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from framework.errors import DescriptionError
from framework.registrar import ResourceView
from framework.scenarios import Entry, Kind, Report, parse_scenario, run_scenario
from framework.scenarios.stage import StageView, leaked_of
from framework.status import Priority
from framework.testing import ScriptedDevice, ScriptedInstallation
from framework.testing.pytest_plugin import ScenarioPlayer, VirtualRunner
from framework.testing.scripted_installation import ScriptedStage
from tests.effort import share

DEVICES = [ScriptedDevice("front"), ScriptedDevice("wrist"), ScriptedDevice("base")]
LOOK = {"look": ("front", "wrist", "base"), "look back": ("base",)}


def harness() -> ScriptedInstallation:
    return ScriptedInstallation(DEVICES, LOOK)


@pytest.fixture
def play(play_scenario: ScenarioPlayer) -> Callable[..., Report]:
    """Play these steps; `may_fail` for those that are meant to."""

    def with_steps(steps: str, *, may_fail: bool = False, head: str = "") -> Report:
        return play_scenario(f"name: test\n{head}\nsteps:\n{steps}", harness, may_fail=may_fail)

    return with_steps


Play = Callable[..., Report]


# ---------------------------------------------------------------- what does not come


def test_an_expectation_that_is_not_met_says_what_was_there_instead(play: Play) -> None:
    report = play(
        """
  - say: look
  - expect: {shown: front}
  - fail: front
  - expect: {shown: base, told: nobody says this, plans: {look: failed}}
    within_s: 3
  - say: never said
""",
        may_fail=True,
    )
    assert "scenario:8: expected within 3 s" in report.failure
    assert "base is shown: shown is wrist, with no new sample of base" in report.failure
    assert "'nobody says this': nobody said so" in report.failure
    assert "the plan 'look' is failed: it is established" in report.failure
    failed = next(entry for entry in report.entries if entry.ok is False)
    assert failed.ended_s - failed.began_s == pytest.approx(3.0, abs=0.05)
    assert any("showing wrist" in line for line in failed.detail), "the last events stand there"
    assert [entry.kind for entry in report.entries][-2:] == [Kind.SKIPPED, Kind.CLEANUP]
    assert report.numbers["leaked"] == 0, "the clean-up follows in any case"


def test_a_gap_that_is_too_long(play: Play) -> None:
    report = play(
        """
  - say: look
  - fail: front
  - expect: {shown: wrist, gap_below_s: 0.3}
    within_s: 2
""",
        may_fail=True,
    )
    assert "after a gap below 0.3 s: the gap was 0.6" in report.failure


def test_an_instruction_that_settles_otherwise(play: Play) -> None:
    report = play("  - say: dance\n", may_fail=True)
    assert 'say "dance" was expected to be done, but was not done' in report.failure
    assert play("  - {say: dance, settles: not done}").passed
    report = play("  - {say: look, settles: not done}", may_fail=True)
    assert "expected to be not done, but was done" in report.failure
    report = play("  - {say: look, within_s: 0.1}", may_fail=True)
    assert "was not settled within 0.1 s" in report.failure


def test_it_never_hangs(play: Play) -> None:
    report = play("  - say: look\n  - wait_s: 100000\n  - say: look back", may_fail=True, head="timeout_s: 5")
    assert "longer than the 5 s allowed" in report.failure
    assert report.took_s < 6.0
    assert report.leaked == ()
    assert [str(entry.kind) for entry in report.entries].count("skipped") == 2


def test_a_deed_that_cannot_be_done(play: Play) -> None:
    report = play("  - fail: sensors/Nobody", may_fail=True)
    assert "could not be done: there is no resource 'sensors/Nobody'; there are none" in report.failure
    report = play("  - kill: sensor nobody", may_fail=True)
    assert "could not be done: no process 'sensor nobody' runs; running are none" in report.failure


def test_an_event_of_before_the_deed_does_not_count(play: Play) -> None:
    steps = """
  - say: look
  - expect: {event: established}
  - fail: base
  - expect: {event: established}
    within_s: 1
"""
    report = play(steps, may_fail=True)
    assert "an event 'established': none of 1 events is that" in report.failure


def test_a_sample_of_before_the_deed_does_not_count(play: Play) -> None:
    steps = """
  - say: look
  - expect: {shown: front}
  - stop_process: encoder front
  - expect: {shown: front}
    within_s: 0.8
"""
    report = play(steps, may_fail=True)
    assert "front is shown: shown is front, with no new sample of front" in report.failure


def test_what_is_left_after_the_clean_up_is_a_failure(virtual: VirtualRunner) -> None:
    async def main() -> Report:
        async with harness() as installation:
            somebody = installation.transport

            async def hold_on() -> None:
                from framework.registrar import ResourceRegistrar
                from framework.testing.scripted_sensors import ScriptedSensor

                async with (
                    ResourceRegistrar("somebody", somebody) as registrar,
                    registrar.request(ScriptedSensor("base")),
                ):
                    await asyncio.Event().wait()

            task = asyncio.create_task(hold_on())
            scenario = parse_scenario("name: x\nsteps: [{say: look}]", "x")
            report = await run_scenario(scenario, installation.stage, cleanup_s=2.0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            return report

    report = virtual(main)
    assert "left after 2 s" in report.failure
    assert "sensors/ScriptedSensor(name='base')" in report.failure
    assert report.numbers["leaked"] == len(report.leaked) > 0


def test_what_a_kept_resource_stands_on_has_not_leaked() -> None:
    def view(id_: str, *depends_on: str) -> ResourceView:
        return ResourceView(id_, "r", id_, "ready", "", (), (), depends_on, "", Priority.AUTONOMY, None, 0)

    views = (view("r/1", "p/1"), view("p/1"), view("r/2", "p/1", "p/2"), view("p/2"))
    assert [each.id for each in leaked_of(views, frozenset({"r/1"}))] == ["r/2", "p/2"]
    assert leaked_of(views, frozenset({"r/1", "r/2", "r/9"})) == ()


def test_unknown_devices_are_named_before_anything_is_done(play_scenario: ScenarioPlayer) -> None:
    text = "name: x\nsteps:\n  - say: look\n  - fail: fron\n  - expect: {shown: bass}\n"
    with pytest.raises(DescriptionError) as raised:
        play_scenario(text, harness)
    assert str(raised.value).splitlines() == [
        "scenario:4: there is no device 'fron'; devices are base, front, wrist",
        "scenario:5: there is no device 'bass'; devices are base, front, wrist",
    ]


def test_a_stage_that_breaks_down_is_not_hidden(virtual: VirtualRunner) -> None:
    class Broken(ScriptedStage):
        def views(self) -> tuple[StageView, ...]:
            raise ZeroDivisionError("the stage has broken down")

    async def main() -> Report:
        async with harness() as installation:
            scenario = parse_scenario("name: x\nsteps: [{wait_s: 1}]", "x")
            return await run_scenario(scenario, Broken(installation))

    with pytest.raises(ZeroDivisionError):
        virtual(main)


def test_a_failing_scenario_fails_the_test(virtual: VirtualRunner) -> None:
    play = ScenarioPlayer(virtual)
    with pytest.raises(pytest.fail.Exception, match="nobody said so"):
        play("name: x\nsteps: [{expect: {told: hello}, within_s: 1}]", harness)


# ---------------------------------------------------------------- what comes


def test_the_next_device_takes_over_and_the_better_one_comes_back(play: Play) -> None:
    report = play("""
  - say: look
  - expect: {shown: front, devices: {front: in use, wrist: free}}
  - fail: front
  - expect: {shown: wrist, event: switched, text: "front.*failed", gap_below_s: 3}
    record: gap_1_ms
  - fail: wrist
    how: hang
  - expect: {shown: base, devices: {wrist: unplugged}}
    record: gap_2_s
  - restore: front
  - expect: {shown: front, devices: {base: free}, processes: {"sensor base": gone, "sensor fr*": running}}
    within_s: 20
  - fail: front
    how: garbage
  - expect: {shown: base}
  - fail: base
    how: stale
  - expect: {event: failed, plans: {look: failed}, shown: nothing, nothing_running: true, empty: true}
    within_s: 10
""")
    assert report.numbers["gap_1_ms"] == pytest.approx(650, abs=60), "a cold start of 0.5 s, a sample, a look"
    assert report.numbers["gap_2_s"] == pytest.approx(1.65, abs=0.1), "ten beats more until it is found out"
    shown = [span.lane for span in report.spans if span.group == "shown"]
    assert shown == ["front", "wrist", "base", "front", "base"]
    plans = [span.label for span in report.spans if span.group == "plan"]
    assert plans[0] == "running" and plans[-1] == "failed"


def test_a_resource_fails(play: Play) -> None:
    play("""
  - say: look
  - expect: {shown: front}
  - fail: "sensors/ScriptedSensor(name='front')"
  - expect: {shown: any, event: switched}
""")


def test_two_views(play: Play) -> None:
    play("""
  - say: look
  - say: look back
  - expect: {shown: [front, base]}
  - fail: front
  - expect: {shown: [wrist, base]}
  - fail: base
  - expect: {shown: wrist, plans: {look: established, look back: failed}}
""")


def test_a_process_that_stood_still_goes_on(play: Play) -> None:
    play("""
  - say: look
  - expect: {shown: front}
  - stop_process: sensor front
  - wait_s: 0.5
  - continue_process: sensor front
  - expect: {shown: front, not_told: failed}
""")


def test_the_emergency_stop(play: Play) -> None:
    play("""
  - say: look
  - emergency_stop: somebody stepped in
  - expect: {emergency: set, event: emergency, nothing_running: true, empty: true}
  - {say: look, settles: not done}
  - reset: true
  - expect: {emergency: clear, event: reset, shown: nothing}
  - say: look
  - expect: {shown: front, resources: {"sensors/*front*": ready, "sensors/*base*": absent}}
""")


@pytest.mark.parametrize("deed", ["take", "give_back"])
def test_nobody_takes_what_does_not_move(virtual: VirtualRunner, deed: str) -> None:
    async def main() -> Report:
        async with harness() as installation:
            text = f"name: x\nsteps:\n  - {deed}: front\n"
            return await run_scenario(parse_scenario(text, "x"), installation.stage)

    report = virtual(main)
    assert not report.passed and "nothing moves here" in str(report.failure)


@pytest.mark.parametrize("deed", ["listen: true", "speak: go home"])
def test_nobody_is_heard_where_there_are_no_microphones(virtual: VirtualRunner, deed: str) -> None:
    async def main() -> Report:
        async with harness() as installation:
            text = f"name: x\nsteps:\n  - {deed}\n"
            return await run_scenario(parse_scenario(text, "x"), installation.stage)

    report = virtual(main)
    assert not report.passed and "there are no microphones here" in str(report.failure)


def test_steps_keep_their_times_and_say_how_late_they_are(play: Play) -> None:
    report = play("""
  - {wait_s: 1, at_s: 2}
  - {wait_s: 4, at_s: 2.5}
  - {fail: base, at_s: 4}
""")
    assert [entry.began_s for entry in report.entries[:3]] == pytest.approx([2.0, 3.0, 7.0])
    assert [entry.late_s for entry in report.entries[:3]] == pytest.approx([0.0, 0.5, 3.0])
    assert "3.000 s late" in str(report.entries[2])


def test_the_clean_up_mends_what_was_broken(virtual: VirtualRunner) -> None:
    async def main() -> tuple[Report, ScriptedInstallation]:
        async with harness() as installation:
            text = """
name: x
steps:
  - say: look
  - stop_process: encoder front
  - fail: base
  - emergency_stop: test
"""
            report = await run_scenario(parse_scenario(text, "x"), installation.stage)
            return report, installation

    report, installation = virtual(main)
    assert report.passed
    assert not installation.emergency.is_latched
    assert installation.sensors.unplugged == set()
    assert installation.launcher.running == ()


RANDOM = """
name: random
steps:
  - say: look
  - random_faults:
      n: 15
      mean_interval_s: 1.5
      choices:
        - fail: front
        - {fail: wrist, how: hang}
        - {fail: base, how: garbage}
        - restore: front
        - restore: wrist
        - restore: base
        - kill: encoder *
        - stop_process: sensor *
        - {say: look, settles: later}
      invariants: {either: [{shown: any}, {plans: {look: failed}}]}
      within_s: 10
"""


def randomly(seed: int, text: str = RANDOM) -> Report:
    async def main() -> Report:
        async with ScriptedInstallation(DEVICES, LOOK, seed=seed) as installation:
            return await run_scenario(parse_scenario(text, "random"), installation.stage, seed=seed)

    return VirtualRunner(seed)(main)


@pytest.mark.thorough
def test_many_seeds_of_random_faults() -> None:
    seeds = share(100)
    reports = [randomly(seed) for seed in range(seeds)]
    assert [report.failure for report in reports if not report.passed] == []
    assert len({report.signature for report in reports}) == seeds


def test_the_same_seed_gives_the_same_run() -> None:
    assert randomly(5).signature == randomly(5).signature


def test_an_invariant_that_does_not_hold_names_the_fault() -> None:
    report = randomly(
        1, RANDOM.replace("{either: [{shown: any}, {plans: {look: failed}}]}", "{shown: front}")
    )
    assert "(after fault" in report.failure


def test_the_timeline_is_told_as_it_grows(virtual: VirtualRunner) -> None:
    told: list[Entry] = []

    async def main() -> Report:
        async with harness() as installation:
            scenario = parse_scenario("name: x\nsteps: [{say: look}, {expect: {shown: any}}]", "x")
            return await run_scenario(scenario, installation.stage, watch=told.append)

    report = virtual(main)
    assert tuple(told) == report.entries
