"""ROS's message types by their names. Nothing is known here of any of them."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any, Final

from framework.errors import DescriptionError

_NAME: Final = re.compile(r"([a-z][a-z0-9_]*)/(msg|srv|action)/([A-Za-z][A-Za-z0-9_]*)")


def type_named(name: str, kind: str = "msg") -> Any:
    """The class of a type, as `sensor_msgs/msg/Image`. kind: "msg", "srv" or "action".

    Raises DescriptionError if it is none of that kind, or not installed for this interpreter.
    """
    parts = _NAME.fullmatch(name)
    if parts is None or parts[2] != kind:
        raise DescriptionError(
            f"{name!r} names no {_KINDS[kind]} type: package/{kind}/Name is wanted, as {_EXAMPLES[kind]}"
        )
    package, _, own = parts.groups()
    try:
        module = import_module(f"{package}.{kind}")
    except ImportError as error:
        raise DescriptionError(
            f"the package {package} of {name} is not installed for {MODULE_OF}: {error}. Source the "
            "workspace that has it before, or install it there"
        ) from error
    found = getattr(module, own, None)
    if found is None:
        known = sorted(each for each in dir(module) if each[:1].isupper() and "_" not in each)
        raise DescriptionError(f"{package} has no {name}; it has {', '.join(known[:30])}")
    return found


MODULE_OF: Final = "the Python that has rclpy"
_KINDS: Final = {"msg": "message", "srv": "service", "action": "action"}
_EXAMPLES: Final = {
    "msg": "sensor_msgs/msg/Image",
    "srv": "std_srvs/srv/Trigger",
    "action": "nav2_msgs/action/NavigateToPose",
}
