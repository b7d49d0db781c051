"""What pages draw of an arm is where the arm's own model has it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from resources.arms.dynamics import ArmDynamics
from resources.arms.pose import Pose
from resources.operator.orders import Shown, ShownArm
from resources.operator.protocol import ArmPart
from resources.operator.scene_part import scene_part
from resources.types.motion import REST7, Workspace
from resources.types.sensors import CameraFeed
from resources.types.streams import CameraIntrinsics, StreamFormat, StreamHandle

Array = np.ndarray[Any, Any]
FLANGE = 8


def shown_arm(device: str) -> ShownArm:
    state = StreamHandle(f"motion_{device}", "/nowhere", StreamFormat.ARM)
    box = Workspace((0.1, -0.5, 0.0), (0.8, 0.5, 0.9))
    mounted = (0.0, 0.3, 0.5, 0.0, 0.0, 0.0, 1.0)
    return ShownArm(device, "left", state, box, REST7, REST7, mounted, ((0, 0, 0, 1, 1, 1),))


def frames(part: ArmPart, q: Array) -> list[Array]:
    """base_T_link of base, seven links and flange, as the page computes them: Rx(α) Tx(a) Rz(q) Tz(d)."""
    found = [np.eye(4)]
    for (a, d, alpha), turned in zip(part.dh, [*q, 0.0], strict=True):
        tilt = Pose((a, 0.0, 0.0), (math.sin(alpha / 2), 0.0, 0.0, math.cos(alpha / 2)))
        turn = Pose((0.0, 0.0, d), (0.0, 0.0, math.sin(turned / 2), math.cos(turned / 2)))
        found.append(found[-1] @ tilt.matrix() @ turn.matrix())
    return found


@pytest.mark.parametrize("seed", range(5))
def test_tool_and_capsules_are_where_the_arm_s_model_has_them(seed: int) -> None:
    (part,) = scene_part(Shown((shown_arm("left_arm"),))).arms
    q = np.random.default_rng(seed).uniform(-1.5, 1.5, 7)
    links = frames(part, q)
    dynamics = ArmDynamics()
    tool = links[FLANGE] @ Pose(part.flange_T_tool[:3], part.flange_T_tool[3:]).matrix()
    np.testing.assert_allclose(tool, dynamics.forward(q), atol=1e-9)
    placed = {tuple(np.round(row, 6)) for row in dynamics.link_capsules(q)}
    drawn = []
    for link, start, end, radius in part.capsules:
        ends = [(links[link] @ np.array([*each, 1.0]))[:3] for each in (start, end)]
        drawn.append([(*ends[0], *ends[1], radius), (*ends[1], *ends[0], radius)])
    # All but the volume that the fingers sweep, which no model has.
    found = [any(tuple(np.round(each, 6) + 0.0) in placed for each in ways) for ways in drawn]
    assert found.count(False) == 1 and not found[-1]


def test_each_arm_has_its_place_and_the_index_that_packets_name_it_by() -> None:
    parts = scene_part(Shown((shown_arm("left_arm"), shown_arm("right_arm")))).arms
    assert [(part.index, part.device) for part in parts] == [(0, "left_arm"), (1, "right_arm")]
    assert parts[0].robot_T_base[:3] == (0.0, 0.3, 0.5)
    assert parts[0].workspace == ((0.1, -0.5, 0.0), (0.8, 0.5, 0.9))
    assert parts[0].walls == ((0, 0, 0, 1, 1, 1),)


def test_what_is_missing_is_said() -> None:
    nothing = scene_part(Shown())
    assert nothing.camera is None
    assert nothing.words.startswith("waiting for the robot: no arm") and "no camera" in nothing.words
    assert "see" not in nothing.words  # nothing is
    assert scene_part(Shown((shown_arm("left_arm"),))).words.startswith(
        "no camera gives a cloud now: you see"
    )
    lens = CameraIntrinsics(1, 1, 1.0, 1.0, 0.0, 0.0)
    feed = CameraFeed("front", "rgbd", StreamHandle("front", "/nowhere", StreamFormat.RGBD), lens)
    whole = scene_part(Shown((shown_arm("left_arm"),), (feed,)))
    assert whole.camera is not None and whole.camera.device == "front"
    assert whole.words == ""
