"""Where the operator's server listens: ports, addresses, a network that changes."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from pathlib import Path

import aiohttp
import pytest

from framework.errors import InstallationError
from resources.web.addresses import Addresses
from resources.web.certificate import FILE_NAME
from resources.web.places import Places
from tests.resources.operator.serving import (
    Harness,
    serve,
)

Client = aiohttp.ClientSession


def test_a_taken_port_says_by_whom_and_the_way_out(tmp_path: Path) -> None:
    async def scenario(harness: Harness, _: Client) -> None:
        second = Harness(harness.directory, tmp_path, port=harness.server.port)
        with pytest.raises(InstallationError, match=r"in use by process .* --phone-port"):
            async with second.server:
                pass
        second.stop.close()

    serve(scenario, tmp_path)


def test_an_address_of_another_machine_is_refused_and_costs_no_certificate(tmp_path: Path) -> None:
    async def scenario(harness: Harness, _: Client) -> None:
        elsewhere = Harness(harness.directory, tmp_path, host="203.0.113.9")
        with pytest.raises(InstallationError, match="give an address of this machine"):
            async with elsewhere.server:
                pass
        elsewhere.stop.close()
        assert os.listdir(tmp_path) == []

    serve(scenario, tmp_path)


def test_two_places_share_a_port_or_none_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # An address of loopback stands for that of the network.
    monkeypatch.setattr("resources.web.sites.is_loopback", lambda host: host == "127.0.0.1")

    async def scenario(harness: Harness, client: Client) -> None:
        port = harness.server.port
        assert harness.server.address == f"http://127.0.0.1:{port}/"
        token = harness.open()
        pairing = harness.server.pairing()
        assert pairing.url == f"https://127.0.0.3:{port}/#token={token}"
        assert len(pairing.certificate) == 95
        assert "compare" in pairing.words
        trusted = ssl.create_default_context(cafile=str(tmp_path / FILE_NAME))
        network = f"https://127.0.0.3:{port}"
        async with client.post(
            f"{network}/pair",
            json={"token": token, "kind": "headset"},
            headers={"Origin": network},
            ssl=trusted,
        ) as answer:
            assert (await answer.json())["certificate"] == pairing.certificate
            assert "Set-Cookie" not in answer.headers
        for origin in (f"http://127.0.0.3:{port}", f"http://127.0.0.1:{port}"):
            async with client.get(f"{network}/pair", headers={"Origin": origin}, ssl=trusted) as answer:
                assert answer.status == 403, "the other place's page is another page"
        async with client.get("/pair", headers={"Host": f"127.0.0.3:{port}"}) as answer:
            assert answer.status == 421
            assert f"this is http://127.0.0.1:{port}/" in (await answer.json())["words"]
        async with client.get(f"{network}/pair", headers={"Host": f"robot:{port}"}, ssl=trusted) as answer:
            assert answer.status == 421
            assert f"this is {network}/" in (await answer.json())["words"]
        taken = Harness(harness.directory, tmp_path, host="127.0.0.4", port=port)
        with pytest.raises(InstallationError, match="in use"):
            async with taken.server:
                pass
        taken.stop.close()
        socket.create_server(("127.0.0.4", port)).close()  # it was let go

    serve(scenario, tmp_path, host="127.0.0.3")


def test_a_network_that_changes_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = [Addresses("127.0.0.3", ("127.0.0.3",), ("robot",))]
    monkeypatch.setattr("resources.web.places.this_machine", lambda: here[0])

    async def play() -> None:
        reports: list[str] = []
        places = Places("0.0.0.0", (), tmp_path, reports.append)
        await places.begin()
        places.at_port(8301)
        before = places.fingerprint
        assert len(reports) == 1
        assert not await places.look()
        here[0] = Addresses("10.0.0.5", ("10.0.0.5",), ("robot",))
        assert await places.look()
        assert places.fingerprint != before
        assert places.network.address(8301) == "https://10.0.0.5:8301/"
        assert "did not name 10.0.0.5" in reports[1]
        fixed = Places("lan", (), tmp_path, reports.append)
        await fixed.begin()
        fixed.at_port(8301)
        here[0] = Addresses("10.0.0.6", ("10.0.0.6",), ("robot",))
        assert not await fixed.look()
        assert not await fixed.look()
        assert len(reports) == 3, "said once"
        assert "which this machine has no more (now it is 10.0.0.6): start again" in reports[2]

    asyncio.run(play())
