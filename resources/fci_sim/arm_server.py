"""The sockets of one arm: TCP 1337 and 1338 and UDP on its address, and whoever is at their other ends.

Bytes come and go here; `box.py`, `gripper.py` and `pacing.py` say which and when. Blocks nowhere.
"""

from __future__ import annotations

import selectors
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final, TypeVar

from framework.errors import InstallationError, MalformedMessage
from resources.fci_sim.gripper_wire import GRIPPER_PORT, GripperCommand, read_gripper_request
from resources.fci_sim.orders import BoxStatus
from resources.fci_sim.pacing import LockStep, Pacing, Station, WallClock
from resources.fci_sim.physics import TIMESTEP_S
from resources.fci_sim.settings import SETTERS
from resources.fci_sim.wire import ARM_PORT, Command, read_request

_Request = TypeVar("_Request")

_WAITING_CLIENTS: Final = 8
_TO_SAY_CONNECT_S: Final = 5.0
_GRIPPER_STATE_S: Final = 0.05
_RECEIVE: Final = 65536
_PACKETS_A_TURN: Final = 16


class _Peer:
    """One TCP connection."""

    def __init__(self, connection: socket.socket, name: str, now_s: float) -> None:
        self.socket = connection
        self.name = name
        self.number = connection.fileno()
        self.received = bytearray()
        self.to_send = bytearray()
        self.since_s = now_s
        self.states_to: tuple[str, int] | None = None  # where it wants states


