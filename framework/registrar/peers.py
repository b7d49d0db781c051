"""Who is there: registrars that come, go, and come back as another incarnation.

A client that is gone is reaped; a provider that is gone is lost or, if it
keeps a catalog, awaited for `reconnect_s`. Silence is measured in `heartbeats`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from framework.registrar.effects import JournalKind
from framework.registrar.records import ClientLease, ClientPhase, Incident, ServerLease, ServerPhase
from framework.status import FAILED, Severity
from framework.transport.messages import Peer

if TYPE_CHECKING:
    from framework.registrar.core import RegistrarCore


class Peers:
    """The rules of presence for one core."""

    def __init__(self, core: RegistrarCore) -> None:
        self._core = core
        self.known: dict[str, Peer] = {}
        self.providers: dict[str, tuple[str, ...]] = {}
        self.seeking: dict[str, ClientLease] = {}

    def seen(self, peer: Peer) -> None:
        """A registrar is there, or has changed what it provides; a new incarnation replaces the old one."""
        core = self._core
        if peer.name == core.name:
            return
        before = self.known.get(peer.name)
        self.known[peer.name] = peer
        self._index()
        is_other = before is None or before.boot != peer.boot
        core.heartbeats.seen(peer.name, is_other=is_other)
        if is_other:
            for served in list(core.leases.values()):
                if served.ask.client == peer.name and served.ask.boot != peer.boot:
                    self.reap(served, f"{peer.name} was restarted")
        for held in list(core.holds.values()):
            if held.server == peer.name:
                if held.server_boot != peer.boot:
                    self._provider_reborn(held, peer)
                elif held.is_awaited and held.kind in peer.provides:
                    core.holding.again(held)
        self.seek()

    def lost(self, name: str, boot: str) -> None:
        """A registrar is gone: its leases are reaped; what it lent is lost or, with a catalog, awaited."""
        core = self._core
        peer = self.known.get(name)
        if peer is None or peer.boot != boot:
            return
        del self.known[name]
        self._index()
        for served in list(core.leases.values()):
            if served.ask.client == name:
                self.reap(served, f"{name} is gone")
        for held in list(core.holds.values()):
            if held.server == name:
                self._provider_gone(held, peer, f"{name} is gone")

    def seek(self) -> None:
        """Somebody provides something new: do those who seek find it now?"""
        for held in list(self.seeking.values()):
            self._core.holding.seek(held)

    def boot_of(self, name: str) -> str:
        """The incarnation of a registrar as last seen."""
        if name == self._core.name:
            return self._core.boot
        peer = self.known.get(name)
        return peer.boot if peer else ""

    # -- what the beats say

    def client_silent(self, name: str, silent_s: float) -> None:
        """A client has not been heard of for too long. Those not reconfirmed yet have more patience."""
        for served in list(self._core.leases.values()):
            if served.ask.client == name and served.confirmed:
                self.reap(served, f"{name} has been silent for {silent_s:.2f} s")

    def provider_silent(self, name: str, silent_s: float, asked_by_s: float) -> None:
        """A provider has not been heard of for too long: what was asked for by then is lost."""
        peer = self.known.get(name)
        for held in list(self._core.holds.values()):
            if held.server == name and held.asked_s < asked_by_s:
                self._provider_gone(held, peer, f"{name} has been silent for {silent_s:.2f} s")

    def provider_awake(self, name: str) -> None:
        """A registrar that was silent, and keeps its leases, speaks again: does it still know of ours?"""
        core = self._core
        peer = self.known.get(name)
        for held in list(core.holds.values()):
            is_starting = peer is not None and held.kind not in peer.provides  # it will be seen again
            if held.server == name and held.is_awaited and not is_starting:
                core.holding.again(held)

    def reap(self, served: ServerLease, why: str) -> None:
        """Take a lease away from a client that is gone."""
        core = self._core
        core.record(JournalKind.REAP, served.resource, who=served.who, why=why, lease=served.id)
        text = f"{core.name} gave it up: {why}"
        last_heard_s = core.heartbeats.last_heard_s(served)
        # It may only be slow: if it hears this, it knows where it stands.
        if served.is_live:
            core.serving.tell(served, Incident(core.incident(), Severity.FATAL, text))
            core.serving.drop(served, why)
        elif served.phase is ServerPhase.ENDED:
            core.serving.drop(served, why)
        else:
            core.serving.refuse(served, FAILED, text)
        # However slowly the resource goes down: those further on count from the client's last beat.
        served.resource.last_heard_s = last_heard_s

    # -- inside

    def _provider_gone(self, held: ClientLease, peer: Peer | None, why: str) -> None:
        core = self._core
        if held.phase is ClientPhase.GRANTED and held.is_awaited:
            return  # it is known to be gone, be it by its leave or by its silence, and waited for in any case
        if peer is None or not peer.durable or held.phase is not ClientPhase.GRANTED:
            core.propagation.server_lost(held, why)
            return
        self._await(held, why)
        core.propagation.warn(held, f"{why}; waiting for it to come back")

    def _provider_reborn(self, held: ClientLease, peer: Peer) -> None:
        """The registrar was restarted: reconfirm what it knows of, ask afresh for the rest."""
        core = self._core
        if held.phase is ClientPhase.FAILED:
            return
        is_granted = held.phase is ClientPhase.GRANTED
        if held.phase is ClientPhase.RESERVED or (is_granted and not peer.durable):
            core.propagation.server_lost(held, f"{peer.name} was restarted")
            return
        if is_granted and not held.is_awaited:
            self._await(held, f"{peer.name} was restarted and has not taken it up again")
        if held.kind not in peer.provides:
            return  # it is still starting; it will be seen again
        if not is_granted:
            held.server_boot = peer.boot
        held.sequence = 0
        core.heartbeats.held_changed(held)
        core.holding.again(held)

    def _await(self, held: ClientLease, why: str) -> None:
        core = self._core
        held.is_awaited = True
        core.heartbeats.held_changed(held)
        core.timers.set(
            ("reconnect", held.id),
            core.now_s() + core.policy.reconnect_s,
            lambda: core.propagation.server_lost(held, why),
        )

    def _index(self) -> None:
        providers: dict[str, tuple[str, ...]] = {}
        for peer in self.known.values():
            for kind in peer.provides:
                providers[kind] = (*providers.get(kind, ()), peer.name)
        self.providers = providers
