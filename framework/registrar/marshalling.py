"""Handles on their way out of the process and into one: only what the other end can make whole again crosses.

The handle's type is named on the request type, which both ends import
(`handle_type: ClassVar[type] = CameraFeed`); builtins need no name. No type is
looked up by a name that came over the wire. What cannot cross ends the lease
it is about, in words, at the side where the mistake is.
"""

from __future__ import annotations

import datetime
import logging
from typing import TYPE_CHECKING, Any, Final

import msgspec

from framework.errors import RequestTypeError
from framework.registrar.effects import Send
from framework.status import FAILED, Reason, ReasonKind
from framework.transport.messages import Ask, Grant, Message, Refusal, Release, Tell

if TYPE_CHECKING:
    from framework.registrar.core import RegistrarCore

log = logging.getLogger("pilothouse.registrar")

_PLAIN: Final = (bool, int, float, str, bytes, datetime.datetime, type(None))


class Marshalling:
    """What one registrar checks of messages to and from other processes."""

    def __init__(self, core: RegistrarCore) -> None:
        self._core = core

    def outward(self, message: Message) -> None:
        """Raises RequestTypeError, in words for the provider's author, if a handle could not be decoded."""
        if isinstance(message, Grant | Tell) and message.handle is not None:
            served = self._core.leases.get(message.lease)
            if served is not None:
                check(served.resource.key[0], message.handle)

    def inward(self, sender: str, message: Message) -> Message:
        """The message, its handle as the type that the request names; what is no such handle is a refusal."""
        if not isinstance(message, Grant | Tell) or message.handle is None:
            return message
        held = self._core.holds.get(message.lease)
        if held is None or held.server != sender:
            return message
        try:
            handle = made_whole(type(held.request), message.handle)
        except RequestTypeError as error:
            log.error("%s sent a handle that cannot be used: %s", sender, error)
            self._core.effects.append(Send(sender, Release(message.lease)))
            return Refusal(message.lease, Reason(ReasonKind.MALFORMED), str(error))
        return msgspec.structs.replace(message, handle=handle)

    def unsaid(self, message: Message, reason: str) -> None:
        """A message cannot leave the process: the lease it is about is over, and both sides know why."""
        core = self._core
        served = core.leases.get(message.lease) if isinstance(message, Grant | Tell) else None
        held = core.holds.get(message.lease) if isinstance(message, Ask) else None
        if served is not None:
            log.error("%s: lease %s on %s ends: %s", core.name, served.id, served.resource.label, reason)
            core.serving.refuse(served, FAILED, reason)
        elif held is not None:
            core.holding.refuse_here(held, Reason(ReasonKind.MALFORMED), reason)
        else:
            log.error("%s: a message was not sent: %s", core.name, reason)


def check(request_type: type, handle: Any) -> None:
    """Raises RequestTypeError if a client in another process could not make this handle whole again."""
    kind = type(handle).__qualname__
    handle_type = getattr(request_type, "handle_type", None)
    if handle_type is None:
        if not _is_plain(handle):
            raise RequestTypeError(
                f"the handle of {request_type.__qualname__} is a {kind}, which a client in another process "
                f"cannot decode: name its type on the request, `handle_type: ClassVar[type] = {kind}`"
            )
        return
    try:
        msgspec.convert(handle, handle_type, strict=True)
    except (msgspec.ValidationError, TypeError) as error:
        raise RequestTypeError(
            f"{request_type.__qualname__}.handle_type is {_name(handle_type)}, but its provider yields "
            f"a {kind}: {error}"
        ) from error


def made_whole(request_type: type, value: Any) -> Any:
    """What came over the wire as plain containers, as the handle type that the request names.

    Raises RequestTypeError that says what does not fit.
    """
    handle_type = getattr(request_type, "handle_type", None)
    if handle_type is None:
        return value
    try:
        return msgspec.convert(value, handle_type, strict=True)
    except (msgspec.ValidationError, TypeError) as error:
        raise RequestTypeError(
            f"the handle of {request_type.__qualname__} is no {_name(handle_type)}: {error}; do both "
            "processes run the same version?"
        ) from error


def _is_plain(value: Any) -> bool:
    if type(value) in _PLAIN:
        return True
    if type(value) in (list, tuple):
        return all(map(_is_plain, value))
    return type(value) is dict and all(_is_plain(key) and _is_plain(item) for key, item in value.items())


def _name(kind: Any) -> str:
    return kind.__qualname__ if isinstance(kind, type) else str(kind)
