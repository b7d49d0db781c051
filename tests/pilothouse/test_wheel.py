"""The wheel carries the built page: in an empty environment without Node, `pilothouse run` works."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import urllib.request
import venv
from pathlib import Path

import pytest

from framework.state import StateFolder
from pilothouse.running import RunningInstallation, find

PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with our wheel in it; dependencies come from the present one."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(folder),
        str(PROJECT),
    ]
    subprocess.run(build, check=True, capture_output=True, timeout=300)
    (wheel,) = folder.glob("pilothouse-*.whl")
    environment = folder / "environment"
    venv.create(environment, with_pip=False)
    target = environment / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages"
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--target",
        str(target),
        str(wheel),
    ]
    subprocess.run(install, check=True, capture_output=True, timeout=300)
    # Only the folder is added: the .pth of the editable install in it is not followed.
    (target / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return environment / "bin" / "python"


def test_the_installation_runs_from_the_wheel_without_node(python: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PATH": str(python.parent)}
    assert shutil.which("node", path=environment["PATH"]) is None
    state = tmp_path / "state"

    def pilothouse(*words: str) -> list[str]:
        code = "import sys; from pilothouse.cli.main import main; sys.exit(main())"
        return [str(python), "-c", code, words[0], "--state", str(state), *words[1:]]

    where = subprocess.run(
        [str(python), "-c", "import framework; print(framework.__file__)"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert where.stdout.startswith(str(python.parents[1])), "the wheel's own code is to be tried"

    running = subprocess.Popen(
        pilothouse("run", "--port", "0"),
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        installation = _announced(running, state)
        with urllib.request.urlopen(installation.url, timeout=60) as page:
            assert b"<script" in page.read()
        said = subprocess.run(
            pilothouse("say", "show the environment"),
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert said.returncode == 0, said.stdout + said.stderr
        assert "front_camera" in said.stdout
    finally:
        running.send_signal(signal.SIGINT)
        rest, _ = running.communicate(timeout=60)
    assert running.returncode == 0, rest


def _announced(running: subprocess.Popen[str], state: Path) -> RunningInstallation:
    assert running.stdout is not None
    printed = ""
    for line in running.stdout:
        printed += line
        if "Ctrl-C ends it" in line:
            return find(StateFolder(state))
    raise AssertionError(f"it did not start: {printed}")
