"""Python's collector, and why it does not hold the main loop."""

from __future__ import annotations

import gc


def keep_what_is_there() -> None:
    """Look for garbage once, and at what is left never again.

    A full collection looks at every object: some million of an installation's take 0.3 s, in which nothing
    in this process goes on, no heartbeat either, and what moves brakes. What is made later is looked at as
    ever.
    """
    gc.collect()
    gc.freeze()
