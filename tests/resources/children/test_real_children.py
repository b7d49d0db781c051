"""The simulated world and its sensors as real processes: killed, stopped, made to babble, and at work."""

from __future__ import annotations

import asyncio
import math
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from framework.errors import ProcessStartFailed
from framework.processes.child_events import LossReason, Lost, Said
from framework.status import Severity
from framework.transport.ring import RingWriter
from resources.children.arguments import CameraArguments, DetectorArguments
from resources.children.failing import Fail, FailMode, fail_command
from resources.children.specs import camera_spec, detector_spec
from resources.simulation.intrinsics import D435_848X480
from resources.types.context import KnownThing, TrackedFeed
from resources.types.control import SimulationHandle
from resources.types.motion import Drive, MoveJoints, StopCategory, Sweep
from resources.types.samples import decode
from resources.types.sensors import CameraFeed
from resources.types.streams import SampleMeta, StreamFormat, StreamHandle, decode_meta, encode_meta
from resources.worlds.marker import MARKER_M
from resources.worlds.robot import FRONT_CAMERA
from resources.worlds.scene_description import SceneDescription
from resources.worlds.target_path import TargetPath
from tests.framework.processes.family import PATIENCE_S, kill, until
from tests.resources.children.harness import Harness, Watcher, control, harness

ROOT = Path(__file__).parents[3]

# ---------------------------------------------------------------- not starting


def test_a_wrong_choice_of_opengl_says_what_to_do() -> None:
    async def main() -> None:
        async with harness() as home:
            world = await home.world()
            for env, words in (
                ((("MUJOCO_GL", "voodoo"),), "MUJOCO_GL is 'voodoo'; .* unset it, or use 'egl' or 'osmesa'"),
                (
                    (("MUJOCO_GL", "egl"), ("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent")),
                    r"no OpenGL context can be made \(egl: .*\)\. Install: apt install libegl1",
                ),
            ):
                with pytest.raises(ProcessStartFailed, match=words):
                    await home.camera(world, env=env)

    asyncio.run(main())


_IN_A_SMALL_DEV_SHM = """
import asyncio
from framework.errors import ProcessStartFailed
from tests.resources.children.harness import harness

async def main():
    async with harness() as home:
        world = await home.world()
        try:
            await home.camera(world)
        except ProcessStartFailed as error:
            print(error)

asyncio.run(main())
"""


def test_too_small_a_dev_shm_says_how_much_and_what_to_do() -> None:
    inside = 'mount -t tmpfs -o size=4m none /dev/shm && exec "$0" -c "$1"'
    in_a_namespace = ["unshare", "--user", "--map-root-user", "--mount"]
    if subprocess.run([*in_a_namespace, "true"], capture_output=True, timeout=30).returncode != 0:
        pytest.skip("this machine lets nobody mount a small /dev/shm in a namespace of its own")
    done = subprocess.run(
        [*in_a_namespace, "sh", "-c", inside, sys.executable, _IN_A_SMALL_DEV_SHM],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    assert "No shared memory for stream 'front_camera'" in done.stdout
    assert "of 4.2 MB are free" in done.stdout
    assert "mount -o remount,size=2G /dev/shm" in done.stdout


def test_an_unknown_mount_is_named_with_what_there_is() -> None:
    async def main() -> None:
        async with harness() as home:
            world = await home.world()
            arguments = CameraArguments(
                run_directory=str(home.directory.path), simulation=world, device="camera", mount="roof"
            )
            with pytest.raises(ProcessStartFailed, match="no camera 'roof'; it has: front_camera, overview"):
                await home.start("camera", camera_spec(arguments), CameraFeed)

    asyncio.run(main())


# ---------------------------------------------------------------- failing


def test_every_way_to_fail_is_found_out_and_harms_no_neighbour() -> None:
    expected = {
        FailMode.DIE: LossReason.DIED,
        FailMode.HANG: LossReason.HUNG,
        FailMode.GARBAGE: LossReason.GARBAGE,
        FailMode.STALE: LossReason.STALE,
    }

    async def main() -> None:
        async with harness() as home:
            world = await home.world()
            spared = Watcher((await home.lidar(world, "spared")).stream)
            for mode in expected:
                await home.lidar(world, mode.value)
            for mode in expected:
                assert home.children[mode.value].send(fail_command(mode))
            for mode, reason in expected.items():
                assert await home.lost(mode.value) is reason
            await spared.next()
            assert not home.diaries["world"].all(Lost)
            # A command that makes no sense is complained of, and changes nothing.
            home.children["spared"].send(b"\xc1")
            home.children["spared"].send(msgspec.msgpack.encode({"type": "fail", "how": "explode"}))
            home.children["spared"].send(fail_command(FailMode.REFLEX))
            said = await home.diaries["spared"].first(Said)
            assert said.severity is Severity.WARNING
            await spared.next()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        (FailMode.DIE, LossReason.DIED),
        (FailMode.HANG, LossReason.HUNG),
        (FailMode.GARBAGE, LossReason.GARBAGE),
        (FailMode.STALE, LossReason.STALE),
    ],
)
def test_the_world_fails_in_every_way_too(mode: FailMode, reason: LossReason) -> None:
    async def main() -> None:
        async with harness() as home:
            await home.world()
            assert home.children["world"].send(fail_command(mode))
            assert await home.lost("world") is reason

    asyncio.run(main())


