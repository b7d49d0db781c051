"""A scripted arm."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from resources.controllers.ideal import IdealArm
from resources.testing.scripted_mover import ScriptedMover
from resources.types.arms import ArmHandle
from resources.types.motion import (
    REST7,
    TARGET_LAPSES_S,
    ArmSample,
    ControllerKind,
    Guide,
    Joints7,
    LoopState,
    MotionCommand,
    TrackJoints,
    Workspace,
)
from resources.types.streams import IDENTITY, Pose7, StreamHandle

HOME: Joints7 = (0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8)

_PERIOD_S = 0.02  # between targets, where there was none before


class ScriptedArm(ScriptedMover, IdealArm):
    """An arm. A Cartesian motion moves its tool and leaves its joints where they are.

    Attributes:
        q, dq, base_T_tool: as it stands now; a test may set them.
        guided: while it is guided, where a person has moved its joints after so many seconds.
        fastest: the greatest joint speed so far, but for guiding [rad/s].
        home, lower, upper, workspace, robot_T_base, max_speed: as its handle has them.
    """

    kind = ControllerKind.ARM

    def __init__(
        self,
        side: str = "",
        *,
        device: str = "",
        robot_T_base: Pose7 = IDENTITY,
        workspace: Workspace | None = None,
    ) -> None:
        self.workspace = workspace or Workspace((0.1, -0.6, 0.0), (0.8, 0.6, 1.0))
        IdealArm.__init__(self, HOME, self.workspace)
        self.script(device or f"{side}_arm".strip("_"), side)
        self.robot_T_base = robot_T_base
        self.home = HOME
        self.lower: Joints7 = (-2.9, -1.8, -2.9, -3.1, -2.9, 0.0, -2.9)
        self.upper: Joints7 = (2.9, 1.8, 2.9, -0.1, 2.9, 3.7, 2.9)
        self.max_speed: Joints7 = (1.2,) * 7
        self.dq: Joints7 = REST7
        self.guided: Callable[[float], Joints7] | None = None
        self.fastest = 0.0
        self._last_target_s = float("-inf")
        self._tick_s = 0.0

    def handle(self, state: StreamHandle) -> ArmHandle:
        """What a client gets."""
        return ArmHandle(
            self.device,
            self.side,
            "scripted_arm",
            state,
            self.home,
            self.lower,
            self.upper,
            self.workspace,
            self.robot_T_base,
            max_speed=self.max_speed,
        )

    def sample(self, time_s: float, loop: LoopState) -> ArmSample:
        """What it reports."""
        return msgspec.structs.replace(IdealArm.sample(self, time_s, loop), dq=self.dq)

    def tick(self, dt_s: float, now_s: float) -> None:
        """Let time pass, and see how fast the joints are."""
        before, self._tick_s = self.q, dt_s
        super().tick(dt_s, now_s)
        if dt_s > 0.0:
            self.dq = _seven([(a - b) / dt_s for a, b in zip(self.q, before, strict=True)])
            if self.mode != "guide":
                self.fastest = max(self.fastest, *map(abs, self.dq))

    def take(self, command: MotionCommand, given_s: float, now_s: float) -> None:
        """As an ideal arm; but a person guides it, and it is where a target says when the next one is due."""
        IdealArm.begin(self, command, given_s, now_s)
        match command:
            case Guide() if self.guided is not None:
                guided = self.guided
                self._go("guide", float("inf"), lambda passed_s, _: self._stand(guided(passed_s)))
            case TrackJoints(joints=joints):
                start = self.q
                between_s = min(max(now_s - self._last_target_s, _PERIOD_S), TARGET_LAPSES_S)
                self._last_target_s = now_s

                def approach(passed_s: float, _: float) -> None:
                    share = min(passed_s / between_s, 1.0)
                    pairs = zip(start, joints, strict=True)
                    self._stand(_seven([here + share * (there - here) for here, there in pairs]))

                self._follow("track", given_s, approach)


def _seven(values: list[float]) -> Joints7:
    q1, q2, q3, q4, q5, q6, q7 = values
    return q1, q2, q3, q4, q5, q6, q7
