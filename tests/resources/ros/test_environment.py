"""Where an interpreter with rclpy is looked for, and how far our processes reach; with stand-ins for both."""

from __future__ import annotations

from pathlib import Path

import pytest

from framework.errors import DescriptionError, PluginUnavailable
from resources.robots.description import RosDescription, parse_description
from resources.ros import environment, library
from resources.ros.environment import Candidate, RosInstallation, candidates, installation, tried_out
from resources.ros.network import domain_of, reach_of


def stand_in(folder: Path, script: str) -> str:
    """A program that behaves as some interpreter may."""
    folder.mkdir(parents=True, exist_ok=True)
    python = folder / "python"
    python.write_text(f"#!/bin/sh\n{script}\n")
    python.chmod(0o755)
    return str(python)


FAST = "rmw_fastrtps_cpp"
WORKS = """echo '{"version": "9.1.2", "distribution": "kilted", "middleware": "rmw_x", "python": "3.12.3"}'"""


def test_what_is_named_is_taken_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    works = stand_in(tmp_path / "works" / "bin", WORKS)
    broken = stand_in(tmp_path / "broken" / "bin", "echo ImportError: no rclpy here >&2; exit 1")
    monkeypatch.setenv(environment.VARIABLE, str(tmp_path / "works"))
    found = installation()
    assert (found.candidate.python, found.library.distribution) == (works, "kilted")
    with pytest.raises(PluginUnavailable, match=r"robot description \(.*broken.*\): ImportError.*make ros"):
        installation(str(tmp_path / "broken"))
    monkeypatch.setenv(environment.VARIABLE, broken)
    with pytest.raises(PluginUnavailable, match=r"PILOTHOUSE_ROS .*no rclpy here"):
        installation()


def test_the_shells_own_ros_goes_before_the_checkouts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(environment.VARIABLE, raising=False)
    found = [each.found for each in candidates(environment={"AMENT_PREFIX_PATH": "/opt/ros/jazzy"})]
    assert found[0] == "this shell's ROS"
    assert "this shell's ROS" not in [each.found for each in candidates(environment={})]


def test_an_installed_ros_is_started_as_its_setup_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("jazzy", "kilted"):
        setup = tmp_path / name / "setup.bash"
        setup.parent.mkdir()
        setup.write_text(f"export ROS_DISTRO={name} PYTHONPATH={tmp_path / name}")
    monkeypatch.setattr(environment, "INSTALLED", tmp_path)
    last = list(candidates(environment={}))[-2:]
    assert [each.found for each in last] == [str(tmp_path / "kilted"), str(tmp_path / "jazzy")]
    assert dict(last[0].env)["ROS_DISTRO"] == "kilted"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("exit 3", "it ended with exit code 3"),
        ("echo voodoo", "it said 'voodoo', which is not what was asked"),
        ("echo one >&2; echo 'rclpy 3.3.1 is too old' >&2; exit 1", "rclpy 3.3.1 is too old"),
    ],
)
def test_what_does_not_work_says_why(tmp_path: Path, script: str, words: str) -> None:
    assert tried_out(Candidate(stand_in(tmp_path, script), "here")) == words


def test_a_setup_file_that_hangs_fails_or_has_no_shell_is_told_and_the_next_one_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, line in (("kilted", "exec sleep 5"), ("jazzy", "return 4")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "setup.bash").write_text(line)
    monkeypatch.setattr(environment, "INSTALLED", tmp_path)
    monkeypatch.setattr(environment, "CHECKOUT", tmp_path)
    monkeypatch.setattr(environment, "TRIED_WITHIN_S", 0.1)
    monkeypatch.delenv(environment.VARIABLE, raising=False)
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)
    with pytest.raises(PluginUnavailable, match=r"(?s)setup\.bash hangs.*setup\.bash ended with exit code 4"):
        installation()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PluginUnavailable, match=r"cannot be sourced: bash: No such file or directory"):
        installation()


