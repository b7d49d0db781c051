"""What the robot's own arms and grippers are like just now, read from the streams of their control loops.

A simulated device's stream is there as long as the world runs, a real one's as long as its loop does. Who may
move them is not asked for here, and nothing is started: of what does not run nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from framework.errors import StreamError
from framework.transport.ring import RingReader
from framework.unreadable import UNREADABLE
from managers.control_loops import ControlLoops
from resources.robots.description import DeviceDescription
from resources.types.arms import ArmHandle
from resources.types.control import SimulatedControl
from resources.types.motion import ArmSample, ControllerKind, GripperSample, MotionSample
from resources.types.naming import plain
from resources.types.poses import chained
from resources.types.samples import decode
from resources.types.streams import Pose7, StreamHandle

#: Fingers that are nearer to each other have met [m].
_MET_M = 0.002

#: What a gripper can be; something between its fingers is neither.
OPEN, CLOSED, HOLDING = "open", "closed", "holding something"
_STATES = (OPEN, CLOSED)


class OwnPart(msgspec.Struct, frozen=True):
    """An arm or gripper of the robot's.

    name: as people say it. robot_T_part: where the arm's tool point is, in the robot's frame; of a gripper
    the same, None if nothing is known of its arm. states, state: as of a `KnownThing`.
    """

    name: str
    robot_T_part: Pose7 | None = None
    states: tuple[str, ...] = ()
    state: str = ""


class OwnParts:
    """Looks at all of them. simulated: the control loops of the world that runs."""

    def __init__(self, loops: ControlLoops, simulated: Callable[[], tuple[SimulatedControl, ...]]) -> None:
        self._loops = loops
        self._simulated = simulated
        self._readers: dict[str, RingReader] = {}

    def look(self) -> tuple[OwnPart, ...]:
        """All of them, the arms first; of what does not run no more than its name."""
        simulated = {control.device: control for control in self._simulated()}
        found: list[OwnPart] = []
        tools: dict[str, Pose7] = {}  # by the side of their arm
        for kind in (ControllerKind.ARM, ControllerKind.GRIPPER):
            for device in self._loops.devices.described:
                if device.kind != kind:
                    continue
                part = self._part(device, simulated.get(device.name))
                if part.robot_T_part is not None:
                    tools[device.mount] = part.robot_T_part
                elif device.mount in tools:
                    part = msgspec.structs.replace(part, robot_T_part=tools[device.mount])
                found.append(part)
        return tuple(found)

    def close(self) -> None:
        """Let go of the streams; idempotent."""
        for reader in self._readers.values():
            reader.close()
        self._readers.clear()

    def _part(self, device: DeviceDescription, simulated: SimulatedControl | None) -> OwnPart:
        handle = self._loops.of(device.name).handle
        stream = handle.state if handle is not None else simulated.state if simulated is not None else None
        sample = self._newest(stream) if stream is not None else None
        name = plain(device.name)
        if isinstance(sample, GripperSample):
            state = HOLDING if sample.holds else OPEN if sample.width_m > _MET_M else CLOSED
            return OwnPart(name, states=_STATES, state=state)
        if isinstance(sample, ArmSample):
            mounted = handle if isinstance(handle, ArmHandle) else simulated
            assert mounted is not None, "its stream was found by one of them"
            return OwnPart(name, chained(mounted.robot_T_base, sample.base_T_tool))
        return OwnPart(name, states=_STATES if device.kind == ControllerKind.GRIPPER.value else ())

    def _newest(self, stream: StreamHandle) -> MotionSample | None:
        """The newest sample; None if there is none, or it says nothing."""
        reader = self._readers.get(stream.ring)
        try:
            if reader is None:
                reader = self._readers[stream.ring] = RingReader(Path(stream.ring))
            elif reader.replaced():
                reader.reopen()
            sample = None if reader.closed else reader.latest()
            decoded = decode(sample, stream.format) if sample is not None else None
        except (StreamError, *UNREADABLE):
            return None
        return decoded if isinstance(decoded, MotionSample) else None
