"""The names of the front door, and where they come from; `__init__.py` loads each when it is first used.

This list is the only one: type checkers read it as it stands.
"""

from framework import testing as testing
from framework.clock import (
    Clock as Clock,
    LoopClock as LoopClock,
)
from framework.errors import (
    ActionOver as ActionOver,
    CircleFailed as CircleFailed,
    CircularDependency as CircularDependency,
    CommandLate as CommandLate,
    CommandRefused as CommandRefused,
    DescriptionError as DescriptionError,
    InstallationError as InstallationError,
    LeaseError as LeaseError,
    LoopHeld as LoopHeld,
    MalformedMessage as MalformedMessage,
    MotionFailed as MotionFailed,
    NothingScheduled as NothingScheduled,
    PilothouseError as PilothouseError,
    PlanError as PlanError,
    PluginUnavailable as PluginUnavailable,
    Preempted as Preempted,
    ProcessDied as ProcessDied,
    ProcessError as ProcessError,
    ProcessStartFailed as ProcessStartFailed,
    ProposalError as ProposalError,
    RegistrarClosed as RegistrarClosed,
    RenderingUnavailable as RenderingUnavailable,
    RequestTypeError as RequestTypeError,
    ResourceFailed as ResourceFailed,
    ResourceHeld as ResourceHeld,
    ResourceUnavailable as ResourceUnavailable,
    SharedMemoryFull as SharedMemoryFull,
    SoundError as SoundError,
    SimulatedTimeError as SimulatedTimeError,
    StreamError as StreamError,
    TransportError as TransportError,
)
from framework.events import Event as Event, EventKind as EventKind, Subject as Subject
from resources.types.device_states import DeviceState as DeviceState
from framework.plugins import (
    Action as Action,
    ActionCatalogue as ActionCatalogue,
    ActionRunner as ActionRunner,
    ActionSpec as ActionSpec,
    Client as Client,
    DeviceContext as DeviceContext,
    Driver as Driver,
    DriverCatalogue as DriverCatalogue,
    DriverSpec as DriverSpec,
    OnPreempt as OnPreempt,
    Outcome as Outcome,
    ParameterSpec as ParameterSpec,
    Risk as Risk,
    RunState as RunState,
    RunnerPolicy as RunnerPolicy,
    SupervisorService as SupervisorService,
    action_spec as action_spec,
    needs as needs,
    new_action as new_action,
    new_driver as new_driver,
    param as param,
)
from framework.processes.spec import (
    ProcessSpec as ProcessSpec,
    RestartPolicy as RestartPolicy,
    python_child as python_child,
)
from framework.registrar import (
    CommandGate as CommandGate,
    CommandStamp as CommandStamp,
    JournalEntry as JournalEntry,
    Lease as Lease,
    LeaseView as LeaseView,
    ResourceRegistrar as ResourceRegistrar,
    ResourceView as ResourceView,
    Snapshot as Snapshot,
    Supply as Supply,
)
from framework.status import (
    Hop as Hop,
    Priority as Priority,
    Reason as Reason,
    ReasonKind as ReasonKind,
    Severity as Severity,
    Status as Status,
)
from framework.transport.interface import Transport as Transport
from framework.transport.local import LocalTransport as LocalTransport
from framework.transport.ring import (
    RingReader as RingReader,
    RingWriter as RingWriter,
    Sample as Sample,
)
from framework.transport.zenoh import ZenohTransport as ZenohTransport
from resources.types.arms import (
    Arm as Arm,
    ArmHandle as ArmHandle,
    ArmState as ArmState,
    Base as Base,
    BaseHandle as BaseHandle,
    ControlHandle as ControlHandle,
    ControlLoop as ControlLoop,
    Gripper as Gripper,
    GripperHandle as GripperHandle,
    Motion as Motion,
    Recovery as Recovery,
)
from resources.types.clients import (
    CameraClient as CameraClient,
    CloudClient as CloudClient,
    LidarClient as LidarClient,
    StreamClient as StreamClient,
    TrackedClient as TrackedClient,
)
from resources.types.context import (
    Known as Known,
    KnownThing as KnownThing,
    Surroundings as Surroundings,
    ThingKind as ThingKind,
    Tracked as Tracked,
    TrackedFeed as TrackedFeed,
)
from resources.types.control import (
    ControlReport as ControlReport,
    SimulatedControl as SimulatedControl,
    Simulation as Simulation,
    SimulationHandle as SimulationHandle,
    SimulationReport as SimulationReport,
    SweepHandle as SweepHandle,
    ThingReport as ThingReport,
    WristSweep as WristSweep,
)
from resources.types.masters import (
    HandSample as HandSample,
    HandSide as HandSide,
    HandStream as HandStream,
)
from resources.types.memory import (
    Memory as Memory,
    MemoryClient as MemoryClient,
    Remembered as Remembered,
    RememberedPath as RememberedPath,
    RememberedPlace as RememberedPlace,
    RememberedPose as RememberedPose,
    RememberedView as RememberedView,
)
from resources.types.motion import (
    ArmSample as ArmSample,
    BaseSample as BaseSample,
    ControllerKind as ControllerKind,
    Drive as Drive,
    EndKind as EndKind,
    Follow as Follow,
    GripperSample as GripperSample,
    Guide as Guide,
    Hold as Hold,
    LoopState as LoopState,
    MoveBase as MoveBase,
    MoveGripper as MoveGripper,
    MoveJoints as MoveJoints,
    MovePose as MovePose,
    Orders as Orders,
    StopCategory as StopCategory,
    StopKind as StopKind,
    Sweep as Sweep,
    TrackJoints as TrackJoints,
    TrackPose as TrackPose,
    TrackTwist as TrackTwist,
    Wanted as Wanted,
    Workspace as Workspace,
)
from resources.types.motion_clients import (
    ArmClient as ArmClient,
    ArmStateClient as ArmStateClient,
    BaseClient as BaseClient,
    GripperClient as GripperClient,
    MotionClient as MotionClient,
)
from resources.types.operator import (
    DeviceKind as DeviceKind,
    DriverSeat as DriverSeat,
    OperatorLinks as OperatorLinks,
    OperatorLinksHandle as OperatorLinksHandle,
    OperatorSession as OperatorSession,
    OperatorSessionHandle as OperatorSessionHandle,
    SessionLine as SessionLine,
)
from resources.types.operator_client import (
    Driven as Driven,
    OperatorClient as OperatorClient,
    Seat as Seat,
)
from resources.types.processes import (
    Process as Process,
    ProcessHandle as ProcessHandle,
)
from resources.types.routes import (
    Back as Back,
    Beside as Beside,
    Departure as Departure,
    Leg as Leg,
    Nearer as Nearer,
    Onto as Onto,
    Route as Route,
    Side as Side,
    Way as Way,
    WayKind as WayKind,
)
from resources.types.ros import (
    Qos as Qos,
    RosAction as RosAction,
    RosDomain as RosDomain,
    RosNode as RosNode,
    RosNodeHandle as RosNodeHandle,
    RosService as RosService,
    RosTopic as RosTopic,
)
from resources.types.ros_clients import (
    RosActionClient as RosActionClient,
    RosGoal as RosGoal,
    RosServiceClient as RosServiceClient,
    RosTopicClient as RosTopicClient,
)
from resources.types.samples import (
    Cloud as Cloud,
    Frame as Frame,
    Poses as Poses,
    Scan as Scan,
    Sighting as Sighting,
)
from resources.types.sensors import (
    Camera as Camera,
    CameraFeed as CameraFeed,
    CloudFeed as CloudFeed,
    Device as Device,
    DeviceFeed as DeviceFeed,
    Lidar as Lidar,
    ScanFeed as ScanFeed,
    SweptLidar as SweptLidar,
)
from resources.types.sights import (
    Picture as Picture,
    Sight as Sight,
    SightFeed as SightFeed,
)
from resources.types.streams import (
    CameraIntrinsics as CameraIntrinsics,
    Pose7 as Pose7,
    SampleMeta as SampleMeta,
    Stream as Stream,
    StreamFormat as StreamFormat,
    StreamHandle as StreamHandle,
    decode_meta as decode_meta,
    encode_meta as encode_meta,
)
from resources.types.views import (
    Page as Page,
    PageHandle as PageHandle,
    Screen as Screen,
    ScreenContent as ScreenContent,
    View as View,
    ViewHandle as ViewHandle,
)

__all__: list[str]
__version__: str
