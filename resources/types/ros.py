"""ROS 2 as data: the graph that processes of ours may join, and what is asked of a topic's connections."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, ClassVar, Final

import msgspec
from msgspec import Meta

from framework.processes.spec import EnvPairs
from resources.types.ros_clients import RosActionClient, RosOfferClient, RosServiceClient, RosTopicClient
from resources.types.streams import StreamHandle

STALE_AFTER_S: Final = 1.0
"""Without a message for so long a device over ROS has failed [s]; a slow one after five periods."""

SIM_TIME_VARIABLE: Final = "PILOTHOUSE_ROS_SIM_TIME"
"""Set for our processes whose ROS time is that of /clock."""

TypeDefinition = tuple[tuple[str, str], ...]
"""What messages are made of: name and text (as of a .msg file) of each type, those it is made of included."""


class Reliability(StrEnum):
    """Whether what is lost on the way is sent again."""

    RELIABLE = "reliable"
    BEST_EFFORT = "best_effort"


class Durability(StrEnum):
    """Whether who comes later still gets what was said last."""

    VOLATILE = "volatile"
    TRANSIENT_LOCAL = "transient_local"


class Liveliness(StrEnum):
    """Who says that a publisher lives: its process by itself, or whoever publishes, by doing so."""

    AUTOMATIC = "automatic"
    MANUAL_BY_TOPIC = "manual_by_topic"


class Qos(msgspec.Struct, frozen=True):
    """What is asked of a topic's other end; ROS calls these policies its quality of service.

    depth: messages that wait for whoever is late. deadline_s: a publisher has to promise one at least each
    so often; lease_s: and to show that it lives. None asks for no promise, and takes everybody.
    """

    reliability: Reliability = Reliability.RELIABLE
    durability: Durability = Durability.VOLATILE
    depth: Annotated[int, Meta(ge=1, le=1000)] = 10
    deadline_s: Annotated[float, Meta(gt=0.0, le=3600.0)] | None = None
    liveliness: Liveliness = Liveliness.AUTOMATIC
    lease_s: Annotated[float, Meta(gt=0.0, le=3600.0)] | None = None


SENSOR: Final = Qos(Reliability.BEST_EFFORT, depth=5)
"""Of measurements: the newest counts, and every publisher fits."""

COMMAND: Final = Qos(depth=1)
"""Of what moves: none is lost, and none waits behind an older one."""

LATCHED: Final = Qos(durability=Durability.TRANSIENT_LOCAL, depth=1)
"""Of what is said once and holds."""


class RosDomainHandle(msgspec.Struct, frozen=True):
    """How a process joins the graph.

    python: the interpreter that has rclpy; where it was found stands in `found`. distribution: "kilted".
    env: what its environment has to be, besides ours.
    """

    python: str
    found: str
    distribution: str
    domain: int
    env: EnvPairs = ()


class RosDomain(msgspec.Struct, frozen=True):
    """The ROS 2 graph that the robot description names, or the environment does."""

    handle_type: ClassVar[type] = RosDomainHandle

    def __str__(self) -> str:
        return "the ROS 2 graph"


class RosNodeHandle(msgspec.Struct, frozen=True):
    """A node that we run. name: its full one; is_managed: it has a life cycle, and is active."""

    name: str
    is_managed: bool = False


class RosNode(msgspec.Struct, frozen=True):
    """A node to be run by us: of an installed package, or any program that speaks ROS.

    package, executable: as `ros2 run` takes them; command: instead, as in `("python3",
    "/home/me/camera.py")`. parameters: names and values, as YAML ("true", "[1, 2]"). remappings: names in
    the node, and those that they are to have. lifecycle: it is configured and activated when it is had,
    deactivated and cleaned up when it is given back, each within so long [s]. It is started again if it
    dies.
    """

    handle_type: ClassVar[type] = RosNodeHandle

    name: Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}\Z")]
    package: str = ""
    executable: str = ""
    command: tuple[str, ...] = ()
    namespace: Annotated[str, Meta(pattern=r"^(/[A-Za-z_][A-Za-z0-9_]*)*\Z")] = ""
    parameters: tuple[tuple[str, str], ...] = ()
    remappings: tuple[tuple[str, str], ...] = ()
    lifecycle: bool = False
    within_s: Annotated[float, Meta(gt=0.0, le=60.0)] = 10.0

    @property
    def full_name(self) -> str:
        """As the graph knows it."""
        return f"{self.namespace}/{self.name}"

    def __str__(self) -> str:
        return f"node {self.full_name}"


class RosBridgeHandle(msgspec.Struct, frozen=True):
    """The process that carries links. lives: so often it was started."""

    lives: int = 1


class RosBridge(msgspec.Struct, frozen=True):
    """The bridge to the ROS 2 graph, which all links share."""

    handle_type: ClassVar[type] = RosBridgeHandle

    def __str__(self) -> str:
        return "the bridge to ROS"


class RosLinkHandle(msgspec.Struct, frozen=True):
    """One link. type: ROS's; definition: what its messages are made of; stream: where what comes is written.

    lives: so often the bridge was started; what was asked of an earlier one is not answered any more.
    """

    name: str
    type: str
    definition: TypeDefinition
    stream: StreamHandle | None = None
    lives: int = 1


class RosOutwardHandle(msgspec.Struct, frozen=True):
    """The right is had. name: of what."""

    name: str


class RosOutward(msgspec.Struct, frozen=True):
    """The right to send by one name what may move something. Ask for it exclusively; `RosTopic` and
    `RosAction` do, whatever else they say of it.

    name: of the topic or action, from the root: `/cmd_vel`.
    """

    handle_type: ClassVar[type] = RosOutwardHandle

    name: str

    def __str__(self) -> str:
        return f"sending by {self.name}"


TopicName = Annotated[str, Meta(min_length=1, max_length=200)]


class RosTopic(msgspec.Struct, frozen=True):
    """Messages of one topic: `/front/scan`, of type `sensor_msgs/msg/LaserScan`.

    outward: ours, to whoever listens; moves: by them something may move, so only who holds it alone may
    send any (whoever asks for the same name in another way waits, too), what sends by itself needs a permit
    (`framework.interlock`), and none goes out under an emergency stop. rate_hz: how often messages should
    come; 0 if nobody knows, else a silence is told, and after a second, or five periods, it has failed.
    """

    handle_type: ClassVar[type] = RosLinkHandle
    client_type: ClassVar[type] = RosTopicClient

    name: TopicName
    type: TopicName
    outward: bool = False
    moves: bool = True
    qos: Qos | None = None
    rate_hz: Annotated[float, Meta(ge=0.0, le=10_000.0)] = 0.0

    def __str__(self) -> str:
        return f"topic {self.name}"


class RosService(msgspec.Struct, frozen=True):
    """A service of somebody else's node: `/reset_odometry`, of type `std_srvs/srv/Trigger`.

    moves: something may move by it, so it is not asked under an emergency stop.
    """

    handle_type: ClassVar[type] = RosLinkHandle
    client_type: ClassVar[type] = RosServiceClient

    name: TopicName
    type: TopicName
    moves: bool = True

    def __str__(self) -> str:
        return f"service {self.name}"


class RosOffer(msgspec.Struct, frozen=True):
    """A service or an action of ours, for others' nodes: its type says which."""

    handle_type: ClassVar[type] = RosLinkHandle
    client_type: ClassVar[type] = RosOfferClient

    name: TopicName
    type: TopicName

    @property
    def is_action(self) -> bool:
        """Whether it is one."""
        return "/action/" in self.type

    def __str__(self) -> str:
        return f"{'action' if self.is_action else 'service'} {self.name} of ours"


class RosAction(msgspec.Struct, frozen=True):
    """An action of somebody else's node: `/navigate_to_pose`, of type `nav2_msgs/action/NavigateToPose`.

    It moves, so it takes who holds it alone, with a permit as a moving `RosTopic` does. Its goals are given
    up when it is given back, with their holder, and at an emergency stop, and their ends are awaited before
    the next one has it.
    """

    handle_type: ClassVar[type] = RosLinkHandle
    client_type: ClassVar[type] = RosActionClient

    name: TopicName
    type: TopicName

    def __str__(self) -> str:
        return f"action {self.name}"
