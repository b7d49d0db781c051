"""Finding plugins: every way in which one can be broken, then folders, entry points, real distributions."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from framework.errors import PlanError, PluginUnavailable
from framework.plugins import ActionCatalogue, DriverCatalogue

GOOD = """
    from __future__ import annotations
    import pilothouse as ph

    class Made(ph.Action):
        '''Made by a test.'''
        times: int = 1

        async def run(self) -> int:
            return self.times
"""
SAY = 'say: ["do it [{times} times]"]'


def plugin(
    folder: Path, name: str, code: str = GOOD, say: str | None = SAY, file: str = "__init__.py"
) -> Path:
    path = folder / name
    path.mkdir(parents=True)
    (path / file).write_text(textwrap.dedent(code))
    if say is not None:
        (path / "phrases.yaml").write_text(say)
    return path


def found(*folders: Path) -> ActionCatalogue:
    return ActionCatalogue.discover(folders, entry_points=False)


@pytest.mark.parametrize(
    ("name", "code", "say", "reason"),
    [
        (
            "raises",
            "raise RuntimeError('no camera here')",
            SAY,
            "raised RuntimeError: no camera here (__init__.py:1)",
        ),
        ("exits", "import sys; sys.exit('bye')", SAY, "raised SystemExit: bye"),
        ("missing", "import no_such_module", SAY, "ModuleNotFoundError: No module named 'no_such_module'"),
        ("syntax", "class :", SAY, "SyntaxError"),
        ("binary", "\x00", SAY, "null bytes"),
        ("nothing", "x = 1", SAY, "it holds none"),
        ("silent", GOOD, None, "phrases.yaml is missing"),
        ("unfit", GOOD, 'say: ["do {that}"]', "phrases.yaml:1: 'do {that}': {that} is no parameter"),
        ("no_yaml", GOOD, "say: [", "phrases.yaml:1: this is no YAML"),
        ("two", GOOD + "\n    class Other(Made): ...", SAY, "it holds Made, Other"),
        ("lazy", "import pilothouse as ph\nclass Lazy(ph.Action): ...", SAY, "async def run"),
        ("odd", GOOD.replace("times: int = 1", "times: Unknown"), SAY, "name 'Unknown' is not defined"),
        ("Bad-Name", GOOD, SAY, "cannot name a plugin"),
        ("import", GOOD, SAY, "word of Python's own"),
    ],
)
def test_a_broken_plugin_is_listed_with_its_reason_and_harms_no_other(
    tmp_path: Path, name: str, code: str, say: str | None, reason: str
) -> None:
    plugin(tmp_path, name, code, say)
    plugin(tmp_path, "zz_good")
    before = {module for module in sys.modules if "pilothouse_plugins" in module}
    catalogue = found(tmp_path)
    assert catalogue.names() == ("zz_good",)
    (broken,) = catalogue.unavailable
    assert broken.name == name
    assert reason in broken.unavailable
    assert broken.source == str(tmp_path / name)
    assert name not in catalogue
    with pytest.raises(PluginUnavailable, match=name):
        catalogue[name]
    left = {module for module in sys.modules if "pilothouse_plugins" in module} - before
    loaded = () if "raised" not in reason else tuple(module for module in left if name in module)
    assert not loaded


def test_an_action_for_plan_files_only_needs_no_phrases(tmp_path: Path) -> None:
    plugin(tmp_path, "silent", GOOD.replace("times: int", "is_said = False\n        times: int"), None)
    catalogue = found(tmp_path)
    assert catalogue["silent"].phrases.say == () and not catalogue.unavailable


def test_what_is_no_plugin_is_not_listed(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("hello")
    (tmp_path / "data").mkdir()
    plugin(tmp_path, "_private")
    plugin(tmp_path, ".hidden")
    catalogue = found(tmp_path, tmp_path / "absent")
    assert not catalogue.available
    assert not catalogue.unavailable
    with pytest.raises(PluginUnavailable, match="there is no action of that name; there are none"):
        catalogue["wave"]


def test_of_two_with_one_name_the_first_counts(tmp_path: Path) -> None:
    first = plugin(tmp_path / "project", "wave")
    second = plugin(tmp_path / "user", "wave")
    catalogue = found(tmp_path / "project", tmp_path / "user")
    assert catalogue["wave"].source == str(first)
    (other,) = catalogue.unavailable
    assert other.source == str(second)
    assert str(first) in other.unavailable


def test_folders_of_users_hide_nobodys_modules(tmp_path: Path) -> None:
    plugin(tmp_path, "numpy")
    catalogue = found(tmp_path)
    assert catalogue["numpy"].type.__module__.startswith("_pilothouse_plugins")
    import numpy

    assert hasattr(numpy, "ndarray")


def test_a_folder_may_have_modules_of_its_own(tmp_path: Path) -> None:
    code = GOOD.replace("import pilothouse as ph", "import pilothouse as ph\n    from .detail import NUMBER")
    path = plugin(tmp_path, "wave", code.replace("= 1", "= NUMBER"), file="action.py")
    (path / "detail.py").write_text("NUMBER = 7")
    assert found(tmp_path)["wave"].parameters[0].default == 7


def test_found_twice_it_is_the_same_class(tmp_path: Path) -> None:
    plugin(tmp_path, "wave")
    assert found(tmp_path)["wave"].type is found(tmp_path)["wave"].type


def test_the_projects_own_actions_keep_their_names() -> None:
    folder = Path(__file__).parents[3] / "actions"
    catalogue = found(folder)
    assert not catalogue.unavailable
    assert catalogue["show"].type.__module__ == "actions.show"
    assert {"show", "show_environment", "stop", "track"} <= set(catalogue.names())


DISTRIBUTION = {
    "pyproject.toml": """
        [build-system]
        requires = ["hatchling"]
        build-backend = "hatchling.build"
        [project]
        name = "robot-dance"
        version = "1.2"
        [project.entry-points."pilothouse.actions"]
        dance = "robot_dance:Dance"
        sulk = "robot_dance.broken:Sulk"
        count = "robot_dance:NUMBER"
        [project.entry-points."pilothouse.resources"]
        disco_ball = "robot_dance.lights:DiscoBall"
        [tool.hatch.build.targets.wheel]
        packages = ["robot_dance"]
    """,
    "robot_dance/__init__.py": """
        import pilothouse as ph

        NUMBER = 3

        class Dance(ph.Action):
            '''Dance.'''
            steps: int = ph.param(default=4, ge=1, le=16)

            async def run(self) -> int:
                return self.steps
    """,
    "robot_dance/broken.py": "raise OSError('no music')",
    "robot_dance/lights.py": """
        from contextlib import asynccontextmanager
        import pilothouse as ph

        class DiscoBall(ph.Driver):
            name = "disco_ball"
            kind = "light"
            turns_per_s: float = ph.param(default=0.5, gt=0.0, le=5.0)

            @asynccontextmanager
            async def provide(self, device):
                yield self.turns_per_s
    """,
    "robot_dance/phrases.yaml": 'say: ["dance [{steps} steps]"]',
}


def test_an_installed_distribution_brings_actions_and_drivers(tmp_path: Path) -> None:
    """Really built and installed with pip, and found by a fresh interpreter."""
    source, target = tmp_path / "source", tmp_path / "target"
    for name, text in DISTRIBUTION.items():
        file = source / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    pip += ["--no-index", "--disable-pip-version-check", "--target", str(target), str(source)]
    subprocess.run(pip, check=True, cwd=tmp_path, timeout=120)
    code = f"""
        import sys
        sys.path.append({str(target)!r})
        import pilothouse as ph
        actions, drivers = ph.ActionCatalogue.discover(), ph.DriverCatalogue.discover()
        dance = actions["dance"]
        assert dance.source == "robot-dance 1.2", dance.source
        assert dance.phrases.say == ("dance [{{steps}} steps]",)
        broken = {{spec.name: spec.unavailable for spec in actions.unavailable}}
        assert "OSError: no music" in broken["sulk"], broken
        assert "derived from Action" in broken["count"], broken
        assert drivers["disco_ball"].make({{"turns_per_s": 2}}).turns_per_s == 2.0

        async def scene():
            async with ph.ResourceRegistrar("me", ph.LocalTransport()) as registrar:
                return await ph.ActionRunner(dance, {{"steps": 8}}, registrar=registrar).run()

        print(ph.testing.run(scene).value)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[3],
        timeout=60,
    )
    assert done.stdout.strip() == "8", done.stderr


