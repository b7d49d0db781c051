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
from framework.unreadable import UNREADABLE

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
    if request_type in _decoders:
        return request_type
    try:
        decode = msgspec.msgpack.Decoder(request_type).decode
        for field in msgspec.structs.fields(request_type):
            wrong = _wrong_with(msgspec.inspect.type_info(field.type))
            if not wrong and not _is_finite(field.default):
                wrong = f"the default {field.default}, which is not finite"
            if wrong:
                name = f"{request_type.__qualname__}.{field.name}"
                raise RequestTypeError(f"{name} cannot be part of a request, because of {wrong}: {ALLOWED}")
    except (TypeError, NameError) as error:
        raise RequestTypeError(
            f"{request_type.__qualname__} cannot be a request type ({error}): {ALLOWED}"
        ) from error
    _decoders[request_type] = decode
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
    except (TypeError, ValueError, *UNREADABLE) as error:
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


def _wrong_with(info: msgspec.inspect.Type, seen: frozenset[type] = frozenset()) -> str:
    """What makes values of this type unfit to name anything; empty if nothing does."""
    parts: tuple[msgspec.inspect.Type, ...] = ()
    match info:
        case msgspec.inspect.ListType() | msgspec.inspect.DictType() | msgspec.inspect.SetType():
            return f"a {type(info).__name__.removesuffix('Type').lower()}, which can change"
        case msgspec.inspect.StructType(cls=cls) if not cls.__struct_config__.frozen:
            return f"{cls.__qualname__}, which is not frozen"
        case msgspec.inspect.StructType(cls=cls, fields=fields) if cls not in seen:
            seen = seen | {cls}
            parts = tuple(field.type for field in fields)
        case msgspec.inspect.VarTupleType(item_type=item) | msgspec.inspect.FrozenSetType(item_type=item):
            parts = (item,)
        case msgspec.inspect.TupleType(item_types=types) | msgspec.inspect.UnionType(types=types):
            parts = types
    return next(filter(None, (_wrong_with(part, seen) for part in parts)), "")


def _is_finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, msgspec.Struct):
        return all(_is_finite(getattr(value, name)) for name in value.__struct_fields__)
    if isinstance(value, tuple | list | frozenset | set):
        return all(map(_is_finite, value))
    return True
