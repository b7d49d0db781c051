"""The command line's way to the running installation: HTTP, with this run's token.

On loopback it is plain; elsewhere TLS, and no certificate but the installation's own is believed.

Only the standard library, so that `pilothouse stop` starts in no time.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from framework.errors import InstallationError, PilothouseError
from framework.state import StateFolder
from pilothouse.running import RunningInstallation, find
from resources.web.pinned import trusting

#: An answer that does not come within this time does not come [s].
PATIENCE_S = 5.0

#: What comes of a connection that ends in the middle of an answer; a line may be cut off there.
_BROKEN_OFF = (OSError, http.client.HTTPException, ValueError)


class Api:
    """Calls the console's API of one installation.

    refusals: what is raised, with the installation's words, if it refuses. That it cannot be reached, or
    does not answer within `patience_s`, is always an InstallationError.
    """

    def __init__(
        self,
        installation: RunningInstallation,
        *,
        refusals: type[PilothouseError] = InstallationError,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._installation = installation
        self._refusals = refusals
        self._patience_s = patience_s

    @classmethod
    def of_state(cls, state: Path, *, refusals: type[PilothouseError] = InstallationError) -> Api:
        """Of the installation that runs with this state folder. Raises InstallationError if none does."""
        return cls(find(StateFolder(state)), refusals=refusals)

    def get(self, path: str) -> Any:
        """What the installation answers, decoded."""
        return json.loads(self._read(self._open("GET", path, None)))

    def ask(self, path: str, body: dict[str, object]) -> Any:
        """What the installation answers to a question with a body, decoded."""
        return json.loads(self._read(self._open("POST", path, body)))

    def post(self, path: str, body: dict[str, object]) -> str:
        """Have something done; what was done, in words."""
        return str(self.ask(path, body).get("text", ""))

    def lines(self, path: str, body: dict[str, object]) -> Iterator[dict[str, Any]]:
        """The answer's lines as they come, each a JSON object.

        Empty lines are signs of life; without one for `patience_s` it raises InstallationError.
        """
        response = self._open("POST", path, body)
        try:
            with response:
                for line in response:
                    event = json.loads(line) if line.strip() else None
                    if event is not None:
                        yield event
        except TimeoutError as error:
            raise self._hung() from error
        except _BROKEN_OFF as error:
            raise self._gone(error) from error

    def _open(self, method: str, path: str, body: dict[str, object] | None) -> http.client.HTTPResponse:
        headers = {
            "Authorization": f"Bearer {self._installation.token}",
            "Content-Type": "application/json",
            "Connection": "close",  # it is closed, here too, as soon as the answer has been read
        }
        try:
            connection = self._connection()
            try:
                connection.request(method, path, None if body is None else json.dumps(body), headers)
                response = connection.getresponse()
            except BaseException:
                connection.close()
                raise
        except TimeoutError as error:
            raise self._hung() from error
        except _BROKEN_OFF as error:
            raise InstallationError(
                f"the installation (process {self._installation.pid}) cannot be reached: {error}"
            ) from error
        if response.status >= 400:
            raise self._refusals(_words(response.status, response.reason, self._read(response)))
        return response

    def _connection(self) -> http.client.HTTPConnection:
        """Not connected yet. Raises OSError if the certificate cannot be read."""
        address = urlsplit(self._installation.url)
        host, port = address.hostname or "127.0.0.1", address.port
        if not self._installation.certificate:
            return http.client.HTTPConnection(host, port or 80, timeout=self._patience_s)
        context = trusting(self._installation.certificate)
        return http.client.HTTPSConnection(host, port or 443, timeout=self._patience_s, context=context)

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        try:
            with response:
                return response.read()
        except TimeoutError as error:
            raise self._hung() from error
        except _BROKEN_OFF as error:
            raise self._gone(error) from error

    def _hung(self) -> InstallationError:
        return InstallationError(
            f"the installation (process {self._installation.pid}) does not answer within "
            f"{self._patience_s:.0f} s; `pilothouse stop` works all the same"
        )

    def _gone(self, error: Exception) -> InstallationError:
        return InstallationError(f"the installation (process {self._installation.pid}) has gone: {error}")


def _words(status: int, reason: str, content: bytes) -> str:
    """Why it was refused, in the installation's own words if it gave any."""
    try:
        answer = json.loads(content)
    except ValueError:
        return f"refused with {status} {reason}: {content[:200].decode(errors='replace')}"
    words = answer.get("text") or answer.get("error") if isinstance(answer, dict) else None
    return str(words or f"refused with {status} {reason}")