def test_what_is_installed_while_we_run_is_found_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "waltz" not in [each.name for each in ActionCatalogue.discover().unavailable]
    info = tmp_path / "waltz-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: waltz\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[pilothouse.actions]\nwaltz = no_such_module:Waltz\n")
    (found,) = [each for each in ActionCatalogue.discover().unavailable if each.name == "waltz"]
    assert "no_such_module" in found.unavailable


DRIVER = """
    from contextlib import asynccontextmanager
    import pilothouse as ph

    class Lamp(ph.Driver):
        name = "lamp"
        kind = "light"
        watts: float = ph.param(default=5.0, gt=0.0, le=60.0)

        @asynccontextmanager
        async def provide(self, device):
            yield self.watts

    class Nameless(ph.Driver):
        kind = "light"
"""


def test_drivers_are_found_in_driver_py_only(tmp_path: Path) -> None:
    plugin(tmp_path, "lights", DRIVER, None, "driver.py")
    plugin(tmp_path, "model", "raise RuntimeError('must not be imported')", None, "driver_model.py")
    plugin(tmp_path, "broken", "raise RuntimeError('no lamp')", None, "driver.py")
    plugin(tmp_path, "empty", "x = 1", None, "driver.py")
    catalogue = DriverCatalogue.discover([tmp_path], entry_points=False)
    assert [spec.name for spec in catalogue.available] == ["lamp"]
    reasons = {spec.name: spec.unavailable for spec in catalogue.unavailable}
    assert set(reasons) == {"Nameless", "broken", "empty"}
    assert "no lamp" in reasons["broken"]
    with pytest.raises(
        PlanError, match="watts = 100 will not do, it is too large; allowed is float > 0 and ≤ 60"
    ):
        catalogue["lamp"].make({"watts": 100})
    with pytest.raises(PluginUnavailable, match="no lamp"):
        catalogue["broken"]
    with pytest.raises(PluginUnavailable, match="there are lamp"):
        catalogue["torch"]
    lamp = catalogue["lamp"].type
    again = DriverCatalogue.discover([tmp_path], entry_points=False, built_in=[lamp])
    assert again["lamp"].source == lamp.__module__
    assert (
        "another driver of this name" in {each.name: each.unavailable for each in again.unavailable}["lamp"]
    )
