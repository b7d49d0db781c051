"""Pilothouse, a supervisory, resource-managed telerobotics framework: the front door for plugin authors.

`import pilothouse as ph` gives what actions and drivers are written with: the framework's public names and
the requests, handles and clients of `resources.types`. Each is loaded when it is first used, so the import
itself costs little. What puts an installation together is in `installation.py`, not here.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from framework import testing
    from framework.clock import (
        Clock,
        LoopClock,
    )
    from framework.errors import (
        ActionOver,
        CircleFailed,
        CircularDependency,
        CommandLate,
        CommandRefused,
        DescriptionError,
        InstallationError,
        LeaseError,
        MalformedMessage,
        MotionFailed,
        NothingScheduled,
        PilothouseError,
        PlanError,
        PluginUnavailable,
        Preempted,
        ProcessDied,
        ProcessError,
        ProcessStartFailed,
        ProposalError,
        RegistrarClosed,
        RenderingUnavailable,
        RequestTypeError,
        ResourceFailed,
        ResourceHeld,
        ResourceUnavailable,
        SharedMemoryFull,
        SimulatedTimeError,
        StreamError,
        TransportError,
    )
    from framework.events import Event, EventKind
    from framework.plugins import (
        Action,
        ActionCatalogue,
        ActionRunner,
        ActionSpec,
        Client,
        DeviceContext,
        Driver,
        DriverCatalogue,
        DriverSpec,
        OnPreempt,
        Outcome,
        ParameterSpec,
        Risk,
        RunnerPolicy,
        RunState,
        SupervisorService,
        action_spec,
        needs,
        new_action,
        new_driver,
        param,
    )
    from framework.processes.spec import (
        ProcessSpec,
        RestartPolicy,
        python_child,
    )
    from framework.registrar import (
        CommandGate,
        CommandStamp,
        JournalEntry,
        Lease,
        LeaseView,
        ResourceRegistrar,
        ResourceView,
        Snapshot,
        Supply,
    )
    from framework.status import (
        Hop,
        Priority,
        Reason,
        ReasonKind,
        Severity,
        Status,
    )
    from framework.transport.interface import (
        Transport,
    )
    from framework.transport.local import (
        LocalTransport,
    )
    from framework.transport.ring import (
        RingReader,
        RingWriter,
        Sample,
    )
    from framework.transport.zenoh import (
        ZenohTransport,
    )
    from resources.types.arms import (
        Arm,
        ArmHandle,
        ArmState,
        Base,
        BaseHandle,
        ControlHandle,
        ControlLoop,
        Gripper,
        GripperHandle,
        Motion,
        Recovery,
        Workspace,
    )
    from resources.types.clients import (
        CameraClient,
        CloudClient,
        LidarClient,
        StreamClient,
        TrackedClient,
    )
    from resources.types.context import (
        Known,
        KnownThing,
        Surroundings,
        ThingKind,
        Tracked,
        TrackedFeed,
    )
    from resources.types.control import (
        ControlReport,
        SimulatedControl,
        Simulation,
        SimulationHandle,
        SimulationReport,
        SweepHandle,
        ThingReport,
        WristSweep,
    )
    from resources.types.device_states import DeviceState
    from resources.types.masters import HandSample, HandSide, HandStream
    from resources.types.memory import (
        Memory,
        MemoryClient,
        Remembered,
        RememberedPath,
        RememberedPlace,
        RememberedPose,
        RememberedView,
    )
    from resources.types.motion import (
        ArmSample,
        BaseSample,
        ControllerKind,
        Drive,
        EndKind,
        Follow,
        GripperSample,
        Guide,
        Hold,
        LoopState,
        MoveBase,
        MoveGripper,
        MoveJoints,
        MovePose,
        Orders,
        StopCategory,
        StopKind,
        Sweep,
        TrackJoints,
        TrackPose,
        TrackTwist,
        Wanted,
    )
    from resources.types.motion_clients import (
        ArmClient,
        ArmStateClient,
        BaseClient,
        GripperClient,
        MotionClient,
    )
    from resources.types.operator import (
        DeviceKind,
        DriverSeat,
        OperatorLinks,
        OperatorLinksHandle,
        OperatorSession,
        OperatorSessionHandle,
        SessionLine,
    )
    from resources.types.operator_client import Driven, OperatorClient, Seat
    from resources.types.processes import (
        Process,
        ProcessHandle,
    )
    from resources.types.samples import Cloud, Frame, Poses, Scan, Sighting
    from resources.types.sensors import (
        Camera,
        CameraFeed,
        CloudFeed,
        Device,
        DeviceFeed,
        Lidar,
        ScanFeed,
        SweptLidar,
    )
    from resources.types.sights import Picture, Sight, SightFeed
    from resources.types.streams import (
        CameraIntrinsics,
        Pose7,
        SampleMeta,
        Stream,
        StreamFormat,
        StreamHandle,
        decode_meta,
        encode_meta,
    )
    from resources.types.views import Page, PageHandle, Screen, ScreenContent, View, ViewHandle

__version__ = "0.1.0.dev0"

#: What is loaded from where, when it is first used. The imports above say the same to type checkers.
_NAMES = {
    "framework.errors": (
        "ActionOver CircleFailed CircularDependency CommandLate CommandRefused DescriptionError "
        "InstallationError LeaseError MalformedMessage MotionFailed "
        "NothingScheduled PilothouseError PlanError PluginUnavailable Preempted ProcessDied ProcessError "
        "ProposalError "
        "ProcessStartFailed RegistrarClosed RenderingUnavailable RequestTypeError ResourceFailed "
        "ResourceHeld ResourceUnavailable SharedMemoryFull SimulatedTimeError StreamError TransportError"
    ),
    "framework.clock": "Clock LoopClock",
    "framework.events": "Event EventKind",
    "framework.status": "Hop Priority Reason ReasonKind Severity Status",
    "framework.registrar": (
        "CommandGate CommandStamp JournalEntry Lease LeaseView ResourceRegistrar ResourceView Snapshot Supply"
    ),
    "framework.transport.interface": "Transport",
    "framework.transport.local": "LocalTransport",
    "framework.transport.zenoh": "ZenohTransport",
    "framework.transport.ring": "RingReader RingWriter Sample",
    "framework.processes.spec": "ProcessSpec RestartPolicy python_child",
    "framework.plugins": (
        "Action ActionCatalogue ActionRunner ActionSpec Client DeviceContext Driver "
        " DriverCatalogue DriverSpec OnPreempt Outcome ParameterSpec Risk RunState RunnerPolicy "
        "SupervisorService action_spec needs new_action new_driver param"
    ),
    "resources.types.context": "Known KnownThing Surroundings ThingKind Tracked TrackedFeed",
    "resources.types.control": (
        "ControlReport SimulatedControl Simulation SimulationHandle SimulationReport SweepHandle ThingReport "
        "WristSweep"
    ),
    "resources.types.arms": (
        "Arm ArmHandle ArmState Base BaseHandle ControlHandle ControlLoop Gripper GripperHandle Motion "
        "Recovery Workspace"
    ),
    "resources.types.device_states": "DeviceState",
    "resources.types.motion": (
        "ArmSample BaseSample ControllerKind Drive EndKind Follow GripperSample Guide Hold LoopState "
        "MoveBase MoveGripper MoveJoints MovePose Orders StopCategory StopKind Sweep TrackJoints TrackPose "
        "TrackTwist Wanted"
    ),
    "resources.types.motion_clients": "ArmClient ArmStateClient BaseClient GripperClient MotionClient",
    "resources.types.masters": "HandSample HandSide HandStream",
    "resources.types.operator": (
        "DeviceKind DriverSeat OperatorLinks OperatorLinksHandle OperatorSession OperatorSessionHandle "
        "SessionLine"
    ),
    "resources.types.operator_client": "Driven OperatorClient Seat",
    "resources.types.processes": "Process ProcessHandle",
    "resources.types.sensors": "Camera CameraFeed CloudFeed Device DeviceFeed Lidar ScanFeed SweptLidar",
    "resources.types.sights": "Picture Sight SightFeed",
    "resources.types.memory": (
        "Memory MemoryClient Remembered RememberedPath RememberedPlace RememberedPose RememberedView"
    ),
    "resources.types.streams": (
        "CameraIntrinsics Pose7 SampleMeta Stream StreamFormat StreamHandle decode_meta encode_meta"
    ),
    "resources.types.views": "Page PageHandle Screen ScreenContent View ViewHandle",
    "resources.types.clients": "CameraClient CloudClient LidarClient StreamClient TrackedClient",
    "resources.types.samples": "Cloud Frame Poses Scan Sighting",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}

# fmt: off
__all__ = [
    "Action", "ActionCatalogue", "ActionOver", "ActionRunner", "ActionSpec", "Arm", "ArmClient",
    "ArmHandle", "ArmSample", "ArmState", "ArmStateClient", "Base", "BaseClient", "BaseHandle",
    "BaseSample", "Camera", "CameraClient", "CameraFeed", "CameraIntrinsics", "CircleFailed",
    "CircularDependency", "Client", "Clock", "Cloud", "CloudClient", "CloudFeed", "CommandGate",
    "CommandLate", "CommandRefused", "CommandStamp", "ControlHandle", "ControlLoop", "ControlReport",
    "ControllerKind", "DescriptionError", "Device", "DeviceContext", "DeviceFeed", "DeviceKind",
    "DeviceState", "Drive", "Driven", "Driver", "DriverCatalogue", "DriverSeat", "DriverSpec",
    "EndKind", "Event", "EventKind", "Follow", "Frame", "Gripper", "GripperClient", "GripperHandle",
    "GripperSample", "Guide", "HandSample", "HandSide", "HandStream", "Hold", "Hop",
    "InstallationError", "JournalEntry", "Known", "KnownThing", "Lease", "LeaseError", "LeaseView",
    "Lidar", "LidarClient", "LocalTransport", "LoopClock", "LoopState", "MalformedMessage", "Memory",
    "MemoryClient", "Motion", "MotionClient", "MotionFailed", "MoveBase", "MoveGripper", "MoveJoints",
    "MovePose", "NothingScheduled", "OnPreempt", "OperatorClient", "OperatorLinks",
    "OperatorLinksHandle", "OperatorSession", "OperatorSessionHandle", "Orders", "Outcome", "Page",
    "PageHandle", "ParameterSpec", "Picture", "PilothouseError", "PlanError", "PluginUnavailable",
    "Pose7", "Poses", "Preempted", "Priority", "Process", "ProcessDied", "ProcessError",
    "ProcessHandle", "ProcessSpec", "ProcessStartFailed", "ProposalError", "Reason", "ReasonKind",
    "Recovery", "RegistrarClosed", "Remembered",
    "RememberedPath", "RememberedPlace", "RememberedPose", "RememberedView", "RenderingUnavailable",
    "RequestTypeError", "ResourceFailed", "ResourceHeld", "ResourceRegistrar",
    "ResourceUnavailable", "ResourceView", "RestartPolicy", "RingReader", "RingWriter", "Risk",
    "RunState", "RunnerPolicy", "Sample", "SampleMeta", "Scan", "ScanFeed", "Screen",
    "ScreenContent", "Seat", "SessionLine", "Severity", "SharedMemoryFull", "Sight", "SightFeed",
    "Sighting", "SimulatedControl", "SimulatedTimeError", "Simulation", "SimulationHandle",
    "SimulationReport", "Snapshot", "Status", "StopCategory", "StopKind", "Stream", "StreamClient",
    "StreamError", "StreamFormat", "StreamHandle", "SupervisorService", "Supply", "Surroundings",
    "Sweep", "SweepHandle", "SweptLidar", "ThingKind", "ThingReport", "TrackJoints", "TrackPose",
    "TrackTwist", "Tracked", "TrackedClient", "TrackedFeed", "Transport", "TransportError", "View",
    "ViewHandle", "Wanted", "Workspace", "WristSweep", "ZenohTransport", "__version__",
    "action_spec", "decode_meta", "encode_meta", "needs", "new_action", "new_driver", "param",
    "python_child", "testing",
]
# fmt: on


def _name_intruders() -> None:
    """Our sibling packages have common names: make sure that what is found under them is ours.

    Raises ImportError; an error class of our own would come from one of these very packages.
    """
    ours = Path(__file__).resolve().parents[1]
    for name in ("framework", "managers", "actions", "resources", "grammars"):
        loaded = sys.modules.get(name)
        spec = getattr(loaded, "__spec__", None) if loaded is not None else find_spec(name)
        places = list(spec.submodule_search_locations or ()) if spec is not None else []
        found = Path(places[0]).resolve() if places else Path((spec and spec.origin) or "nowhere")
        if found == ours / name:
            continue
        if spec is None and loaded is None:
            raise ImportError(
                f"pilothouse does not find its own package {name!r} at {ours / name}; install it again"
            )
        raise ImportError(
            f"{found} is imported as {name!r} and hides the package of pilothouse at {ours / name}. "
            "Rename the intruder, start Python elsewhere, or take its folder out of sys.path (PYTHONPATH; "
            "`python -P` leaves out the script's own)"
        )


_name_intruders()


def __getattr__(name: str) -> object:
    if name == "testing":
        return import_module("framework.testing")
    if name not in _HOME:
        raise AttributeError(
            f"pilothouse has no {name!r}; `dir(pilothouse)` lists what it has, managers and drivers are not "
            "part of it"
        )
    found = getattr(import_module(_HOME[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return list(__all__)
