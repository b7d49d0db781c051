"""The control loops of a world's process, without the process: orders, reports, failures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest

from framework.errors import CommandRefused, DescriptionError, StreamError
from framework.status import Severity
from framework.transport.ring import RingReader, RingWriter
from resources.children.complaints import Complaints
from resources.children.controls import Controls, arm_options
from resources.children.failing import Fail, FailMode
from resources.children.orders import Lead, Put, decode_order, encode_order
from resources.children.scan_reading import ScanReading
from resources.controllers.loop import MotionStop
from resources.types.motion import (
    ArmSample,
    BaseSample,
    ControllerKind,
    Drive,
    GripperSample,
    Guide,
    MotionCommand,
    MotionSample,
    MoveGripper,
    MoveJoints,
    Orders,
    StopCategory,
    Sweep,
)
from resources.types.samples import decode
from resources.types.streams import SampleMeta, encode_meta
from resources.worlds.reflexes import ReflexLimits
from resources.worlds.robot import HOME_POSTURE
from resources.worlds.world import World
from tests.resources.children.harness import Holder, control

DEVICES = ("left_arm", "right_arm", "left_gripper", "base")
SWEEP = Sweep(-0.7, 2.3, 1.2)
POSTURE = MoveJoints((0.4, -0.4, 0.3, -1.9, -0.2, 2.2, 0.1))


class Bench:
    """A world, its loops and their managers' side, on a clock of its own."""

    def __init__(self, directory: Path, *, stop: StopCategory = StopCategory.HOLD) -> None:
        self.directory = directory
        self.world = World.inspection(0)
        self.said: list[str] = []
        self.complaints = Complaints(self._say)
        arguments = [control(directory, device, stop=stop) for device in DEVICES]
        self.controls = Controls(arguments, self.world, directory, self.complaints)
        self.holders = {each.device: Holder(directory, each) for each in arguments}
        self.wishes: dict[str, MotionCommand] = {}
        self.stop = MotionStop()
        self.now_s = 1000.0
        self.readers = {each.device: RingReader(Path(each.handle.state.ring)) for each in self.controls}

    def _say(self, severity: Severity, text: str) -> None:
        self.said.append(text)

    def grant(self, device: str, lease: str = "a", generation: int = 1) -> Holder:
        """Somebody holds it."""
        self.holders[device].grant(lease, generation)
        return self.holders[device]

    def plug_in(self, device: str) -> None:
        """As its manager does, once more."""
        holder = self.holders[device]
        holder.write(lives=holder.orders.lives + 1, lives_after=holder.orders.generation)

    def wish(self, device: str, command: MotionCommand | None) -> int:
        """What its holder repeats from now on."""
        self.holders[device].number += 1
        if command is None:
            self.wishes.pop(device, None)
        else:
            self.wishes[device] = command
        return self.holders[device].number

    def run(self, seconds: float) -> None:
        """As the process does it."""
        for _ in range(round(seconds / 0.01)):
            self.now_s += 0.01
            for device, command in self.wishes.items():
                self.holders[device].want(command, sent_s=self.now_s)
            self.controls.before(self.stop, self.now_s)
            self.world.step(10, now_s=self.now_s - 0.01, broke=self.controls.broke)
            self.controls.after(self.now_s)

    def sample(self, device: str) -> MotionSample:
        """The newest report."""
        control = self.controls.of(device)
        sample = self.readers[device].latest()
        assert sample is not None
        decoded = decode(sample, control.handle.state.format)
        assert isinstance(decoded, ArmSample | GripperSample | BaseSample)
        return decoded

    def close(self) -> None:
        self.controls.__exit__(None, None, None)
        for holder in self.holders.values():
            holder.mailbox.close()
        for reader in self.readers.values():
            reader.close()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.close()
    assert list(tmp_path.iterdir()) == []


def test_each_device_reports_a_hundred_times_a_second_and_follows_its_holder(bench: Bench) -> None:
    bench.run(0.1)
    for device, kind in (("left_arm", ArmSample), ("left_gripper", GripperSample), ("base", BaseSample)):
        assert bench.readers[device].sequence == 10
        sample = bench.sample(device)
        assert isinstance(sample, kind)
        assert sample.time_s == pytest.approx(bench.world.time_s)
        assert (sample.loop.holder, sample.loop.mode) == ("", "hold")
    assert bench.sample("left_arm").q == pytest.approx(HOME_POSTURE, abs=1e-4)  # type: ignore[union-attr]
    bench.grant("right_arm")
    number = bench.wish("right_arm", SWEEP)
    bench.run(0.5)
    loop = bench.sample("right_arm").loop
    assert (loop.holder, loop.generation, loop.following, loop.mode) == ("a", 1, number, "sweep")
    assert not loop.is_at_rest and bench.sample("left_arm").loop.is_at_rest
    bench.wish("right_arm", None)
    bench.holders["right_arm"].rest()
    bench.run(0.5)
    loop = bench.sample("right_arm").loop
    assert (loop.rests, loop.is_at_rest, loop.outcome) == (1, True, "it was told to come to rest")


