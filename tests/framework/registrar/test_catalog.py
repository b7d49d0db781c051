"""The registry survives `kill -9` of its manager: what is on disk, and how leases come back."""

# ruff: noqa: PT012 (a failure arrives while the body of the `async with` goes on)

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from framework.errors import DescriptionError, ResourceFailed
from framework.registrar import ResourceRegistrar
from framework.registrar.catalog import HISTORY, Catalog
from framework.registrar.core import CorePolicy
from framework.status import Severity, Status
from framework.transport.local import LocalTransport
from framework.transport.messages import Ask
from tests.framework.registrar.harness import Device, Harness, Sub, play, refusal, scene, vanish


def ask(lease: str, request: object = None) -> Ask:
    return Ask(lease, "client", "1", "tests:Device", request or {"name": "arm"}, "client", exclusive=True)


async def server_in(harness: Harness, path: Path) -> ResourceRegistrar:
    server = await harness.enter("server", catalog=path)
    harness.offer(server, Device)
    harness.offer(server, Sub)
    return server


def killed(harness: Harness, server: ResourceRegistrar) -> None:
    harness.forget(server)
    vanish(server)


# -- the file


def test_what_lives_is_read_back_and_what_ended_is_not(tmp_path: Path) -> None:
    path = tmp_path / "catalog"
    catalog = Catalog(path)
    catalog.granted(ask("a"), 1)
    catalog.granted(ask("b"), 2)
    catalog.ended("a")
    catalog.ended("never heard of")
    catalog.close()
    again = Catalog(path)
    assert [entry.lease for entry in again.restored] == ["b"]
    assert again.generation == 2
    again.ended("b")
    again.close()
    third = Catalog(path)
    assert third.restored == [] and third.generation == 2
    third.erase()
    third.erase()
    assert not path.exists()


def test_a_torn_last_line_and_garbage_in_the_middle_cost_only_themselves(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "catalog"
    catalog = Catalog(path)
    catalog.granted(ask("a"), 1)
    catalog.granted(ask("b"), 2)
    catalog.close()
    whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"\x00\xff not json\n[1, 2]\n" + b"".join(whole[:-1]) + whole[-1][:20])
    with caplog.at_level(logging.WARNING, "pilothouse.registrar"):
        again = Catalog(path)
    assert [entry.lease for entry in again.restored] == ["a"]
    assert "3 lines" in caplog.text and str(path) in caplog.text
    (aside,) = tmp_path.glob("catalog.set-aside-*")
    assert aside.read_bytes().startswith(b"\x00\xff not json")
    again.granted(ask("c"), 3)
    again.close()
    third = Catalog(path)
    assert [entry.lease for entry in third.restored] == ["a", "c"]
    third.close()


def test_history_is_compacted_and_the_highest_generation_stays_known(tmp_path: Path) -> None:
    path = tmp_path / "catalog"
    catalog = Catalog(path)
    catalog.granted(ask("stays"), 1)
    for i in range(HISTORY):
        catalog.granted(ask(f"l{i}"), i + 2)
        catalog.ended(f"l{i}")
    catalog.close()
    assert len(path.read_bytes().splitlines()) < HISTORY + 10
    again = Catalog(path)
    assert [entry.lease for entry in again.restored] == ["stays"]
    assert again.generation == HISTORY + 1
    again.close()
    assert not list(tmp_path.glob("*.new"))


def test_a_path_that_cannot_be_a_catalog_is_an_error_that_names_it(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "no" / "folder" / "catalog"):
        with pytest.raises(DescriptionError, match="cannot be the registry's catalog") as raised:
            ResourceRegistrar("server", LocalTransport(), catalog=path)
        assert str(path) in str(raised.value)


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path / "catalog")
    catalog.granted(ask("a"), 1)
    assert (tmp_path / "catalog").stat().st_mode & 0o077 == 0
    catalog.close()


def test_a_torn_last_line_alone_is_what_a_crash_leaves(tmp_path: Path) -> None:
    path = tmp_path / "catalog"
    catalog = Catalog(path)
    catalog.granted(ask("a"), 1)
    catalog.close()
    path.write_bytes(path.read_bytes() + b'{"granted": {"le')
    again = Catalog(path)
    assert [entry.lease for entry in again.restored] == ["a"]
    assert [file.name for file in tmp_path.iterdir()] == ["catalog"]
    again.close()


