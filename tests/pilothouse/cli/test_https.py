"""The command line against a console that is served to the network: over https, and to its own one only."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from framework.errors import InstallationError
from pilothouse.cli.api import Api
from resources.web.addresses import Addresses
from tests.pilothouse.cli.serving import scripted

HERE = Addresses("127.0.0.3", ("127.0.0.3",), ())
"""An address of loopback stands for that of the network."""


@pytest.fixture(autouse=True)
def network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resources.web.places.this_machine", lambda: HERE)


def test_it_reaches_its_own_installation_and_believes_no_other(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    with scripted(folders[0], host="0.0.0.0") as one, scripted(folders[1], host="0.0.0.0") as two:
        assert one.record.url.startswith("https://127.0.0.3:")
        assert one("status").returncode == 0
        said = one("say", "hello")
        assert "hello" in said.stdout + said.stderr
        assert one.backend.asked == ["command line: say hello"]
        # Somebody else who listens there is told no token.
        swapped = msgspec.structs.replace(one.record, url=two.record.url)
        with pytest.raises(InstallationError, match="certificate"):
            Api(swapped).get("/api/status")
        gone = msgspec.structs.replace(one.record, certificate=str(tmp_path / "nothing"))
        with pytest.raises(InstallationError):
            Api(gone).get("/api/status")


def test_what_is_served_to_the_network_is_never_plain_http(tmp_path: Path) -> None:
    with scripted(tmp_path, host="0.0.0.0") as installation:
        plain = msgspec.structs.replace(
            installation.record, url=installation.record.url.replace("https", "http"), certificate=""
        )
        with pytest.raises(InstallationError):
            Api(plain).get("/api/status")
        assert installation.server.fingerprint.count(":") == 31
        assert installation.server.url.startswith("https://")
