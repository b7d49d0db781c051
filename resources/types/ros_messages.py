"""ROS messages of any type where there is no ROS: from CDR bytes and back, by the definition of their type.

rosbags does the work. A message that was read has its fields as attributes; arrays of numbers are numpy
arrays. One that is to be sent is a mapping of fields; what is left out is 0, empty or "", as in ROS.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, Final

from framework.errors import MalformedMessage, PluginUnavailable
from resources.types.ros import TypeDefinition

HOW_TO_GET_IT: Final = "pip install 'pilothouse[ros]'"

_EMPTY: Final = "structure_needs_at_least_one_member"
"""The field that a message without fields has on its way."""

_LONGEST: Final = 1 << 27
"""A sequence of more elements is refused before room is made for it."""


class RosMessages:
    """The messages of one definition.

    Raises PluginUnavailable without rosbags, MalformedMessage for a definition that it does not understand.
    """

    def __init__(self, definition: TypeDefinition) -> None:
        try:
            from rosbags.typesys import TypesysError, get_types_from_msg
            from rosbags.typesys.store import Typestore
        except ImportError as error:
            raise PluginUnavailable("ROS messages", f"{error}: {HOW_TO_GET_IT}") from error
        self._store: Any = Typestore(max_sequence_length=_LONGEST)
        types: dict[str, Any] = {}
        for name, text in definition:
            try:
                types |= get_types_from_msg(text or f"uint8 {_EMPTY}", _plain(name))
            except TypesysError as error:
                raise MalformedMessage(f"the definition of {name} cannot be read: {error}") from error
        self._store.register(types)
        self.names = tuple(name for name, _ in definition)

    def decode(self, name: str, data: bytes | memoryview) -> Any:
        """The message that these bytes are. Raises MalformedMessage if they are none."""
        from rosbags.serde import SerdeError

        try:
            return self._store.deserialize_cdr(data, _plain(name))
        except (SerdeError, MemoryError) as error:
            raise MalformedMessage(f"{len(data)} bytes are no {name}: {error}") from error

    def encode(self, name: str, fields: Mapping[str, Any] | Any) -> bytes:
        """A message as it travels. fields: a mapping, or a message of the type.

        Raises MalformedMessage for fields that it does not have, and values that do not fit.
        """
        from rosbags.serde import SerdeError

        plain = _plain(name)
        message = self._made(plain, fields, name) if isinstance(fields, Mapping) else fields
        if getattr(message, "__msgtype__", plain) != plain:
            raise MalformedMessage(f"a {message.__msgtype__} was given where a {name} is to be sent")
        try:
            return bytes(self._store.serialize_cdr(message, plain))
        except (SerdeError, struct.error, TypeError, ValueError, OverflowError, AttributeError) as error:
            raise MalformedMessage(f"{fields!r:.200} cannot be sent as {name}: {error}") from error

    def fields(self, name: str) -> tuple[str, ...]:
        """What a message of this type has."""
        return tuple(field for field, _ in self._fields(_plain(name)) if field != _EMPTY)

    def _fields(self, plain: str) -> list[tuple[str, Any]]:
        found: list[tuple[str, Any]] = self._store.fielddefs[plain][1]
        return found

    def _made(self, plain: str, values: Mapping[str, Any], where: str) -> Any:
        fields = self._fields(plain)
        if unknown := sorted(set(values) - {field for field, _ in fields}):
            known = ", ".join(field for field, _ in fields if field != _EMPTY) or "none"
            raise MalformedMessage(f"{where} has no field {', '.join(unknown)}; it has {known}")
        made = {
            field: self._value(description, values.get(field), f"{where}.{field}")
            for field, description in fields
        }
        return self._store.types[plain](**made)

    def _value(self, description: Any, value: Any, where: str) -> Any:
        """What is given as the field wants it; the field's own zero for None."""
        from rosbags.interfaces import Nodetype

        kind, detail = description
        if kind == Nodetype.BASE:
            return _scalar(detail[0], value, where)
        if kind == Nodetype.NAME:
            if value is None or isinstance(value, Mapping):
                return self._made(detail, value or {}, where)
            return value
        element, count = detail
        many = [] if value is None else value if hasattr(value, "dtype") else list(value)
        if kind == Nodetype.ARRAY:
            many = [None] * count if value is None else many
            if len(many) != count:
                raise MalformedMessage(f"{where} has {count} elements; {len(many)} were given")
        if element[0] == Nodetype.BASE and element[1][0] not in ("string", "wstring"):
            return _numbers(element[1][0], many, where)
        return [self._value(element, each, where) for each in many]


def _plain(name: str) -> str:
    """Messages that are parts of services and actions are messages as any other; rosbags knows no more."""
    package, _, own = name.rpartition("/")
    return f"{package.partition('/')[0]}/msg/{own}"


def _scalar(base: str, value: Any, where: str) -> Any:
    kind: Any = {"bool": bool, "string": str, "wstring": str, "float32": float, "float64": float}.get(
        base, int
    )
    if value is None:
        return kind()
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
        raise MalformedMessage(f"{where} is of type {base}; {value!r:.100} was given")
    return value


def _numbers(base: str, values: Any, where: str) -> Any:
    import numpy as np

    dtype = {"byte": "uint8", "char": "uint8"}.get(base, base)
    try:
        return np.zeros(len(values), dtype) if None in list(values[:1]) else np.asarray(values, dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise MalformedMessage(f"{where} is of type {base}: {error}") from error
