"""What comes from outside, broken in ways that keep its shape: a message, or refused, and nothing else."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from resources.operator.memory_file import FILE_NAME, read_memory, write_memory
from resources.operator.orders import (
    Console,
    Kick,
    OpenPairing,
    OperatorOrder,
    SeatOf,
    Shown,
    decode_order,
    encode_order,
)
from resources.operator.protocol import Answer, Candidate, Pair, decode_pair, decode_signal, encode_words
from resources.operator.sessions import SessionBook
from resources.types.masters import HandSide
from resources.types.operator import DeviceKind
from resources.types.operator_client import Driven, Seat, SeatOrder

ODD: tuple[Any, ...] = (
    None,
    True,
    -1,
    2**63,
    1e308,
    "",
    "x" * 100_000,
    "\x00\ud7ff",
    [],
    {},
    [[[[]]]],
    {"type": "answer"},
    {"": ""},
)
REFUSALS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)

PAIR = Pair("token", DeviceKind.PHONE, "Anna")
SIGNALS = (Answer("control", "v=0"), Candidate("media", "candidate:1 1 udp 1 127.0.0.1 9 typ host", "0"))
ORDERS: tuple[OperatorOrder, ...] = (
    Shown(),
    Console("t"),
    OpenPairing(60.0),
    Kick("s", "why"),
    SeatOf("s", SeatOrder(Seat.READY, (Driven(HandSide.LEFT, "left_arm"),), "go"), "phone 1"),
)


def broken(value: Any, rng: random.Random) -> Any:
    """The same with one thing wrong, somewhere."""
    if isinstance(value, dict) and value and rng.random() < 0.7:
        key = rng.choice(sorted(value))
        match rng.randrange(3):
            case 0:
                return {name: each for name, each in value.items() if name != key}
            case 1:
                return {**value, f"{key}x": value[key]}
        return {**value, key: broken(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.7:
        at = rng.randrange(len(value))
        return [*value[:at], broken(value[at], rng), *value[at + 1 :]]
    return rng.choice(ODD)


def damaged(payload: bytes, rng: random.Random) -> bytes:
    """With bytes changed, cut out or doubled."""
    content = bytearray(payload)
    for _ in range(rng.randint(1, 5)):
        at = rng.randrange(len(content) + 1)
        match rng.randrange(3):
            case 0:
                content[at : at + 1] = bytes([rng.randrange(256)])
            case 1:
                del content[at : at + rng.randint(1, 8)]
            case 2:
                content[at:at] = content[max(0, at - 8) : at]
    return bytes(content)


def survives(decode: Callable[[bytes], object], payload: bytes, kinds: tuple[type, ...]) -> None:
    try:
        found = decode(payload)
    except REFUSALS:
        return
    assert isinstance(found, kinds)


@pytest.mark.parametrize("seed", range(4))
def test_pairing_and_signalling_take_nothing_but_their_messages(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(1000):
        survives(decode_pair, json.dumps(broken(json.loads(encode_words(PAIR)), rng)).encode(), (Pair,))
        survives(decode_pair, damaged(encode_words(PAIR), rng), (Pair,))
        signal = encode_words(rng.choice(SIGNALS))
        survives(decode_signal, json.dumps(broken(json.loads(signal), rng)).encode(), (Answer, Candidate))
        survives(decode_signal, damaged(signal, rng), (Answer, Candidate))


@pytest.mark.parametrize("seed", range(4))
def test_orders_take_nothing_but_orders(seed: int) -> None:
    rng = random.Random(seed)
    kinds = (Shown, Console, OpenPairing, Kick, SeatOf)
    for _ in range(1000):
        order = encode_order(rng.choice(ORDERS))
        survives(decode_order, damaged(order, rng), kinds)
        changed = broken(msgspec.msgpack.decode(order), rng)
        if changed != 2**63:
            survives(decode_order, msgspec.msgpack.encode(changed), kinds)


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: type(order).__name__)
def test_orders_come_as_they_were_given(order: OperatorOrder) -> None:
    assert decode_order(encode_order(order)) == order


def test_a_memory_that_is_none_is_a_first_start(tmp_path: Path) -> None:
    assert read_memory(tmp_path) is None
    book = SessionBook()
    book.admit(DeviceKind.DESK, "", 0.0)
    write_memory(tmp_path, book.memory())
    kept = (tmp_path / FILE_NAME).read_bytes()
    assert read_memory(tmp_path) == book.memory()
    rng = random.Random(1)
    for _ in range(300):
        (tmp_path / FILE_NAME).write_bytes(damaged(kept, rng))
        found = read_memory(tmp_path)
        asides = list(tmp_path.glob(f"{FILE_NAME}.set-aside-*"))
        assert (found is None) == bool(asides), "not written over"
        for aside in asides:
            aside.unlink()
    (tmp_path / FILE_NAME).unlink(missing_ok=True)
    (tmp_path / FILE_NAME).mkdir()
    assert read_memory(tmp_path) is None
    with pytest.raises(OSError, match="directory"):
        write_memory(tmp_path, book.memory())
    assert [each.name for each in tmp_path.iterdir()] == [FILE_NAME]
