"""Joining the graph so that a publisher is known soon.

Fast DDS answers who is new at once, but only once; the answer of a node on the same machine mostly comes
while the new one still announces itself, and is thrown away there. What is said next comes up to three
seconds later. Whoever leaves and joins anew soon has another chance, which is as good
as the first: measured without load about one in two (docs/ros2.md).
"""

from __future__ import annotations

import time
from typing import Final

from framework.processes.child import Child
from resources.ros.participant import Participant

_TRIES: Final = 4
_KNOWN_WITHIN_S: Final = 0.2


def joined(child: Child, name: str, *topics: str) -> Participant:
    """A participant that knows who publishes these; after some tries one that may come to know it.

    Raises as `Participant` and `Participant.offered` do.
    """
    for _ in range(_TRIES - 1):
        participant = Participant(child, name)
        try:
            until_s = time.monotonic() + _KNOWN_WITHIN_S
            is_known = all(participant.offered(topic, until_s) for topic in topics)
        except BaseException:
            participant.close()
            raise
        if is_known or child.stopping:
            return participant
        participant.close()
    return Participant(child, name)
