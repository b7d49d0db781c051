"""By which names of the ROS 2 graph the devices of a robot description are commanded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec.structs import fields

from framework.plugins.parameters import Parameters
from resources.drivers.ros.motion_arguments import (
    RosArmParameters,
    RosBaseParameters,
    RosGripperParameters,
)
from resources.robots.description import DeviceDescription

_BY: Final[Mapping[str, tuple[type[Parameters], str]]] = {
    "ros_base": (RosBaseParameters, "commands"),
    "ros_arm": (RosArmParameters, "commands"),
    "ros_gripper": (RosGripperParameters, "action"),
}
"""By driver: its parameters, and which of them is the name of a topic or an action."""


def commanded_names(devices: Iterable[DeviceDescription]) -> dict[str, str]:
    """The devices, by these names: as described, else as their drivers have it by default."""
    return {_name(each): each.name for each in devices if each.driver in _BY}


def _name(device: DeviceDescription) -> str:
    parameters, field = _BY[device.driver]
    default = next(each.default for each in fields(parameters) if each.name == field)
    return str(device.parameters.get(field, default))
