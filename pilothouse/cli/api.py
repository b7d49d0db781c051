"""The command line's way to the running installation: HTTP on loopback, with this run's token.

Only the standard library, so that `pilothouse stop` starts in no time.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from framework.errors import InstallationError
from pilothouse.cli.running import RunningInstallation

#: An answer that does not come within this time does not come [s].
PATIENCE_S = 5.0


class Api:
    """Calls the console's API of one installation."""

    def __init__(self, installation: RunningInstallation) -> None:
        self._installation = installation

    def get(self, path: str) -> Any:
        """What the installation answers, decoded. Raises InstallationError with its words if it refuses."""
        return json.loads(self._open("GET", path, None).read())

    def post(self, path: str, body: dict[str, object]) -> str:
        """Have something done; what was done, in words. Raises InstallationError with the words why not."""
        answer = json.loads(self._open("POST", path, body).read())
        return str(answer.get("text", ""))

    def lines(self, path: str, body: dict[str, object]) -> Iterator[dict[str, Any]]:
        """The answer's lines as they come, each a JSON object.

        Empty lines are signs of life; without one for `PATIENCE_S` it raises InstallationError.
        """
        response = self._open("POST", path, body)
        try:
            for line in response:
                if line.strip():
                    yield json.loads(line)
        except TimeoutError as error:
            raise self._hung() from error
        except OSError as error:
            raise InstallationError(
                f"the installation (process {self._installation.pid}) has gone: {error}"
            ) from error

    def _open(self, method: str, path: str, body: dict[str, object] | None) -> http.client.HTTPResponse:
        address = urlsplit(self._installation.url)
        connection = http.client.HTTPConnection(
            address.hostname or "127.0.0.1", address.port or 80, timeout=PATIENCE_S
        )
        headers = {"Authorization": f"Bearer {self._installation.token}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
        except TimeoutError as error:
            raise self._hung() from error
        except OSError as error:
            raise InstallationError(
                f"the installation (process {self._installation.pid}) cannot be reached: {error}"
            ) from error
        if response.status >= 400:
            raise InstallationError(_words(response))
        return response

    def _hung(self) -> InstallationError:
        return InstallationError(
            f"the installation (process {self._installation.pid}) does not answer within "
            f"{PATIENCE_S:.0f} s; `pilothouse stop` works all the same"
        )


def _words(response: http.client.HTTPResponse) -> str:
    """Why it was refused, in the installation's own words if it gave any."""
    content = response.read()
    try:
        answer = json.loads(content)
    except ValueError:
        return f"refused with {response.status} {response.reason}: {content[:200].decode(errors='replace')}"
    words = answer.get("text") or answer.get("error") if isinstance(answer, dict) else None
    return str(words or f"refused with {response.status} {response.reason}")
