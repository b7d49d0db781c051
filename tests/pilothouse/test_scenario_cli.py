"""`pilothouse scenario`: our scenarios, one of them for real (with `make soak` three), and what can fail."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from framework.scenarios import Entry, Report, WhichClock, read_scenario
from pilothouse.cli.main import main
from pilothouse.testbed.installation_stage import children
from pilothouse.testbed.playing import both_ways, play

SCENARIOS = Path(__file__).parents[1] / "scenarios"
FILES = sorted(SCENARIOS.glob("*.yaml"))

SHORT = """name: short
clock: virtual
steps:
  - say: show the environment
  - expect: {shown: front_camera}
"""

# Passes with some seeds and fails with others: one time in two nothing has failed.
CHANCE = """name: chance
clock: virtual
steps:
  - say: show the environment
  - expect: {shown: front_camera}
  - random_faults:
      n: 1
      mean_interval_s: 0.5
      choices: [{fail: front_camera}, {restore: front_camera}]
      invariants: {shown: front_camera}
      within_s: 1
"""

# When what comes back is tried is a matter of back-off, so this is not compared with the real world.
WAITS = """name: what moves waits for a word, and what does not goes on
description: >-
  Since its world has died the wrist needs an operator's word before it sweeps its lidar again. The plan is
  not paused for that: without the word a sensor that comes back and moves nothing is shown.
clock: virtual
timeout_s: 120
steps:
  - say: show the environment
  - expect: {shown: front_camera}
    within_s: 10
  - fail: front_camera
  - expect: {shown: wrist_cloud}
    within_s: 10
  - fail: front_lidar
  - kill: world *
  - expect: {told: "carry on"}
    within_s: 10
  - wait_s: 3
  - say: carry on
  - expect: {shown: wrist_cloud}
    within_s: 10
  - kill: world *
  - wait_s: 3
  - restore: front_lidar
  - expect: {shown: front_lidar}
    within_s: 12
  - say: stop
  - expect: {nothing_running: true}
    within_s: 10
"""


def written(folder: Path, text: str, name: str = "given.yaml") -> str:
    """A scenario file."""
    (folder / name).write_text(text)
    return str(folder / name)


def virtually(file: Path, seed: int = 0) -> Report:
    """One run of one of our files, whatever clock it names."""
    return play(msgspec.structs.replace(read_scenario(file), clock=WhichClock.VIRTUAL), seed)


def command(*words: str, timeout_s: float = 120.0) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own."""
    program = "import sys; from pilothouse.cli.main import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", program, *words],
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )


# ---------------------------------------------------------------- what is wrong


def test_a_malformed_file_is_refused_before_anything_begins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = written(tmp_path, SHORT)
    bad = written(tmp_path, "name: x\nsteps: [{shout: hello}]", "bad.yaml")
    worse = written(tmp_path, "name: [", "worse.yaml")
    assert main(["scenario", good, bad, worse, "--report", str(tmp_path / "reports")]) == 2
    said = capsys.readouterr()
    assert f"{bad}:2: steps[0] is a mapping with just one of say" in said.err
    assert f"{worse}:1: this is no YAML" in said.err
    assert said.out == ""
    assert not (tmp_path / "reports").exists()


def test_a_device_that_the_robot_has_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, SHORT + "  - fail: rear_camera\n")
    assert main(["scenario", file, "--report", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert f"{file}:6: there is no device 'rear_camera'; devices are base, front_camera" in said


def test_a_robot_description_that_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path, "robot: x\nwheels: 4", "robot.yaml")
    file = written(tmp_path, "robot: robot.yaml\n" + SHORT)
    assert main(["scenario", file, "--report", str(tmp_path)]) == 2
    assert "robot.yaml:2: the robot description has no field 'wheels'" in capsys.readouterr().err


def test_a_world_that_there_is_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, "world: mars\n" + SHORT)
    assert main(["scenario", file, "--report", str(tmp_path)]) == 2
    assert "there is no world 'mars'" in capsys.readouterr().err


