"""The `ProcessSpec` of a RealSense camera's process. Imports nothing heavy: the main process uses this."""

from __future__ import annotations

import msgspec

from framework.processes.spec import ProcessSpec
from resources.children.specs import ENV, device_spec
from resources.drivers.realsense.arguments import RealSenseArguments

START_TURN_S = 18.0
"""How long a camera's process may need before it begins, others of its kind going first [s]."""


def realsense_spec(arguments: RealSenseArguments) -> ProcessSpec:
    """A RealSense camera. Its handle is a `CameraFeed` as JSON.

    Hardware is given the time to be reset and to come back; the child tells meanwhile that it is degraded.
    """
    spec = device_spec(
        "realsense", "resources.drivers.realsense.child", arguments.device, arguments, arguments.rate_hz, ENV
    )
    if not arguments.is_live:
        return spec
    patience = arguments.patience
    return msgspec.structs.replace(
        spec,
        start_timeout_s=START_TURN_S + patience.longest_start_s,
        stale_after_s=patience.longest_silence_s + 1.0,
        stop_timeouts_s=(2.0, 0.5),
    )
