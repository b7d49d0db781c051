"""A robot description file: YAML that is read strictly, with errors that name file and line.

    robot: inspector
    world: inspection            # what to simulate; leave out on hardware
    devices:
      - name: front_camera
        driver: simulated_camera # a driver's name; `pilothouse doctor` lists them
        kind: rgbd               # what it gives: rgbd, rgb, scan or cloud; what it is: arm, gripper or base
        mount: front             # of arms and grippers their side: left, right, or nothing
        priority: 20             # the highest that works is chosen
        retry_after_s: 30        # after a crash it is left alone for so long
        parameters: {rate_hz: 10}
    markers:                     # things that carry a fiducial marker and can be tracked
      - {name: hand, id: 7, size_m: 0.075}

All mistakes of a file are reported together.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

import msgspec
import yaml

from framework.errors import DescriptionError
from resources.types.motion import ControllerKind

SENSORS = ("rgbd", "rgb", "scan", "cloud")
"""Kinds of devices that the sensor manager opens."""

CONTROLLERS = tuple(kind.value for kind in ControllerKind)
"""Kinds of devices that move, which the controller manager opens."""

KINDS = (*SENSORS, *CONTROLLERS)
NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")

_DEVICE_FIELDS = ("name", "driver", "kind", "mount", "priority", "retry_after_s", "parameters")
_MARKER_FIELDS = ("name", "id", "size_m")
_FIELDS = ("robot", "world", "devices", "markers")


class DeviceDescription(msgspec.Struct, frozen=True):
    """One device of a robot. `parameters` are its driver's; `where` they stand: "file:line", or "".

    lines: of its fields and of each of its parameters, by name.
    """

    name: str
    driver: str
    kind: Literal["rgbd", "rgb", "scan", "cloud", "arm", "gripper", "base"]
    mount: str = ""
    priority: int = 0
    retry_after_s: float = 30.0
    parameters: dict[str, Any] = {}
    where: str = ""
    lines: dict[str, int] = {}

    def at(self, name: str) -> str:
        """Where this field or parameter stands: "file:line"; the device's own place if it is nowhere."""
        file = self.where.rpartition(":")[0]
        return f"{file}:{self.lines[name]}" if file and name in self.lines else self.where


class MarkerDescription(msgspec.Struct, frozen=True):
    """A thing that carries a marker (4×4, dictionary of 50); `size_m` is the edge of its black square."""

    name: str
    id: int
    size_m: float


class RobotDescription(msgspec.Struct, frozen=True):
    """A robot and its devices, in the order of the file. `world` is "" on hardware."""

    robot: str
    devices: tuple[DeviceDescription, ...]
    world: str = ""
    markers: tuple[MarkerDescription, ...] = ()

    @property
    def sensors(self) -> tuple[DeviceDescription, ...]:
        """The devices that look."""
        return tuple(device for device in self.devices if device.kind in SENSORS)

    @property
    def controllers(self) -> tuple[DeviceDescription, ...]:
        """The devices that move."""
        return tuple(device for device in self.devices if device.kind in CONTROLLERS)

    def device(self, name: str) -> DeviceDescription | None:
        """The device of that name."""
        return next((device for device in self.devices if device.name == name), None)


def read_description(path: Path) -> RobotDescription:
    """Read a robot description. Raises DescriptionError that lists every mistake with its line."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DescriptionError(f"this robot description cannot be read: {error}", file=str(path)) from error
    return parse_description(text, str(path))


def parse_description(text: str, file: str) -> RobotDescription:
    """The description in `text`; `file` names it in errors. Raises DescriptionError."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error)
        line = mark.line + 1 if mark is not None else 1
        raise DescriptionError(f"this is no YAML: {problem}", file=file, line=line) from error
    return _Reader(file).robot(root)