def test_reports_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, SHORT)
    assert main(["scenario", file, "--report", file]) == 2
    assert f"{file} cannot be written: File exists" in capsys.readouterr().err


def test_seeds_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scenario", written(tmp_path, SHORT), "--repeat", "0"]) == 2
    assert "repeat 1 or more" in capsys.readouterr().err


def test_what_is_logged_as_an_error_is_a_failure(tmp_path: Path) -> None:
    def log_an_error(entry: Entry) -> None:
        try:
            raise ZeroDivisionError("in a manager")
        except ZeroDivisionError:
            logging.getLogger("pilothouse.managers").exception("it broke at %r", entry.text)

    report = play(read_scenario(Path(written(tmp_path, "name: x\nclock: virtual\nsteps: [{wait_s: 1}]"))), 0)
    assert report.passed
    scenario = read_scenario(Path(written(tmp_path, "name: x\nclock: virtual\nsteps: [{wait_s: 1}]")))
    report = play(scenario, 0, log_an_error)
    assert "an error was logged: it broke at 'wait 1 s' (ZeroDivisionError('in a manager'))" in report.failure


def test_a_failing_scenario(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, SHORT + "  - expect: {told: abracadabra}\n    within_s: 2\n")
    assert main(["scenario", file, "--report", str(tmp_path / "a" / "b"), "--seed", "4"]) == 1
    said = capsys.readouterr().out
    assert "✗ expected the words 'abracadabra': not (within 2 s)" in said
    assert f"{file}:6: expected within 2 s" in said
    assert f"pilothouse scenario {file} --seed 4" in said
    assert "FAILED" in (tmp_path / "a" / "b" / "given.md").read_text()
    assert (tmp_path / "a" / "b" / "given.png").stat().st_size > 10_000


def test_without_what_draws_there_is_a_report_without_a_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    main(["scenario", written(tmp_path, SHORT), "--clock", "virtual", "--report", str(tmp_path)])
    assert "pip install 'pilothouse[experiments]'" in capsys.readouterr().out.replace("\n", " ")
    assert not (tmp_path / "given.png").exists()
    assert "![timeline]" not in (tmp_path / "given.md").read_text()


def test_a_child_that_is_left_would_be_seen() -> None:
    before = children()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        assert children().keys() - before.keys() == {process.pid}
        process.communicate(b"\n")
    assert process.pid not in children()


# ---------------------------------------------------------------- on the virtual clock


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_our_scenarios_pass(file: Path) -> None:
    report = virtually(file)
    assert report.failure == ""
    assert report.numbers["leaked"] == 0


def test_what_moves_waits_for_a_word_and_what_does_not_goes_on(tmp_path: Path) -> None:
    assert play(read_scenario(Path(written(tmp_path, WAITS))), 0).failure == ""


def test_the_same_seed_gives_the_same_run() -> None:
    file = SCENARIOS / "random_faults.yaml"
    assert virtually(file, 3).signature == virtually(file, 3).signature
    assert virtually(file, 3).signature != virtually(file, 4).signature


@pytest.mark.parametrize("seeds", [4, pytest.param(50, marks=pytest.mark.soak)])
def test_random_faults_with_many_seeds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], seeds: int
) -> None:
    file = str(SCENARIOS / "random_faults.yaml")
    words = ["scenario", file, "--seed", "10", "--repeat", str(seeds), "--report", str(tmp_path)]
    assert main(words) == 0
    assert f"{seeds} of {seeds} seeds passed" in capsys.readouterr().out


