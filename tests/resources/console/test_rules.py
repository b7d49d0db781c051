"""The console's pure parts: who is admitted, how much, what a slow page gets, what the graph shows."""

from __future__ import annotations

import os
import socket
import string
from pathlib import Path

import msgspec
import pytest

from framework.registrar.snapshot import LeaseView, ResourceView, Snapshot
from framework.status import Priority
from resources.console.backend import Topic
from resources.console.graph import graph_of, label
from resources.console.outbox import MOST_WAITING, Outbox
from resources.types.sensors import Camera, Device
from resources.web import static_files
from resources.web.admission import Admission, bearer_of, is_token, new_token
from resources.web.port_holder import port_taken
from resources.web.rate_limit import RateLimit


@pytest.fixture
def admission() -> Admission:
    return Admission("127.0.0.1", 8300)


@pytest.mark.parametrize("host", ["127.0.0.1:8300", "localhost:8300", "LOCALHOST:8300", "[::1]:8300"])
def test_own_names_are_known(admission: Admission, host: str) -> None:
    assert admission.knows_host({"Host": host})


@pytest.mark.parametrize(
    "host",
    ["evil.example:8300", "127.0.0.1", "127.0.0.1:80", "127.0.0.1.evil.example:8300", "", "localhost:8300 "],
)
def test_other_names_are_not(admission: Admission, host: str) -> None:
    assert not admission.knows_host({"Host": host})
    assert not admission.knows_host({})


def test_a_server_for_all_addresses_still_wants_a_name_it_was_given() -> None:
    open_to_all = Admission("0.0.0.0", 8300, names=("robot.local",))
    assert open_to_all.knows_host({"Host": "robot.local:8300"})
    assert not open_to_all.knows_host({"Host": "evil.example:8300"})


@pytest.mark.parametrize(
    ("origin", "own"),
    [
        ("http://127.0.0.1:8300", True),
        ("http://localhost:8300", True),
        ("https://127.0.0.1:8300", False),
        ("http://127.0.0.1:8301", False),
        ("http://evil.example", False),
        ("null", False),
    ],
)
def test_only_our_own_pages_are_ours(admission: Admission, origin: str, own: bool) -> None:
    assert admission.is_own_page({"Origin": origin}) is own
    assert admission.is_foreign_page({"Origin": origin}) is not own
    assert not admission.is_foreign_page({})


@pytest.mark.parametrize(
    "text", ["", "Bearer", "Bearer ", "Bearer wrong", "Basic secret", "secret", "Bearer \udcff"]
)
def test_a_wrong_token_is_refused(text: str) -> None:
    assert not is_token(bearer_of({"Authorization": text}), "secret")
    assert is_token(bearer_of({"Authorization": "bearer secret"}), "secret")
    assert not is_token("", "")


def test_tokens_have_128_bits_and_may_stand_in_an_address() -> None:
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(
        len(token) == 22 and set(token) <= set(string.ascii_letters + string.digits + "-_")
        for token in tokens
    )


def test_a_burst_is_allowed_and_then_a_rate() -> None:
    limit = RateLimit(per_s=10.0, burst=5.0)
    assert [limit.allows(1.0) for _ in range(6)] == [True] * 5 + [False]
    assert [limit.allows(1.25) for _ in range(3)] == [True, True, False]
    assert not limit.allows(0.0)  # a clock that went back gives nothing away


def test_a_slow_page_gets_the_newest_states_and_samples_and_every_event() -> None:
    outbox = Outbox()
    for number in range(3):
        outbox.show(Topic.GRAPH, b"graph %d" % number)
        outbox.sample("v1", bytearray(b"sample %d" % number))
        outbox.tell(b"event %d" % number)
    outbox.show(Topic.EMERGENCY, b"stopped")
    taken = [outbox.take() for _ in range(7)]
    assert taken == [b"event 0", b"event 1", b"event 2", b"stopped", b"graph 2", b"sample 2", None]


def test_a_page_that_lost_track_is_noticed() -> None:
    outbox = Outbox()
    for _ in range(MOST_WAITING):
        outbox.tell(b"event")
    assert not outbox.overflowed
    outbox.tell(b"one too many")
    assert outbox.overflowed


def test_the_holder_of_a_port_is_named_with_the_ways_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        words = port_taken("127.0.0.1", port)
    assert f"port {port}" in words
    assert f"by process {os.getpid()}" in words
    assert f"choose another port: pilothouse run --port {port + 10} (0 takes any free one)" in words
    assert "leave" not in words


CHILD = "python -P -m framework.processes.child resources.operator.main:main {}"


def processes(folder: Path, port: int, *told: tuple[int, int, str]) -> Path:
    """As /proc has it, of (process, parent, command); the first one listens."""
    (folder / "net").mkdir()
    listens = f"0: 0100007F:{port:04X} 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 55 1"
    (folder / "net" / "tcp").write_text(f"  sl  local_address ...\n   {listens}\n")
    for pid, parent, command in told:
        (folder / str(pid) / "fd").mkdir(parents=True)
        (folder / str(pid) / "cmdline").write_text(command.replace(" ", "\0"))
        (folder / str(pid) / "stat").write_text(f"{pid} (a (name) ) S {parent} 1 1 0")
    (folder / str(told[0][0]) / "fd" / "3").symlink_to("socket:[55]")
    return folder


