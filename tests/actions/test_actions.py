"""Showing, tracking and stopping, on a robot that is not there."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest

import pilothouse as ph
from resources.types.sights import Sight
from tests.actions.fake_robot import ROOT, FakeRobot
from tests.actions.scene import on_robot, until

META = ph.encode_meta(ph.SampleMeta())


def test_show_environment_goes_on_while_its_sensors_die(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        runner = robot.runner("show_environment")
        life = asyncio.create_task(runner.run())
        for device in ("front_camera", "wrist_cloud", "front_lidar"):
            await until(lambda: runner.detail == f"showing the environment with {device}")  # noqa: B023
            await until(lambda: [view.source.name for view in robot.shown] == [device])  # noqa: B023
            assert runner.state is ph.RunState.READY
            robot.unplug(device)
        outcome = await life
        assert outcome.state is ph.RunState.FAILED
        for device in ("front_camera", "wrist_cloud", "front_lidar"):
            assert f"{device} is unplugged" in outcome.words
        assert robot.said[-1] == outcome.words

    on_robot(tmp_path, play)


def test_show_environment_returns_to_the_camera(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        robot.unplug("front_camera")
        runner = robot.runner("show_environment")
        life = asyncio.create_task(runner.run())
        await until(lambda: "wrist_cloud" in runner.detail and bool(robot.shown))
        robot.plug_in("front_camera")
        await until(lambda: [view.source.name for view in robot.shown] == ["front_camera"])
        runner.cancel("enough")
        assert (await life).state is ph.RunState.CANCELLED

    on_robot(tmp_path, play)


@pytest.mark.parametrize(
    ("what", "device"),
    [
        ("camera", "front_camera"),
        ("scan", "front_lidar"),
        ("cloud", "front_camera"),
        ("wrist_cloud", "wrist_cloud"),
        ("Front camera", "front_camera"),
    ],
)
def test_show(tmp_path: Path, what: str, device: str) -> None:
    async def play(robot: FakeRobot) -> None:
        async with robot.running("show", what=what) as runner:
            await until(lambda: runner.detail == f"showing {device}" and bool(robot.shown))

    on_robot(tmp_path, play)


def test_show_something_unknown_fails_with_words(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        outcome = await robot.runner("show", what="teapot").run()
        assert outcome.state is ph.RunState.FAILED
        assert "I know no 'teapot'; what I can show is camera and scan" in outcome.words

    on_robot(tmp_path, play)


def test_show_a_thing_shows_the_picture_in_which_it_is_seen(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        runner = robot.runner("show", what="hand")
        life = asyncio.create_task(runner.run())
        await until(lambda: runner.detail == "showing hand, seen with front_camera")
        assert [view.source.name for view in robot.shown] == ["front_camera"]
        robot.known.fail(Sight, "the camera broke")
        assert "the camera broke" in (await life).words
        assert not robot.shown

    on_robot(tmp_path, play)


def test_show_a_remembered_view_shows_everything_that_was_shown_then(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        async with robot.running("show", what="overview") as runner:
            await until(lambda: runner.detail == "showing front_camera and front_lidar")
            assert [view.source.name for view in robot.shown] == ["front_camera", "front_lidar"]

    on_robot(tmp_path, play)


def test_track_says_when_it_sees_the_thing_and_when_it_loses_it(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        with ph.RingWriter(tmp_path, "hand", slot_bytes=1024) as ring:
            async with robot.running("track", thing="hand") as runner:
                await until(lambda: runner.detail == "tracking hand")
                for step in range(60):  # three seconds: nothing, then the hand, then nothing
                    seen = 20 <= step < 40
                    poses = np.zeros((1 if seen else 0, 7), np.float32)
                    ring.write(poses, stamp_s=step * 0.05, meta=META)
                    await asyncio.sleep(0.05)
                    if step == 25:
                        assert runner.detail == "tracking hand, I see it"
                    if step == 45:
                        assert runner.detail == "tracking hand, I see it"  # a blink is no loss
                await until(lambda: runner.detail == "tracking hand, I have lost sight of it")
                assert runner.value == "hand"

    on_robot(tmp_path, play)


def test_track_something_unknown_fails_with_words(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        outcome = await robot.runner("track", thing="ghost").run()
        assert outcome.state is ph.RunState.FAILED
        assert "nobody knows a ghost; known is hand" in outcome.words

    on_robot(tmp_path, play)


@pytest.mark.parametrize(
    ("what", "passed_on"), [("", ""), ("everything", ""), ("track", "track"), (" Track ", "track")]
)
def test_stop_asks_the_supervisor_and_never_stops_itself(tmp_path: Path, what: str, passed_on: str) -> None:
    async def play(robot: FakeRobot) -> None:
        outcome = await robot.runner("stop", what=what).run()
        assert outcome.state is ph.RunState.SUCCEEDED
        assert robot.stopped == [(passed_on, "stop")]
        assert any("stopping track" in text for text in robot.said)

    on_robot(tmp_path, play)


def test_stop_what_does_not_run_says_what_does(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        outcome = await robot.runner("stop", what="nonsense").run()
        assert outcome.state is ph.RunState.FAILED
        assert "running are track" in outcome.words

    on_robot(tmp_path, play)


def test_stop_has_no_words_of_its_own(tmp_path: Path) -> None:
    async def play(robot: FakeRobot) -> None:
        assert robot.actions["stop"].phrases.say == ()

    on_robot(tmp_path, play)


def test_actions_import_no_manager_and_no_driver() -> None:
    allowed = ("pilothouse", "framework", "resources.types", "actions", "msgspec")
    for file in (ROOT / "actions").rglob("*.py"):
        for line in file.read_text().splitlines():
            if line.startswith(("import ", "from ")):
                module = line.split()[1]
                ours = module.split(".")[0] in ("managers", "grammars", "resources", "framework")
                assert not ours or module.startswith(allowed), f"{file}: {line}"


def test_every_action_has_samples_enough() -> None:
    for spec in ph.ActionCatalogue.discover([ROOT / "actions"], entry_points=False).available:
        assert spec.name == "stop" or len(spec.phrases.samples) >= 5, spec.name
