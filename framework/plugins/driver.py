"""Drivers: how devices of one make are run; what authors write. Which device gets which, a manager knows.

A driver is found by the entry-point group `pilothouse.resources`, or as a class in a `driver.py`
of a folder. The robot description names it and gives its parameters:

    - {name: front_camera, driver: my_camera, mount: front, parameters: {rate_hz: 30}}

Its class states the parameters exactly as an action does, and one async context manager:

    class MyCamera(ph.Driver):
        \"""A camera on a serial line.\"""

        name = "my_camera"
        kind = "rgbd"

        port: str
        rate_hz: float = ph.param(default=30.0, gt=0.0, le=90.0)

        @asynccontextmanager
        async def provide(self, device: ph.DeviceContext) -> AsyncIterator[ph.CameraFeed]:
            argv = ph.python_child("my_camera.child:main", {"port": self.port, "rate_hz": self.rate_hz})
            async with device.request(ph.Process(ph.ProcessSpec(argv, device.name))) as process:
                yield msgspec.json.decode(process.value.payload, type=ph.CameraFeed)

Parameters that its process needs are best stated as fields of a `Parameters`, which the process is told as
it is (`framework.plugins.parameters`).

Up to the `yield` the device starts, at the `yield` it works, after it it stops; the rules are those
of every provider (`framework.registrar`). What can block or crash belongs into a child process.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import msgspec

from framework.errors import PluginUnavailable
from framework.plugins.parameters import Parameters, ParameterSpec, convert, read_fields, read_parameters
from framework.registrar import Lease, ResourceRegistrar, Supply


class DeviceContext(msgspec.Struct, frozen=True):
    """What a driver is given besides its parameters.

    name: the device's, unique in the installation; mount: where it sits on the robot;
    registrar, supply: for requests on the device's behalf, and to say how it is;
    directory: the run directory, where its streams are made;
    orders: of what moves, the mailbox with its orders (`resources.controllers.mailbox`); None of others.
    """

    name: str
    mount: str
    registrar: ResourceRegistrar
    supply: Supply
    directory: Path
    orders: Path | None = None

    def request(self, request: Any, **wishes: Any) -> AbstractAsyncContextManager[Lease]:
        """A dependency of the device, from anywhere; takes what `ResourceRegistrar.request` takes."""
        return self.supply.request(request, **wishes)


class Driver:
    """Base class of all drivers. Annotated attributes are its parameters.

    Attributes:
        name: what a robot description calls it; required.
        kind: what it gives, as requests ask for it ("rgbd", "lidar", "arm", …); required.
    """

    name: ClassVar[str] = ""
    kind: ClassVar[str] = ""

    def __init__(self, **parameters: Any) -> None:
        values = convert(type(self).__name__, parameters_of(type(self)), parameters)
        for spec in _declared(type(self)):
            if _is_group(spec):
                group = {field: values[field] for field in spec.type.__struct_fields__}
                setattr(self, spec.name, spec.type(**group))
            else:
                setattr(self, spec.name, values[spec.name])

    @classmethod
    def why_unavailable(cls) -> str:
        """Why this machine cannot run it (a library is missing) and what to do; "" if it can."""
        return ""

    def provide(self, device: DeviceContext) -> AbstractAsyncContextManager[Any]:
        """One device's life; yields its handle, a feed of `resources.types`."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it provides a device")


class DriverSpec(msgspec.Struct, frozen=True):
    """A driver as the catalogue lists it. `unavailable` is the reason why it cannot be used, or empty."""

    name: str
    type: Any = None
    kind: str = ""
    parameters: tuple[ParameterSpec, ...] = ()
    doc: str = ""
    source: str = ""
    unavailable: str = ""

    def make(self, parameters: Mapping[str, Any]) -> Driver:
        """The driver with these parameters.

        Raises PlanError with everything that is wrong with them, PluginUnavailable if it cannot be used.
        """
        if self.unavailable:
            raise PluginUnavailable(self.name, self.unavailable)
        made: Driver = self.type(**convert(self.name, self.parameters, parameters))
        return made


_read: WeakKeyDictionary[type[Driver], tuple[ParameterSpec, ...]] = WeakKeyDictionary()


def _declared(cls: type[Driver]) -> tuple[ParameterSpec, ...]:
    """Parameters as the class has them: reading annotations takes milliseconds, so it is done once."""
    found = _read.get(cls)
    if found is None:
        found = _read[cls] = read_parameters(cls, Driver)
    return found


def parameters_of(cls: type[Driver]) -> tuple[ParameterSpec, ...]:
    """A driver's parameters, as a robot description gives them; those of a `Parameters` one by one."""
    found: list[ParameterSpec] = []
    for spec in _declared(cls):
        found.extend(read_fields(spec.type) if _is_group(spec) else (spec,))
    return tuple(found)


def _is_group(spec: ParameterSpec) -> bool:
    return isinstance(spec.type, type) and issubclass(spec.type, Parameters)


def driver_spec(cls: type[Driver], *, source: str = "") -> DriverSpec:
    """Read a driver's class. Raises PluginUnavailable with what is wrong with it."""
    if not cls.name or not cls.kind:
        raise PluginUnavailable(cls.__name__, 'a driver says `name = "..."` and `kind = "..."` in its class')
    if cls.provide is Driver.provide:
        raise PluginUnavailable(cls.name, f"{cls.__name__} has no method `provide`")
    parameters = parameters_of(cls)
    for parameter in parameters:
        if hasattr(Driver, parameter.name):
            raise PluginUnavailable(
                cls.name, f"parameter {parameter.name} has the name of something every driver has"
            )
    return DriverSpec(
        cls.name,
        cls,
        cls.kind,
        parameters,
        _first_line(cls),
        source or cls.__module__,
        cls.why_unavailable(),
    )


def _first_line(cls: type) -> str:
    return (cls.__doc__ or "").strip().partition("\n")[0]
