"""New plugins: a folder with class, data and test that work at once, for the author to change."""

from __future__ import annotations

import keyword
import re
from pathlib import Path

from framework.errors import PluginUnavailable

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


def name_problem(name: str) -> str:
    """Why a plugin cannot have this name; empty if it can."""
    if not _NAME.fullmatch(name):
        return f"{name!r} cannot name a plugin: small letters, digits and '_', a letter first, at most 40"
    if keyword.iskeyword(name) or keyword.issoftkeyword(name):
        return f"{name!r} is a word of Python's own; choose another name"
    return ""


def new_action(name: str, folder: Path) -> tuple[Path, ...]:
    """Write an action that can be run and tested at once into `folder`/`name`; returns the files.

    Raises PluginUnavailable: a bad name, something of that name is there, or it cannot be written.
    """
    class_name = _class_name(name)
    words = name.replace("_", " ")
    fill = {"name": name, "class_name": class_name, "words": words}
    return _write(
        name,
        folder / name,
        {
            "action.py": _ACTION.format(**fill),
            "phrases.yaml": _PHRASES.format(**fill),
            f"test_action_{name}.py": _ACTION_TEST.format(**fill),
        },
    )


def new_driver(name: str, folder: Path) -> tuple[Path, ...]:
    """Write a driver that can be tested at once into `folder`/`name`; returns the files. Raises as above."""
    fill = {"name": name, "class_name": _class_name(name)}
    return _write(
        name,
        folder / name,
        {
            "driver.py": _DRIVER.format(**fill),
            f"test_driver_{name}.py": _DRIVER_TEST.format(**fill),
            "robot.yaml": _ROBOT.format(**fill),
        },
    )


def new_grammar(name: str, folder: Path) -> tuple[Path, ...]:
    """Write a grammar pack that works at once into `folder`/`name`; returns the files. Raises as above."""
    fill = {"name": name}
    return _write(
        name,
        folder / name,
        {
            "commands.yaml": _COMMANDS.format(**fill),
            "pack.yaml": _PACK.format(**fill),
            f"test_grammar_{name}.py": _PACK_TEST.format(**fill),
        },
    )


def _class_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _write(name: str, folder: Path, files: dict[str, str]) -> tuple[Path, ...]:
    problem = name_problem(name)
    if problem:
        raise PluginUnavailable(name, problem)
    try:
        folder.mkdir(parents=True)
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
    except FileExistsError as error:
        raise PluginUnavailable(
            name, f"{error.filename} is there already and is not overwritten; choose another name or folder"
        ) from error
    except OSError as error:
        raise PluginUnavailable(name, f"{error.filename} cannot be written: {error.strerror}") from error
    return tuple(folder / file for file in files)


_ACTION = '''\
"""The action `{name}`. Say what it does here; `phrases.yaml` beside it has the ways to ask for it."""

from __future__ import annotations

import asyncio

import pilothouse as ph


class {class_name}(ph.Action):
    """Say a few words, one after the other."""

    times: int = ph.param(default=3, ge=1, le=100)
    pause_s: float = ph.param(default=0.5, ge=0.0, le=10.0)

    # What it needs, best first; in `run`, self.camera is what was found:
    # camera = ph.needs(ph.Camera(kind="rgbd"), ph.Camera(kind="rgb"))

    async def run(self) -> int:
        for number in range(1, self.times + 1):
            self.progress(number / self.times, f"{words}, {{number}} of {{self.times}}")
            await asyncio.sleep(self.pause_s)
        return self.times
'''

_PHRASES = """\
# The ways to ask for it: [optional] (this|that) {{parameter}}. Keep each in quotes.
say:
  - "{words}"
"""

_ACTION_TEST = '''\
"""Runs `{name}` on the virtual clock: no waiting, and the same every time."""

from __future__ import annotations

from pathlib import Path

import pilothouse as ph


def test_{name}_ends_well() -> None:
    action = ph.ActionCatalogue.discover([Path(__file__).parents[1]], entry_points=False)["{name}"]

    async def scene() -> ph.Outcome:
        async with ph.ResourceRegistrar("test", ph.LocalTransport()) as registrar:
            return await ph.ActionRunner(action, {{"times": 2}}, registrar=registrar).run()

    outcome = ph.testing.run(scene)
    assert outcome.state is ph.RunState.SUCCEEDED, outcome.words
    assert outcome.value == 2
'''

