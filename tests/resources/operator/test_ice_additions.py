"""What is added to aioice's connections, where the links' own tests do not come by."""

from __future__ import annotations

import socket
from types import SimpleNamespace

import pytest

from resources.operator.ice_additions import Dscp, mark, marks_of


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
@pytest.mark.parametrize("dscp", list(Dscp))
def test_sockets_of_both_families_are_marked(family: socket.AddressFamily, dscp: Dscp) -> None:
    with socket.socket(family, socket.SOCK_DGRAM) as opened:
        transport = SimpleNamespace(get_extra_info=lambda _: opened)
        ice = SimpleNamespace(_protocols=[SimpleNamespace(transport=transport)])
        assert marks_of(ice) == [0]
        mark(ice, dscp)
        assert marks_of(ice) == [dscp]
