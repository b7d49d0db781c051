"""A child for the real faults: a ring of its own, samples, beats, and garbage when told to."""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec

from framework.processes.child import Child
from framework.transport.ring import RingWriter


class Restless(msgspec.Struct):
    """directory: where the ring is made; name: what it is called."""

    directory: str
    name: str


def main(child: Child, restless: Restless) -> None:
    """Takes the place of whatever ring a former life has left; removes its own when it leaves in order."""
    with RingWriter(Path(restless.directory), restless.name, slot_bytes=64, replace=True) as ring:
        child.ready(str(ring.path).encode())
        while not child.stopping:
            for command in child.commands(timeout_s=0.05):
                if command == b"garbage":
                    os.write(child.lifeline.birth.channel, b"\xff" * 100)
                elif command == b"exit":
                    raise SystemExit(3)
            ring.write(b"sample", stamp_s=time.monotonic())
            child.sampled(restless.name)
            child.beat()