def test_garbage_in_a_source_is_passed_over_and_told() -> None:
    scan = np.full(181, 2.0, np.float32)
    turn = SampleMeta(1.0, angle_min=-math.pi / 2, angle_increment=math.pi / 180, range_max=30.0)
    spoilt = [
        (b"not even numbers", encode_meta(turn)),
        (scan.tobytes(), b"\xc1\xff"),
        (scan.tobytes(), encode_meta(msgspec.structs.replace(turn, world_T_frame=(0.0,) * 7))),
        (np.full(181, np.nan, np.float32).tobytes(), encode_meta(turn)),
        (scan.tobytes(), encode_meta(msgspec.structs.replace(turn, angle_increment=9.0))),
    ]

    @asynccontextmanager
    async def scanning(writer: RingWriter) -> AsyncIterator[None]:
        async def forever() -> None:
            while True:
                writer.write(scan, stamp_s=time.monotonic(), meta=encode_meta(turn))
                await asyncio.sleep(0.05)

        task = asyncio.create_task(forever())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def main() -> None:
        async with harness() as home:
            source = StreamHandle(
                "scanner", str(home.directory.path / "scanner.ring"), StreamFormat.SCAN, "scanner", 20.0
            )
            with RingWriter(home.directory.path, "scanner", slot_bytes=4096, slots=8) as writer:
                async with scanning(writer):
                    cloud = Watcher((await home.stitcher(source)).stream)
                    await cloud.next()
                for payload, meta in spoilt:
                    writer.write(payload, stamp_s=time.monotonic(), meta=meta)
                    # The first is told at once, the others are counted.
                    said = await home.diaries["stitcher"].first(Said)
                    assert said.severity is Severity.WARNING
                # From the future, and from the past: neither is new.
                writer.write(scan, stamp_s=time.monotonic() + 60, meta=encode_meta(turn))
                writer.write(scan, stamp_s=time.monotonic() - 60, meta=encode_meta(turn))
                async with scanning(writer):
                    sample, _ = await cloud.next()
                points = np.frombuffer(sample.payload, np.float32).reshape(-1, 3)
                assert np.allclose(np.linalg.norm(points, axis=1), 2.0, atol=1e-5)
                assert not home.diaries["stitcher"].all(Lost)
            # A scanner that was started again has another ring under the same name.
            with RingWriter(home.directory.path, "scanner", slot_bytes=4096) as writer:
                async with scanning(writer):
                    await cloud.next()

    asyncio.run(main())


# ---------------------------------------------------------------- a world that stands still


