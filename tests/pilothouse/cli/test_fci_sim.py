"""`pilothouse fci-sim` as people meet it: what it prints, what it refuses, how it ends."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from pilothouse.cli.fci_sim import EPILOG
from pilothouse.cli.main import main
from resources.fci_sim import AnyFault
from resources.fci_sim.orders import AnyOrder, read_fault, read_order, read_script
from resources.fci_sim.simulated_box import free_addresses
from tests.pilothouse.cli.terminal import terminal
from tests.resources.drivers.franka.wheel import needs_pylibfranka

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "fci_joint_motion.py"
MAIN = "import sys; from pilothouse.cli.main import main; sys.exit(main())"
COMMAND = [sys.executable, "-c", MAIN, "fci-sim"]

pytestmark = pytest.mark.real


def test_every_fault_and_order_of_the_help_is_understood() -> None:
    lines = [line.strip().partition("   ")[0] for line in EPILOG.splitlines()]
    faults = [line for line in lines if line.startswith("{fault:")]
    tags = {each.__struct_config__.tag for each in get_args(AnyFault)}
    assert {line.partition(" ")[2].partition(",")[0].rstrip("}") for line in faults} == tags
    for line in faults:
        read_fault(line.replace("drop|late|duplicate", "late").replace("states|commands", "states"))
    orders = [part for line in EPILOG.splitlines() for part in line.strip().split("   ") if "{do:" in part]
    told = {order.partition(" ")[2].partition(",")[0].strip().rstrip("}") for order in orders}
    assert told == {each.__struct_config__.tag for each in get_args(AnyOrder)}
    for order in orders:
        read_order(order.replace("[...]", "[0, 0, 0, -1, 0, 1, 0]"))
    scene = "\n".join(line[2:] for line in EPILOG.splitlines() if line.startswith(("  scene:", "  faults:")))
    assert read_script(scene.replace("[...]", "[]")).scene.table_m == 0.3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--address", "10.1.2.3"], "10.1.2.3 is no loopback address"),
        (["--address", "0.0.0.0"], "no loopback address"),
        (["--address", "robot"], "'robot' is no IPv4 address"),
        (["--address", "127.255.255.255", "--arms", "2"], "no loopback address"),
        (["--arms", "0"], "0 arms cannot be; 1 to 8 can"),
        (["--fault", "{fault: refle}"], "fault is one of reflex, user_stop"),
        (["--fault", "{fault: reflex, flag: x}"], "no flag 'x'"),
        (["--fault", "{fault: user_stop, arm: 1}"], "arms 0 to 0"),
        (["--script", "no such file"], "no such file: cannot be read"),
    ],
)
def test_what_cannot_be_is_refused_in_words(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if "--address" not in arguments:
        arguments = [*arguments, "--address", free_addresses(1)[0]]
    assert main(["fci-sim", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_a_script_that_is_wrong_is_refused_with_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "faults.yaml"
    for content in (b"- {fault: reflex}", b"scene: {table: 1}", b"[", b"\xff", b"faults: 3"):
        file.write_bytes(content)
        assert main(["fci-sim", "--script", str(file)]) == 2
        assert "faults.yaml:1: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("scene: {payload_kg: 100}", "a payload of 100"),
        ("scene: {q: [0, 0]}", "the posture q has 2 joints"),
        ("- {fault: reflex, flag: joint_reflexes}", "no flag 'joint_reflexes'"),
    ],
)
def test_a_scene_that_cannot_be_is_refused_with_its_file(
    tmp_path: Path, content: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "script.yaml"
    file.write_text(content)
    assert main(["fci-sim", "--script", str(file)]) == 2
    said = capsys.readouterr().err
    assert "script.yaml: " in said
    assert words in said


@needs_pylibfranka
def test_the_example_says_what_is_missing_where_no_box_is() -> None:
    run = subprocess.run(
        [sys.executable, str(EXAMPLE), free_addresses(1)[0]],
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert run.returncode == 1
    assert "is `pilothouse fci-sim` running, or FCI activated?" in run.stderr
    assert len(run.stderr.splitlines()) == 1


@needs_pylibfranka
def test_an_ordinary_script_moves_the_arm_and_everything_is_told(tmp_path: Path) -> None:
    address = free_addresses(1)[0]
    script = tmp_path / "script.yaml"
    script.write_text("- {fault: push, force: [0, 0, -2], since: motion, at_s: 0.5, for_s: 0.1}\n")
    arguments = ["--address", address, "--lock-step", "--script", str(script)]
    with terminal([*COMMAND, *arguments]) as screen:
        screen.until("Ctrl-C ends it.")
        run = subprocess.run(
            [sys.executable, str(EXAMPLE), address], capture_output=True, timeout=180, check=False
        )
        assert b"moved by 45.0 degrees" in run.stdout, run.stderr
        screen.until("is connected")
        screen.until("motion begins: JOINT_POSITION with JOINT_IMPEDANCE")
        screen.until("fault begins: Push force 0 0 -2 N, torque 0 0 0 N m")
        screen.until("motion ends after")
        screen.until("is gone: closed by the client")
        screen.press("{do: status}\r")
        screen.until("mode: idle")
        screen.press("{do: dance}\r")
        screen.until("do is one of inject")
        taken = subprocess.run(
            [*COMMAND, "--address", address], capture_output=True, timeout=180, check=False
        )
        assert taken.returncode == 2
        assert b"cannot be opened" in taken.stderr
        screen.press("\x03")
        screen.until("digest ")
        assert screen.ended() == 0


@pytest.mark.parametrize(
    ("number", "begun"),
    [
        (signal.SIGTERM, ()),
        (signal.SIGINT, ()),
        pytest.param(signal.SIGTERM, ("sh", "-c", 'trap "" INT; exec "$@"', "sh"), id="SIGINT is ignored"),
    ],
)
def test_it_ends_cleanly_on_a_signal_and_lives_without_a_terminal(
    number: signal.Signals, begun: tuple[str, ...]
) -> None:
    box = subprocess.Popen(
        [*begun, *COMMAND, "--address", free_addresses(1)[0]],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert box.stdout is not None
    for line in box.stdout:
        if b"Ctrl-C" in line:
            break
    box.send_signal(number)
    output, complaints = box.communicate(timeout=60)
    assert box.returncode == 0
    assert b"digest" in output
    assert complaints == b""
