"""How a view's encoder is started. Imports nothing of what the encoder needs: the main process reads this."""

from __future__ import annotations

from typing import Final

import msgspec

from framework.processes.spec import ProcessSpec, python_child
from resources.types.streams import StreamHandle

MOST_POINTS: Final = 60_000


class EncoderArguments(msgspec.Struct, frozen=True):
    """What to encode and where to put it.

    directory: the run directory; name: of the ring that is written there.
    most_hz: faster sources are thinned out.
    """

    source: StreamHandle
    directory: str
    name: str
    most_points: int = MOST_POINTS
    most_hz: float = 10.0


def encoder_process(arguments: EncoderArguments) -> ProcessSpec:
    """The child to start; what it says when it is ready is its `StreamHandle` as JSON."""
    return ProcessSpec(
        python_child("resources.console.encoder:encode", arguments),
        f"view encoder {arguments.name}",
    )
