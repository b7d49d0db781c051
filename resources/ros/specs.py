"""The `ProcessSpec` of a process that joins the ROS 2 graph. Imports nothing heavy."""

from __future__ import annotations

from typing import Final

import msgspec

from framework.processes.spec import ProcessSpec, RestartPolicy, python_child
from resources.children.specs import ENV
from resources.ros.bridging import BridgeArguments
from resources.types.ros import STALE_AFTER_S, RosDomainHandle

STARTS_WITHIN_S: Final = 20.0
"""Joining takes half a second; finding a publisher up to several, if it is on another machine."""


def ros_spec(
    domain: RosDomainHandle,
    program: str,
    arguments: object,
    name: str,
    *,
    device: str = "",
    rate_hz: float = 0.0,
) -> ProcessSpec:
    """A process under the interpreter that has rclpy, in its environment. Not started again by itself.

    program: "module:function". rate_hz: of its streams, which may not get too old; 0 if it has none.
    """
    return ProcessSpec(
        python_child(program, arguments, python=domain.python),
        name,
        env=(*ENV, *domain.env),
        stale_after_s=max(STALE_AFTER_S, 5 / rate_hz) if rate_hz else None,
        start_timeout_s=STARTS_WITHIN_S,
        stop_timeouts_s=(1.0, 0.5),
        restart=None,
        device=device,
    )


def bridge_spec(domain: RosDomainHandle, arguments: BridgeArguments) -> ProcessSpec:
    """The bridge, which is started again by itself. Its handle is the `StreamHandle` of what it tells."""
    spec = ros_spec(domain, "resources.ros.bridge_child:main", arguments, "ros_bridge")
    return msgspec.structs.replace(spec, restart=RestartPolicy(first_s=0.1, longest_s=2.0))


def ros_motion_spec(
    domain: RosDomainHandle, program: str, arguments: object, name: str, *, device: str
) -> ProcessSpec:
    """The same of a device that moves: it gets the time to come to rest when it is told to end."""
    spec = ros_spec(domain, program, arguments, name, device=device)
    return msgspec.structs.replace(spec, stale_after_s=STALE_AFTER_S, stop_timeouts_s=(2.5, 0.5))
