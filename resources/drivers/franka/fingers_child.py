"""The helper process of a gripper's: makes the calls that block, one at a time. Nothing is decided here.

Calls come as lines of JSON on standard input, answers go as lines to standard output; it ends with its input.
It is no child of the process manager's, but of gripper_child.py, in whose process group it ends at last.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import msgspec

from resources.drivers.franka.events import EventKind, event_of
from resources.drivers.franka.fingers import Answer, Call, What
from resources.drivers.franka.library import library


def main() -> int:
    """Serve until the input ends."""
    try:
        gripper = library().Gripper(sys.argv[1])
    except Exception as error:  # pylibfranka's have no base of their own
        _say(_failed(error))
        return 1
    _say(Answer(ok=True))
    for line in sys.stdin:
        _say(carried_out(gripper, msgspec.json.decode(line, type=Call)))
    return 0


def carried_out(gripper: Any, call: Call) -> Answer:
    """Make a call, and wait for its end."""
    try:
        match call.what:
            case What.HOMING:
                return Answer(ok=gripper.homing())
            case What.MOVE:
                return Answer(ok=gripper.move(call.width_m, call.speed))
            case What.GRASP:
                return Answer(ok=gripper.grasp(call.width_m, call.speed, call.force_n, 0.0, call.outer_m))
    except Exception as error:  # pylibfranka's have no base of their own
        return _failed(error)


def _failed(error: Exception) -> Answer:
    event = event_of(error)
    if event is None:
        raise error
    return Answer(problem=event.words, is_lost=event.kind is EventKind.LINK_LOST)


def _say(answer: Answer) -> None:
    os.write(1, msgspec.json.encode(answer) + b"\n")


if __name__ == "__main__":
    sys.exit(main())
