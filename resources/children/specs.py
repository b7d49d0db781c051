"""The `ProcessSpec` of each child. Imports nothing heavy: the main process uses this.

No device is restarted by its process: its death must be known at once, and what takes its place is
decided by managers. `hang_after_beats` is generous because two cores may be busy with rendering;
death is known by the exit itself, without any wait.
"""

from __future__ import annotations

import msgspec

from framework.processes.spec import EnvPairs, ProcessSpec, python_child
from resources.children.arguments import (
    CameraArguments,
    DetectorArguments,
    LidarArguments,
    RealSenseArguments,
    StitcherArguments,
    WorldArguments,
)
from resources.fci.arguments import FciArmArguments, FciGripperArguments

STALE_AFTER_S = 2.0
"""A device without a new sample for so long has failed [s]; a slow one after four periods."""

HANG_AFTER_BEATS = 20
"""Beats that may be missing: a browser that draws in software beside us takes whole seconds."""

START_TURN_S = 18.0
"""How long a camera's process may need before it begins, others of its kind going first [s]."""

# Threads of numerical libraries would fight over the same two cores.
_ENV: EnvPairs = (("OPENBLAS_NUM_THREADS", "1"), ("OMP_NUM_THREADS", "1"))
# MuJoCo need not look for OpenGL where nothing is drawn, nor stumble over a wrong MUJOCO_GL.
_ENV_WITHOUT_GL: EnvPairs = (*_ENV, ("MUJOCO_GL", "disable"))


def world_spec(arguments: WorldArguments) -> ProcessSpec:
    """The simulated world. Its handle is a `SimulationHandle` as JSON."""
    return ProcessSpec(
        python_child("resources.children.world:main", arguments),
        f"world {arguments.world}",
        env=_ENV_WITHOUT_GL,
        hang_after_beats=HANG_AFTER_BEATS,
        stale_after_s=STALE_AFTER_S,
        stop_timeouts_s=(0.5, 0.5),
        restart=None,
        collect_garbage=False,
    )


def camera_spec(arguments: CameraArguments) -> ProcessSpec:
    """A simulated camera. Its handle is a `CameraFeed` as JSON. It chooses OpenGL by itself."""
    return _device("camera", arguments.device, arguments, arguments.rate_hz, _ENV)


def lidar_spec(arguments: LidarArguments) -> ProcessSpec:
    """A simulated laser scanner. Its handle is a `ScanFeed` as JSON."""
    return _device("lidar", arguments.device, arguments, arguments.rate_hz, _ENV_WITHOUT_GL)


def stitcher_spec(arguments: StitcherArguments) -> ProcessSpec:
    """Scans → cloud. Its handle is a `CloudFeed` as JSON."""
    return _device("stitcher", arguments.device, arguments, arguments.rate_hz, _ENV_WITHOUT_GL)


def detector_spec(arguments: DetectorArguments) -> ProcessSpec:
    """Pictures → poses of a marker. Its handle is a `TrackedFeed` as JSON."""
    name = f"{arguments.thing} {arguments.camera}"
    return _child("detector", name, arguments, arguments.source.rate_hz, _ENV)


def realsense_spec(arguments: RealSenseArguments) -> ProcessSpec:
    """A RealSense camera. Its handle is a `CameraFeed` as JSON.

    Hardware is given the time to be reset and to come back; the child tells meanwhile that it is degraded.
    """
    spec = _device("realsense", arguments.device, arguments, arguments.rate_hz, _ENV)
    if not arguments.is_live:
        return spec
    patience = arguments.patience
    return msgspec.structs.replace(
        spec,
        start_timeout_s=START_TURN_S + patience.longest_start_s,
        stale_after_s=patience.longest_silence_s + 1.0,
        stop_timeouts_s=(2.0, 0.5),
    )


def _device(module: str, device: str, arguments: object, rate_hz: float, env: EnvPairs) -> ProcessSpec:
    spec = _child(module, device, arguments, rate_hz, env)
    return msgspec.structs.replace(spec, device=device)


def _child(module: str, name: str, arguments: object, rate_hz: float, env: EnvPairs) -> ProcessSpec:
    return ProcessSpec(
        python_child(f"resources.children.{module}:main", arguments),
        f"{module} {name}",
        env=env,
        hang_after_beats=HANG_AFTER_BEATS,
        stale_after_s=max(STALE_AFTER_S, 4 / rate_hz),
        stop_timeouts_s=(0.5, 0.5),
        restart=None,
    )


def fci_arm_spec(arguments: FciArmArguments) -> ProcessSpec:
    """A real arm. Its handle is the `StreamHandle` of its reports as JSON.

    A call that the arm does not answer freezes the process for good: then it is ended from outside.
    """
    return _control("fci_arm", arguments.device, arguments)


def fci_gripper_spec(arguments: FciGripperArguments) -> ProcessSpec:
    """A real arm's gripper. Its handle is a `FciGripperFeed` as JSON."""
    return _control("fci_gripper", arguments.device, arguments)


def _control(module: str, name: str, arguments: object) -> ProcessSpec:
    return ProcessSpec(
        python_child(f"resources.children.{module}:main", arguments),
        f"{module} {name}",
        env=_ENV_WITHOUT_GL,
        start_timeout_s=8.0,  # an arm that was reached but does not answer: see resources.fci.reaching
        hang_after_beats=HANG_AFTER_BEATS,
        stale_after_s=STALE_AFTER_S,
        stop_timeouts_s=(2.0, 0.5),
        restart=None,
        collect_garbage=False,
        device=name,
    )
