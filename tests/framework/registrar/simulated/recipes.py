"""What can be requested in a simulated world, and with what patience."""

from __future__ import annotations

import msgspec

from framework.registrar.core import CorePolicy
from framework.registrar.keys import kind_of
from framework.registrar.records import ProviderPolicy


class Thing(msgspec.Struct, frozen=True):
    """The one request type of these worlds; `name` is the recipe it is made by."""

    name: str


class Need(msgspec.Struct, frozen=True):
    """One dependency of a recipe; `cancels=False` is `on_failure="tell"`."""

    name: str
    exclusive: bool = False
    wait: bool = False
    cancels: bool = True


class Recipe(msgspec.Struct, frozen=True):
    """Where a thing is provided, and what its provider needs first.

    device: what moves, by the name under which the motion interlock knows it; by default the thing.
    """

    at: str
    needs: tuple[Need, ...] = ()
    moves: bool = False
    device: str = ""


KIND = kind_of(Thing)


#: Short, so that a test of a second sees every deadline pass [s].
PROVIDER_POLICY = ProviderPolicy(
    start_timeout_s=2.0, stop_timeout_s=1.0, safe_stop_timeout_s=0.5, preempt_grace_s=0.5
)


CORE_POLICY = CorePolicy(
    request_timeout_s=4.0, wait_timeout_s=8.0, window_s=0.25, reconfirm_s=1.0, reconnect_s=2.0
)