def test_of_a_child_that_has_the_port_its_owner_is_named(tmp_path: Path) -> None:
    proc = processes(tmp_path, 8301, (70, 60, CHILD), (60, 1, "python pilothouse run"))
    words = port_taken("127.0.0.1", 8301, "--phone-port", 8310, proc)
    assert "port 8301 on 127.0.0.1 is in use by process 60 (python pilothouse run)" in words
    assert "kill -INT 60" in words and "70" not in words
    assert words.endswith(
        "or choose another port: pilothouse run --phone-port 8311 (0 takes any free one), "
        "or leave --phone-port out"
    )


@pytest.mark.parametrize("owner", [(1, 0, "init"), (60, 60, CHILD)])
def test_a_child_that_nobody_owns_any_more_is_named_itself(
    tmp_path: Path, owner: tuple[int, int, str]
) -> None:
    proc = processes(tmp_path, 8301, (70, owner[0], CHILD), owner)
    assert "is in use by process 70" in port_taken("127.0.0.1", 8301, "--phone-port", 8301, proc)


def test_the_other_port_is_one_that_there_is(tmp_path: Path) -> None:
    assert "--port 65525 " in port_taken("127.0.0.1", 65535, proc=tmp_path)


def test_a_holder_that_cannot_be_known_is_said_to_be_so(tmp_path: Path) -> None:
    assert "may not look at" in port_taken("127.0.0.1", 8300, proc=tmp_path)


def test_what_a_page_does_not_need_is_not_loaded_for_it(tmp_path: Path) -> None:
    folder = tmp_path / f"{static_files.HAND_TRACKER}1"
    folder.mkdir(parents=True)
    (tmp_path / "index.html").write_text("page")
    (folder / "hands.wasm").write_bytes(b"wasm")
    assert "/assets/hands-1/hands.wasm" not in static_files.load(tmp_path, without=static_files.HAND_TRACKER)
    wasm = static_files.load(tmp_path)["/assets/hands-1/hands.wasm"]
    assert wasm.content_type == "application/wasm" and "immutable" in wasm.cache


def test_a_page_that_was_not_built_says_so_in_words(tmp_path: Path) -> None:
    files = static_files.load(tmp_path)
    assert set(files) == {"/"}
    assert b"make page" in files["/"].body


def test_only_built_files_are_served(tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("page")
    (tmp_path / "assets" / "a-1.js").write_text("script")
    files = static_files.load(tmp_path)
    assert set(files) == {"/", "/index.html", "/assets/a-1.js"}
    assert files["/assets/a-1.js"].content_type in ("text/javascript", "application/javascript")
    assert "immutable" in files["/assets/a-1.js"].cache


class Nested(msgspec.Struct, frozen=True):
    camera: Device
    on: bool = True
    title: str = ""
    rate_hz: float = 10.0


def test_a_request_is_labelled_by_what_tells_it_from_others() -> None:
    assert label(Camera(mount="front", kind="rgbd")) == "Camera front rgbd"
    assert label(Nested(Device("front_camera"), rate_hz=5.0)) == "Nested front_camera 5.0"
    assert label(Nested(Device("front_camera"), title="all: front_camera")) == "Nested front_camera"


def test_the_graph_has_arrows_for_resources_and_leases_for_people() -> None:
    def resource(registrar: str, request: object, depends_on: tuple[str, ...] = ()) -> ResourceView:
        return ResourceView(
            f"{registrar}/1",
            registrar,
            request,
            "ready",
            "",
            (),
            (),
            depends_on,
            "",
            Priority.AUTONOMY,
            12.0,
            1,
        )

    def lease(id_: str, resource_: str, client: str, phase: str = "granted", side: str = "lent") -> LeaseView:
        return LeaseView(id_, side, client, client, None, resource_, False, Priority.OPERATOR, phase, 1)

    views = Snapshot(
        "views", "b", (resource("views", Camera(), ("sensors/1",)),), (lease("l1", "views/1", "show"),)
    )
    sensors = Snapshot(
        "sensors",
        "b",
        (resource("sensors", Device("cam")),),
        (
            lease("l2", "sensors/1", "views"),  # a resource's: drawn as an arrow
            lease("l3", "sensors/1", "track", "queued"),
            lease("l4", "sensors/1", "gone", "ended"),
            lease("l5", "sensors/1", "sensors", side="held"),
        ),
    )
    graph = graph_of([views, sensors], now_s=10.0)
    assert [each.depends_on for each in graph.resources] == [("sensors/1",), ()]
    assert [(each.who, each.waiting) for each in graph.leases] == [("show", False), ("track", True)]
    assert graph.leases[0].priority == "operator"
    assert graph.resources[0].next_attempt_in_s == 2.0
