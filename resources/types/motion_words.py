"""What people read about motions: how far, with what, and what to say next when one did not end well. Pure.

Where things are, in words, is `whereabouts.py`'s; names of things are `naming.py`'s.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from framework.errors import MotionFailed
from resources.types.naming import plain

if TYPE_CHECKING:
    from resources.types.motion_clients import MotionClient


def length_in_words(metres: float) -> str:
    """ "8 mm", "5 cm", "1.25 m"."""
    if metres < 0.00995:
        return f"{1000 * metres:.2g} mm"
    return f"{100 * metres:.3g} cm" if metres < 0.995 else f"{metres:.3g} m"


def angle_in_words(radians: float) -> str:
    """ "30°"."""
    return f"{math.degrees(radians):.3g}°"


def named(mover: MotionClient) -> str:
    """What it is: "the left arm"."""
    return f"the {plain(mover.device)}"


@contextmanager
def said_for_people(mover: MotionClient) -> Iterator[None]:
    """What fails in here says with what; after a fault also what to say before anything moves again."""
    try:
        yield
    except MotionFailed as error:
        name = plain(mover.device)
        reason = str(error)
        words = reason if name in plain(reason) else f"the {name}: {reason}"
        sample = mover.latest_motion()
        if sample is not None and sample.loop.fault:
            words = f'{words}; nothing moves it until you say "recover the {name}"'
        raise MotionFailed(words) from error