class ArmServer:
    """All sockets of one arm."""

    def __init__(
        self,
        number: int,
        address: str,
        selector: selectors.BaseSelector,
        station_of: Callable[[ArmServer], Station],
        tell: Callable[[str], None],
        lock_step: bool,
    ) -> None:
        self.number = number
        self.address = address
        self.tell = tell
        self._selector = selector
        self.station = station_of(self)
        self.client: _Peer | None = None  # who controls the arm
        self._waiting: dict[int, _Peer] = {}  # connected, but has not said who it is
        self._grippers: dict[int, _Peer] = {}
        self._gripper_next_s = 0.0
        self._begun_s = time.monotonic()
        self._sockets: list[socket.socket] = []
        try:
            self._udp = self._bound(socket.SOCK_DGRAM, ARM_PORT, self._on_udp)
            self._gripper_udp = self._bound(socket.SOCK_DGRAM, GRIPPER_PORT, self._on_gripper_udp)
            self._bound(socket.SOCK_STREAM, ARM_PORT, self._on_arm_connection)
            self._bound(socket.SOCK_STREAM, GRIPPER_PORT, self._on_gripper_connection)
        except InstallationError:
            self.close()
            raise
        pacing = LockStep if lock_step else WallClock
        self.pacing: Pacing = pacing(self.station, self._send_state, tell)
        self.is_lock_step = lock_step

    # --- opening and closing ----------------------------------------------------------------------

    def _bound(
        self, kind: socket.SocketKind, port: int, ready: Callable[[socket.socket], None]
    ) -> socket.socket:
        opened = socket.socket(socket.AF_INET, kind)
        self._sockets.append(opened)
        if kind is socket.SOCK_STREAM:
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            opened.bind((self.address, port))
            if kind is socket.SOCK_STREAM:
                opened.listen(_WAITING_CLIENTS)
        except (OSError, OverflowError) as error:
            what = "TCP" if kind is socket.SOCK_STREAM else "UDP"
            raise InstallationError(
                f"{what} port {port} of {self.address} cannot be opened: {error}; is another box running "
                f"there? Another address may be free, for example --address 127.0.1.1"
            ) from None
        opened.setblocking(False)
        self._selector.register(opened, selectors.EVENT_READ, lambda: ready(opened))
        return opened

    def close(self) -> None:
        """Close everything."""
        for peer in [*self._waiting.values(), *self._grippers.values(), *filter(None, [self.client])]:
            self._forget(peer)
        for opened in self._sockets:
            with suppress(KeyError):
                self._selector.unregister(opened)
            opened.close()
        self._sockets.clear()

    # --- time -------------------------------------------------------------------------------------

    @property
    def next_s(self) -> float:
        """When `on_time` is due."""
        due = self._gripper_next_s
        if self.client is not None or not self.is_lock_step:
            due = min(due, self.pacing.next_s)
        return due

    def on_time(self, now_s: float) -> None:
        """A deadline has come."""
        if now_s >= self.pacing.next_s and (self.client is not None or not self.is_lock_step):
            self.pacing.on_time(now_s)
            self._after_step()
        if now_s >= self._gripper_next_s:
            self._gripper_next_s = now_s + _GRIPPER_STATE_S
            self._send_gripper_state()
            if self.is_lock_step and self.client is None and self.station.gripper.is_busy:
                self.pacing.on_request(now_s)
            for peer in list(self._waiting.values()):
                if now_s - peer.since_s > _TO_SAY_CONNECT_S:
                    self._drop(peer, "it never said Connect")

    def pass_time(self, for_s: float) -> None:
        """Steps without a client."""
        for _ in range(round(for_s / TIMESTEP_S)):
            self.station.step()
        self._after_step()

    def after_order(self) -> None:
        """Something was changed from outside: let it show."""
        self.pacing.on_request(time.monotonic())
        self._after_step()

    def _after_step(self) -> None:
        self._flush(self.client)
        for peer in list(self._grippers.values()):
            self._flush(peer)
        box = self.station.box
        if box.hangs_up:
            box.hangs_up = False
            if self.client is not None:
                self.tell("the connection is closed (fault)")
                self._lose(self.client)

    # --- the arm's TCP side -----------------------------------------------------------------------

    def _on_arm_connection(self, listening: socket.socket) -> None:
        peer = self._accepted(listening)
        if len(self._waiting) >= _WAITING_CLIENTS:
            self._drop(next(iter(self._waiting.values())), "it never said Connect, and others come")
        self._waiting[peer.number] = peer
        self._watch(peer, lambda: self._on_arm_bytes(peer))

    def _on_arm_bytes(self, peer: _Peer) -> None:
        for request in self._requests(peer, read_request):
            if request.command is Command.CONNECT:
                if not self._connects(peer, int(request.fields[1])):
                    return
            elif peer is not self.client:
                self._drop(peer, f"{request.command.name} before Connect")
                return
            stays = self.station.box.request(request)
            # What the box has to say about it comes after the first state of a motion: `pacing.py`.
            self.pacing.on_request(time.monotonic())
            if self.is_lock_step or request.command not in SETTERS:
                self._after_step()
            # Else with the next step: who has the answer to a setter finds its values in the newest state.
            if peer is not self.client:
                return
            if not stays:
                self._flush(peer)
                self._forget(peer)
                return

    def _connects(self, peer: _Peer, udp_port: int) -> bool:
        if self.client is peer:
            self._drop(peer, "Connect for the second time")
            return False
        if self.client is not None:
            self._drop(peer, f"a second client; {self.client.name} controls this arm")
            return False
        self._waiting.pop(peer.number, None)
        self.client = peer
        peer.states_to = (peer.socket.getpeername()[0], udp_port)
        self.pacing.next_s = time.monotonic()
        self.tell(f"{peer.name} is connected, states go to UDP port {udp_port}")
        return True

    def send_reply(self, data: bytes) -> None:
        """A reply for the client of the arm; leaves with the next flush."""
        if self.client is not None:
            self.client.to_send += data

    # --- the arm's UDP side -----------------------------------------------------------------------

    def _on_udp(self, opened: socket.socket) -> None:
        # Not until there are none: in lock-step a quick client answers before we look again, for good.
        for _ in range(_PACKETS_A_TURN):
            try:
                packet, sender = opened.recvfrom(_RECEIVE)
            except BlockingIOError:
                return
            if self.client is None or sender != self.client.states_to:
                self.tell(f"UDP: {len(packet)} bytes from a stranger, {sender[0]}; ignored")
                continue
            self.pacing.on_command(packet, time.monotonic())
            self._after_step()

    def _send_state(self, packet: bytes) -> None:
        if self.client is not None and self.client.states_to is not None:
            self._send_to(self._udp, packet, self.client.states_to)

    def _send_to(self, opened: socket.socket, packet: bytes, to: tuple[str, int]) -> None:
        try:
            opened.sendto(packet, to)
        except (OSError, OverflowError) as error:
            self.tell(f"UDP: a state cannot be sent to {to[0]}:{to[1]}: {error}")

    # --- the gripper ------------------------------------------------------------------------------

    def _on_gripper_connection(self, listening: socket.socket) -> None:
        peer = self._accepted(listening)
        if len(self._grippers) >= _WAITING_CLIENTS:
            oldest = next(iter(self._grippers.values()))
            self._drop(oldest, "the gripper has too many clients, and others come")
        self._grippers[peer.number] = peer
        self._watch(peer, lambda: self._on_gripper_bytes(peer))

    def _on_gripper_bytes(self, peer: _Peer) -> None:
        for request in self._requests(peer, read_gripper_request):
            if request.command is GripperCommand.CONNECT:
                peer.states_to = (peer.socket.getpeername()[0], int(request.fields[1]))
                self.tell(f"{peer.name} is connected to the gripper")
                self._gripper_next_s = 0.0
            self.station.gripper.request(peer.number, request)
            self.pacing.on_request(time.monotonic())
            self._after_step()
            if peer.number not in self._grippers:
                return

    def send_gripper_reply(self, client: int, data: bytes) -> None:
        """A reply for a client of the gripper; leaves with the next flush."""
        peer = self._grippers.get(client)
        if peer is not None:
            peer.to_send += data

    def _send_gripper_state(self) -> None:
        if self.station.box.plan.is_silent:
            return
        since_ms = round(1000 * (time.monotonic() - self._begun_s))
        for peer in list(self._grippers.values()):
            if peer.states_to is not None:
                state = self.station.gripper.state(since_ms)
                self._send_to(self._gripper_udp, state, peer.states_to)

    def _on_gripper_udp(self, opened: socket.socket) -> None:
        with suppress(BlockingIOError):
            packet, sender = opened.recvfrom(_RECEIVE)
            self.tell(f"UDP: {len(packet)} bytes for the gripper from {sender[0]}; it takes none")

    # --- connections ------------------------------------------------------------------------------

    def _accepted(self, listening: socket.socket) -> _Peer:
        connection, (host, port) = listening.accept()
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return _Peer(connection, f"{host}:{port}", time.monotonic())

    def _watch(self, peer: _Peer, ready: Callable[[], None]) -> None:
        self._selector.register(peer.socket, selectors.EVENT_READ, ready)

    def _requests(
        self, peer: _Peer, read: Callable[[bytearray], tuple[_Request, int] | None]
    ) -> Iterator[_Request]:
        """What has come from a peer and is complete; one that sends garbage is dropped."""
        if not self._received(peer):
            return
        while True:
            try:
                found = read(peer.received)
            except MalformedMessage as error:
                self._drop(peer, f"garbage: {error}")
                return
            if found is None:
                return
            request, size = found
            del peer.received[:size]
            yield request

    def _received(self, peer: _Peer) -> bool:
        """Take what has come; False if the peer is gone."""
        try:
            data = peer.socket.recv(_RECEIVE)
        except BlockingIOError:
            return False
        except OSError as error:
            self._gone(peer, str(error))
            return False
        if not data:
            self._gone(peer, "closed by the client")
            return False
        peer.received += data
        return True

    def _flush(self, peer: _Peer | None) -> None:
        while peer is not None and peer.to_send:
            try:
                sent = peer.socket.send(peer.to_send)
            except BlockingIOError:
                self._drop(peer, "it does not read what it asked for")
                return
            except OSError as error:
                self._gone(peer, str(error))
                return
            del peer.to_send[:sent]

    def _drop(self, peer: _Peer, why: str) -> None:
        """Hang up, so that the peer notices: a reset, since pylibfranka would wait for good after less."""
        self.tell(f"{peer.name} is refused: {why}")
        linger = struct.pack("ii", 1, 0)
        with suppress(OSError):
            peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self._lose(peer)

    def _gone(self, peer: _Peer, why: str) -> None:
        if peer is self.client or peer.number in self._grippers:
            self.tell(f"{peer.name} is gone: {why}")
        self._lose(peer)

    def _lose(self, peer: _Peer) -> None:
        was_client = peer is self.client
        if peer.number in self._grippers:
            self.station.gripper.leave(peer.number)
        self._forget(peer)
        if was_client:
            self.station.box.leave()
            self.pacing.on_request(time.monotonic())

    def _forget(self, peer: _Peer) -> None:
        with suppress(KeyError, ValueError):
            self._selector.unregister(peer.socket)
        peer.socket.close()
        self._waiting.pop(peer.number, None)
        self._grippers.pop(peer.number, None)
        if self.client is peer:
            self.client = None

    def status(self) -> BoxStatus:
        """How the arm is."""
        box = self.station.box
        motion = box.motion
        return BoxStatus(
            address=self.address,
            is_connected=self.client is not None,
            mode=box.mode.name.lower(),
            motion="" if motion is None else str(motion.asked),
            now_s=box.now_s,
            steps=box.steps,
            q=tuple(box.physics.q.tolist()),
            dq=tuple(box.physics.dq.tolist()),
            width_m=box.physics.width_m,
            errors=tuple(flag.label for flag in box.errors),
            last_errors=tuple(flag.label for flag in box.last_errors),
            missed=0 if motion is None else motion.missed,
            missed_before=box.missed,
            success_rate=0.0 if motion is None else motion.success_rate,
            digest=box.digest,
            digested=box.digested,
        )