class _Reader:
    """Walks the YAML nodes, so that every mistake has its line; collects them all."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._mistakes: list[tuple[int, str]] = []

    def robot(self, root: yaml.Node | None) -> RobotDescription:
        if not isinstance(root, yaml.MappingNode):
            line = _line(root) if root is not None else 1
            raise DescriptionError(
                f"a robot description is a mapping of {', '.join(_FIELDS)}", file=self._file, line=line
            )
        fields = self._fields(root, _FIELDS, "the robot description")
        name = self._text(fields.get("robot"), "robot", root)
        world = self._text(fields["world"], "world", root) if "world" in fields else ""
        devices = self._devices(fields.get("devices"), root)
        markers = self._markers(fields.get("markers"))
        if self._mistakes:
            self._mistakes.sort()
            first = self._mistakes[0]
            rest = "".join(f"\n{self._file}:{line}: {text}" for line, text in self._mistakes[1:])
            raise DescriptionError(first[1] + rest, file=self._file, line=first[0])
        return RobotDescription(name, tuple(devices), world, tuple(markers))

    def _devices(self, node: yaml.Node | None, root: yaml.Node) -> list[DeviceDescription]:
        if not isinstance(node, yaml.SequenceNode) or not node.value:
            self._mistake(node or root, "devices must be a list with at least one device")
            return []
        devices: list[DeviceDescription] = []
        lines: dict[str, int] = {}
        for item in node.value:
            device = self._device(item)
            if device is None:
                continue
            if device.name in lines:
                self._mistake(
                    item, f"there is a device {device.name!r} already, in line {lines[device.name]}"
                )
            lines.setdefault(device.name, _line(item))
            devices.append(device)
        return devices

    def _device(self, node: yaml.Node) -> DeviceDescription | None:
        if not isinstance(node, yaml.MappingNode):
            self._mistake(node, f"a device is a mapping of {', '.join(_DEVICE_FIELDS)}")
            return None
        fields = self._fields(node, _DEVICE_FIELDS, "a device")
        before = len(self._mistakes)
        name = self._text(fields.get("name"), "name", node)
        if name and not NAME.fullmatch(name):
            self._mistake(
                fields["name"], f"name is {name!r}; allowed are small letters, digits and _, a letter first"
            )
        driver = self._text(fields.get("driver"), "driver", node)
        kind = self._text(fields.get("kind"), "kind", node)
        if kind and kind not in KINDS:
            self._mistake(fields["kind"], f"kind is {kind!r}; allowed are {', '.join(KINDS)}")
        mount = self._text(fields["mount"], "mount", node) if "mount" in fields else ""
        priority = self._number(fields.get("priority"), "priority", 0.0)
        retry_after_s = self._number(fields.get("retry_after_s"), "retry_after_s", 30.0)
        if priority != int(priority):
            self._mistake(fields["priority"], f"priority is {priority}; it must be a whole number")
        if retry_after_s < 0:
            self._mistake(fields["retry_after_s"], f"retry_after_s is {retry_after_s}; it must be 0 or more")
        parameters = self._parameters(fields.get("parameters"))
        if len(self._mistakes) > before:
            return None
        return DeviceDescription(
            name,
            driver,
            kind,  # type: ignore[arg-type]  # checked against KINDS above
            mount,
            int(priority),
            retry_after_s,
            parameters,
            f"{self._file}:{_line(fields.get('parameters', node))}",
            _lines(fields),
        )

    def _markers(self, node: yaml.Node | None) -> list[MarkerDescription]:
        if node is None:
            return []
        if not isinstance(node, yaml.SequenceNode):
            self._mistake(node, f"markers must be a list of mappings of {', '.join(_MARKER_FIELDS)}")
            return []
        markers: list[MarkerDescription] = []
        for item in node.value:
            if not isinstance(item, yaml.MappingNode):
                self._mistake(item, f"a marker is a mapping of {', '.join(_MARKER_FIELDS)}")
                continue
            fields = self._fields(item, _MARKER_FIELDS, "a marker")
            name = self._text(fields.get("name"), "name", item)
            number = self._number(fields.get("id"), "id", -1.0)
            size_m = self._number(fields.get("size_m"), "size_m", 0.0)
            if number != int(number) or not 0 <= number < 50:
                self._mistake(fields.get("id", item), "id must be a whole number from 0 to 49")
            if not 0.005 <= size_m <= 2.0:
                self._mistake(fields.get("size_m", item), "size_m must be from 0.005 to 2")
            if any(marker.name == name for marker in markers):
                self._mistake(item, f"there is a marker {name!r} already")
            markers.append(MarkerDescription(name, int(number), size_m))
        return markers

    def _fields(self, node: yaml.MappingNode, allowed: tuple[str, ...], what: str) -> dict[str, yaml.Node]:
        fields: dict[str, yaml.Node] = {}
        for key, value in node.value:
            name = str(key.value)
            if name not in allowed:
                self._mistake(key, f"{what} has no field {name!r}; allowed are {', '.join(allowed)}")
            elif name in fields:
                self._mistake(key, f"{name} is given twice")
            else:
                fields[name] = value
        return fields

    def _text(self, node: yaml.Node | None, field: str, within: yaml.Node) -> str:
        if node is None:
            self._mistake(within, f"{field} is missing")
            return ""
        if (
            not isinstance(node, yaml.ScalarNode)
            or node.tag != "tag:yaml.org,2002:str"
            or not node.value.strip()
        ):
            shown = node.value if isinstance(node, yaml.ScalarNode) else "a list or mapping"
            self._mistake(node, f"{field} must be text, not {shown!r} (quote it if it is meant as text)")
            return ""
        return str(node.value).strip()

    def _number(self, node: yaml.Node | None, field: str, default: float) -> float:
        if node is None:
            return default
        if isinstance(node, yaml.ScalarNode) and node.tag in (
            "tag:yaml.org,2002:int",
            "tag:yaml.org,2002:float",
        ):
            value = float(yaml.safe_load(node.value))
            if value == value and abs(value) != float("inf"):
                return value
        self._mistake(node, f"{field} must be a finite number, not {getattr(node, 'value', node)!r}")
        return default

    def _parameters(self, node: yaml.Node | None) -> dict[str, Any]:
        if node is None:
            return {}
        if not isinstance(node, yaml.MappingNode):
            self._mistake(node, "parameters must be a mapping of names to values")
            return {}
        loader = yaml.SafeLoader("")
        try:
            built = loader.construct_document(node)
        except yaml.YAMLError as error:
            self._mistake(node, f"parameters cannot be read: {error}")
            return {}
        finally:
            loader.dispose()
        return {str(name): value for name, value in dict(built).items()}

    def _mistake(self, node: yaml.Node, text: str) -> None:
        self._mistakes.append((_line(node), text))


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _lines(fields: dict[str, yaml.Node]) -> dict[str, int]:
    """Of a device's fields, and of its parameters: what drivers call as a field does not matter here."""
    lines = {name: _line(value) for name, value in fields.items()}
    parameters = fields.get("parameters")
    if isinstance(parameters, yaml.MappingNode):
        lines |= {str(key.value): _line(key) for key, _ in parameters.value}
    return lines