def test_a_stopped_world_is_never_passed_on_as_new() -> None:
    patient: dict[str, Any] = {"hang_after_beats": 100.0, "stale_after_s": None}

    async def main() -> None:
        async with harness() as home:
            world = await home.world(**patient)
            camera = await home.camera(world, **patient)
            lidar = await home.lidar(world, **patient)
            detector = await home.detector(camera, **patient)
            streams = {"camera": camera.stream, "lidar": lidar.stream, "detector": detector.stream}
            watchers = {name: Watcher(stream) for name, stream in streams.items()}
            kill(home.children["world"].pid, signal.SIGSTOP)
            stopped_s = time.monotonic()
            for name in streams:
                said = await home.diaries[name].first(Said)
                assert said.severity is Severity.WARNING
                assert "old; nothing is published meanwhile" in said.message
            for name, watcher in watchers.items():
                sample = watcher.newest()
                assert sample is None or sample.stamp_s <= stopped_s, name
                assert watcher.reader.age_s(time.monotonic()) >= time.monotonic() - stopped_s, name
            kill(home.children["world"].pid, signal.SIGCONT)
            for name, watcher in watchers.items():
                sample, _ = await watcher.next()
                assert sample.stamp_s > stopped_s
                assert (await home.diaries[name].first(Said, 2)).severity is Severity.OK
            report = await Watcher(world.report).report()
            assert report.lost_s > 0.3  # it did not make up for the time in one leap

    asyncio.run(main())


# ---------------------------------------------------------------- moving and stopping


SWEEP = Sweep(-math.pi / 4, 3 * math.pi / 4, 1.2)
FAR = MoveJoints((0.8, -0.4, 0.3, -1.9, -0.2, 2.2, 0.1), speed=0.2)


def stream_of(world: SimulationHandle, device: str) -> StreamHandle:
    """Where a device of the world reports."""
    return next(each.state for each in world.controls if each.device == device)


def test_only_the_holder_moves_a_device_and_every_stop_stops_it() -> None:
    async def main() -> None:
        async with harness() as home:
            arguments = control(home.directory.path, "right_arm")
            holder = home.holder(arguments)
            handle = await home.world(controls=(arguments,))
            world, arm = Watcher(handle.report), Watcher(stream_of(handle, "right_arm"))

            async def until_rest(wanted: bool) -> None:
                await arm.loop(lambda loop: loop.is_at_rest == wanted)

            holder.want(SWEEP, lease="a", generation=1)
            await arm.loop(lambda loop: loop.refused > 0)
            assert "nobody holds this" in (await arm.motion()).loop.refusal
            holder.grant("a", 1)
            holder.keep(SWEEP)
            await until_rest(False)
            # A foreign lease, an old generation and rubbish change nothing.
            refused = (await arm.motion()).loop.refused
            while (await arm.motion()).loop.refused == refused:
                holder.want(SWEEP, lease="b")  # the next of "a" may overtake it
            home.children["world"].send(b"rubbish")
            assert "cannot be read" in (await home.diaries["world"].first(Said)).message
            assert (await arm.motion()).loop.mode == "sweep"

            home.beats = False  # the supervisor hangs
            await until_rest(True)
            assert (await arm.motion()).loop.stopped == "the supervisor's heartbeat is missing"
            home.beats = True
            await arm.loop(lambda loop: not loop.stopped)
            assert (await arm.motion()).loop.is_at_rest, "what was stopped does not go on by itself"
            holder.keep(SWEEP)
            await until_rest(False)

            reason = f"somebody pressed the button{'!' * 900}"
            home.emergency.latch(reason)
            await until_rest(True)
            while not (report := await world.report()).emergency:
                pass
            assert report.stopped == f"emergency stop: {reason}"
            holder.keep(SWEEP)
            assert home.emergency.reset(home.emergency.token)
            await until(lambda: not home.emergency.is_latched)
            while (report := await world.report()).emergency:
                pass
            # Resetting moves nothing, although "a" goes on commanding: the stop has ended its grant.
            for _ in range(20):
                assert (await arm.motion()).loop.is_at_rest

            holder.grant("b", 2)
            holder.keep(SWEEP)
            await until_rest(False)
            holder.cease()
            holder.grant("c", 3)  # the next holder: what "b" set in motion ends, "b" is refused
            holder.want(SWEEP, lease="b", generation=2)
            await until_rest(True)
            holder.keep(SWEEP)
            await until_rest(False)
            holder.cease()  # commands cease: the loop stops by itself
            await until_rest(True)
            assert (await arm.motion()).loop.outcome == "its orders ceased"
            holder.keep(SWEEP)
            await until_rest(False)
            holder.cease()
            holder.rest()
            holder.grant("", 3)
            await arm.loop(lambda loop: loop.rests == 1 and not loop.holder and loop.is_at_rest)

    asyncio.run(main())


