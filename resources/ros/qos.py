"""Quality of service: our `Qos`, rclpy's profiles, and which of them fit together (DDS 1.4, 2.2.3: RxO)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from resources.types.ros import Durability, Liveliness, Qos, Reliability

_FOREVER_S: Final = 2.0**31
"""What is longer stands for "no promise"."""


def profile_of(qos: Qos) -> Any:
    """The same for rclpy. Only where that can be imported."""
    from rclpy.duration import Duration
    from rclpy.qos import DurabilityPolicy, HistoryPolicy, LivelinessPolicy, QoSProfile, ReliabilityPolicy

    promises: dict[str, Any] = {}
    if qos.deadline_s is not None:
        promises["deadline"] = Duration(seconds=qos.deadline_s)
    if qos.lease_s is not None:
        promises["liveliness_lease_duration"] = Duration(seconds=qos.lease_s)
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=qos.depth,
        reliability=ReliabilityPolicy[qos.reliability.name],
        durability=DurabilityPolicy[qos.durability.name],
        liveliness=LivelinessPolicy[qos.liveliness.name],
        **promises,
    )


def qos_of(profile: Any) -> Qos:
    """What an end in the graph says of itself; what ROS does not know of it counts as what asks least."""
    return Qos(
        _named(Reliability, profile.reliability, Reliability.BEST_EFFORT),
        _named(Durability, profile.durability, Durability.VOLATILE),
        max(1, min(int(profile.depth), 1000)),
        _seconds(profile.deadline),
        _named(Liveliness, profile.liveliness, Liveliness.AUTOMATIC),
        _seconds(profile.liveliness_lease_duration),
    )


def fitting(asked: Qos, offered: Qos) -> Qos:
    """What is asked, with what is offered of reliability: pieces of large messages are lost without."""
    return msgspec.structs.replace(asked, reliability=offered.reliability)


def misfits(asked: Qos, offered: Qos) -> Iterator[str]:
    """Each policy in which a publisher offers less than a subscriber asks for, with both words."""
    if asked.reliability is Reliability.RELIABLE and offered.reliability is not Reliability.RELIABLE:
        yield _words("reliability", asked.reliability, offered.reliability)
    if asked.durability is Durability.TRANSIENT_LOCAL and offered.durability is Durability.VOLATILE:
        yield _words("durability", asked.durability, offered.durability)
    if _longer(offered.deadline_s, asked.deadline_s):
        yield _words("deadline", _time(asked.deadline_s), _time(offered.deadline_s))
    if asked.liveliness is Liveliness.MANUAL_BY_TOPIC and offered.liveliness is Liveliness.AUTOMATIC:
        yield _words("liveliness", asked.liveliness, offered.liveliness)
    if _longer(offered.lease_s, asked.lease_s):
        yield _words("liveliness lease", _time(asked.lease_s), _time(offered.lease_s))


def _words(policy: str, asked: str, offered: str) -> str:
    return f"{policy}: {offered} is offered, {asked} asked for"


def _longer(offered_s: float | None, asked_s: float | None) -> bool:
    return asked_s is not None and (offered_s is None or offered_s > asked_s)


def _time(duration_s: float | None) -> str:
    return "no promise" if duration_s is None else f"{duration_s:g} s"


def _named(kind: Any, policy: Any, otherwise: Any) -> Any:
    return kind.__members__.get(policy.name, otherwise)


def _seconds(duration: Any) -> float | None:
    """None where nothing is promised: ROS says 0, or a time without end."""
    duration_s = duration.nanoseconds / 1e9
    return duration_s if 0.0 < duration_s < _FOREVER_S else None
