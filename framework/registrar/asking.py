"""From the arguments people write to the kind of request they mean."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Literal

from framework.interlock import Permit
from framework.registrar.lease import Lease
from framework.registrar.request import Request, Wishes
from framework.registrar.request_optional import OptionalRequest
from framework.status import Priority, Status

if TYPE_CHECKING:
    from framework.registrar.shell import Shell


def request_of(
    shell: Shell,
    on_behalf_of: int | None,
    request: Any,
    at: str | None = None,
    exclusive: bool = False,
    priority: Priority = Priority.AUTONOMY,
    wait: bool = False,
    on_failure: Literal["cancel", "tell"] = "cancel",
    on_status: Callable[[Status], None] | None = None,
    optional: bool = False,
    timeout_s: float | None = None,
    who: str = "",
    permit: Permit | None = None,
) -> AbstractAsyncContextManager[Lease]:
    """What `ResourceRegistrar.request` and `Supply.request` (which says for which resource) give."""
    cancels = on_failure == "cancel"
    if (at, exclusive, priority, wait, cancels, on_status, timeout_s, who, permit) == _AS_USUAL:
        wishes = _PLAIN
    else:
        wishes = Wishes(at, exclusive, Priority(priority), wait, cancels, on_status, timeout_s, who, permit)
    if optional:
        return OptionalRequest(shell, request, wishes, on_behalf_of)
    return Request(shell, request, wishes, on_behalf_of=on_behalf_of)


_PLAIN = Wishes()
_AS_USUAL = (None, False, Priority.AUTONOMY, False, True, None, None, "", None)
