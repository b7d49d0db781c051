"""The front door: what is reachable, that the list is honest, that intruders are named, that it is quick."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import pilothouse as ph
from framework import errors

ROOT = Path(__file__).parents[2]
#: (name, exported as, module) of everything that the stub imports.
IMPORTS = [
    (alias.name, alias.asname, line.module)
    for line in ast.parse((ROOT / "pilothouse" / "__init__.pyi").read_text()).body
    if isinstance(line, ast.ImportFrom)
    for alias in line.names
]
STUB = {name: module for name, _, module in IMPORTS}

#: design.md, "Interfaces that stay put", and what its examples use.
PROMISED = (
    "ResourceRegistrar Supply Lease Status Hop Severity Priority Snapshot PilothouseError "
    "ResourceUnavailable ResourceFailed Preempted CircularDependency LocalTransport ZenohTransport testing "
    "Action param needs Camera Lidar SweptLidar View Device Process Known Tracked Simulation WristSweep "
    "Arm ArmState Gripper Base Motion ControlLoop Recovery ArmHandle ArmClient ArmSample LoopState "
    "MotionFailed MoveJoints MovePose TrackPose TrackTwist MoveGripper Drive MoveBase Workspace StopCategory "
    "Driver DeviceContext ActionRunner ActionCatalogue DriverCatalogue Client Outcome RunState LoopClock"
)


def python(code: str, cwd: Path = ROOT, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *options, "-c", code], capture_output=True, text=True, cwd=cwd, timeout=180
    )


@pytest.mark.parametrize("name", PROMISED.split(" "))
def test_what_is_promised_is_there(name: str) -> None:
    assert getattr(ph, name) is not None


def test_testing_runs_on_the_virtual_clock() -> None:
    async def answer() -> int:
        return 42

    assert ph.testing.run(answer) == 42


def test_every_name_of_the_list_leads_somewhere() -> None:
    for name in ph.__all__:
        assert getattr(ph, name) is not None, name
    assert len(set(ph.__all__)) == len(ph.__all__)
    assert dir(ph) == sorted(ph.__all__)


def test_list_and_stub_say_the_same() -> None:
    assert set(ph.__all__) == {*STUB, "__version__"}
    assert all(name == exported for name, exported, _ in IMPORTS), "`as` another name: it would not be found"
    assert len(STUB) == len(IMPORTS)


def test_no_module_of_ours_hides_a_name() -> None:
    modules = {path.stem for path in (ROOT / "pilothouse").iterdir() if not path.stem.startswith("_")}
    assert not modules & set(ph.__all__)


def test_only_the_framework_and_resource_types_are_given_out() -> None:
    for name, module in STUB.items():
        assert f"{module}.{name}".startswith(("framework.", "resources.types.")), module


def test_every_error_is_there() -> None:
    defined = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.PilothouseError)
    }
    assert defined <= set(ph.__all__)


def test_a_name_that_is_not_there() -> None:
    name = "SensorManager"
    with pytest.raises(AttributeError, match=f"pilothouse has no '{name}'; `dir"):
        getattr(ph, name)


def test_importing_it_costs_little() -> None:
    """Processor time, because wall time is the machine's affair; the best of five, for the same reason."""
    code = "import time; t = time.process_time(); import pilothouse; print(time.process_time() - t)"
    times_s = [float(python(code).stdout) for _ in range(5)]
    assert min(times_s) < 0.05, times_s


def test_importing_it_loads_nothing_heavy() -> None:
    code = "import sys, pilothouse as ph; ph.Camera; ph.Action; print(*sys.modules)"
    loaded = set(python(code).stdout.split())
    assert not loaded & {"numpy", "mujoco", "cv2", "zenoh", "spacy", "matplotlib", "aiohttp", "py_trees"}
    assert not {name for name in loaded if name.startswith(("managers.", "resources.simulation", "actions."))}


@pytest.mark.parametrize("name", ["framework", "resources", "managers", "actions", "grammars"])
@pytest.mark.parametrize("shape", ["package", "module", "namespace"])
def test_an_intruder_is_named(tmp_path: Path, name: str, shape: str) -> None:
    """A script that lies beside a folder or file of that name would import it."""
    if shape == "module":
        (tmp_path / f"{name}.py").write_text("")
    else:
        (tmp_path / name).mkdir()
        (tmp_path / name / ("__init__.py" if shape == "package" else "data.txt")).write_text("")
    done = python(f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import pilothouse", tmp_path)
    if shape == "namespace":  # no match for a real package further down the path
        assert done.returncode == 0, done.stderr
        return
    assert done.returncode != 0
    assert "ImportError" in done.stderr
    assert str(tmp_path / name) in done.stderr and "Rename the intruder" in done.stderr


def test_an_intruder_that_was_imported_before_is_named_too(tmp_path: Path) -> None:
    (tmp_path / "resources").mkdir()
    (tmp_path / "resources" / "__init__.py").write_text("")
    first = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import resources; sys.path.pop(0)"
    done = python(f"{first}; import pilothouse", tmp_path)
    assert "Rename the intruder" in done.stderr
