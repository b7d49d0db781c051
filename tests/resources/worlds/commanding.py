"""Commanding the mechanisms of a world as control loops do, all in simulated time."""

from __future__ import annotations

import numpy as np

from framework.registrar.fencing import CommandStamp
from resources.controllers.base_guard import ScanSeen
from resources.controllers.loop import ControlLoopCore, MotionStop
from resources.types.motion import ControllerKind, LoopState, MotionCommand, Orders, StopCategory, Wanted
from resources.worlds.part import WorldPart
from resources.worlds.world import World

ARM, GRIPPER, BASE = ControllerKind.ARM, ControllerKind.GRIPPER, ControllerKind.BASE
PERIOD_S = 0.01


class Hand:
    """The holder of one mechanism."""

    def __init__(self, part: WorldPart, stop: StopCategory = StopCategory.HOLD) -> None:
        self.part = part
        self.core = ControlLoopCore(f"{part.prefix}{part.kind.value}", part.mechanism, stop=stop)
        self.command: MotionCommand | None = None
        self.number = self.sequence = self.generation = self.rests = 0

    def wish(self, command: MotionCommand | None, *, is_new: bool = True) -> None:
        """Want this from now on; None: say nothing any more."""
        self.command = command
        self.number += is_new

    def take(self) -> None:
        """Hold it anew."""
        self.generation += 1

    def rest(self) -> None:
        """Have it come to rest."""
        self.command = None
        self.rests += 1

    def orders(self, now_s: float) -> Orders:
        """As a manager writes them."""
        if self.command is None:
            return Orders("tester", self.generation, self.rests)
        self.sequence += 1
        stamp = CommandStamp("tester", self.generation, self.sequence, now_s)
        return Orders("tester", self.generation, self.rests, 0, stamp, Wanted(self.number, self.command))

    @property
    def state(self) -> LoopState:
        """What the loop says of itself."""
        return self.core.state()


class Commanding:
    """All mechanisms of a world, held by one tester; the base's guard sees an empty room."""

    def __init__(self, world: World, *, stop: StopCategory = StopCategory.HOLD, guarded: bool = True) -> None:
        self.world = world
        self.stop = MotionStop()
        self.guarded = guarded
        self.hands = {(part.kind, part.prefix): Hand(part, stop) for part in world.parts}
        for hand in self.hands.values():
            hand.take()

    def hand(self, kind: ControllerKind, prefix: str = "") -> Hand:
        """One of them."""
        return self.hands[kind, prefix]

    def run(self, seconds: float) -> None:
        """Orders before each batch of steps, as the world's process does."""
        for _ in range(round(seconds / PERIOD_S)):
            now_s = self.world.time_s
            self.see_nothing(now_s)
            for hand in self.hands.values():
                hand.core.begin_turn(hand.orders(now_s), self.stop, now_s, recover=hand.part.recover)
            self.world.step(round(PERIOD_S / self.world.timestep_s))
            for hand in self.hands.values():
                hand.core.end_turn(self.world.time_s, hand.part.fault())

    def see_nothing(self, now_s: float) -> None:
        """A scan of an empty hall, all around."""
        if self.world.base is not None and self.guarded:
            guard = self.world.base.mechanism.guard
            guard.scanners = ("eye",)
            pose = self.world.base_pose().matrix()
            guard.see("eye", ScanSeen(now_s, np.zeros((0, 3)), pose, -np.pi, np.pi))
