"""Mistakes of a robot description that only its drivers know: parameters, kinds, addresses.

What the file itself gets wrong is told by `resources.robots.description`. Drivers are asked what they declare
only; none is made, and no vendor's library is loaded.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import msgspec

from framework.errors import DescriptionError, PilothouseError
from framework.plugins.driver import DriverSpec
from framework.plugins.parameters import ParameterSpec, convert
from resources.robots.description import (
    CONTROLLERS,
    KINDS,
    DeviceDescription,
    RobotDescription,
    SpeechDescription,
)
from resources.types.motion import Workspace

_HOST: Final = re.compile(r"(?!-)[A-Za-z0-9-]{1,63}(\.(?!-)[A-Za-z0-9-]{1,63})*")


class Mistake(msgspec.Struct, frozen=True):
    """One mistake: `where` it stands as "file:line", or ""; what it is, and what is allowed."""

    where: str
    words: str

    def __str__(self) -> str:
        return f"{self.where}: {self.words}" if self.where else self.words


def mistakes_in(robot: RobotDescription, drivers: Mapping[str, DriverSpec]) -> tuple[Mistake, ...]:
    """Everything wrong, in the order of the file. A driver that cannot be read is not asked."""
    found: list[Mistake] = []
    for device in robot.devices:
        spec = drivers.get(device.driver)
        if spec is None:
            known = ", ".join(sorted(drivers)) or "none"
            words = f"{device.name} needs the driver {device.driver!r}; installed are {known}"
            found.append(Mistake(device.at("driver"), words))
            continue
        if not _fits(spec.kind, device.kind):
            words = (
                f"{device.name} is of kind {device.kind}; the driver {spec.name!r} is for kind {spec.kind}"
            )
            found.append(Mistake(device.at("kind"), words))
        if spec.type is not None:
            found.extend(_of_parameters(device, spec))
    found.extend(_twice(robot))
    found.extend(_kept_from_nobody(robot))
    found.extend(_of_speech(robot.speech))
    return tuple(found)


def unavailable_in(robot: RobotDescription, drivers: Mapping[str, DriverSpec]) -> tuple[str, ...]:
    """Devices that this machine cannot open, and why: no mistakes of the description."""
    return tuple(
        f"{device.name}: its driver {spec.name!r} is unavailable: {spec.unavailable}"
        for device in robot.devices
        if (spec := drivers.get(device.driver)) is not None and spec.unavailable
    )


def uncovered_in(robot: RobotDescription, drivers: Mapping[str, DriverSpec]) -> tuple[str, ...]:
    """What nothing keeps from colliding, and what would: no mistakes of the description, but to be known.

    Arms on one mount are alternatives of each other.
    """
    arms = [device for device in robot.controllers if device.kind == "arm"]
    return tuple(
        f"nothing keeps {first.name} and {second.name} from each other: {_remedy(first, second, drivers)}"
        for first, second in combinations(arms, 2)
        if first.mount != second.mount
        and second.name not in _kept_from(first)
        and first.name not in _kept_from(second)
    )


def refuse(mistakes: tuple[Mistake, ...]) -> None:
    """Raises DescriptionError with all mistakes, one a line, if there are any."""
    if mistakes:
        raise DescriptionError("\n".join(map(str, mistakes)))


def _of_speech(speech: SpeechDescription) -> Iterator[Mistake]:
    """Models that are not there. What is in them is told by `pilothouse doctor`, and when they are loaded."""
    for name, folder in (("whisper_model", speech.whisper_model), ("vosk_model", speech.vosk_model)):
        if folder is not None and not Path(folder).is_dir():
            words = f"there is no folder {folder}; name the folder of a model, or leave {name} out"
            yield Mistake(speech.place.at(name), words)
    if speech.recogniser == "vosk" and speech.vosk_model is None:
        words = "recogniser vosk needs a model: name its folder as vosk_model; none comes with a package"
        yield Mistake(speech.place.at("recogniser"), words)


def _fits(drivers: str, devices: str) -> bool:
    """A driver of a user's own kind is nobody's business; a camera with depth is one without, too."""
    if drivers not in KINDS or drivers == devices:
        return True
    return (drivers, devices) == ("rgbd", "rgb") and devices not in CONTROLLERS


def _of_parameters(device: DeviceDescription, spec: DriverSpec) -> Iterator[Mistake]:
    for name, raw in device.parameters.items():
        known = [parameter for parameter in spec.parameters if parameter.name == name]
        problem = _problem(spec, known, name, raw)
        if problem:
            yield Mistake(device.at(name), f"{device.name}: {problem}")
    for parameter in spec.parameters:
        if parameter.is_required and parameter.name not in device.parameters:
            needed = f"{spec.name} needs {parameter.name}: {parameter.doc or parameter.allowed}"
            yield Mistake(device.where, f"{device.name}: {needed}")


def _problem(spec: DriverSpec, known: list[ParameterSpec], name: str, raw: Any) -> str:
    if not known:
        names = ", ".join(parameter.name for parameter in spec.parameters) or "none"
        return f"{spec.name} has no parameter {name!r}; it has {names}"
    try:
        value = convert(spec.name, known, {name: raw})[name]
    except PilothouseError as error:  # also what a value says of itself, as a wall without a normal
        words = str(error)
        return words if name in words else f"{spec.name}: {name} will not do, {words}"
    if isinstance(value, Workspace):
        for axis, low, high in zip("xyz", value.lower, value.upper, strict=True):
            if low >= high:
                return (
                    f"{spec.name}: {name} has nothing inside: along {axis} its lower corner {low:g} m is not "
                    f"below its upper corner {high:g} m"
                )
    if name == "address" and isinstance(value, str) and not _is_address(value):
        return f"{spec.name}: address = {value!r} is none; 172.16.0.2 is one, or a host's name"
    return ""


def _is_address(text: str) -> bool:
    if re.fullmatch(r"[\d.:]*", text):  # only digits: no name, so it has to be right
        try:
            ipaddress.IPv4Address(text)
        except ValueError:
            return False
        return True
    return _HOST.fullmatch(text) is not None


def _remedy(first: DeviceDescription, second: DeviceDescription, drivers: Mapping[str, DriverSpec]) -> str:
    for device in (first, second):
        spec = drivers.get(device.driver)
        if spec is None or all(parameter.name != "keeps_from" for parameter in spec.parameters):
            return (
                f"{device.name} is controlled in a process of its own ({device.driver}), which does not know "
                "where another arm is; give them workspaces, walls or no_go boxes that do not overlap"
            )
    return f"{first.name} may have keeps_from: [{second.name}]"


def _kept_from(device: DeviceDescription) -> tuple[str, ...]:
    """The names of other arms that it is to keep away from, as they stand there."""
    names = device.parameters.get("keeps_from")
    return tuple(name for name in names if isinstance(name, str)) if isinstance(names, list | tuple) else ()


def _kept_from_nobody(robot: RobotDescription) -> Iterator[Mistake]:
    """An arm that keeps away from what is no other arm of this robot."""
    arms = [device for device in robot.controllers if device.kind == "arm"]
    for device in arms:
        others = [arm.name for arm in arms if arm is not device]
        for name in _kept_from(device):
            if name not in others:
                words = f"keeps_from names {name!r}; other arms are {', '.join(others) or 'none'}"
                yield Mistake(device.at("keeps_from"), f"{device.name}: {words}")


def _twice(robot: RobotDescription) -> Iterator[Mistake]:
    """A control box has one arm, and one gripper."""
    first: dict[tuple[str, str, str], str] = {}
    for device in robot.controllers:
        address = device.parameters.get("address")
        if isinstance(address, str) and address:
            other = first.setdefault((device.kind, device.driver, address), device.name)
            if other != device.name:
                words = f"{device.name} is at {address}, and so is {other}: each {device.kind} has its own"
                yield Mistake(device.at("address"), words)
