"""ROS's message types by their names. Nothing is known here of any of them."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any, Final

from framework.errors import DescriptionError
from resources.types.ros import TypeDefinition

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


def definition_of(*types: Any) -> TypeDefinition:
    """What these message classes are made of, as .msg texts: made from the classes that speak.

    Those of constants and defaults are left out: they do not travel.
    """
    texts: dict[str, str] = {}
    for each in types:
        _define(each, texts)
    return tuple(texts.items())


def parts_of(name: str, kind: str) -> tuple[Any, ...]:
    """The message classes that a type of this kind consists of. Raises DescriptionError as `type_named`."""
    found = type_named(name, kind)
    if kind == "srv":
        return found.Request, found.Response
    if kind == "action":
        return found.Goal, found.Result, found.Feedback
    return (found,)


def name_of(message_class: Any) -> str:
    """The full name of a message class: sensor_msgs/msg/Image."""
    package, kind = message_class.__module__.split(".")[:2]
    return f"{package}/{kind}/{message_class.__name__}"


def _define(message_class: Any, texts: dict[str, str]) -> None:
    name = name_of(message_class)
    if name in texts:
        return
    texts[name] = ""  # a type never contains itself
    lines = []
    for field, idl in message_class.get_fields_and_field_types().items():
        element, suffix = _element(idl)
        if "/" in element:
            package, own = element.split("/")
            inner = type_named(f"{package}/msg/{own}")
            _define(inner, texts)
            element = name_of(inner)
        lines.append(f"{_PLAIN.get(element, element)}{suffix} {field}")
    texts[name] = "\n".join(lines)


def _element(idl: str) -> tuple[str, str]:
    """A field's element type, and what says how many: `sequence<double, 3>` is ("double", "[<=3]")."""
    many = ""
    if sequence := _SEQUENCE.fullmatch(idl):
        idl, most = sequence.groups()
        many = f"[<={most}]" if most else "[]"
    elif array := _ARRAY.fullmatch(idl):
        idl, many = array[1], f"[{array[2]}]"
    bounded = _STRING.fullmatch(idl)
    return f"{bounded[1]}<={bounded[2]}" if bounded else idl, many


_SEQUENCE: Final = re.compile(r"sequence<(.+?)(?:, (\d+))?>")
_STRING: Final = re.compile(r"(w?string)<(\d+)>")
_ARRAY: Final = re.compile(r"(.+)\[(\d+)\]")
_PLAIN: Final = {"boolean": "bool", "octet": "byte", "float": "float32", "double": "float64"}
"""IDL's names where .msg files have others."""

MODULE_OF: Final = "the Python that has rclpy"
_KINDS: Final = {"msg": "message", "srv": "service", "action": "action"}
_EXAMPLES: Final = {
    "msg": "sensor_msgs/msg/Image",
    "srv": "std_srvs/srv/Trigger",
    "action": "nav2_msgs/action/NavigateToPose",
}
