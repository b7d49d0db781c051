"""Messages to bytes and back: msgpack, strict in what it takes in.

Only what travels between processes passes here. Which message is sent to whom,
and what is done about bytes that are no message, is decided elsewhere.
"""

from __future__ import annotations

from typing import Annotated, Any, NoReturn

import msgspec

from framework.errors import MalformedMessage, TransportError
from framework.transport.messages import AnyMessage, Message
from framework.unreadable import UNREADABLE

MAX_BYTES = 1 << 20
"""No message may be longer when encoded: a registrar message is a note, data goes by streams."""

_SHOWN_BYTES = 24


class Envelope(msgspec.Struct, frozen=True, gc=False, array_like=True, forbid_unknown_fields=True):
    """What travels: the message, and its place in the order of one sender to one receiver, from 1."""

    sequence: Annotated[int, msgspec.Meta(ge=1)]
    message: AnyMessage


def encode(sequence: int, message: Message) -> bytes:
    """Encode one message.

    Raises TransportError if something in it cannot travel, or if it is longer
    than `MAX_BYTES`; the message says which type it was and what is allowed.
    """
    try:
        payload = _ENCODER.encode((sequence, message))
    except TransportError:
        raise
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise TransportError(
            f"{_label(message)} cannot be sent to another process: {error}. {_ALLOWED}"
        ) from error
    if len(payload) > MAX_BYTES:
        raise TransportError(
            f"{_label(message)} is {len(payload)} bytes long when encoded; at most {MAX_BYTES} are sent. "
            "Large data goes by a stream: send the stream's key instead."
        )
    return payload


def decode(payload: bytes) -> Envelope:
    """Decode what arrived; raises MalformedMessage, and nothing else, if it is no message of ours."""
    if len(payload) > MAX_BYTES:
        raise MalformedMessage(f"{len(payload)} bytes came in; a message has at most {MAX_BYTES}")
    try:
        return _DECODER.decode(payload)
    except (TypeError, ValueError, OverflowError, *UNREADABLE) as error:
        shown = payload[:_SHOWN_BYTES].hex(" ") + (" …" if len(payload) > _SHOWN_BYTES else "")
        raise MalformedMessage(
            f"{len(payload)} bytes came in that are no message: {error} (they begin {shown or 'nowhere'})"
        ) from error


_ALLOWED = (
    "Allowed are None, booleans, integers of 64 bits, floats, strings, bytes, enums, dates, "
    "msgspec structs, dataclasses, and lists, tuples, sets and dicts of these."
)


def _label(message: Message) -> str:
    return f"the message {type(message).__name__}"


def _refuse_type(value: Any) -> NoReturn:
    kind = type(value)
    raise TransportError(
        f"a {kind.__module__}.{kind.__qualname__} cannot be sent to another process. {_ALLOWED} "
        "Convert it first (an array: tolist(), or a stream)."
    )


def _refuse_extension(code: int, data: memoryview) -> NoReturn:
    raise ValueError(f"msgpack extension {code} with {len(data)} bytes; none is allowed")


_ENCODER = msgspec.msgpack.Encoder(enc_hook=_refuse_type)
_DECODER = msgspec.msgpack.Decoder(Envelope, ext_hook=_refuse_extension)