def test_when_the_time_is_over_the_rest_is_not_tried_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = Candidate(stand_in(tmp_path, "exit 3"), "here")
    times = iter([0.0, 0.0, environment.LOOKED_WITHIN_S])
    monkeypatch.setattr("resources.ros.environment.time.monotonic", lambda: next(times, 1e9))
    monkeypatch.setattr(environment, "candidates", lambda _: iter([Candidate("/nowhere", "a"), broken]))
    with pytest.raises(
        PluginUnavailable, match=r"a .*No such file.*; here and what comes after it were not tried"
    ):
        installation()


@pytest.mark.parametrize(
    ("version", "named", "distribution"),
    [
        ("9.1.2", "jazzy", "kilted"),
        ("7.1.5", "", "jazzy"),
        ("11.0", "rolling", "rolling"),
        ("11.0", "jazzy", "rclpy 11"),
        ("", "jazzy", "jazzy"),
    ],
)
def test_what_rclpy_says_of_itself_counts_before_what_the_shell_has_set_up(
    version: str, named: str, distribution: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "installed", lambda: version)
    monkeypatch.setenv("ROS_DISTRO", named)
    assert library.distribution() == distribution


def test_no_such_program_is_told() -> None:
    assert tried_out(Candidate("/nonexistent/python", "here")) == "No such file or directory"


def test_a_working_one_says_what_it_is(tmp_path: Path) -> None:
    assert isinstance(tried_out(Candidate(stand_in(tmp_path, WORKS), "here")), RosInstallation)


# ---------------------------------------------------------------- how far it reaches


def test_by_default_nothing_leaves_the_machine(tmp_path: Path) -> None:
    env = dict(reach_of(RosDescription(domain=7), tmp_path, "kilted", FAST))
    assert env["ROS_DOMAIN_ID"] == "7"
    assert env["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "SYSTEM_DEFAULT"  # the profile alone counts
    assert env["ROS_STATIC_PEERS"] == ""
    other = dict(reach_of(RosDescription(domain=7), tmp_path, "kilted", "rmw_cyclonedds_cpp"))
    assert other["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"
    assert "FASTDDS_DEFAULT_PROFILES_FILE" not in other
    assert "127.0.0.1" in Path(env["FASTDDS_DEFAULT_PROFILES_FILE"]).read_text()
    assert "FASTRTPS_DEFAULT_PROFILES_FILE" not in env
    assert "FASTRTPS_DEFAULT_PROFILES_FILE" in dict(reach_of(RosDescription(), tmp_path, "jazzy", FAST))


def test_peers_and_a_subnet_are_reached_if_they_are_named(tmp_path: Path) -> None:
    env = dict(reach_of(RosDescription(peers=("10.0.0.2", "robot.local")), tmp_path, "kilted", FAST))
    assert env["ROS_STATIC_PEERS"] == "10.0.0.2;robot.local"
    assert env["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"
    assert "FASTDDS_DEFAULT_PROFILES_FILE" not in env
    env = dict(reach_of(RosDescription(range="subnet"), tmp_path, "kilted", FAST))
    assert env["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "SUBNET"


def test_the_shells_domain_counts_unless_one_is_described() -> None:
    assert domain_of(RosDescription(), {}) == 0
    assert domain_of(RosDescription(), {"ROS_DOMAIN_ID": "12"}) == 12
    assert domain_of(RosDescription(domain=3), {"ROS_DOMAIN_ID": "12"}) == 3
    for wrong in ("voodoo", "-1", "102"):
        with pytest.raises(DescriptionError, match=rf"ROS_DOMAIN_ID is '{wrong}'; .* 0 to 101"):
            domain_of(RosDescription(), {"ROS_DOMAIN_ID": wrong})


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{domain: 102}", "101"),
        ("{range: voodoo}", "localhost"),
        ("{peers: ['a b']}", "peers"),
        ("{dmain: 3}", "dmain"),
    ],
)
def test_what_is_described_wrongly_is_named_with_its_line(line: str, words: str) -> None:
    text = f"robot: r\ndevices:\n  - {{name: a, driver: ros_lidar, kind: scan}}\nros: {line}\n"
    with pytest.raises(DescriptionError, match=rf"(?s)robot\.yaml:4.*{words}"):
        parse_description(text, "robot.yaml")
