"""What an installation always asks for: the simulated robot, real arms, its voice, who serves phones, hands
before its cameras.

What they are for, and what they hold, is their managers' business; here they are only asked for, again and
again if they end, more and more seldom unless they last, and what comes and goes is said.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

from framework.errors import PilothouseError
from framework.registrar import Lease, ResourceRegistrar
from framework.status import Priority
from framework.supervisor import EventBus, EventKind
from managers.answering_aloud import AnsweringAloud
from managers.console_backend import Managers
from managers.ros_face import RosFace
from resources.types.arms import ControlLoop
from resources.types.control import Simulation
from resources.types.gestures import Gestures
from resources.types.operator import OperatorLinks
from resources.types.ros import RosBridge
from resources.types.voice import Loudspeaker

log = logging.getLogger("pilothouse")

#: Who it is that asks, where people see it.
WHO: Final = "the installation"

#: The longest pause before something is tried again [s]; it doubles up to this.
LONGEST_PAUSE_S: Final = 30.0

#: What has lasted so long is no longer what failed before [s]: the pauses begin anew.
LASTED_S: Final = 30.0

_WORLD_PAUSE_S: Final = 0.2
_PAUSE_S: Final = 0.5


async def hold_world(registrar: ResourceRegistrar, managers: Managers, events: EventBus, world: str) -> None:
    """The simulated robot is there as long as we are; if it dies, it is begun again. Never ends."""
    pause_s = _WORLD_PAUSE_S
    while True:
        try:
            async with registrar.request(
                Simulation(world), priority=Priority.BACKGROUND, on_failure="tell", who=WHO
            ) as lease:
                managers.simulation = lease.value
                managers.context.learn(lease.value)
                managers.scene_changed()
                events.emit(EventKind.DEVICE, f"The simulated robot runs (world {world}).")
                pause_s = _WORLD_PAUSE_S
                status = await lease.failed()
                managers.simulation = None
                text = f"The simulated robot has ended: {status.message}. It is started again."
                events.emit(EventKind.DEVICE, text)
        except PilothouseError as error:
            text = f"The simulated robot does not start: {error.why}. It is tried again in {pause_s:.1f} s."
            events.emit(EventKind.ERROR, text)
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)


async def hold_operators(registrar: ResourceRegistrar, events: EventBus, wanted: asyncio.Event) -> None:
    """Phones and headsets are served from the moment that somebody wants it. Never ends."""
    await wanted.wait()

    async def serve(lease: Lease) -> None:
        address = lease.value.address
        events.emit(
            EventKind.DEVICE, f"Operators are served: here at {address}, elsewhere by the console's code."
        )
        status = await lease.failed()
        events.emit(EventKind.ERROR, f"Operators are not served any more: {status.message}.")

    await _hold(registrar, events, OperatorLinks(), serve, "Operators cannot be served")


async def hold_voice(registrar: ResourceRegistrar, events: EventBus, voice: AnsweringAloud) -> None:
    """The robot's loudspeaker is open as long as we are. Never ends."""

    async def speak(lease: Lease) -> None:
        await voice.speak_by(lease)
        events.emit(EventKind.ERROR, f"The robot does not speak any more: {lease.status.message}.")

    await _hold(registrar, events, Loudspeaker(), speak, "The robot cannot answer aloud")


async def hold_hands(registrar: ResourceRegistrar, managers: Managers, events: EventBus, camera: str) -> None:
    """Hands before a camera of the robot are watched as long as we are. Never ends."""

    async def watch(lease: Lease) -> None:
        events.emit(EventKind.DEVICE, f"Hands before {camera} are watched.")
        await managers.gesturing.before_camera(lease, camera, partial(managers.hand_pointing.saw, camera))
        events.emit(
            EventKind.ERROR, f"Hands before {camera} are not watched any more: {lease.status.message}."
        )

    await _hold(registrar, events, Gestures(camera), watch, f"Hands before {camera} cannot be watched")


async def hold_face(registrar: ResourceRegistrar, events: EventBus, face: RosFace) -> None:
    """Nodes of the ROS 2 graph see us, and may ask, as long as we are. Never ends."""

    async def serve(lease: Lease) -> None:
        events.emit(EventKind.DEVICE, "ROS: /pilothouse is offered.")
        await face.serve(lease)
        events.emit(EventKind.ERROR, f"ROS: /pilothouse is not offered any more: {lease.status.message}.")

    await _hold(registrar, events, RosBridge(), serve, "/pilothouse cannot be offered in ROS")


async def hold_control(registrar: ResourceRegistrar, events: EventBus, device: str) -> None:
    """A real arm stays connected as long as we are: connecting anew for each action takes a second.

    Never ends.
    """

    async def keep(lease: Lease) -> None:
        await lease.failed()

    await _hold(registrar, events, ControlLoop(device), keep, f"{device} cannot be reached")


async def _hold(
    registrar: ResourceRegistrar,
    events: EventBus,
    request: Any,
    keep: Callable[[Lease], Awaitable[None]],
    cannot: str,
) -> None:
    """Ask for it, and again whenever `keep` is done with it. Never ends.

    Why it cannot be had is said once, until that changes. After an error in the program, too, it is asked for
    again.
    """
    pause_s, told = _PAUSE_S, ""
    now_s = asyncio.get_running_loop().time
    while True:
        granted_s = math.inf
        try:
            async with registrar.request(
                request, priority=Priority.BACKGROUND, on_failure="tell", who=WHO
            ) as lease:
                granted_s, told = now_s(), ""
                await keep(lease)
        except PilothouseError as error:
            why = error.why
        except Exception as error:  # else nobody would ever ask again, nor know of it
            log.exception("%s: an error in the program", cannot)
            why = f"an error in the program, which is in the log: {type(error).__name__}"
        else:
            why = ""
        if why and why != told:
            told = why
            events.emit(EventKind.ERROR, f"{cannot}: {why}.")
        if now_s() - granted_s >= LASTED_S:
            pause_s = _PAUSE_S
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