def test_a_disk_that_is_full_at_the_start_leaves_what_there_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "catalog"
    catalog = Catalog(path)
    catalog.granted(ask("a"), 1)
    catalog.close()
    before = path.read_bytes()

    def full(file: object, onto: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("framework.registrar.catalog.os.replace", full)
    with caplog.at_level(logging.ERROR, "pilothouse.registrar"):
        again = Catalog(path)
    assert [entry.lease for entry in again.restored] == ["a"]
    assert "No space left" in caplog.text
    again.granted(ask("b"), 2)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["catalog"]


def test_a_full_disk_does_not_stop_the_registrar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(file: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    async def main() -> None:
        async with Harness() as harness:
            server = await server_in(harness, tmp_path / "catalog")
            client = await harness.enter("client")
            monkeypatch.setattr("framework.registrar.catalog.os.write", full)
            async with client.request(Device(), exclusive=True) as lease:
                assert server.snapshot().resources[0].holder == lease.id
            monkeypatch.undo()

    with caplog.at_level(logging.ERROR, "pilothouse.registrar"):
        play(main)
    assert "No space left" in caplog.text


# -- leases that come back


@scene
async def test_an_orderly_end_erases_it(harness: Harness, tmp_path: Path) -> None:
    path = tmp_path / "catalog"
    client = await harness.enter("client")
    async with ResourceRegistrar("server", harness.transport, catalog=path) as server:
        harness.offer(server, Sub)
        async with client.request(Sub()):
            assert path.exists()
    assert not path.exists()


@scene
async def test_a_lease_survives_its_manager_and_its_holder_is_told(harness: Harness, tmp_path: Path) -> None:
    path = tmp_path / "catalog"
    client = await harness.enter("client")
    server = await server_in(harness, path)
    told: list[Status] = []
    async with client.request(Device(), exclusive=True, on_status=told.append) as lease:
        generation = lease.generation
        killed(harness, server)
        await asyncio.sleep(1)
        assert [status.severity for status in told] == [Severity.WARNING]
        server = await server_in(harness, path)
        await asyncio.sleep(1)
        # OK takes the warning back for everyone above; UPDATE says that the resource is another one.
        assert [status.severity for status in told] == [Severity.WARNING, Severity.OK, Severity.UPDATE]
        (view,) = server.snapshot().resources
        assert (view.holder, view.state) == (lease.id, "ready")
        assert lease.generation > generation
        assert harness.supplies[Device()].generation == lease.generation
    await asyncio.sleep(0.01)
    assert server.snapshot().is_empty


@pytest.mark.parametrize("entered_first", [True, False])
@scene
async def test_whether_it_is_entered_before_it_provides_or_after(
    harness: Harness, tmp_path: Path, entered_first: bool
) -> None:
    path = tmp_path / "catalog"
    client, other = await harness.enter_all("client", "other")
    server = await server_in(harness, path)
    async with client.request(Device(), exclusive=True) as lease:
        killed(harness, server)
        again = ResourceRegistrar("server", harness.transport, catalog=path)
        harness.registrars.append(again)
        if entered_first:
            await again.__aenter__()
            harness.offer(again, Device)
        else:
            harness.offer(again, Device)
            await again.__aenter__()
        assert len(again.snapshot().leases) == 1
        error = await refusal(other.request(Device(), exclusive=True))
        assert "held by client" in error.message
        await asyncio.sleep(1)
        (view,) = again.snapshot().resources
        assert (view.holder, view.leases) == (lease.id, (lease.id,))
    await asyncio.sleep(0.01)
    assert again.snapshot().is_empty
    await again.__aexit__(None, None, None)


@scene
async def test_newcomers_are_kept_out_until_the_holder_has_reconfirmed_or_is_reaped(
    harness: Harness, tmp_path: Path
) -> None:
    path = tmp_path / "catalog"
    other = await harness.enter("other")
    client = await harness.enter("client")
    server = await server_in(harness, path)
    body = asyncio.create_task(client.request(Device(), exclusive=True).__aenter__())
    await body
    killed(harness, server)
    killed(harness, client)
    server = await server_in(harness, path)
    error = await refusal(other.request(Device(), exclusive=True))
    assert "held by client" in error.message
    begun_s = asyncio.get_running_loop().time()
    async with other.request(Device(), exclusive=True, wait=True) as lease:
        assert asyncio.get_running_loop().time() - begun_s == pytest.approx(5)
        assert lease.generation == 2
    assert any("not reconfirmed" in entry.why for entry in server.journal.entries())
    assert b"client" not in path.read_bytes().splitlines()[-1]


@scene
async def test_a_manager_that_does_not_come_back_is_fatal_after_a_while(
    harness: Harness, tmp_path: Path
) -> None:
    client = await harness.enter("client", policy=CorePolicy(reconnect_s=4))
    server = await server_in(harness, tmp_path / "catalog")
    begun_s = asyncio.get_running_loop().time()
    with pytest.raises(ResourceFailed, match="server is gone"):
        async with client.request(Sub()):
            killed(harness, server)
            await asyncio.sleep(3600)
    assert asyncio.get_running_loop().time() - begun_s == pytest.approx(4)


@scene
async def test_a_manager_without_catalog_is_fatal_at_once(harness: Harness) -> None:
    server, client = await harness.enter_all("server", "client")
    harness.offer(server, Sub)
    with pytest.raises(ResourceFailed, match="server is gone"):
        async with client.request(Sub()):
            killed(harness, server)
            await asyncio.sleep(3600)
    assert asyncio.get_running_loop().time() == 0


@scene
async def test_what_cannot_start_again_is_fatal(harness: Harness, tmp_path: Path) -> None:
    path = tmp_path / "catalog"
    client = await harness.enter("client")
    server = await server_in(harness, path)
    with pytest.raises(ResourceFailed, match="melted"):
        async with client.request(Sub()):
            killed(harness, server)
            again = await harness.enter("server", catalog=path)

            @again.provides(Sub)
            @asynccontextmanager
            async def broken(request: Sub) -> AsyncIterator[int]:
                raise OSError("it has melted")
                yield

            await asyncio.sleep(3600)


@scene
async def test_a_lease_that_was_released_while_the_manager_was_away_is_not_resurrected(
    harness: Harness, tmp_path: Path
) -> None:
    path = tmp_path / "catalog"
    client = await harness.enter("client")
    server = await server_in(harness, path)
    async with client.request(Sub()):
        killed(harness, server)
        await asyncio.sleep(1)
    server = await server_in(harness, path)
    await asyncio.sleep(10)
    assert server.snapshot().is_empty
    assert harness.count("up Sub(sub)") == 1


@scene
async def test_a_lease_of_a_request_type_that_has_changed_is_dropped_with_a_warning(
    harness: Harness, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "catalog"
    catalog = Catalog(path)
    kind = f"{Device.__module__}:{Device.__qualname__}"
    catalog.granted(Ask("client:0:1", "client", "0", kind, {"name": 7}, "client"), 0)
    catalog.close()
    with caplog.at_level(logging.WARNING, "pilothouse.registrar"):
        server = await server_in(harness, path)
    assert "is not restored" in caplog.text
    assert server.snapshot().is_empty
    assert Catalog(path).restored == []


def test_kill_9_of_a_real_manager_leaves_a_catalog_that_keeps_newcomers_out(tmp_path: Path) -> None:
    path = tmp_path / "catalog"
    root = Path(__file__).parents[3]
    manager = subprocess.Popen(
        [sys.executable, "-m", "tests.framework.registrar.catalog_process", str(path)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    try:
        assert manager.stdout is not None
        lease_id, generation = manager.stdout.readline().split()
    finally:
        manager.send_signal(signal.SIGKILL)
        manager.wait()
        if manager.stdout is not None:
            manager.stdout.close()
    with path.open("ab") as torn:
        torn.write(b'{"granted":["Ask","cli')

    async def main() -> None:
        async with Harness() as harness:
            server = await server_in(harness, path)
            other = await harness.enter("other")
            (lease,) = server.snapshot().leases
            assert (lease.id, lease.client, lease.exclusive) == (lease_id, "client", True)
            error = await refusal(other.request(Device(), exclusive=True))
            assert "held by client" in error.message
            async with other.request(Device(), exclusive=True, wait=True) as mine:
                assert mine.generation > int(generation)

    play(main)