_DRIVER = '''\
"""The driver `{name}`: how one make of device is run."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pilothouse as ph


class {class_name}(ph.Driver):
    """A planar laser scanner. Change it into your device."""

    name = "{name}"
    kind = "scan"

    rate_hz: float = ph.param(default=10.0, gt=0.0, le=100.0)

    @asynccontextmanager
    async def provide(self, device: ph.DeviceContext) -> AsyncIterator[ph.ScanFeed]:
        # What can block or crash belongs into a child process; ask for it with
        #   async with device.request(ph.Process(...)) as process:
        # and let that child write the stream. Up to `yield` the device starts, after it it stops.
        ring = str(device.directory / f"{{device.name}}.ring")
        stream = ph.StreamHandle(device.name, ring, ph.StreamFormat.SCAN, device.mount, self.rate_hz)
        yield ph.ScanFeed(device.name, stream)
'''

_DRIVER_TEST = '''\
"""Provides a device with the driver `{name}` on the virtual clock."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pilothouse as ph


def test_{name}_provides_a_device(tmp_path: Path) -> None:
    driver = ph.DriverCatalogue.discover([Path(__file__).parents[1]], entry_points=False)["{name}"]

    async def scene() -> str:
        async with ph.ResourceRegistrar("test", ph.LocalTransport()) as registrar:

            @registrar.provides(ph.Device)
            @asynccontextmanager
            async def device(request: ph.Device, supply: ph.Supply) -> AsyncIterator[object]:
                context = ph.DeviceContext(request.name, "front", registrar, supply, tmp_path)
                async with driver.make({{"rate_hz": 20.0}}).provide(context) as feed:
                    yield feed

            async with registrar.request(ph.Device("front_lidar")) as lease:
                return str(lease.value.device)

    assert ph.testing.run(scene) == "front_lidar"
'''

_ROBOT = """\
# How a robot description names a device of this driver.
devices:
  - name: front_lidar
    driver: {name}
    kind: scan
    mount: front
    parameters: {{rate_hz: 10.0}}
"""

_COMMANDS = """\
# What people ask for, in their words. Nothing of it is carried out as it stands: pack.yaml says what becomes
# of each action.
# [optional] (this|that) {{parameter}}; each phrase in quotes. docs/language.md has the rest.

names:                              # what the lists below take their names from
  room: [kitchen, {{name: living room, says: [lounge]}}]
  item: [cup, parcel]

lists:
  room: {{provider: room, by_name: true}}
  item: {{provider: item}}

parameters:                         # those that more than one action has
  room: {{type: text, default: ""}}
  item: {{type: text, default: ""}}

actions:
  visit:
    say:
      - "(go|run|pop over) to {{room}}"
      - "pay {{room}} a visit"
    samples:
      - "pay the kitchen a visit"
  fetch:
    say:
      - "(fetch|bring) me {{item}} [from {{room}}]"
    samples:
      - "fetch me a cup from the lounge"
"""

_PACK = """\
# What becomes of each action of commands.yaml, on the robot that runs with this pack.

# The names that the robot knows, besides those of commands.yaml; world.places, world.goals, world.objects and
# world.people are some kinds of them (managers/known_names.py has all).
known:
  room: [world.places]
  item: [world.objects]

deeds:
  visit:
    # The same in the robot's own words ("pilothouse complete" knows them), with the parameters in braces. The
    # first that has just those which were said is taken, and read back before it is done.
    say:
      - "go to {{room}}"
    # What the robot says it cannot do when none has: "I cannot …".
    cannot: "go there"
  fetch:
    cannot: "pick things up and bring them"
"""

_PACK_TEST = '''\
"""What is asked for in the words of the pack `{name}`, and what becomes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pilothouse.grammar_trial import GrammarTrial


@pytest.fixture(scope="module")
def trial() -> GrammarTrial:
    return GrammarTrial(Path(__file__).parent)


@pytest.mark.parametrize(
    ("said", "becomes"),
    [
        ("pay the kitchen a visit", "go to the kitchen"),
        ("fetch me a cup", "I cannot pick things up and bring them."),
    ],
)
def test_each_command_is_done_or_refused(trial: GrammarTrial, said: str, becomes: str) -> None:
    assert trial.heard(said) == becomes


def test_nothing_is_wrong_with_it(trial: GrammarTrial) -> None:
    assert trial.mistakes == ()
'''
