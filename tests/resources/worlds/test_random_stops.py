"""An arm and a base whose holders, stops, faults and supervisors come and go at random, in lock-step.

Whatever the order of events: no limit is exceeded, what is to stand stands soon, and nothing that stands
moves before somebody who may has asked for it anew.
"""

from __future__ import annotations

import math
import random

import msgspec
import numpy as np
import pytest

from framework.registrar.fencing import CommandStamp
from resources.arms.parameters import PANDA
from resources.controllers.base_ramp import BASE_LIMITS
from resources.controllers.loop import ControlLoopCore, MotionStop
from resources.types.motion import (
    ORDER_LAPSES_S,
    ControllerKind,
    Drive,
    Hold,
    MotionCommand,
    MoveBase,
    MoveGripper,
    MoveJoints,
    MovePose,
    Orders,
    StopCategory,
    Sweep,
    TrackPose,
    TrackTwist,
    Wanted,
)
from resources.worlds.robot import HOME_POSTURE
from resources.worlds.world import World
from tests.effort import seeds
from tests.resources.worlds.commanding import ARM, BASE, PERIOD_S, Commanding

LEFT = "left_"

#: Limits may be exceeded by this share.
TOLERANCE = 1.01

#: After the last cause to stop, arm and base stand within this [s].
STANDS_WITHIN_S = {ARM: 1.5, BASE: 1.0}

#: Standing: not faster than this [rad/s, m/s]; and nothing gets further from where it stands than `STAYS`.
SLOW, STAYS = 0.05, 0.01

#: A blow may leave a joint faster than its limit for so long [s].
BLOW_LASTS_S = 0.2

_LIMITS = [link.limits for link in PANDA.links]
_SPEEDS = np.array([limit.velocity for limit in _LIMITS])
_EFFORTS = np.array([limit.effort for limit in _LIMITS])
_LOWER = np.array([limit.lower for limit in _LIMITS])
_UPPER = np.array([limit.upper for limit in _LIMITS])
NAN = float("nan")


