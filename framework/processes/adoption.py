"""Taking over a child whose owner was killed.

A child that may be adopted (`ProcessSpec.adopt_grace_s`) listens, once its owner is gone and it
has made itself safe, on a socket in the kernel's abstract namespace: no file to leave behind. The
new owner connects and claims it with the token of the child's birth; the connection becomes the
channel, and the claim brings a new lifeline and a new output pipe. The child checks user and
token; the owner checks that it is talking to the very process of its record.

A process that has not acknowledged the claim is not ours: it gets no signal from us.
"""

from __future__ import annotations

import os
import signal
import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from framework.errors import ProcessError
from framework.processes import wire
from framework.processes.body import ProcessBody, started_ticks
from framework.processes.channel import OwnerChannel
from framework.processes.child_events import Exit
from framework.processes.output import Output
from framework.processes.spec import ProcessSpec
from framework.processes.supervise import AdoptionRecord, Sink

_RETRY_S: Final = 0.05  # the child may not have noticed yet that its owner is gone


class AdoptedBody(ProcessBody):
    """A process that somebody else started. It is its own channel's sink until the claim is granted."""

    def __init__(
        self, spec: ProcessSpec, sink: Sink, on_line: Callable[[str], None], claim: AdoptionRecord
    ) -> None:
        super().__init__(spec, sink, on_line)
        self.claim = claim
        self._granted = False

    def start(self) -> None:
        """Find the process and begin to claim it. Raises ProcessError if it is not there any more."""
        try:
            self._pidfd = os.pidfd_open(self.claim.pid)
        except OSError as error:
            raise ProcessError(
                f"nothing to adopt: process {self.claim.pid} is gone ({error.strerror})"
            ) from None
        if started_ticks(self.claim.pid) != self.claim.started_ticks:
            self.close()
            raise ProcessError(f"nothing to adopt: process {self.claim.pid} is another one by now")
        self._pid = self.claim.pid
        self._record = self.claim
        self._watch_exit()
        self._loop.call_soon(self._connect)  # a body reports nothing before it has started

    def signal(self, number: int) -> None:
        """Only to a child that is ours."""
        if self._granted:
            super().signal(number)

    def quit(self) -> None:
        """Tell it to end if it is ours; otherwise let it be."""
        if self._granted:
            super().quit()
        else:
            self._refused("it did not answer the claim")

    # ------------------------------------------------------------ the channel's sink

    def received(self, report: wire.Report) -> None:
        """Its first report grants the claim."""
        self._granted = True
        self._sink.received(report)

    def unreadable(self, what: str) -> None:
        """A frame that is no message."""
        self._sink.unreadable(what)

    def bad_frame(self, what: str) -> None:
        """A channel that cannot be read any further."""
        self._sink.bad_frame(what)

    def closed(self) -> None:
        """Closed instead of granted: refused."""
        if self._granted:
            self._sink.closed()
        else:
            self._refused("it refused the claim: wrong token, or another user's")

    def warn(self, message: str) -> None:
        """Something the channel noticed."""
        self._sink.warn(message)

    def exited(self, ended: Exit) -> None:
        """Never from a channel."""
        self._sink.exited(ended)

    # ------------------------------------------------------------ claiming

    def _connect(self) -> None:
        if self._pidfd < 0 or self._channel is not None:
            return
        end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        end.setblocking(False)
        try:
            end.connect("\0" + self.claim.address)
        except OSError:
            end.close()
            self._loop.call_later(_RETRY_S, self._connect)
            return
        peer, _, _ = struct.unpack("3i", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        if peer != self.claim.pid:
            end.close()
            self._refused(f"its address is held by process {peer}")
            return
        try:
            self._send_claim(end)
        except OSError as error:
            end.close()
            self._refused(f"the claim could not be sent ({error.strerror})")

    def _send_claim(self, end: socket.socket) -> None:
        lifeline, self._lifeline = os.pipe()
        output, printed = os.pipe()
        self._output = Output(output, self._on_line)
        try:
            socket.send_fds(end, [wire.frame(wire.Claim(self.claim.token))], [lifeline, printed, output])
        finally:
            os.close(lifeline)
            os.close(printed)
        self._channel = OwnerChannel(end, self)

    def _refused(self, why: str) -> None:
        self.close()
        self._sink.exited(Exit(note=why))

    def _reap(self) -> Exit:
        return Exit(note="how is not known: it was adopted, and only its first owner could see")


def kill_leftover(record: AdoptionRecord) -> bool:
    """Kill the whole group of a recorded child that could not be adopted; False if it is gone already.

    It is the recorded process and no other: it is compared by its start time while a pidfd holds it.
    """
    try:
        pidfd = os.pidfd_open(record.pid)
    except OSError:
        return False
    try:
        if started_ticks(record.pid) != record.started_ticks:
            return False
        with suppress(ProcessLookupError):
            os.killpg(record.pid, signal.SIGKILL)
        return True
    finally:
        os.close(pidfd)
