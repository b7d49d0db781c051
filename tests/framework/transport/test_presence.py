"""The book of incarnations: who counts, when who is told, and tokens that cannot be read."""

from __future__ import annotations

import pytest

from framework.errors import MalformedMessage, TransportError
from framework.transport.messages import Peer
from framework.transport.presence import Lost, Presence, Seen
from framework.transport.zenoh_keys import Keys, Token, sender_of


def token(boot: str, born_us: int, revision: int = 0, provides: tuple[str, ...] = ()) -> Token:
    return Token(Peer("arm", boot, provides), "5e55", born_us, revision)


OLD, NEW = token("0000000a", 100), token("0000000b", 200)


def test_a_late_farewell_does_not_lose_the_successor() -> None:
    book = Presence()
    assert book.put(OLD) == (Seen(OLD.peer),)
    assert book.put(NEW) == ()
    assert book.delete(OLD) == (Lost(OLD.peer), Seen(NEW.peer))
    assert book.delete(OLD) == ()
    assert dict(book.peers) == {"arm": NEW.peer}


def test_the_elder_counts_in_whatever_order_they_are_met() -> None:
    book = Presence()
    book.put(NEW)
    assert book.put(OLD) == (Lost(NEW.peer), Seen(OLD.peer))
    assert book.delete(NEW) == ()
    assert dict(book.peers) == {"arm": OLD.peer}


def test_a_new_revision_is_a_change_and_the_end_of_the_old_one_is_none() -> None:
    book = Presence()
    book.put(OLD)
    newer = token("0000000a", 100, 1, ("m:Kind",))
    assert book.put(newer) == (Seen(newer.peer),)
    assert book.delete(OLD) == ()
    assert book.put(newer) == ()
    assert book.delete(newer) == (Lost(newer.peer),)
    assert dict(book.peers) == {}


def test_an_overtaken_revision_changes_nothing() -> None:
    book = Presence()
    newer = token("0000000a", 100, 1, ("m:Kind",))
    book.put(newer)
    assert book.put(OLD) == ()
    assert dict(book.peers) == {"arm": newer.peer}


def test_an_unknown_farewell_changes_nothing() -> None:
    assert Presence().delete(OLD) == ()


def test_a_token_comes_back_as_it_was_said() -> None:
    keys = Keys("lab:1#b")
    said = Token(
        Peer("a#1:b.c", "0123abcd", ("m:A", "m:f.<locals>.B,$*/?#ä %"), True),
        "5e55",
        1_800_000_000_000_000,
        3,
    )
    key = keys.token(said)
    assert keys.parse_token(key) == said
    assert not set(key) & set("$*?#<> ")


def test_a_message_key_names_its_sender() -> None:
    sender = Peer("a#1", "0123abcd")
    assert sender_of(Keys("lab").message(Peer("b", "4567cdef"), sender)) == ("a#1", "0123abcd")


@pytest.mark.parametrize(
    "tail",
    [
        "",
        "arm",
        "arm/0000000a/5e55/64/0/v",
        "arm/0000000a/5e55/64/0/v/=/more",
        "arm/0000000a/5e55/64/0/x/=",
        "arm/0000000a/5e55/64/0/v/kinds",
        "arm/0000000a/5e55/6 4/0/v/=",
        "arm/0000000a/5e55/64/-1/v/=",
        "arm/BOOT/5e55/64/0/v/=",
        "arm%20b/0000000a/5e55/64/0/v/=",
        "%FF/0000000a/5e55/64/0/v/=",
        "arm/0000000a/5e55/" + "f" * 40 + "/0/v/=",
    ],
)
def test_a_token_that_is_none_is_malformed(tail: str) -> None:
    with pytest.raises(MalformedMessage, match="the presence token"):
        Keys("lab").parse_token(f"pilothouse/lab/peer/{tail}")


def test_too_many_types_for_a_token_are_refused() -> None:
    peer = Peer("arm", "0000000a", tuple(f"some.module:Kind{number}" for number in range(3000)))
    with pytest.raises(TransportError, match="arm provides 3000 types"):
        Keys("lab").token(Token(peer, "5e55", 1, 0))
