"""The `ProcessSpec` of each child here, and what all have in common. Imports nothing heavy.

No device is restarted by its process: its death must be known at once, and what takes its place is
decided by managers. A main loop that computes (draws in software, on a busy machine) is given
`slow_after_s`; who is stopped or sleeps is known within `hang_after_s`, death by the exit itself.
"""

from __future__ import annotations

import msgspec

from framework.processes.spec import EnvPairs, ProcessSpec, python_child
from resources.audio.format import BLOCKS_HZ
from resources.children.arguments import (
    CameraArguments,
    DetectorArguments,
    FilmArguments,
    LidarArguments,
    LoudspeakerArguments,
    MicrophoneArguments,
    SoundFilesArguments,
    StitcherArguments,
    WorldArguments,
)

STALE_AFTER_S = 2.0
"""A device without a new sample for so long has failed [s]; a slow one after four periods."""

# Threads of numerical libraries would fight over the same two cores.
ENV: EnvPairs = (("OPENBLAS_NUM_THREADS", "1"), ("OMP_NUM_THREADS", "1"))
# MuJoCo need not look for OpenGL where nothing is drawn, nor stumble over a wrong MUJOCO_GL.
ENV_WITHOUT_GL: EnvPairs = (*ENV, ("MUJOCO_GL", "disable"))


def world_spec(arguments: WorldArguments) -> ProcessSpec:
    """The simulated world. Its handle is a `SimulationHandle` as JSON."""
    return ProcessSpec(
        python_child("resources.children.world:main", arguments),
        f"world {arguments.world}",
        env=ENV_WITHOUT_GL,
        stale_after_s=STALE_AFTER_S,
        stop_timeouts_s=(0.5, 0.5),
        restart=None,
        collect_garbage=False,
    )


def camera_spec(arguments: CameraArguments) -> ProcessSpec:
    """A simulated camera. Its handle is a `CameraFeed` as JSON. It chooses OpenGL by itself."""
    return device_spec(
        "camera", "resources.children.camera", arguments.device, arguments, arguments.rate_hz, ENV
    )


def film_spec(arguments: FilmArguments) -> ProcessSpec:
    """A film, played. Its handle is a `CameraFeed` as JSON."""
    program = "resources.children.film"
    return device_spec("film", program, arguments.device, arguments, arguments.rate_hz, ENV)


def lidar_spec(arguments: LidarArguments) -> ProcessSpec:
    """A simulated laser scanner. Its handle is a `ScanFeed` as JSON."""
    return device_spec(
        "lidar", "resources.children.lidar", arguments.device, arguments, arguments.rate_hz, ENV_WITHOUT_GL
    )


def stitcher_spec(arguments: StitcherArguments) -> ProcessSpec:
    """Scans → cloud. Its handle is a `CloudFeed` as JSON."""
    return device_spec(
        "stitcher",
        "resources.children.stitcher",
        arguments.device,
        arguments,
        arguments.rate_hz,
        ENV_WITHOUT_GL,
    )


def microphone_spec(arguments: MicrophoneArguments) -> ProcessSpec:
    """An open microphone. Its handle is an `AudioFeed` as JSON."""
    program = "resources.children.microphone"
    return device_spec("microphone", program, arguments.device, arguments, BLOCKS_HZ, ENV)


def sound_files_spec(arguments: SoundFilesArguments) -> ProcessSpec:
    """Recordings, played. Its handle is an `AudioFeed` as JSON."""
    program = "resources.children.sound_files"
    return device_spec("sound files", program, arguments.device, arguments, BLOCKS_HZ, ENV)


def loudspeaker_spec(arguments: LoudspeakerArguments) -> ProcessSpec:
    """What the robot is heard by. Its handle is a `LoudspeakerFeed` as JSON."""
    program = "resources.children.loudspeaker"
    return device_spec("loudspeaker", program, arguments.device, arguments, 2.0, ENV)


def detector_spec(arguments: DetectorArguments) -> ProcessSpec:
    """Pictures → poses of a marker. Its handle is a `TrackedFeed` as JSON."""
    name = f"{arguments.thing} {arguments.camera}"
    return child_spec(
        "detector", "resources.children.detector", name, arguments, arguments.source.rate_hz, ENV
    )


def device_spec(
    kind: str, program: str, device: str, arguments: object, rate_hz: float, env: EnvPairs
) -> ProcessSpec:
    """A device's process, which says whose it is. Else as `child_spec`."""
    spec = child_spec(kind, program, device, arguments, rate_hz, env)
    return msgspec.structs.replace(spec, device=device)


def child_spec(
    kind: str, program: str, name: str, arguments: object, rate_hz: float, env: EnvPairs
) -> ProcessSpec:
    """A process of sensing, named after its kind and what it is for.

    program: the module whose `main` runs in it. rate_hz: of its stream, which may not get too old.
    """
    return ProcessSpec(
        python_child(f"{program}:main", arguments),
        f"{kind} {name}",
        env=env,
        stale_after_s=max(STALE_AFTER_S, 4 / rate_hz),
        stop_timeouts_s=(0.5, 0.5),
        restart=None,
    )