def test_a_stop_and_its_reset_between_two_looks_of_a_stopped_world_count() -> None:
    """And whatever moved when it was stopped does not go on, nor jump, when it is continued."""
    patient: dict[str, Any] = {"hang_after_beats": 100.0, "stale_after_s": None}

    async def main() -> None:
        async with harness() as home:
            names = ("left_arm", "right_arm")
            arguments = [control(home.directory.path, name) for name in names]
            left, right = (home.holder(each) for each in arguments)
            handle = await home.world(controls=tuple(arguments), **patient)
            arms = [Watcher(stream_of(handle, name)) for name in names]
            for stops in (False, True):
                for holder, command, generation in ((left, FAR, 1), (right, SWEEP, 1)):
                    holder.grant("a", generation + stops)
                    holder.keep(command)
                for arm in arms:
                    await arm.loop(lambda loop: not loop.is_at_rest)
                kill(home.children["world"].pid, signal.SIGSTOP)
                await until(lambda: arms[0].reader.age_s(time.monotonic()) > 0.5)
                before = [_last(arm) for arm in arms]
                if stops:
                    home.emergency.latch("while it was stopped")
                    assert home.emergency.reset(home.emergency.token)
                await until(lambda: arms[0].reader.age_s(time.monotonic()) > 1.05)
                kill(home.children["world"].pid, signal.SIGCONT)
                for arm, was in zip(arms, before, strict=True):
                    loop = await arm.loop(lambda loop: loop.is_at_rest)
                    # For 1.05 s at least, on a busy machine for longer.
                    assert re.search(r"stood still for [1-9][0-9]*\.", loop.outcome), loop.outcome
                    assert bool(loop.holder) != stops, "a stop ends the grant, though it was lifted"
                    now = await arm.motion()
                    assert np.abs(np.subtract(now.q, was.q)).max() < 0.25  # type: ignore[union-attr]
                    assert now.time_s - was.time_s < 3.0, "simulated time stood still as well"

    asyncio.run(main())


def _last(arm: Watcher) -> Any:
    """The newest report there is, though no new one comes."""
    sample = arm.reader.latest(0)
    assert sample is not None
    return decode(sample, arm.stream.format)


def test_one_device_of_the_world_fails_alone_and_works_again() -> None:
    async def main() -> None:
        async with harness() as home:
            arguments = tuple(control(home.directory.path, name) for name in ("left_arm", "right_arm"))
            left_holder, holder = (home.holder(each) for each in arguments)
            handle = await home.world(controls=arguments)
            left, right = (Watcher(each.state) for each in handle.controls)
            holder.grant("a", 1)
            holder.keep(SWEEP)
            await right.loop(lambda loop: loop.mode == "sweep")
            world = home.children["world"]
            assert world.send(fail_command(FailMode.DIE, "left_arm"))
            await until(lambda: left.reader.closed)
            assert world.send(fail_command(FailMode.REFLEX, "right_arm"))
            await right.loop(lambda loop: loop.fault.startswith("reflex") and loop.mode == "locked")
            left_holder.write(lives=1)
            await until(left.reader.replaced)
            left.reader.reopen()
            await left.loop(lambda loop: loop.mode == "hold" and not loop.holder)
            home.order(Fail(FailMode.DIE, "tail"))
            said = await home.diaries["world"].first(Said)
            assert "nothing here is called 'tail'" in said.message
            holder.cease()
            holder.write(recoveries=1, stamp=None, wanted=None)
            await right.loop(lambda loop: not loop.fault and loop.recoveries == 1)
            assert not home.diaries["world"].all(Lost)

    asyncio.run(main())


