"""Setting a checkout up: what is refused and in which words, and when a result counts as current."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from resources.gestures import tracker_library
from scripts import console_page, hands, oracle, python_environment, separate_environment, system_packages
from scripts.progress import Progress, SetupFailed
from scripts.setup import unfit_python
from scripts.stamps import Stamp


@pytest.mark.parametrize("version", [(2, 7), (3, 10), (3, 14)])
def test_an_unfit_python_is_named_with_the_way_out(version: tuple[int, int]) -> None:
    reason = unfit_python(version)
    assert reason is not None
    assert "{}.{}".format(*version) in reason
    assert "PYTHON=" in reason


@pytest.mark.parametrize("version", [(3, 11), (3, 12), (3, 13)])
def test_supported_pythons_are_accepted(version: tuple[int, int]) -> None:
    assert unfit_python(version) is None


@pytest.mark.parametrize("version", [None, "v16.20.0", "v18.19.0", "nonsense"])
def test_a_missing_or_old_node_is_refused(version: str | None) -> None:
    with pytest.raises(SetupFailed, match="Node 20"):
        console_page.require_node(version)


@pytest.mark.parametrize("version", ["v20.0.0", "v20.19.0", "v22.12.0", "v24.1.2"])
def test_a_node_that_can_build_the_page_is_accepted(version: str) -> None:
    console_page.require_node(version)


def test_without_a_console_the_page_steps_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    console_page.ensure(Progress(console_page.STEPS, tmp_path / "logs"), tmp_path)
    assert capsys.readouterr().out.count("no console yet") == console_page.STEPS


def test_a_failing_command_shows_the_end_of_its_output_and_the_log(tmp_path: Path) -> None:
    program = "print('early'); print('the reason'); raise SystemExit(3)"
    with pytest.raises(SetupFailed) as caught:
        Progress(1, tmp_path).run([sys.executable, "-c", program], doing="trying", log="trial", cwd=tmp_path)
    message = str(caught.value)
    assert "the reason" in message
    assert "exit code 3" in message
    assert str(tmp_path / "trial.log") in message


def test_a_command_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(SetupFailed, match="no-such-command"):
        Progress(1, tmp_path).run(["no-such-command"], doing="trying", log="trial", cwd=tmp_path)


def test_a_command_gets_no_input(tmp_path: Path) -> None:
    program = "import sys; raise SystemExit(len(sys.stdin.read()))"
    Progress(1, tmp_path).run([sys.executable, "-c", program], doing="trying", log="trial", cwd=tmp_path)


def test_a_stamp_follows_contents_names_and_missing_files(tmp_path: Path) -> None:
    source = tmp_path / "source"
    mark = tmp_path / "mark"
    assert not Stamp(mark, [source]).is_current()
    Stamp(mark, [source]).write()
    assert Stamp(mark, [source]).is_current()
    source.write_text("one")
    assert not Stamp(mark, [source]).is_current()
    Stamp(mark, [source]).write()
    assert Stamp(mark, [source]).is_current()
    source.write_text("two")
    assert not Stamp(mark, [source]).is_current()
    Stamp(mark, [source]).write()
    Stamp(mark, [source]).remove()
    assert not Stamp(mark, [source]).is_current()


def test_neighbouring_parts_of_a_stamp_do_not_run_together(tmp_path: Path) -> None:
    Stamp(tmp_path / "mark", ["ab", "c"]).write()
    assert not Stamp(tmp_path / "mark", ["a", "bc"]).is_current()


def test_an_environment_that_is_absent_or_was_moved_here_is_not_usable(tmp_path: Path) -> None:
    assert not python_environment.is_usable(tmp_path / ".venv")
    bin_folder = tmp_path / ".venv" / "bin"
    bin_folder.mkdir(parents=True)
    (bin_folder / "pip").write_text("#!/somewhere/else/.venv/bin/python\n")
    assert not python_environment.is_usable(tmp_path / ".venv")


def test_a_browser_that_does_not_start_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub = tmp_path / "chromium-browser"
    stub.write_text("#!/bin/sh\nexit 1\n")
    stub.chmod(stub.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not system_packages.has_browser()


def test_a_user_who_is_not_root_is_told_the_line_and_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    query = tmp_path / "dpkg-query"
    query.write_text("#!/bin/sh\nexit 1\n")
    query.chmod(query.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    system_packages.ensure(Progress(1, tmp_path / "logs"), for_tests=False)
    printed = capsys.readouterr().out
    assert "sudo apt-get install libosmesa6 libegl1 libegl-mesa0 libgl1-mesa-dri" in printed
    assert "going on without" in printed
    with pytest.raises(SetupFailed, match="sudo apt-get install"):
        system_packages.ensure(Progress(1, tmp_path / "logs"), for_tests=True)


def test_root_installs_what_is_missing_without_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = tmp_path / "calls"
    for name, program in {
        "dpkg-query": "echo 'libegl1 installed'; exit 1",
        "apt-get": f'echo "$DEBIAN_FRONTEND $*" >> {calls}',
        "chromium": "exit 0",
    }.items():
        command = tmp_path / name
        command.write_text(f"#!/bin/sh\n{program}\n")
        command.chmod(command.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(system_packages, "missing_for_compiling", lambda: ["g++"])
    sound = "libportaudio2 espeak-ng libusb-1.0-0 flite"
    always = f"install -y --no-install-recommends libosmesa6 libegl-mesa0 libgl1-mesa-dri {sound}"
    for starts_services, packages in ((True, f"{always} g++"), (False, f"{always} coturn g++")):
        calls.unlink(missing_ok=True)
        monkeypatch.setattr(system_packages, "starts_services", lambda answer=starts_services: answer)
        system_packages.ensure(Progress(1, tmp_path / "logs"), for_tests=True)
        update, install = calls.read_text().splitlines()
        assert update.startswith("noninteractive") and update.endswith("update")
        assert install.endswith(packages)


def test_what_compiling_takes_is_missing_only_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sysconfig.get_paths", lambda: {"include": str(tmp_path)})
    assert system_packages.missing_for_compiling() == ["g++", "python3-dev"]
    (tmp_path / "Python.h").touch()
    for name in ("cc", "c++"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    assert system_packages.missing_for_compiling() == []


def test_setup_says_what_it_can_do() -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "scripts.setup", "--help"],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "--tests" in answer.stdout


def test_the_oracles_pins_are_what_the_project_does_not_pin_already() -> None:
    installed = ["pin==4.1.0", "NumPy==2.4.0", "pip==25.0", "cmeel.boost==1.90.0", "coal==3.0.3"]
    shared = ["# a comment about pin==1", "numpy==2.4.0", "pytest==9.0.0"]
    assert separate_environment.own_pins(installed, shared) == [
        "cmeel.boost==1.90.0",
        "coal==3.0.3",
        "pin==4.1.0",
    ]


def test_the_oracles_environment_has_the_versions_that_the_project_was_tested_with() -> None:
    texts = [path.read_text() for path in oracle.ORACLE.pins]
    lines = [line for text in texts for line in text.splitlines()]
    assert set(oracle.ORACLE.packages) <= {line.partition("==")[0] for line in lines}
    assert not [line for line in lines if "://" in line or "@" in line]


def test_the_hand_trackers_environment_is_pinned_and_has_the_version_that_is_asked_for() -> None:
    lines = [line for line in hands.HANDS.own_pins.read_text().splitlines() if not line.startswith("#")]
    assert all(line.count("==") == 1 for line in lines)
    assert f"mediapipe=={tracker_library.VERSION}" in lines
    assert hands.HANDS.packages[0] == f"mediapipe=={tracker_library.VERSION}"
    assert hands.HANDS.venv == tracker_library.CHECKOUT / ".venv-hands"


def test_without_a_python_that_mediapipe_has_a_wheel_for_it_says_which_is_wanted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 13, 0))
    stand_in = tmp_path / "python3.12"
    stand_in.write_text("#!/bin/sh\nexit 127\n")
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SetupFailed, match=r"no wheel for Python 3\.13.*make hands PYTHON=python3\.12"):
        hands.fitting_python()
    stand_in.write_text("#!/bin/sh\nexit 0\n")
    assert hands.fitting_python() == str(stand_in)


def test_the_hand_trackers_environment_sees_the_checkout_after_its_own_packages(tmp_path: Path) -> None:
    folder = tmp_path / "lib/python3.12/site-packages"
    folder.mkdir(parents=True)
    separate_environment.see_checkout(tmp_path)
    (written,) = folder.glob("*.pth")
    assert written.read_text().split() == [str(tracker_library.CHECKOUT)]