class Device:
    """One device's loop and mailbox, its rightful holder, and all who were that once."""

    def __init__(self, world: World, kind: ControllerKind, lots: random.Random, stop: StopCategory) -> None:
        self.kind = kind
        self.part = world.part(ARM, LEFT) if kind is ARM else world.part(BASE, "")
        self.core = ControlLoopCore(kind.value, self.part.mechanism, stop=stop)
        self.world, self.lots = world, lots
        self.orders = Orders()
        self.command: MotionCommand | None = None
        self.number = self.sequence = self.generation = 0
        self.must_stand_since_s: float | None = 0.0
        self.stands_at: np.ndarray | None = None
        self.followed = self.stops = self.void = 0
        self.token: int | None = None
        self.rests = 0
        self.repeated_s = 0.0
        self.hit_s = -math.inf

    # -- what happens to it

    def change(self, **changes: object) -> None:
        self.orders = msgspec.structs.replace(self.orders, **changes)

    def grant(self) -> None:
        self.generation += 1
        self.command = None
        self.change(holder=f"lease {self.generation}", generation=self.generation, stamp=None, wanted=None)

    def rest(self) -> None:
        self.command = None
        self.change(rests=self.orders.rests + 1, stamp=None, wanted=None)

    def wish(self, command: MotionCommand | None) -> None:
        self.command = command
        self.number += 1

    def repeat(self, now_s: float) -> None:
        """What its holder sends now."""
        if self.command is not None:
            self.send(now_s, self.orders.holder, self.generation)
            self.repeated_s = now_s

    def send(self, sent_s: float, lease: str, generation: int) -> None:
        assert self.command is not None
        if isinstance(self.command, TrackTwist | TrackPose | Drive):
            self.number += 1
        self.sequence += 1
        stamp = CommandStamp(lease, generation, self.sequence, sent_s)
        self.change(stamp=stamp, wanted=Wanted(self.number, self.command))

    def former(self, now_s: float) -> None:
        """A former holder, or one who forges: whatever it sends must move nothing."""
        kept, number = self.command, self.number
        self.wish(self.good())
        wrong = self.lots.choice(
            [(f"lease {self.generation - 1}", self.generation - 1), ("thief", self.generation)]
        )
        self.send(now_s, *wrong)
        self.command, self.number = kept, number

    def good(self) -> MotionCommand:
        lots = self.lots
        if self.kind is BASE:
            x, y, yaw = self.part.mechanism.odometry  # type: ignore[attr-defined]
            return self._one_of(
                [
                    Drive(-0.5 * x, -0.5 * y, lots.uniform(-1, 1)),
                    MoveBase(-0.2 * x, -0.2 * y, yaw + lots.uniform(-1, 1)),
                ]
            )
        near = tuple(q + lots.uniform(-0.3, 0.3) for q in HOME_POSTURE)
        x, y, z, *turn = self.part.mechanism.base_T_tool  # type: ignore[attr-defined]
        pose = (0.5 * (x + 0.31), 0.5 * y, 0.5 * (z + 0.55), *turn)
        twist = (0.31 - x, -y, 0.55 - z, lots.uniform(-0.3, 0.3), 0.0, 0.0)
        return self._one_of(
            [
                MoveJoints(near, lots.choice([0.3, 1.0])),  # type: ignore[arg-type]
                MovePose(pose, lots.choice([0.2, 1.0])),
                TrackPose(pose),
                TrackTwist(twist),
                Sweep(-0.5, 1.5, 1.2),
                Hold(),
            ]
        )

    def _one_of(self, commands: list[MotionCommand]) -> MotionCommand:
        return self.lots.choice(commands)

    def hostile(self) -> MotionCommand:
        if self.kind is BASE:
            return self._one_of(
                [Drive(NAN), Drive(9.0), Drive(0.0, -9.0, 99.0), MoveBase(1e9, 0.0, 0.0), Hold()]
            )
        far = (3.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        return self._one_of(
            [
                MoveJoints((NAN,) * 7),
                MoveJoints((9.0,) * 7, 1.0),
                MovePose((NAN, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)),
                MovePose(far, 99.0),
                TrackPose(far),
                TrackPose((0.3, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0)),
                TrackTwist((NAN,) * 6),
                TrackTwist((99.0,) * 6),
                MoveGripper(0.01),
                Drive(1.0),
            ]
        )

    # -- what holds

    @property
    def places(self) -> np.ndarray:
        return np.array(self.part.q if self.kind is ARM else self.part.odometry())  # type: ignore[attr-defined]

    @property
    def speeds(self) -> np.ndarray:
        return np.array(self.part.dq if self.kind is ARM else self.part.velocity())  # type: ignore[attr-defined]

    def look(self, stop: MotionStop, now_s: float) -> None:
        """As its process does it, and then what has to hold."""
        self.core.begin_turn(self.orders, stop, now_s, recover=self.part.recover)
        state = self.core.state()
        self.followed += bool(state.following)
        if stop.emergency or state.fault or self.token not in (None, stop.token):
            self.void = self.generation  # whoever was granted it up to now has to be granted it anew
        self.token = stop.token
        if self.orders.rests != self.rests:
            self.rests = self.orders.rests
            assert not state.following, state
        if state.following:
            assert now_s - self.repeated_s < ORDER_LAPSES_S + 2 * PERIOD_S or state.mode.startswith(
                "track"
            ), state
            assert state.generation > self.void, state
            assert not state.stopped, state
            assert not state.fault, state
            assert state.holder == self.orders.holder, state
            self.must_stand_since_s = self.stands_at = None
        elif self.must_stand_since_s is None:
            self.must_stand_since_s = now_s
            self.stops += 1

    def settle(self, now_s: float, *, is_shaken: bool) -> None:
        """is_shaken: what it stands on has just moved, so it may move with that."""
        self.core.end_turn(now_s, self.part.fault())
        if self.kind is ARM:
            motors = self.part._motors  # type: ignore[attr-defined]
            if self._is_hit():
                self.hit_s = now_s
            # A blow throws the light joints of the wrist faster than their motors may; not for long.
            if now_s - self.hit_s > BLOW_LASTS_S:
                assert (np.abs(self.speeds) <= TOLERANCE * _SPEEDS).all(), self.speeds
            # What the motors give carries the arm's weight, too; brakes have their own strength.
            weight = self.part.mechanism.state.dynamics.gravity  # type: ignore[attr-defined]
            used = np.minimum(np.abs(motors), np.abs(motors + weight))
            assert (used <= TOLERANCE * _EFFORTS).all(), (motors, weight)
            room = (TOLERANCE - 1.0) * (_UPPER - _LOWER)
            assert (self.places >= _LOWER - room).all(), self.places
            assert (self.places <= _UPPER + room).all(), self.places
        else:
            assert np.hypot(*self.speeds[:2]) <= TOLERANCE * np.sqrt(2) * BASE_LIMITS.speed
            assert abs(self.speeds[2]) <= TOLERANCE * BASE_LIMITS.turn
        since_s = self.must_stand_since_s
        if since_s is None or now_s - since_s < STANDS_WITHIN_S[self.kind]:
            return
        if is_shaken:
            self.stands_at = None
            return
        assert np.abs(self.speeds).max() < SLOW, (self.speeds, now_s - since_s, self.core.state())
        if self.stands_at is None:
            self.stands_at = self.places
        moved = np.abs(self.places - self.stands_at).max()
        assert moved < STAYS, (moved, self.core.state())

    def _is_hit(self) -> bool:
        """Whether the arm touches anything, the robot itself or the world."""
        model, data = self.world.model, self.world.data
        pairs = model.geom_bodyid[data.contact.geom]
        mine = [[model.body(body).name.startswith(LEFT) for body in pair] for pair in pairs]
        return any(one != other for one, other in mine)


class Life:
    """Random events, from a seed."""

    def __init__(self, seed: int) -> None:
        self.lots = random.Random(seed)
        self.world = World.inspection(seed)
        category = self.lots.choice(list(StopCategory))
        self.devices = [Device(self.world, kind, self.lots, category) for kind in (ARM, BASE)]
        self.scans = Commanding(self.world)
        self.stop = MotionStop()
        self.away_s = 0.0
        self.shaken_s = -1.0
        self.silent: set[Device] = set()
        self.said: dict[str, int] = {}
        for device in self.devices:
            device.grant()
            device.wish(device.good())

    def happen(self) -> None:
        """One event."""
        lots, now_s = self.lots, self.world.time_s + self.away_s
        device = lots.choice(self.devices)
        events = ["clear"] * 8 + ["take"] * 14 + ["wish"] * 6 + ["hostile"] * 3 + ["former"] * 3
        events += ["grant", "rest", "leave", "silent", "stop", "reset", "passing", "alone", "beat"]
        events += ["fault", "recover", "away", "nothing"]
        event = lots.choice(events)
        self.said[event] = self.said.get(event, 0) + 1
        self.silent.discard(device)
        match event:
            case "clear":
                self.stop = MotionStop(token=self.stop.token)
                for each in self.devices:
                    each.change(recoveries=each.orders.recoveries + 1)
            case "take":
                device.grant()
                device.wish(device.good())
            case "grant":
                device.grant()
            case "wish":
                device.wish(device.good())
            case "hostile":
                device.wish(device.hostile())
            case "former":
                device.former(now_s)
                self.silent.add(device)  # so that it is looked at before the holder speaks again
            case "rest":
                device.rest()
            case "leave":
                device.wish(None)
                device.change(holder="", stamp=None, wanted=None)
            case "silent":
                self.silent.add(device)
            case "stop":
                self.stop = MotionStop(True, self.stop.alone, "chance", self.stop.token + 1)
            case "passing":
                self.stop = MotionStop(False, self.stop.alone, "chance", self.stop.token + 1)
            case "reset":
                self.stop = msgspec.structs.replace(self.stop, emergency=False)
            case "alone" | "beat":
                self.stop = msgspec.structs.replace(self.stop, alone=event == "alone")
            case "fault":
                device.core.fail("reflex: chance", now_s)
            case "recover":
                device.change(recoveries=device.orders.recoveries + 1)
            case "away":
                self.away_s += 0.5  # the process was stopped; the world with it

    def run(self, seconds: float) -> None:
        """As the world's process does it."""
        due_s = 0.0
        for _ in range(round(seconds / PERIOD_S)):
            now_s = self.world.time_s + self.away_s
            if self.world.time_s >= due_s:
                self.happen()
                due_s = self.world.time_s + self.lots.choice([0.02, 0.02, 0.1, 0.2, 0.2, 0.2, 1.7])
                now_s = self.world.time_s + self.away_s
            self.scans.see_nothing(now_s)
            for device in self.devices:
                if device not in self.silent:
                    device.repeat(now_s)
                device.look(self.stop, now_s)
            self.world.step(round(PERIOD_S / self.world.timestep_s), now_s=now_s)
            arm, base = self.devices
            if np.abs(base.speeds).max() > 0.01:
                self.shaken_s = now_s
            arm.settle(now_s + PERIOD_S, is_shaken=now_s - self.shaken_s < 1.0)
            base.settle(now_s + PERIOD_S, is_shaken=False)


def lives(seed: int, seconds: float) -> None:
    life = Life(seed)
    life.run(seconds)
    # It was no quiet life.
    assert sum(device.followed for device in life.devices) > 5 * seconds, life.said


@seeds("seed", 3)
def test_whatever_happens_what_is_to_stand_stands(seed: int) -> None:
    lives(seed, 5.0)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 160))
def test_whatever_happens_what_is_to_stand_stands_for_long(seed: int) -> None:
    lives(seed, 60.0)
