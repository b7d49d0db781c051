"""Making things fail on purpose, so that what happens then can be seen and tested.

No pretence: a process is really killed, really hangs or really babbles, and
everything above finds out as it would with a device of metal.
"""

from __future__ import annotations

from collections.abc import Sequence

from framework.errors import ResourceUnavailable
from framework.registrar import ResourceRegistrar, ResourceView
from managers.controller_manager import ControllerManager
from managers.devices import DeviceView
from managers.process_manager import ProcessManager
from managers.sensor_manager import SensorManager
from resources.children.failing import FailMode, fail_command
from resources.console.graph import label
from resources.robots.description import SENSORS
from resources.types.device_states import DeviceState
from resources.types.motion import ControllerKind
from resources.types.naming import plain
from resources.types.processes import Process


class Faults:
    """Injects failures, and ends them. `injected`: what is broken on purpose now, by device."""

    def __init__(
        self,
        sensors: SensorManager,
        controllers: ControllerManager,
        processes: ProcessManager,
        registrars: Sequence[ResourceRegistrar],
    ) -> None:
        self._sensors = sensors
        self._controllers = controllers
        self._processes = processes
        self._registrars = registrars
        self.injected: dict[str, FailMode] = {}

    def fail(self, name: str, how: FailMode) -> str:
        """Make a device (by name) or a resource (`registrar/request`, or its id) fail. Says what was done.

        Raises ResourceUnavailable if there is nothing of that name, or it cannot fail like this.
        """
        device = next((each for each in self._devices() if plain(each.name) == plain(name)), None)
        if device is not None:
            if how is FailMode.REFLEX:
                return self._reflex(device)
            return self._fail_device(device, how)
        registrar, view = self._resource(name)
        if how is FailMode.REFLEX:
            raise ResourceUnavailable(f"{name} is no arm: only an arm has reflexes")
        if isinstance(view.request, Process):
            process = view.request.spec.name
            self._hurt(process, how)
            return f"the process {process!r} {_DONE[how]}"
        registrar.fail(view.id, f"{name} was made to fail")
        return f"{name} was made to fail"

    def restore(self, name: str) -> str:
        """Plug a device in again. Raises ResourceUnavailable if there is none of that name."""
        known = [each.name for each in self._devices()]
        name = next((each for each in known if plain(each) == plain(name)), name)
        moving = next((each for each in self._controllers.devices() if each.name == name), None)
        if moving is None:
            if name not in known:
                raise ResourceUnavailable(f"there is no device {name!r}; devices are {', '.join(known)}")
            self._sensors.plug_in(name)
        else:
            if moving.state is DeviceState.FAULT:
                raise ResourceUnavailable(f'that is no plug: say "recover the {plain(name)}"')
            self._controllers.plug_in(name)
        self.injected.pop(name, None)
        return f"{name} is plugged in"

    def retry(self, name: str) -> str:
        """Have a resource that is waiting for its next attempt, or a device that rests, try at once."""
        sensor = next((each for each in self._sensors.devices() if plain(each.name) == plain(name)), None)
        if sensor is not None and sensor.state is DeviceState.RESTING:
            self._sensors.retry(sensor.name)
            return f"{sensor.name} is tried again from now on"
        device = next((each for each in self._devices() if plain(each.name) == plain(name)), None)
        if device is not None:
            state = f"it is {device.state.value}"
            raise ResourceUnavailable(f"{device.name} waits for no further attempt: {state}")
        registrar, view = self._resource(name)
        registrar.retry_now(view.id)
        return f"{name} tries again now"

    def _devices(self) -> tuple[DeviceView, ...]:
        return (*self._sensors.devices(), *self._controllers.devices())

    def _reflex(self, device: DeviceView) -> str:
        """As if it had hit something: its control loop stops with a fault, until it has been recovered."""
        if device.kind != ControllerKind.ARM:
            raise ResourceUnavailable(
                f"{device.name} ({device.kind}) has no reflexes; what it can do is die, hang or garbage"
            )
        process = self._process_of(device.name)
        if process is not None:
            self._hurt(process, FailMode.REFLEX)
        elif self._controllers.is_simulated(device.name):
            self._controllers.fail(device.name, FailMode.REFLEX)
        else:
            raise ResourceUnavailable(f"{device.name} does not run now: nobody uses it")
        return f'{device.name} has a reflex; "recover the {plain(device.name)}" ends it'

    def _fail_device(self, device: DeviceView, how: FailMode) -> str:
        name = device.name
        process = self._process_of(name)
        if self._controllers.is_simulated(name):
            self._controllers.unplug(name, noticed=False)
            self._controllers.fail(name, how)
            self.injected[name] = how
            return f"{name} is unplugged: its control loop {_DONE[how]}"
        manager = self._sensors if device.kind in SENSORS else self._controllers
        if process is not None:
            self._hurt(process, how)
        # With a process behind it nobody is told: whoever watches that process has to find out.
        manager.unplug(name, noticed=process is None)
        self.injected[name] = how
        return f"{name} is unplugged" if process is None else f"{name} is unplugged: its process {_DONE[how]}"

    def _process_of(self, device: str) -> str | None:
        """The process behind a device that can be reached now."""
        known = self._processes.processes()
        return next((each.name for each in known if each.device == device and each.is_alive), None)

    def _hurt(self, process: str, how: FailMode) -> None:
        if how is FailMode.DIE:
            self._processes.kill(process)
        else:
            self._processes.send(process, fail_command(how))

    def _resource(self, name: str) -> tuple[ResourceRegistrar, ResourceView]:
        names: list[str] = []
        for registrar in self._registrars:
            for view in registrar.snapshot().resources:
                known = f"{registrar.name}/{label(view.request)}"
                if name in (known, view.id):
                    return registrar, view
                names.append(known)
        devices = ", ".join(device.name for device in self._devices())
        up = ", ".join(names) or "none"
        raise ResourceUnavailable(f"there is no {name!r}; devices are {devices}; resources are {up}")


_DONE = {
    FailMode.DIE: "was killed",
    FailMode.HANG: "hangs",
    FailMode.GARBAGE: "sends garbage",
    FailMode.STALE: "sends nothing new",
    FailMode.REFLEX: "has a reflex",
}
