"""Whether anything answers at an address, in words and in time."""

from __future__ import annotations

import socket
import threading

import pytest

from framework.errors import ResourceUnavailable
from resources.drivers.franka.reaching import reach


def test_what_listens_is_reached_and_left_at_once() -> None:
    heard: list[bytes] = []

    def serve() -> None:
        with listening.accept()[0] as connection:
            heard.append(connection.recv(100))

    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = threading.Thread(target=serve)
        server.start()
        reach("arm", "127.0.0.1", listening.getsockname()[1])
        server.join()
    assert heard == [b""], "nothing is said"


def test_what_never_closes_is_left_all_the_same() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:  # it accepts nothing: the kernel does
        reach("arm", "127.0.0.1", listening.getsockname()[1])


def test_a_machine_that_does_not_answer_is_given_up_in_words() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        port = full.getsockname()[1]
        first = socket.create_connection(("127.0.0.1", port))  # its queue is full now: it answers no more
        with first, pytest.raises(ResourceUnavailable) as caught:
            reach("arm at 127.0.0.1", "127.0.0.1", port, within_s=0.1)
    assert str(caught.value).startswith(f"arm at 127.0.0.1, TCP port {port}: nothing has answered for 0.1 s")
    assert "cable" in str(caught.value)


def test_a_machine_on_which_nobody_listens_says_to_activate_fci() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(ResourceUnavailable, match="Activate FCI in Desk"):
        reach("arm", "127.0.0.1", port)


@pytest.mark.parametrize("address", ["no such.host", "256.1.1.1", "a" * 80, ""])
def test_what_is_no_address_is_said(address: str) -> None:
    with pytest.raises(ResourceUnavailable, match="TCP port 1337"):
        reach("arm", address, 1337)
