"""Each file that is kept, cut off or changed anywhere: no program falls over it, no other file is lost."""

from __future__ import annotations

import datetime
import logging
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from framework.errors import InstallationError
from framework.registrar.catalog import Catalog
from framework.state import StateFolder
from framework.transport.messages import Ask
from managers.memory import MemoryBook
from managers.reliability import Reliability
from pilothouse import running
from resources.operator.memory_file import keep_port, port_again, read_memory, write_memory
from resources.operator.sessions import SessionBook
from resources.types.memory import (
    RememberedPath,
    RememberedPlace,
    RememberedPose,
    RememberedView,
    ShownThen,
    Waypoint,
)
from resources.types.operator import DeviceKind
from resources.web.certificate import certificate
from tests.effort import share

HOME = (0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8)
POSE = (1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0)
NOW = datetime.datetime(2026, 6, 1, tzinfo=datetime.UTC)

#: Each is cut off and changed at so many places, and at its ends; `make soak` tries more.
PLACES = share(20)

FILES = (
    "version",
    "running.json",
    "memory.json",
    "reliability.json",
    "controller_reliability.json",
    "console_certificate.pem",
    "operator_certificate.pem",
    "catalog",
    "operator_sessions",
    "operator_port",
)


def use(folder: Path, *, write: bool) -> None:
    """What programs do with all of them: read each at the start; with `write`, have something to keep."""
    state = StateFolder(folder)
    running.look(state)
    memory = MemoryBook(state, tuple)
    scores = Reliability(state), Reliability(state, "controller_reliability")
    for name in ("console_certificate.pem", "operator_certificate.pem"):
        certificate(folder / name, ("localhost",), NOW).context()
    catalog = Catalog(folder / "catalog")
    sessions = SessionBook(read_memory(folder))
    port_again(folder, "127.0.0.1")
    if write:
        memory.keep(RememberedPlace("dock", POSE))
        memory.keep(RememberedView("overview", (ShownThen("front_camera", "front"),)))
        memory.keep(RememberedPath("wave", "left", (Waypoint(0.0, HOME), Waypoint(1.5, HOME))))
        memory.keep(RememberedPose("ready", "left", HOME, POSE))
        for each in scores:
            each.loaded("camera")
            each.failed("lidar")
        catalog.granted(Ask("a", "client", "1", "tests:Device", {"name": "arm"}, "client", exclusive=True), 3)
        sessions.admit(DeviceKind.DESK, "", 0.0)
        write_memory(folder, sessions.memory())
        keep_port(folder, 8443)
        running.announce(state, running.this_process("http://1", "token", folder, "bench"))
        state.flush()
    catalog.close()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """All files with something in them."""
    folder = tmp_path_factory.mktemp("kept")
    use(folder, write=True)
    found = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert sorted(found) == sorted(FILES)
    return found


def damaged(content: bytes, seed: str) -> Iterator[bytes]:
    """Beginnings of it, and copies with one byte changed."""
    rng = random.Random(seed)
    places = {0, len(content) - 1, *(rng.randrange(len(content)) for _ in range(PLACES))}
    for place in sorted(each for each in places if 0 <= each < len(content)):
        yield content[:place]
        yield content[:place] + bytes([content[place] ^ 1 << rng.randrange(8)]) + content[place + 1 :]


@pytest.mark.thorough
@pytest.mark.parametrize("name", FILES)
def test_no_damage_stops_a_program_or_costs_another_file(
    tmp_path: Path,
    kept: dict[str, bytes],
    name: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.CRITICAL)
    for number, content in enumerate(damaged(kept[name], name)):
        folder = tmp_path / str(number)
        folder.mkdir()
        for file, whole in kept.items():
            (folder / file).write_bytes(content if file == name else whole)
            (folder / file).chmod(0o600)
        if name == "version" and b"2" <= content.strip() <= b"9":
            with pytest.raises(InstallationError, match="--state"):
                use(folder, write=False)
            assert (folder / name).read_bytes() == content, "one of a later version is not touched"
            continue
        use(folder, write=False)
        for file, whole in kept.items():
            if file not in (name, "catalog"):
                assert (folder / file).read_bytes() == whole, (name, content)
        (folder / "running.json").unlink(missing_ok=True)
        use(folder, write=True)
        asides = [file for file in folder.iterdir() if ".set-aside-" in file.name]
        assert all(file.name.startswith(name) and file.read_bytes() == content for file in asides)
        assert set(FILES) == {file.name for file in folder.iterdir()} - {file.name for file in asides}
