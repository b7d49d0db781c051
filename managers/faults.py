"""Making things fail on purpose, so that what happens then can be seen and tested.

No pretence: a process is really killed, really hangs or really babbles, and
everything above finds out as it would with a device of metal.
"""

from __future__ import annotations

from collections.abc import Sequence

from framework.errors import ResourceUnavailable
from framework.registrar import ResourceRegistrar, ResourceView
from managers.process_manager import ProcessManager
from managers.sensor_manager import SensorManager
from resources.children.failing import FailMode, fail_command
from resources.console.graph import label
from resources.types.processes import Process


class Faults:
    """Injects failures, and ends them."""

    def __init__(
        self, sensors: SensorManager, processes: ProcessManager, registrars: Sequence[ResourceRegistrar]
    ) -> None:
        self._sensors = sensors
        self._processes = processes
        self._registrars = registrars
        self.injected: dict[str, FailMode] = {}

    def fail(self, name: str, how: FailMode) -> str:
        """Make a device (by name) or a resource (`registrar/request`, or its id) fail. Says what was done.

        Raises ResourceUnavailable if there is nothing of that name.
        """
        if any(device.name == name for device in self._sensors.devices()):
            return self._fail_device(name, how)
        registrar, view = self._resource(name)
        if isinstance(view.request, Process):
            process = view.request.spec.name
            self._hurt(process, how)
            return f"the process {process!r} {_DONE[how]}"
        registrar.fail(view.id, f"{name} was made to fail")
        return f"{name} was made to fail"

    def restore(self, name: str) -> str:
        """Plug a device in again. Raises ResourceUnavailable if there is none of that name."""
        self._sensors.plug_in(name)
        self.injected.pop(name, None)
        return f"{name} is plugged in"

    def retry(self, name: str) -> str:
        """Have a resource that is waiting for its next attempt try at once."""
        registrar, view = self._resource(name)
        registrar.retry_now(view.id)
        return f"{name} tries again now"

    def _fail_device(self, name: str, how: FailMode) -> str:
        # A device's process is named after its kind and the device ("camera front_camera").
        running = (process.name for process in self._processes.processes())
        process = next((each for each in running if each.partition(" ")[2] == name), None)
        self.injected[name] = how
        # With a process behind it nobody is told: whoever watches that process has to find out.
        self._sensors.unplug(name, noticed=process is None)
        if process is None:
            return f"{name} is unplugged"
        self._hurt(process, how)
        return f"{name} is unplugged: its process {_DONE[how]}"

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
        devices = ", ".join(device.name for device in self._sensors.devices())
        up = ", ".join(names) or "none"
        raise ResourceUnavailable(f"there is no {name!r}; devices are {devices}; resources are {up}")


_DONE = {
    FailMode.DIE: "was killed",
    FailMode.HANG: "hangs",
    FailMode.GARBAGE: "sends garbage",
    FailMode.STALE: "sends nothing new",
}