def test_the_smallest_failing_seed_is_named_and_fails_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, xml = written(tmp_path, CHANCE), tmp_path / "results.xml"
    options = ["--repeat", "8", "--junit", str(xml), "--report", str(tmp_path)]
    assert main(["scenario", file, *options]) == 1
    said = capsys.readouterr().out
    cases = list(ElementTree.parse(xml).iter("testcase"))
    failed = [int(str(case.get("name")).split()[1]) for case in cases if case.find("failure") is not None]
    assert len(cases) == 8 and 0 < len(failed) < 8
    assert f"The smallest failing seed is {min(failed)}." in said
    assert f"{8 - len(failed)} of 8 seeds passed" in said
    assert (tmp_path / f"given-seed-{min(failed)}.png").exists()
    repeat = next(line.split() for line in said.splitlines() if line.startswith("  pilothouse scenario"))
    assert main([*repeat[1:], "--report", str(tmp_path)]) == 1


# ---------------------------------------------------------------- both ways

NOT_COMPARED = {
    "random_faults": "whether a fault comes before or after the recovery from the last one is chance: "
    "only its invariants have to hold in both",
}
"""Scenarios that do not go the same way in both worlds, and why."""


def test_only_what_is_chance_is_not_compared() -> None:
    assert NOT_COMPARED.keys() <= {file.stem for file in FILES}
    assert len(NOT_COMPARED) == 1


@pytest.mark.real
def test_the_same_happens_virtually_and_for_real(capsys: pytest.CaptureFixture[str]) -> None:
    names = ("base_loses_its_scanner", "encoder_killed")
    done = main(["scenario", *(str(SCENARIOS / f"{name}.yaml") for name in names), "--both"])
    said = capsys.readouterr().out
    assert done == 0, said
    assert "100 % go the same way in both" in said


@pytest.mark.soak
@pytest.mark.real
@pytest.mark.parametrize(
    "file", [file for file in FILES if file.stem not in NOT_COMPARED], ids=lambda file: file.stem
)
def test_each_scenario_goes_the_same_way_in_both(file: Path) -> None:
    virtual, real, comparison = both_ways(read_scenario(file), 0)
    assert virtual.failure == real.failure == ""
    assert comparison.same, str(comparison)


@pytest.mark.soak
@pytest.mark.real
@pytest.mark.parametrize("name", NOT_COMPARED)
def test_what_is_not_compared_passes_for_real(name: str) -> None:
    scenario = read_scenario(SCENARIOS / f"{name}.yaml")
    assert play(msgspec.structs.replace(scenario, clock=WhichClock.REAL), 0).failure == ""


# ---------------------------------------------------------------- for real


@pytest.mark.real
def test_the_environment_stays_visible_for_real(tmp_path: Path) -> None:
    xml = tmp_path / "results.xml"
    file = str(SCENARIOS / "show_environment.yaml")
    done = command("scenario", file, "--report", str(tmp_path), "--junit", str(xml))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    numbers = {
        str(each.get("name")): float(str(each.get("value")))
        for each in ElementTree.parse(xml).iter("property")
    }
    assert numbers["gap_1_ms"] < 3000 and numbers["gap_2_ms"] < 3000
    assert numbers["leaked"] == 0
    assert "passed: the environment stays visible" in done.stdout
    assert (tmp_path / "show_environment.png").stat().st_size > 10_000


@pytest.mark.real
def test_a_microphone_dies_while_somebody_speaks_for_real(tmp_path: Path) -> None:
    """Voices, ears and recognisers are real; the room is not."""
    file = str(SCENARIOS / "speech.yaml")
    done = command("scenario", file, "--report", str(tmp_path), timeout_s=400.0)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed: a microphone dies while somebody speaks" in done.stdout and "leaked 0" in done.stdout


@pytest.mark.soak
@pytest.mark.real
def test_what_people_say_becomes_what_they_mean_for_real(tmp_path: Path) -> None:
    file = str(SCENARIOS / "what_people_say.yaml")
    done = command("scenario", file, "--report", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "leaked 0" in done.stdout


@pytest.mark.soak
@pytest.mark.real
def test_a_hung_camera_is_replaced_for_real(tmp_path: Path) -> None:
    file = str(SCENARIOS / "hang_and_garbage.yaml")
    done = command("scenario", file, "--clock", "real", "--report", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
