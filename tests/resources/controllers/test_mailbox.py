"""Orders through shared memory: the newest counts, whoever wrote it, and garbage counts for nothing."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.errors import CommandRefused
from framework.registrar.fencing import CommandStamp
from resources.controllers.mailbox import OrdersReader, OrdersWriter
from resources.types.motion import MoveJoints, Orders, Wanted, decode_orders, encode_motion
from tests.effort import random_inputs

ORDERS = Orders(
    "lease", 3, 2, 1, CommandStamp("lease", 3, 9, 1.5), Wanted(7, MoveJoints((0.1,) * 7)), (("eye", "/eye"),)
)


def test_the_newest_orders_are_read_once(tmp_path: Path) -> None:
    writer = OrdersWriter(tmp_path, "arm")
    with OrdersReader(writer.path) as reader:
        assert reader.read() is None
        for rests in range(20):
            writer.write(Orders(rests=rests), 1.0)
        assert reader.read() == Orders(rests=19)
        assert reader.read() is None
        writer.write(ORDERS, 2.0)
        assert reader.read() == ORDERS
    writer.close()
    writer.close()
    assert list(tmp_path.iterdir()) == []


def test_a_mailbox_may_come_later_go_and_come_again(tmp_path: Path) -> None:
    reader = OrdersReader(tmp_path / "orders_arm.ring")
    assert reader.read() is None
    first = OrdersWriter(tmp_path, "arm")
    first.write(ORDERS, 1.0)
    assert reader.read() == ORDERS
    first.close()
    assert reader.read() is None
    second = OrdersWriter(tmp_path, "arm")
    second.write(Orders("b", 4), 2.0)
    found = [orders for _ in range(3) if (orders := reader.read()) is not None]
    assert found == [Orders("b", 4)]
    third = OrdersWriter(tmp_path, "arm")  # takes the place of one whose writer has died
    third.write(Orders("c", 5), 3.0)
    found = [orders for _ in range(3) if (orders := reader.read()) is not None]
    assert found == [Orders("c", 5)]
    second.close()
    third.close()
    reader.close()
    reader.close()


def test_garbage_is_refused_once_and_the_next_orders_count(tmp_path: Path) -> None:
    writer = OrdersWriter(tmp_path, "arm")
    with OrdersReader(writer.path) as reader:
        writer._ring.write(b"\xc1", stamp_s=1.0)
        with pytest.raises(CommandRefused, match="orders of 1 bytes cannot be read"):
            reader.read()
        assert reader.read() is None
        writer.write(ORDERS, 1.0)
        assert reader.read() == ORDERS
    writer.close()


@random_inputs(200)
@given(st.integers(0, 200), st.binary(min_size=1, max_size=4))
def test_spoilt_bytes_are_orders_or_refused_and_nothing_else(at: int, noise: bytes) -> None:
    whole = encode_motion(ORDERS)
    spoilt = whole[: at % len(whole)] + noise + whole[at % len(whole) + len(noise) :]
    with suppress(ValueError):  # msgspec's errors, and those of text that is none
        assert isinstance(decode_orders(spoilt), Orders)
