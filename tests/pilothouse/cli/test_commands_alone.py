"""The command line where no installation runs: each command, with good and with bad input.

What is not about the process itself (its exit, its imports, its random numbers) is called in this one.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from framework.transport.run_directory import RunDirectory
from pilothouse.cli.main import main
from tests.pilothouse.cli.serving import typed, typed_in_a_process


def test_an_action_of_the_users_is_found_through_a_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert typed(tmp_path, "new", "action", "greet", "--folder", str(tmp_path / "mine")).returncode == 0
    monkeypatch.setenv("PILOTHOUSE_ACTIONS", str(tmp_path / "mine"))
    assert "greet" in typed(tmp_path, "actions").stdout


def test_without_an_installation_every_command_says_how_to_start_one(tmp_path: Path) -> None:
    for command, *words in (
        ["say", "hello"],
        ["stop"],
        ["status"],
        ["fail", "x"],
        ["restore", "x"],
        ["reset"],
        ["plan", "show"],
        ["plan", "stop", "1"],
        ["world"],
        ["operators"],
    ):
        refused = typed(tmp_path, command, *words)
        assert refused.returncode == 2
        assert "pilothouse run" in refused.stderr


def test_without_shared_memory_it_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    create = RunDirectory.create
    monkeypatch.setattr(RunDirectory, "create", lambda: create(tmp_path / "not there"))
    assert main(["run", "--state", str(tmp_path), "--port", "0"]) == 2
    said = capsys.readouterr().err
    assert "not there" in said
    assert "Traceback" not in said


def test_a_world_that_is_not_there_is_named_beside_what_is(tmp_path: Path) -> None:
    refused = typed(tmp_path, "run", "--world", "mars", "--port", "0")
    assert refused.returncode == 2
    assert "'mars'" in refused.stderr
    assert "inspection" in refused.stderr


def test_a_wrong_robot_description_is_named_with_its_line(tmp_path: Path) -> None:
    robot = tmp_path / "robot.yaml"
    robot.write_text("robot: mine\ndevices:\n  - {name: eye, driver: d, kind: radar}\n")
    refused = typed(tmp_path / "state", "run", "--robot", str(robot), "--port", "0")
    assert refused.returncode == 2
    assert f"{robot}:3:" in refused.stderr


def test_a_description_that_its_drivers_do_not_take_is_refused_before_anything_starts(tmp_path: Path) -> None:
    robot = tmp_path / "robot.yaml"
    robot.write_text(
        "robot: mine\ndevices:\n  - name: arm\n    driver: fci_arm\n    kind: arm\n"
        "    parameters:\n      address: 172.16.0\n      stopp: hold\n"
    )
    for command in (("run", "--port", "0"), ("doctor",)):
        refused = typed(tmp_path / "state", *command, "--robot", str(robot))
        assert refused.returncode == 2
        assert f"{robot}:7: arm: fci_arm: address = '172.16.0' is none" in refused.stderr
        assert f"\n{robot}:8: arm: fci_arm has no parameter 'stopp'" in refused.stderr


def test_a_new_action_is_listed_and_runs_at_once(tmp_path: Path) -> None:
    made = typed(tmp_path / "state", "new", "action", "wave", "--folder", str(tmp_path / "mine"))
    assert made.returncode == 0, made.stderr
    listed = typed(tmp_path / "state", "actions", "--actions", str(tmp_path / "mine"))
    assert listed.returncode == 0, listed.stdout
    assert "wave" in listed.stdout
    again = typed(tmp_path / "state", "new", "action", "wave", "--folder", str(tmp_path / "mine"))
    assert again.returncode == 2
    assert "is there already" in again.stderr and "unavailable" not in again.stderr
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path / "mine")],
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
        cwd=tmp_path,
    )
    assert tested.returncode == 0, tested.stdout


def test_without_an_installation_the_language_of_the_actions_here_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = ("--state", str(tmp_path))
    assert main(["complete", *here, "show the"]) == 0
    found = capsys.readouterr()
    assert "camera" in found.out.splitlines()
    assert "no installation" in found.err
    assert main(["complete", *here, "--shell", "show", "the", "cam"]) == 0
    for_shell = capsys.readouterr()
    assert "camera" in for_shell.out.splitlines()
    assert for_shell.err == ""
    assert main(["grammar", "samples", *here, "--count", "20", "--seed", "4"]) == 0
    made = capsys.readouterr().out
    assert len(made.splitlines()) == 20
    again = typed_in_a_process(tmp_path, "grammar", "samples", "--count", "20", "--seed", "4")
    assert made == again.stdout, "another process makes others"


def test_lint_names_the_file_and_line_of_a_phrase_that_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine"
    lint = ["grammar", "lint", "--state", str(tmp_path), str(mine)]
    for name in ("wave", "hop"):
        assert main(["new", "action", name, "--state", str(tmp_path), "--folder", str(mine)]) == 0
    assert main(lint) == 0, capsys.readouterr().out
    (mine / "wave" / "phrases.yaml").write_text('say:\n  - "wave"\n  - "show the camera"\n')
    (mine / "hop" / "phrases.yaml").write_text('say:\n  - "hop"\n  - "hop to {whom}"\n')
    assert main(lint) == 1
    bad = capsys.readouterr().out
    assert f"{mine}/wave/phrases.yaml:" in bad, "its own file is named for what ours suffer from it"
    assert '"show the camera" asks for wave now, and is show\'s' in bad
    assert f"{mine}/hop/phrases.yaml:3" in bad
    nowhere = typed(tmp_path, "grammar", "lint", str(tmp_path / "nowhere"))
    assert nowhere.returncode == 2
    assert "nowhere is no folder" in nowhere.stderr


def test_the_doctor_looks_at_everything(tmp_path: Path) -> None:
    looked = typed(tmp_path, "doctor")
    assert looked.returncode == 0, looked.stdout + looked.stderr
    assert "MuJoCo" in looked.stdout
