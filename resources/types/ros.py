"""ROS 2 as data: the graph that processes of ours may join, and what is asked of a topic's connections."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, ClassVar, Final

import msgspec
from msgspec import Meta

from framework.processes.spec import EnvPairs


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
