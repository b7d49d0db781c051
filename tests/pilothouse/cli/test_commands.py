"""The command line against a real installation: each command, with good and with bad input."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from framework.plan import Do, Sequence, to_json
from framework.processes.emergency import EmergencyStop
from framework.state import StateFolder
from pilothouse.cli.main import main
from pilothouse.running import RunningInstallation, find, started_ticks
from tests.pilothouse.cli.serving import MAIN, typed, typed_in_a_process

PATIENCE_S = 60.0  # a machine busy with other things is slow, not wrong


class Begun:
    """A command that goes on."""

    def __init__(self, words: list[str]) -> None:
        self._process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, bufsize=1
        )
        assert self._process.stdout is not None
        self._lines = iter(self._process.stdout)

    def until(self, text: str) -> str:
        """The next line in which this stands."""
        return next(line for line in self._lines if text in line)

    def ended(self) -> tuple[int, str]:
        """The exit code, and what it printed since."""
        rest = "".join(self._lines)
        return self._process.wait(PATIENCE_S), rest

    def close(self) -> None:
        """End it, if it has not ended."""
        self._process.kill()
        self._process.communicate()


class Shell:
    """Types commands for one installation."""

    def __init__(
        self, state: Path, process: subprocess.Popen[str], installation: RunningInstallation
    ) -> None:
        self.state = state
        self.process = process
        self.installation = installation
        self.going_on: list[Begun] = []

    def begun(self, command: str, *words: str) -> Begun:
        """A command that is not waited for."""
        self.going_on.append(Begun([sys.executable, "-c", MAIN, command, "--state", str(self.state), *words]))
        return self.going_on[-1]

    def __call__(self, command: str, *words: str) -> subprocess.CompletedProcess[str]:
        return typed(self.state, command, *words)

    def status(self) -> dict[str, list[dict[str, str]]]:
        status: dict[str, list[dict[str, str]]] = json.loads(self("status", "--json").stdout)
        return status


def started(state: Path, *, is_deaf: bool = False) -> tuple[subprocess.Popen[str], RunningInstallation]:
    """An installation that runs. is_deaf: it is to ignore SIGINT, as what nohup or some CI system starts."""
    deaf = ["sh", "-c", 'trap "" INT; exec "$@"', "sh"] if is_deaf else []
    process = subprocess.Popen(
        [*deaf, sys.executable, "-c", MAIN, "run", "--state", str(state), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if "Ctrl-C ends it" in line:
            break
    return process, find(StateFolder(state))


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    state = tmp_path_factory.mktemp("state")
    process, installation = started(state)
    shell = Shell(state, process, installation)
    try:
        yield shell
    finally:
        for begun in shell.going_on:
            begun.close()
        process.send_signal(signal.SIGCONT)
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, rest
        assert not Path(installation.run_directory).exists(), "its streams are gone with it"


@pytest.fixture(scope="module")
def shown(shell: Shell) -> subprocess.CompletedProcess[str]:
    """The environment was shown, and is not any more: what stands around is known by name."""
    said = shell("say", "show", "the", "environment")
    assert shell("say", "stop").returncode == 0
    return said


def test_what_is_no_sound_is_not_listened_to(shell: Shell, tmp_path: Path) -> None:
    missing = shell("listen", "--wav", str(tmp_path / "none.wav"))
    assert missing.returncode != 0 and "there is no file" in missing.stderr and "none.wav" in missing.stderr


def test_a_second_installation_is_told_who_has_the_state(shell: Shell) -> None:
    second = shell("run", "--port", "0")
    assert second.returncode == 2
    assert str(shell.installation.pid) in second.stderr
    assert "--state" in second.stderr


def test_a_second_installation_is_told_who_has_the_port(shell: Shell, tmp_path: Path) -> None:
    port = shell.installation.url.rstrip("/").rpartition(":")[2]
    second = typed_in_a_process(tmp_path, "run", "--port", port)
    assert second.returncode == 2
    assert f"port {port}" in second.stderr
    assert str(shell.installation.pid) in second.stderr


def test_an_instruction_is_followed_until_it_stands(shown: subprocess.CompletedProcess[str]) -> None:
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert "established" in shown.stdout


def test_each_event_is_a_line_of_json(shell: Shell) -> None:
    said = shell("say", "--json", "what are you doing?")
    events = [json.loads(line) for line in said.stdout.splitlines()]
    assert [event["kind"] for event in events] == ["heard", "answered"]
    assert all({"t_s", "kind", "text"} <= event.keys() for event in events)


@pytest.mark.parametrize(
    "text", ["sing a song", "", "\x00\x07", "show " * 1500, "zeige mir die Umgebung", "🤖"]
)
def test_what_is_not_understood_is_refused_in_words(shell: Shell, text: str) -> None:
    said = shell("say", text.replace("\x00", "\x01"))
    assert said.returncode == 1
    assert "refused" in said.stdout
    assert "Traceback" not in said.stderr


def test_what_is_too_long_even_to_be_sent_is_refused_in_words(shell: Shell) -> None:
    said = shell("say", "show the camera and " * 3000)
    assert said.returncode == 1
    assert said.stderr.startswith("That is too long: 12000 words; 200 are the most at once.")
    begun = shell("complete", "show " * 1000)
    assert begun.returncode == 1
    assert begun.stderr.startswith("That is too long to be completed: 5000 characters; 2000 are the most.")


@pytest.mark.usefixtures("shown")
def test_what_could_follow_is_said_with_the_names_of_this_world(shell: Shell) -> None:
    found = shell("complete", "where is the re")
    assert found.returncode == 0, found.stderr
    assert found.stdout.splitlines()[0] == "red cup"
    asked = json.loads(shell("complete", "--json", "show the camera").stdout)
    assert asked["is_whole"]
    assert shell("complete", "").stdout.splitlines()
    assert "where is the red cup" in shell("complete", "--shell", "--quoted", "where is the re").stdout


@pytest.mark.usefixtures("shown")
def test_a_question_is_asked_and_answered_by_who_asked(shell: Shell) -> None:
    unanswered = shell.begun("say", "--who", "ann", "where is the cup")
    assert unanswered.until("asked")
    (question,) = shell.status()["questions"]
    assert question["who"] == "ann"
    number = 1 + next(at for at, option in enumerate(question["options"]) if "red cup" in option)
    assert "Asked of ann" in shell("status").stdout
    wrong = shell.begun("say", "--who", "cem", "--answer", "9", "where is the cup")
    assert wrong.until("There is no answer 9")
    assert shell("say", "--who", "cem", "never mind").returncode == 0
    assert wrong.ended()[0] == 1
    stranger = shell("say", "--who", "bob", str(number))
    assert stranger.returncode == 1
    assert "ann" in stranger.stdout
    assert shell("say", "--who", "ann", str(number)).returncode == 0
    code, rest = unanswered.ended()
    assert "The red cup is on the table" in rest
    assert code == 0
    assert shell.status()["questions"] == []


def test_a_misspelling_is_offered_and_confirmed_beforehand(shell: Shell) -> None:
    left = shell("say", "--answer", "no", "track the han for one second")
    assert left.returncode == 1
    assert "(yes or no)" in left.stdout
    assert "I start" not in left.stdout
    said = shell("say", "--answer", "yes", "track the han for one second")
    assert said.returncode == 0, said.stdout
    assert "I start: track the hand" in said.stdout


def test_a_plan_is_saved_run_from_its_file_paused_changed_and_ended(shell: Shell, tmp_path: Path) -> None:
    waiting = shell.begun("say", "wait until I say go then show the scan")
    assert waiting.until("I start")
    plan = shell.status()["plans"][-1]["id"]
    file = tmp_path / "plan.json"
    assert shell("plan", "save", plan, str(file)).returncode == 0
    assert shell("plan", "check", str(file)).returncode == 0
    unpaused = shell("plan", "remove", plan, f"{plan}.2")
    assert unpaused.returncode == 1
    assert "pause" in unpaused.stderr
    assert shell("plan", "pause", plan).returncode == 0
    steps = json.loads(shell("plan", "show", plan, "--json").stdout)["tree"]["children"]
    last = next(step["id"] for step in steps if "scan" in step["words"])
    assert shell("plan", "replace", plan, last, "what do you see").returncode == 0
    refused = shell("plan", "insert", plan, "--after", last, "sing a song")
    assert refused.returncode == 1
    assert shell("plan", "resume", plan).returncode == 0
    assert shell("say", "go").returncode == 0
    code, rest = waiting.ended()
    assert code == 0, rest
    assert "showing" not in rest
    assert "I know" in rest

    from_file = shell.begun("plan", "run", str(file))
    assert "until I say go, then show the scan" in from_file.until("I start")
    again = shell.status()["plans"][-1]["id"]
    assert shell("plan", "stop", again).returncode == 0
    code, rest = from_file.ended()
    assert code == 1
    assert "stopped by command line" in rest


def test_a_file_with_unknown_actions_is_refused_with_all_of_them(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    file.write_bytes(to_json(Sequence((Do("fly"), Do("swim")))))
    refused = shell("plan", "run", str(file))
    assert refused.returncode == 1
    assert "'fly'" in refused.stderr
    assert "'swim'" in refused.stderr


@pytest.mark.usefixtures("shown")
def test_the_door_is_opened_by_hand_and_seen_by_a_plan(shell: Shell) -> None:
    def state() -> str:
        (door,) = (line for line in shell("world").stdout.splitlines() if line.startswith("door: "))
        return door.removeprefix("door: ").partition(" ")[0]

    for wanted, command in (("closed", "close"), ("open", "open")):
        put = shell("world", command, "door")
        assert put.returncode == 0, put.stderr
        deadline_s = time.monotonic() + PATIENCE_S
        while state() != wanted:
            assert time.monotonic() < deadline_s
    decided = shell("say", "if the door is open wait one second otherwise wait two seconds")
    assert "wait 1 second" in decided.stdout
    assert decided.returncode == 0, decided.stdout
    assert shell("world", "open", "table").returncode == 1


def test_products_of_the_language_that_runs(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    here = ("--state", str(shell.state))
    assert main(["grammar", "samples", *here, "--count", "30", "--kind", "single", "--json"]) == 0
    made = capsys.readouterr()
    samples = [json.loads(line) for line in made.out.splitlines()]
    assert len(samples) == 30
    assert all({"text", "plan", "spans"} <= sample.keys() for sample in samples)
    assert "typical" not in made.err
    assert main(["grammar", "words", *here]) == 0
    assert "red" in capsys.readouterr().out.split()
    assert main(["grammar", "jsgf", *here]) == 0
    assert capsys.readouterr().out.startswith("#JSGF")


def test_a_device_fails_and_is_restored(shell: Shell) -> None:
    assert "unplugged" in shell("fail", "front_lidar").stdout
    states = {device["name"]: device["state"] for device in shell.status()["providers"]}
    assert states["front_lidar"] == "unplugged"
    refused = shell("say", "show front lidar")
    assert refused.returncode == 1
    assert "front_lidar is unplugged" in refused.stdout
    assert "plugged in" in shell("restore", "front_lidar").stdout
    assert shell("say", "show front lidar").returncode == 0
    assert shell("say", "stop").returncode == 0


def test_an_arm_has_a_reflex_and_only_an_arm(shell: Shell) -> None:
    assert (
        'left_arm has a reflex; "recover the left arm" ends it'
        in shell("fail", "left_arm", "--how", "reflex").stdout
    )
    refused = shell("fail", "base", "--how", "reflex")
    assert refused.returncode == 2 and "base (base) has no reflexes" in refused.stderr
    assert {"left_arm", "right_gripper", "base"} <= {device["name"] for device in shell.status()["providers"]}


@pytest.mark.parametrize("command", ["fail", "restore"])
def test_what_does_not_exist_is_named_beside_what_does(shell: Shell, command: str) -> None:
    refused = shell(command, "rear_camera")
    assert refused.returncode == 2
    assert "rear_camera" in refused.stderr
    assert "front_camera" in refused.stderr


def test_the_status_shows_resources_and_what_they_stand_on(shell: Shell) -> None:
    assert shell("say", "show the environment").returncode == 0
    status = shell.status()
    assert {"plans", "resources", "providers", "health"} <= status.keys()
    by_request = {f"{each['registrar']}/{each['request']}": each for each in status["resources"]}
    camera = by_request["sensor_manager/Device front_camera"]
    assert camera["state"] == "ready"
    assert "process_manager/Process camera front_camera" in camera["depends_on"]
    assert "front_camera" in shell("status").stdout
    assert shell("say", "stop").returncode == 0


def test_the_emergency_stop_works_with_the_installation_hung_and_only_a_confirmed_reset_lifts_it(
    shell: Shell,
) -> None:
    os.kill(shell.installation.pid, signal.SIGSTOP)
    try:
        latch = EmergencyStop.attach(Path(shell.installation.run_directory))
        commands = (["stop"], ["status"], ["say", "show the environment"])
        with ThreadPoolExecutor(len(commands)) as at_once:  # each waits some seconds for an answer
            stopped, *waiting = at_once.map(lambda words: typed_in_a_process(shell.state, *words), commands)
        assert stopped.returncode == 0
        assert latch.is_latched
        for waited in waiting:
            assert waited.returncode == 2
            assert "does not answer within" in waited.stderr
    finally:
        os.kill(shell.installation.pid, signal.SIGCONT)
    deadline_s = time.monotonic() + PATIENCE_S
    while "emergency" not in (refused := shell("say", "show the environment")).stdout.lower():
        assert time.monotonic() < deadline_s, refused.stdout
    assert refused.returncode == 1
    assert shell("reset").returncode == 2, "nobody is there to confirm"
    assert latch.is_latched
    assert shell("reset", "--yes").returncode == 0
    assert not latch.is_latched
    latch.close()


def test_after_kill_9_nothing_is_left_and_the_next_one_starts(tmp_path: Path) -> None:
    state = tmp_path / "state"

    first, killed = started(state)
    assert typed(state, "say", "show the environment").returncode == 0
    status = json.loads(typed(state, "status", "--json").stdout)
    children = [int(pid) for pid in status["health"]["processes"].values()]
    assert len(children) == 3
    first.kill()
    first.communicate()
    deadline_s = time.monotonic() + PATIENCE_S
    while any(started_ticks(pid) for pid in children):
        assert time.monotonic() < deadline_s, "its children outlive it"
    assert typed(state, "status").returncode == 2

    second, running = started(state, is_deaf=True)
    try:
        assert not Path(killed.run_directory).exists(), "what the dead one left is swept"
        assert typed(state, "say", "show the environment").returncode == 0
    finally:
        second.send_signal(signal.SIGTERM)
        second.communicate(timeout=PATIENCE_S)
    assert second.returncode == 0
    assert not Path(running.run_directory).exists()
