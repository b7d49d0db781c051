"""How a simulated device is made to fail: what its owner sends, and what the child then really does.

`pilothouse fail` is no pretence: the process dies, blocks, babbles or falls silent, and everything
above finds out in the same way as with a device of metal.
"""

from __future__ import annotations

import os
import signal
import threading
from enum import StrEnum

import msgspec

from framework.processes.child import Child
from framework.transport.ring import META_BYTES, RingWriter


class FailMode(StrEnum):
    """What goes wrong."""

    DIE = "die"  # the process is gone, by SIGKILL
    HANG = "hang"  # its main loop blocks for good: no beats
    GARBAGE = "garbage"  # its samples and its reports make no sense
    STALE = "stale"  # it beats, but no new sample comes
    REFLEX = "reflex"  # an arm protects itself: a fault, until it is recovered from


class Fail(msgspec.Struct, frozen=True, tag="fail"):
    """Fail like this, from now on; only a new process helps.

    device: of a process that moves several, the one whose loop fails alone; "" the whole process.
    """

    how: FailMode
    device: str = ""


def fail_command(how: FailMode, device: str = "") -> bytes:
    """The command that makes any of these children fail."""
    return msgspec.msgpack.encode(Fail(how, device))


def die() -> None:
    """End as by a crash: nothing is cleaned up."""
    os.kill(os.getpid(), signal.SIGKILL)


def hang() -> None:
    """Block the main loop. Its owner ends the process over the channel, which a thread reads."""
    threading.Event().wait()


def babble(child: Child, writer: RingWriter, stamp_s: float) -> None:
    """A sample of the wrong size with noise for its meta, and reports that nobody can read."""
    size = min(writer.slot_bytes, 1021)
    writer.write(os.urandom(size), stamp_s=stamp_s, meta=os.urandom(min(META_BYTES, 64)))
    # Many at once: a readable beat in between would count as coming to its senses.
    content = b"\xc1" + os.urandom(15)  # 0xc1 is no msgpack
    framed = len(content).to_bytes(4, "little") + content
    os.write(child.lifeline.birth.channel, framed * 32)