def test_a_base_in_the_world_is_guarded_by_a_real_scanner() -> None:
    async def main() -> None:
        async with harness() as home:
            arguments = control(home.directory.path, "base", stop=StopCategory.BRAKES)
            holder = home.holder(arguments)
            handle = await home.world(controls=(arguments,))
            base = Watcher(stream_of(handle, "base"))
            holder.grant("a", 1)

            async def drive(wanted: Any) -> Any:
                async with asyncio.timeout(PATIENCE_S):
                    while True:
                        holder.number += 1
                        holder.want(Drive(forward=0.4))
                        sample: Any = await base.motion()
                        if wanted(sample):
                            return sample

            sample = await drive(lambda sample: sample.blocked)
            assert sample.blocked == "no scanner guards the base"
            lidar = await home.lidar(handle, "front_lidar")
            holder.write(scans=(("front_lidar", lidar.stream.ring),))
            await drive(lambda sample: sample.velocity[0] > 0.3)
            # It stops before the table in front of it, by its own scanner and nothing else.
            sample = await drive(lambda sample: "front lidar sees something" in sample.blocked)
            assert sample.odometry[0] > 0.3
            kill(home.children["front_lidar"].pid, signal.SIGSTOP)
            await drive(lambda sample: sample.blocked.startswith("the scan of the front lidar is"))
            kill(home.children["front_lidar"].pid, signal.SIGCONT)

    asyncio.run(main())


# ---------------------------------------------------------------- cameras of other kinds


def test_a_colour_camera_gives_pictures_and_a_noisy_one_has_holes() -> None:
    async def main() -> None:
        async with harness() as home:
            world = await home.world()
            arguments = CameraArguments(
                run_directory=str(home.directory.path),
                simulation=world,
                device="colour",
                mount=FRONT_CAMERA,
                kind="rgb",
                width=424,
                height=240,
            )
            colour = await home.start("colour", camera_spec(arguments), CameraFeed)
            assert (colour.kind, colour.stream.format) == ("rgb", StreamFormat.IMAGE)
            assert colour.is_placed
            sample, _ = await Watcher(colour.stream).next()
            assert sample.payload.nbytes == 424 * 240 * 3
            # A marker that is not there: the detector says so with samples that are empty.
            absent = DetectorArguments(
                str(home.directory.path), "ghost", "colour", colour.stream, colour.intrinsics, 3, MARKER_M
            )
            track = await home.start("detector", detector_spec(absent), TrackedFeed)
            sample, _ = await Watcher(track.stream).next()
            assert sample.payload.nbytes == 0

            noisy = msgspec.structs.replace(arguments, device="noisy", kind="rgbd", noise=True)
            depths = []
            for camera in (noisy, msgspec.structs.replace(noisy, device="clean", noise=False)):
                feed = await home.start(camera.device, camera_spec(camera), CameraFeed)
                sample, _ = await Watcher(feed.stream).next()
                depths.append(np.frombuffer(sample.payload, np.uint16, offset=424 * 240 * 3))
            holes = [(depth == 0).mean() for depth in depths]
            assert holes[0] > holes[1] + 0.01

    asyncio.run(main())


# ---------------------------------------------------------------- everything together


def test_all_sensors_work_together_and_outlive_each_other() -> None:
    async def main() -> None:
        async with harness() as home:
            world = await home.world(controls=(control(home.directory.path, "right_arm"),))
            camera = await home.camera(world)
            lidar = await home.lidar(world)
            wrist = await home.lidar(world, "wrist", wrist=True)
            cloud = await home.stitcher(wrist.stream)
            track = await home.detector(camera)
            names = ("world", "camera", "lidar", "wrist", "stitcher", "detector")
            streams = (world.state, camera.stream, lidar.stream, wrist.stream, cloud.stream, track.stream)
            watchers = {name: Watcher(stream) for name, stream in zip(names, streams, strict=True)}

            _check_files(world.scene, world.things, len((await Watcher(world.poses).next())[0].payload))
            await _check_camera(camera, watchers["camera"])
            await _check_target(watchers["detector"])
            await _check_scan(watchers["lidar"])
            await _check_sweep(home, watchers["stitcher"])

            # What feeds others goes last; whoever is left has to go on.
            left = list(names)
            for name in ("detector", "stitcher", "lidar", "camera", "wrist"):
                kill(home.children[name].pid)
                assert await home.lost(name) is LossReason.DIED
                left.remove(name)
                for other in left:
                    await watchers[other].next()
                assert home.directory.remove_streams_of(Path(watchers[name].reader.path).stem) == 1
            home.pids += [home.children["world"].pid]

    asyncio.run(main())