@pytest.mark.parametrize("where", ["tick", "begin", "sample"])
def test_what_one_loop_raises_is_its_own_failure(
    bench: Bench, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for device in ("left_arm", "right_arm"):
        bench.grant(device)
        bench.wish(device, SWEEP)
    bench.run(0.3)
    part = bench.world.arms["left_"]

    def breaks(*_: object, **__: object) -> None:
        raise ValueError("-101 is not a valid Result.")

    if where == "sample":
        monkeypatch.setattr(part, "sample", breaks)
        bench.run(0.05)
        monkeypatch.undo()
    else:
        monkeypatch.setattr(part.mechanism, where, breaks)
        bench.wish("left_arm", POSTURE)
    bench.run(0.6)
    left, right = bench.sample("left_arm"), bench.sample("right_arm")
    assert right.loop.following and right.loop.mode == "sweep", "the other one goes on"
    assert isinstance(left, ArmSample)
    if where == "begin":
        assert "left_arm cannot follow this MoveJoints: ValueError" in left.loop.refusal
        return
    assert left.loop.fault == "its controller broke: ValueError: -101 is not a valid Result."
    assert left.loop.holder == "" and np.abs(part.dq).max() < 0.01, "its brakes have it"
    assert any("left_arm: its controller broke" in said for said in bench.said)
    bench.wishes.pop("left_arm")
    holder = bench.holders["left_arm"]
    holder.mailbox.write(msgspec.structs.replace(holder.orders, recoveries=1), bench.now_s)
    holder.orders = msgspec.structs.replace(holder.orders, recoveries=1)
    bench.run(0.1)
    assert bench.sample("left_arm").loop.fault == ""
    holder.grant("b", 2)
    bench.wish("left_arm", SWEEP)
    bench.run(0.3)
    assert bench.sample("left_arm").loop.mode == "sweep", "recovered, it has a new controller"


def test_handles_say_where_what_is(bench: Bench) -> None:
    handles = {each.device: each.handle for each in bench.controls}
    left, base = handles["left_arm"], handles["base"]
    assert (left.kind, left.frame, left.home) == (ControllerKind.ARM, "left_link0", HOME_POSTURE)
    assert left.robot_T_base[1] > 0.1 > handles["right_arm"].robot_T_base[1]
    assert left.state.name == "motion_left_arm" and left.state.format.value == "arm"
    assert (base.frame, base.home, handles["left_gripper"].frame) == ("base", None, "left_hand")


def test_orders_that_cannot_be_read_change_nothing_and_are_complained_of(bench: Bench) -> None:
    bench.grant("right_arm")
    bench.wish("right_arm", SWEEP)
    bench.run(0.2)
    bench.wishes.clear()
    bench.holders["right_arm"].mailbox._ring.write(b"\xc1rubbish", stamp_s=bench.now_s)
    bench.run(0.05)
    assert bench.sample("right_arm").loop.mode == "sweep"
    assert "right_arm: orders of 8 bytes cannot be read" in bench.said[0]
    bench.run(0.5)
    assert bench.sample("right_arm").loop.outcome == "its orders ceased"


def test_a_mailbox_that_comes_late_or_is_made_anew_is_found(bench: Bench, tmp_path: Path) -> None:
    bench.holders["base"].mailbox.close()
    bench.run(0.05)
    late = bench.holders["base"] = Holder(tmp_path, control(tmp_path, "base"))
    late.grant("late", 1)
    bench.run(0.05)
    assert bench.sample("base").loop.holder == "late"
    again = bench.holders["base"] = Holder(tmp_path, control(tmp_path, "base"))
    again.grant("again", 2)
    bench.run(0.05)
    assert bench.sample("base").loop.holder == "again"
    late.mailbox.close()


# ---------------------------------------------------------------- failures of one device


def moving(bench: Bench) -> None:
    for device, command in (("left_arm", POSTURE), ("right_arm", SWEEP)):
        bench.grant(device)
        bench.wish(device, command)
    bench.run(0.4)


@pytest.mark.parametrize("how", [FailMode.DIE, FailMode.HANG, FailMode.GARBAGE])
def test_a_loop_that_fails_stops_its_own_arm_and_nobody_elses(bench: Bench, how: FailMode) -> None:
    moving(bench)
    arm = bench.world.arms["left_"]
    before, reports = arm.q.copy(), bench.readers["left_arm"].sequence
    bench.controls.of("left_arm").fail(how, bench.now_s)
    bench.run(0.8)
    if how is FailMode.DIE:
        for later in (FailMode.GARBAGE, FailMode.STALE, FailMode.HANG):  # the dead write nothing more
            bench.controls.of("left_arm").fail(later, bench.now_s)
            bench.run(0.02)
    assert np.abs(arm.dq).max() < 1e-3, "its brakes hold it"
    assert np.abs(arm.q - before).max() < 0.15
    assert bench.sample("right_arm").loop.mode == "sweep"
    reader = bench.readers["left_arm"]
    assert reader.closed == (how is FailMode.DIE)
    assert (reader.sequence > reports) == (how is FailMode.GARBAGE)
    if how is FailMode.GARBAGE:
        with pytest.raises(StreamError, match="no report of a control loop"):
            bench.sample("left_arm")
    # It works again: it holds where it stood, and follows nobody until it is given to somebody.
    stood = arm.q.copy()
    bench.plug_in("left_arm")
    bench.wish("left_arm", POSTURE)
    bench.run(0.3)
    reader.reopen() if how is FailMode.DIE else None
    loop = bench.sample("left_arm").loop
    assert (loop.holder, loop.mode, loop.fault) == ("", "hold", "")
    assert arm.q == pytest.approx(stood, abs=0.01)
    bench.grant("left_arm", "b", 2)
    bench.wish("left_arm", POSTURE)
    bench.run(0.3)
    assert bench.sample("left_arm").loop.mode == "move joints"


def test_a_stale_loop_goes_on_without_a_word_and_a_reflex_is_recovered(bench: Bench) -> None:
    moving(bench)
    reports = bench.readers["right_arm"].sequence
    bench.controls.of("right_arm").fail(FailMode.STALE, bench.now_s)
    bench.controls.of("left_arm").fail(FailMode.REFLEX, bench.now_s)
    bench.run(0.3)
    assert bench.readers["right_arm"].sequence == reports
    assert np.abs(bench.world.arms["right_"].dq).max() > 0.5
    loop = bench.sample("left_arm").loop
    assert (loop.fault, loop.mode) == ("reflex: it was made to have one", "locked")
    bench.wish("left_arm", POSTURE)
    bench.run(0.05)
    assert bench.sample("left_arm").loop.refusal == f"left_arm does not move: {loop.fault}"
    bench.wish("left_arm", None)
    bench.holders["left_arm"].write(recoveries=1, stamp=None, wanted=None)
    bench.run(0.1)
    loop = bench.sample("left_arm").loop
    assert (loop.fault, loop.recoveries, loop.mode) == ("", 1, "hold")


def test_a_gripper_and_a_base_fail_alone_too(bench: Bench) -> None:
    bench.grant("left_gripper")
    bench.wish("left_gripper", MoveGripper(0.0))
    bench.run(0.2)
    for device in ("left_gripper", "base"):
        bench.controls.of(device).fail(FailMode.HANG, bench.now_s)
    bench.run(0.3)
    width = sum(float(bench.world.data.joint(f"left_finger_joint{n}").qpos[0]) for n in (1, 2))
    assert 0.02 < width < 0.058, "the spindle stands where it was"
    for device in ("left_gripper", "base"):
        bench.plug_in(device)
    bench.run(0.05)
    assert bench.sample("left_gripper").loop.mode == bench.sample("base").loop.mode == "hold"


def test_what_is_no_device_is_said_with_what_there_is(bench: Bench) -> None:
    with pytest.raises(CommandRefused, match="nothing here is called 'tail'; what moves is left_arm, right"):
        bench.controls.of("tail")


def test_no_mechanism_is_moved_twice_and_none_that_is_not_there(tmp_path: Path) -> None:
    world = World.bench(0)
    arm = msgspec.structs.replace(control(tmp_path, "arm"), device="one")
    for arguments, why in (
        ((arm, msgspec.structs.replace(arm, device="two")), "'two' .* is there twice"),
        ((arm, msgspec.structs.replace(arm, kind=ControllerKind.GRIPPER)), "'one' .* is there twice"),
        ((arm, control(tmp_path, "base")), "has no base"),
    ):
        with pytest.raises(DescriptionError, match=why):
            Controls(arguments, world, tmp_path, Complaints(lambda *_: None))
    assert list(tmp_path.iterdir()) == [], "nothing is left of what was begun"
    options = arm_options([msgspec.structs.replace(arm, reflex_force_n=33.0, friction=True)])
    assert options[""].friction and options[""].reflexes == ReflexLimits(33.0, 40.0, 1.0)


def test_reports_are_the_same_every_time(tmp_path: Path) -> None:
    def digests() -> list[str]:
        made = Bench(tmp_path)
        moving(made)
        made.run(0.2)
        found = [made.world.digest(), *(repr(made.sample(device)) for device in DEVICES)]
        made.close()
        return found

    assert digests() == digests()


# ---------------------------------------------------------------- scans that guard


def scan_of_a_wall(writer: RingWriter, stamp_s: float, distance_m: float, **changes: object) -> None:
    """A level scanner at the robot's front that looks ahead; world frame at the start."""
    angles = np.linspace(-1.6, 1.6, 161)
    ranges = np.where(np.abs(angles) < 1.2, distance_m / np.cos(angles), np.inf).astype(np.float32)
    meta = SampleMeta(0.0, (0.4, 0.0, 0.4, 0.0, 0.0, 0.0, 1.0), angle_min=-1.6, angle_increment=0.02)
    writer.write(ranges, stamp_s=stamp_s, meta=encode_meta(msgspec.structs.replace(meta, **changes)))


def test_the_base_is_guarded_by_the_scans_its_orders_name(bench: Bench, tmp_path: Path) -> None:
    bench.grant("base").write(scans=(("front_lidar", str(tmp_path / "front_lidar.ring")),))

    def drive(seconds: float, wall_m: float | None = None, **changes: object) -> BaseSample:
        for _ in range(round(seconds / 0.05)):
            if wall_m is not None:
                scan_of_a_wall(writer, bench.now_s, wall_m, **changes)
            bench.wish("base", Drive(forward=0.3))
            bench.run(0.05)
        sample = bench.sample("base")
        assert isinstance(sample, BaseSample)
        return sample

    sample = drive(0.1)
    assert sample.blocked == "the front lidar has given no scan yet"
    assert "scan of front_lidar" in bench.said[0]
    with RingWriter(tmp_path, "front_lidar", slot_bytes=4096) as writer:
        assert drive(0.4, wall_m=5.0).velocity[0] == pytest.approx(0.3, abs=0.02)
        assert drive(0.5).blocked.startswith("the scan of the front lidar is 0.")
        assert bench.sample("base").velocity[0] == pytest.approx(0.0, abs=0.01)  # type: ignore[union-attr]
        assert drive(0.3, wall_m=0.35).blocked == "the front lidar sees something 0.1 m ahead"
        # Garbage is no scan, whatever is wrong with it.
        for changes in ({"angle_increment": 1.0}, {"world_T_frame": (0.0,) * 7}, {"angle_min": float("nan")}):
            assert drive(0.4, wall_m=5.0, **changes).velocity[0] == pytest.approx(0.0, abs=0.01)
    with RingWriter(tmp_path, "front_lidar", slot_bytes=4096) as writer:  # it was started again
        assert drive(0.4, wall_m=5.0).velocity[0] == pytest.approx(0.3, abs=0.02)
    bench.holders["base"].write(scans=())
    assert drive(0.3).blocked == "no scanner guards the base"


def test_a_reader_of_scans_that_nobody_names_any_more_is_closed(tmp_path: Path) -> None:
    complaints = Complaints(lambda *_: None)
    reading = ScanReading(complaints)
    with RingWriter(tmp_path, "eye", slot_bytes=4096) as writer:
        scan_of_a_wall(writer, 1.0, 2.0)
        source = ("eye", str(tmp_path / "eye.ring"))
        ((name, seen),) = reading.news((source,), 1.0)
        assert name == "eye" and seen.points[:, 0] == pytest.approx(2.4)
        assert list(reading.news((source,), 1.0)) == []
        assert list(reading.news((), 1.0)) == []
        assert len(list(reading.news((source,), 1.0))) == 1, "it is read anew"
    reading.close()
    assert complaints.count == 0


def test_orders_survive_the_channel() -> None:
    for order in (Put("door", "open"), Fail(FailMode.DIE, "left_arm"), Lead("left_arm", (0.0, 0.1, 0.0))):
        assert decode_order(encode_order(order)) == order
    assert Orders() == Orders("", 0, 0, 0, None, None, ())


def test_a_guided_arm_is_led_by_hand_and_nothing_else_can_be(bench: Bench) -> None:
    for device, why in (("base", "only an arm can"), ("left_gripper", "only an arm can"), ("leg", "leg")):
        with pytest.raises(CommandRefused, match=why):
            bench.controls.lead(device, (0.0, 0.0, 0.1))
    bench.grant("left_arm")
    bench.wish("left_arm", Guide())
    bench.run(0.1)
    before = bench.sample("left_arm")
    bench.controls.lead("left_arm", (0.0, 0.0, 0.06))
    bench.run(1.5)
    after = bench.sample("left_arm")
    assert isinstance(before, ArmSample) and isinstance(after, ArmSample)
    assert after.base_T_tool[2] - before.base_T_tool[2] == pytest.approx(0.06, abs=0.01)
    assert after.loop.mode == "guide"
