"""When two requests are the same, and which values may be requests at all.

Equal requests share one resource. Python finds `A(1) == A(True) == A(1.0)`, so
the key is the type together with the encoded content, in which these differ
unless the field's annotation makes them the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import msgspec

from framework.errors import RequestTypeError

Key = tuple[type, bytes]

_encode = msgspec.msgpack.Encoder(order="deterministic").encode
_decoders: dict[type, Callable[[bytes], Any]] = {}
_kinds: dict[type, str] = {}

ALLOWED = (
    "allowed are frozen msgspec structs of numbers, strings, bytes, enums, dates, tuples and such structs"
)


def kind_of(request_type: type) -> str:
    """The name of a request type on the wire: `module:qualname`."""
    kind = _kinds.get(request_type)
    if kind is None:
        kind = _kinds[request_type] = f"{request_type.__module__}:{request_type.__qualname__}"
    return kind


def checked_type(request_type: Any) -> type:
    """The type itself, if its values can name shared resources; raises RequestTypeError if not."""
    if not (isinstance(request_type, type) and issubclass(request_type, msgspec.Struct)):
        raise RequestTypeError(f"{request_type!r} cannot be a request type: {ALLOWED}")
    if not request_type.__struct_config__.frozen:
        raise RequestTypeError(
            f"{request_type.__qualname__} is not frozen, so its requests could change while they are shared: "
            f"write `class {request_type.__qualname__}(msgspec.Struct, frozen=True)`"
        )
    _decoders.setdefault(request_type, msgspec.msgpack.Decoder(request_type).decode)
    kind_of(request_type)
    return request_type


def key_of(request: Any) -> Key:
    """What this request shares its resource by. Raises RequestTypeError if it can share none."""
    request_type = type(request)
    decode = _decoders.get(request_type)
    if decode is None:
        decode = _decoders[checked_type(request_type)]
    try:
        hash(request)
        content = _encode(request)
        again = decode(content)
        content = _encode(again)
    except (TypeError, ValueError, msgspec.MsgspecError) as error:
        raise RequestTypeError(f"{request!r} cannot be requested ({error}): {ALLOWED}") from error
    if not _is_finite(again):
        raise RequestTypeError(f"{request!r} cannot be requested: a number in it is NaN or infinite")
    return (request_type, content)


def converted(request_type: type, value: Any) -> Any:
    """A request or handle that came over the wire as plain containers, as its type.

    Raises RequestTypeError that says what does not fit.
    """
    if isinstance(value, request_type):
        return value
    try:
        return msgspec.convert(value, request_type, strict=True)
    except (msgspec.ValidationError, TypeError) as error:
        raise RequestTypeError(f"{value!r} is no {request_type.__qualname__}: {error}") from error


def _is_finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, msgspec.Struct):
        return all(_is_finite(getattr(value, name)) for name in value.__struct_fields__)
    if isinstance(value, tuple | list | frozenset | set):
        return all(map(_is_finite, value))
    return True