def test_sensors_fail_by_stale_streams_when_their_world_is_killed() -> None:
    async def main() -> None:
        async with harness() as home:
            world = await home.world()
            lidar = await home.lidar(world)
            await home.stitcher(lidar.stream)
            kill(home.children["world"].pid)
            assert await home.lost("world") is LossReason.DIED
            assert await home.lost("lidar") is LossReason.STALE
            assert await home.lost("stitcher") is LossReason.STALE
            assert home.diaries["lidar"].all(Said)[0].severity is Severity.WARNING

    asyncio.run(main())


def _check_files(scene_file: str, things_file: str, poses_bytes: int) -> None:
    scene = msgspec.json.decode(Path(scene_file).read_bytes(), type=SceneDescription)
    assert poses_bytes == 28 * len(scene.bodies)
    things = msgspec.json.decode(Path(things_file).read_bytes(), type=list[KnownThing])
    assert next(thing for thing in things if thing.name == "red cup").colour == "red"


async def _check_camera(camera: CameraFeed, watcher: Watcher) -> None:
    assert (camera.intrinsics.width, camera.intrinsics.height) == (848, 480)
    assert camera.intrinsics.fx == pytest.approx(D435_848X480.fx)
    assert camera.stream.intrinsics == camera.intrinsics
    sample, meta = await watcher.next()
    assert 0.0 <= time.monotonic() - sample.stamp_s < 5.0  # of our clock, however long drawing it took
    assert (meta.width, meta.height) == (848, 480)
    rgb = np.frombuffer(sample.payload, np.uint8, count=848 * 480 * 3)
    depth = np.frombuffer(sample.payload, np.uint16, offset=rgb.nbytes)
    assert depth.size == 848 * 480
    assert rgb.std() > 20
    assert 0.3 < (depth > 0).mean() <= 1.0
    assert 500 < np.median(depth[depth > 0]) < 8000  # [mm]


async def _check_target(watcher: Watcher) -> None:
    seen = 0
    for _ in range(5):
        sample, meta = await watcher.next()
        poses = np.frombuffer(sample.payload, np.float32).reshape(-1, 7)
        if len(poses):
            seen += 1
            true = TargetPath.seeded(0).pose(meta.time_s)
            assert np.linalg.norm(poses[0, :3] - true.position) < 0.02  # [m]
    assert seen >= 3


async def _check_scan(watcher: Watcher) -> None:
    sample, meta = await watcher.next()
    ranges = np.frombuffer(sample.payload, np.float32)
    assert len(ranges) == 761
    assert meta.range_max == 40.0
    assert np.isfinite(ranges).mean() > 0.5
    assert meta.world_T_frame is not None
    assert meta.world_T_frame[2] == pytest.approx(0.47, abs=0.02)


async def _check_sweep(home: Harness, watcher: Watcher) -> None:
    """A wrist that swings makes a cloud out of planes."""
    holder = home.holder(control(home.directory.path, "right_arm"))
    holder.grant("test", 1)
    holder.keep(SWEEP)

    def is_thick() -> bool:
        sample = watcher.newest()
        if sample is None:
            return False
        assert decode_meta(sample.meta).world_T_frame == SampleMeta().world_T_frame
        points = np.frombuffer(sample.payload, np.float32).reshape(-1, 3)
        # The smallest principal extent of a plane is nothing.
        extents = np.linalg.svd(points - points.mean(axis=0), compute_uv=False) / math.sqrt(len(points))
        return bool(extents[2] > 0.3)

    await until(is_thick)
    holder.cease()
