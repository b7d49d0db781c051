"""The places where this server is reached: their names, whose requests are believed there, the certificate.

The network may change while it runs, and certificates end: `look` sees to both, without touching connections
that are there.
"""

from __future__ import annotations

import asyncio
import datetime
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Final

from aiohttp import web

from framework.errors import PilothouseError
from resources.web.addresses import this_machine
from resources.web.admission import Admission
from resources.web.certificate import FILE_NAME, Certificate, certificate
from resources.web.sites import Site, bracketed, certified_names, sites_for

LOOK_AROUND_S: Final = 60.0


class Places:
    """Where it is served.

    Parameters
        host, names: as in `sites.py`. state: folder of the certificate, file_name: its file there.
        report: called with words for the console. what: is served, for the words.
    """

    def __init__(
        self,
        host: str,
        names: tuple[str, ...],
        state: Path,
        report: Callable[[str], object],
        *,
        what: str = "the operator's page",
        file_name: str = FILE_NAME,
    ) -> None:
        self.sites: tuple[Site, ...] = ()
        """The desk's first where there are two."""
        self.context: ssl.SSLContext | None = None
        """For those that are secure."""
        self._host = host
        self._names = names
        self.file = state / file_name
        """Key and certificate, if there are any."""
        self._what = what
        self._report = report
        self._port = 0
        self._said = ""
        self._admissions: dict[bool, Admission] = {}
        self._certificate: Certificate | None = None

    @property
    def fingerprint(self) -> str:
        """Of the certificate; "" if there is none."""
        return self._certificate.fingerprint if self._certificate is not None else ""

    @property
    def network(self) -> Site:
        """What other machines can reach, if any can."""
        return self.sites[-1]

    async def begin(self) -> None:
        """Find out where it is to be. Raises InstallationError as `sites_for`."""
        self.sites = sites_for(self._host, self._names, await asyncio.to_thread(this_machine))

    def at_port(self, port: int) -> None:
        """It can listen there. Raises InstallationError as `certificate`."""
        self._port = port
        if self.network.is_secure:
            self._certify()
        self._admit(port)

    def _admit(self, port: int) -> None:
        for site in self.sites:
            self._admissions[site.is_secure] = Admission(
                site.host,
                port,
                names=tuple(bracketed(name) for name in site.names),
                scheme="https" if site.is_secure else "http",
            )

    def admission(self, request: web.Request) -> Admission:
        """The rules for a request: those of the place where it came in."""
        return self._admissions[request.secure]

    async def look(self) -> bool:
        """See what has changed; whether its names have. Raises InstallationError as `begin` and `at_port`."""
        now = sites_for(self._host, self._names, await asyncio.to_thread(this_machine))
        is_new = now != self.sites
        if is_new and now[-1].host != self.network.host:
            words = (
                f"{self._what} is served at {self.network.shown}, which this machine has no more "
                f"(now it is {now[-1].shown}): start again to serve it there"
            )
            if words != self._said:
                self._said = words
                self._report(words)
            return False
        if is_new:
            self.sites = now
            self._admit(self._port)
        if self.network.is_secure:
            self._certify()
        return is_new

    async def look_around(self, changed: Callable[[], None]) -> None:
        """`look` again and again, until cancelled. changed: called when the names are others."""
        while True:
            await asyncio.sleep(LOOK_AROUND_S)
            try:
                if await self.look():
                    changed()
            except PilothouseError as error:
                self._report(str(error))

    def _certify(self) -> None:
        before = self._certificate
        made = certificate(self.file, certified_names(self.network), datetime.datetime.now(datetime.UTC))
        if self.context is None:
            self.context = made.context()
        elif before is None or made.fingerprint != before.fingerprint:
            self.context.load_cert_chain(made.file)  # connections to come get it
        self._certificate = made
        if made.words:
            self._report(
                f"a new certificate was made for {self._what} ({made.words}): accept it once on each device"
            )
