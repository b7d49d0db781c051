"""The URDF says what the MJCF says (MuJoCo reads both), and has the names that libfranka looks for."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import mujoco
import numpy as np
import pytest

from resources.arms.arm import arm_tree, joint_names
from resources.arms.friction import dry_and_viscous
from resources.arms.kinematic_tree import Capsule
from resources.arms.mjcf import mechanism_mjcf
from resources.arms.parameters import PANDA, PANDA_HAND
from resources.arms.pose import Pose, Vector3, axis_angle, compose, rotation_matrix
from resources.arms.urdf import arm_urdf, roll_pitch_yaw
from tests.resources.arms.newton_euler import random_states


@pytest.mark.parametrize("gripper", [True, False])
@pytest.mark.parametrize("prefix", ["", "left_"])
def test_urdf_and_mjcf_are_one_mechanism(gripper: bool, prefix: str) -> None:
    tree = arm_tree(prefix, gripper=PANDA_HAND if gripper else None)
    ours = mujoco.MjModel.from_xml_string(mechanism_mjcf(tree))
    read = mujoco.MjModel.from_xml_string(_for_mujoco(arm_urdf(prefix, gripper=gripper)))
    assert read.nv == ours.nv == (9 if gripper else 7)
    assert [read.joint(n).name for n in range(read.njnt)] == [ours.joint(n).name for n in range(ours.njnt)]
    first, second = mujoco.MjData(ours), mujoco.MjData(read)
    tip = prefix + ("hand_tcp" if gripper else "link8")
    for q, dq in random_states(25):
        for model, data in ((ours, first), (read, second)):
            data.qpos[:7], data.qvel[:7] = q, dq
            data.qpos[7:], data.qvel[7:] = 0.013, 0.1
            mujoco.mj_forward(model, data)
        np.testing.assert_allclose(second.qfrc_bias, first.qfrc_bias, atol=1e-10, rtol=0)
        mass = [np.zeros((ours.nv, ours.nv)) for _ in range(2)]
        mujoco.mj_fullM(ours, first, mass[0])
        mujoco.mj_fullM(read, second, mass[1])
        np.testing.assert_allclose(mass[1], mass[0], atol=1e-10, rtol=0)
        site = first.site(prefix + ("tool" if gripper else "flange"))
        np.testing.assert_allclose(second.body(tip).xpos, site.xpos, atol=1e-12, rtol=0)
        np.testing.assert_allclose(second.body(tip).xmat, site.xmat, atol=1e-12, rtol=0)


def test_limits_are_those_of_the_parameters() -> None:
    robot = ET.fromstring(arm_urdf())
    for name, link in zip(joint_names(), PANDA.links, strict=True):
        joint = _joint(robot, name)
        limit = joint.find("limit")
        assert limit is not None
        found = tuple(float(limit.get(key, "nan")) for key in ("lower", "upper", "velocity", "effort"))
        limits = link.limits
        assert found == (limits.lower, limits.upper, limits.velocity, limits.effort)
        by_position = joint.find("position_based_velocity_limits")
        assert by_position is not None
        assert float(by_position.get("deceleration_limit", "nan")) == limits.acceleration
        assert float(by_position.get("velocity_offset", "nan")) == 0.0


def test_what_libfranka_is_sent_has_seven_joints_and_a_bare_flange() -> None:
    robot = ET.fromstring(arm_urdf(gripper=False))
    moving = [joint.get("name") for joint in robot.iter("joint") if joint.get("type") != "fixed"]
    assert moving == list(joint_names())
    assert [link.get("name") for link in robot.iter("link")] == [f"link{number}" for number in range(9)]
    flange = _joint(robot, "joint8")
    parent, child = flange.find("parent"), flange.find("child")
    assert parent is not None
    assert child is not None
    assert (parent.get("link"), child.get("link")) == ("link7", "link8")


def test_a_gripper_brings_hand_fingers_and_their_middle() -> None:
    names = {link.get("name") for link in ET.fromstring(arm_urdf("right_")).iter("link")}
    assert {f"right_link{number}" for number in range(9)} < names
    assert {"right_hand", "right_left_finger", "right_right_finger", "right_hand_tcp"} < names


def test_the_second_finger_mimics_the_first() -> None:
    mimic = _joint(ET.fromstring(arm_urdf("left_")), "left_finger_joint2").find("mimic")
    assert mimic is not None
    assert mimic.get("joint") == "left_finger_joint1"


def test_every_capsule_is_a_cylinder_with_a_sphere_at_either_end() -> None:
    capsules = [
        solid.shape
        for link in arm_tree().links()
        for solid in link.solids
        if isinstance(solid.shape, Capsule)
    ]
    collisions = ET.fromstring(arm_urdf()).findall("./link/collision/geometry/*")
    spheres = [float(shape.get("radius", "nan")) for shape in collisions if shape.tag == "sphere"]
    cylinders = [
        (float(shape.get("radius", "nan")), float(shape.get("length", "nan")))
        for shape in collisions
        if shape.tag == "cylinder"
    ]
    assert cylinders == [(capsule.radius, capsule.length) for capsule in capsules]
    assert spheres == [capsule.radius for capsule in capsules for _ in range(2)]
    # Rows of one link stand together: the ends lie on the cylinder's axis, half a length off its middle.
    base = ET.fromstring(arm_urdf()).findall("./link[@name='link0']/collision/origin")
    middle, lower, upper = (np.array([float(v) for v in each.get("xyz", "").split()]) for each in base)
    np.testing.assert_allclose((lower + upper) / 2, middle, atol=1e-15)
    assert np.linalg.norm(upper - lower) == pytest.approx(capsules[0].length)


def test_friction_is_written_only_when_asked_for() -> None:
    assert "dynamics" not in arm_urdf()
    robot = ET.fromstring(arm_urdf(friction=True))
    for name, link in zip(joint_names(), PANDA.links, strict=True):
        dynamics = _joint(robot, name).find("dynamics")
        assert dynamics is not None
        found = (float(dynamics.get("friction", "nan")), float(dynamics.get("damping", "nan")))
        assert found == dry_and_viscous(link.friction, link.limits.velocity)


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, -1.0, 0.0), (1.0, -2.0, 0.5)])
@pytest.mark.parametrize("angle", [0.0, 0.7, np.pi / 2, np.pi, -2.5])
def test_angles_give_the_orientation_back(axis: Vector3, angle: float) -> None:
    turned = compose(
        Pose(quaternion=axis_angle((0.0, 0.0, 1.0), 0.4)), Pose(quaternion=axis_angle(axis, angle))
    )
    roll, pitch, yaw = roll_pitch_yaw(turned)
    back = Pose(quaternion=axis_angle((0.0, 0.0, 1.0), yaw))
    back = compose(back, Pose(quaternion=axis_angle((0.0, 1.0, 0.0), pitch)))
    back = compose(back, Pose(quaternion=axis_angle((1.0, 0.0, 0.0), roll)))
    np.testing.assert_allclose(
        rotation_matrix(back.quaternion), rotation_matrix(turned.quaternion), atol=1e-12
    )


def _joint(robot: ET.Element, name: str) -> ET.Element:
    found = robot.find(f"./joint[@name='{name}']")
    assert found is not None
    return found


def _for_mujoco(urdf: str) -> str:
    """With MuJoCo's own element, so that it keeps the links that are rigid, and our solids weigh nothing."""
    robot = ET.fromstring(urdf)
    extension = ET.Element("mujoco")
    ET.SubElement(extension, "compiler", fusestatic="false", inertiafromgeom="false", discardvisual="true")
    robot.insert(0, extension)
    return ET.tostring(robot, encoding="unicode")
