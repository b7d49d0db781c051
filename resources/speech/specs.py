"""The `ProcessSpec` of each process of speech. Imports nothing heavy.

They are started again by themselves: each goes on where the one before it was.
"""

from __future__ import annotations

from typing import Final

import msgspec

from framework.processes.spec import ProcessSpec, RestartPolicy, python_child
from resources.children.specs import ENV, STALE_AFTER_S
from resources.speech.arguments import EarArguments, EndpointArguments, RecogniserArguments

EAR_RESTARTS: Final = RestartPolicy(first_s=0.1, longest_s=1.0, most=3, within_s=60.0)
"""An ear is there again at once, or its microphone is closed: see `managers.sensor_manager`."""

RECOGNISER_STARTS_S: Final = 40.0
"""It reads models of a hundred megabytes: a second on a quiet machine."""


RECOGNISER_STALE_S: Final = 50.0
"""While an utterance is written down nothing is told, which takes long on a busy machine: as long as the
longest one may (`recogniser_child.WRITING_TAKES`). A hang is known: it turns later than it said."""


def endpoint_spec(arguments: EndpointArguments) -> ProcessSpec:
    """The end-of-speech detector of a microphone. Its handle is an `UtteranceFeed` as JSON."""
    return _spec("end-of-speech detector", "endpoint_child", arguments.audio.device, arguments)


def ear_spec(arguments: EarArguments) -> ProcessSpec:
    """The ear for "emergency stop" at a microphone. Its handle is an `EarHandle` as JSON."""
    spec = _spec("emergency ear", "ear_child", arguments.audio.device, arguments)
    return msgspec.structs.replace(spec, restart=EAR_RESTARTS)


def recogniser_spec(arguments: RecogniserArguments) -> ProcessSpec:
    """The recogniser of a microphone. Its handle is a `TranscriptFeed` as JSON."""
    device = arguments.utterances.audio.device
    spec = _spec("speech recogniser", "recogniser_child", device, arguments)
    return msgspec.structs.replace(
        spec, start_timeout_s=RECOGNISER_STARTS_S, stale_after_s=RECOGNISER_STALE_S
    )


def _spec(kind: str, program: str, device: str, arguments: object) -> ProcessSpec:
    return ProcessSpec(
        python_child(f"resources.speech.{program}:main", arguments),
        f"{kind} {device}",
        env=ENV,
        stale_after_s=STALE_AFTER_S,
        stop_timeouts_s=(0.5, 0.5),
    )
