"""Writes the pages' halves of their protocols: TypeScript types from the structs of the protocol files.

    python -m scripts.page_protocols > resources/web/page/src/protocol.ts
    python -m scripts.page_protocols operator > resources/web/page/src/operator/link/protocol.ts

Structs become interfaces (tagged ones with their literal `type`), enums unions of strings, fixed
tuples tuples. Docstrings come along, and so do the numbers that both sides must agree on. A test fails when
the file in the repository is stale.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping, Sequence
from enum import Enum
from types import ModuleType
from typing import Any, Final, get_args

import msgspec.inspect as described

from framework.errors import PilothouseError
from resources.audio import format as sound
from resources.operator import cloud, packets
from resources.operator import protocol as operator_protocol
from resources.types import gestures, masters, operator, operator_client, streams, whereabouts
from resources.web import page_messages, protocol, samples, sign_in, sound_packets

_PLAIN: Final[dict[type[described.Type], str]] = {
    described.StrType: "string",
    described.IntType: "number",
    described.FloatType: "number",
    described.BoolType: "boolean",
    described.NoneType: "null",
}


def generate() -> str:
    """The whole text of protocol.ts, the console page's."""
    constants = (
        ("PROTOCOL", protocol.PROTOCOL),
        ("REFUSED_CODE", sign_in.REFUSED_CODE),
        ("MAX_TEXT_CHARS", page_messages.MAX_TEXT_CHARS),
        ("MAX_BEGUN_CHARS", page_messages.MAX_BEGUN_CHARS),
        ("MAX_FILE_CHARS", page_messages.MAX_FILE_CHARS),
        ("MOST_PAGE_HANDS", page_messages.MOST_PAGE_HANDS),
        ("FARTHEST_HAND_M", page_messages.FARTHEST_HAND_M),
        ("OLDEST_HANDS_MS", page_messages.OLDEST_HANDS_MS),
        ("HANDS_PER_S", page_messages.HANDS_PER_S),
        ("POINTS_PER_S", page_messages.POINTS_PER_S),
        ("POINTS_FOR_S", whereabouts.POINTS_FOR_S),
        ("HEAD_BYTES", samples.HEAD_BYTES),
        ("POINT_BYTES", samples.POINT_BYTES),
        ("POSE_BYTES", samples.POSE_BYTES),
        ("SOUND_MAGIC", sound_packets.SOUND_MAGIC),
        ("SOUND_HEAD_BYTES", sound_packets.SOUND_HEAD_BYTES),
        ("SOUND_LAST", sound_packets.LAST),
        ("SOUND_BROKEN_OFF", sound_packets.BROKEN_OFF),
        ("SOUND_RATE_HZ", sound.RATE_HZ),
        ("SOUND_BLOCK", sound.BLOCK),
    )
    unions = {
        "ServerMessage": protocol.ServerMessage,
        "PageMessage": page_messages.PageMessage,
        "HandsMessage": page_messages.HandsMessage,
    }
    others = (
        sign_in.SignIn,
        protocol.Feed,
        protocol.SampleHeader,
        page_messages.BeginTalk,
        page_messages.PointAt,
    )
    sources = (sign_in, streams, masters, gestures, protocol, page_messages)
    return _written("scripts.page_protocols", constants, unions, others, sources)


def generate_operator() -> str:
    """The whole text of operator/link/protocol.ts, the operator page's."""
    constants = (
        ("LINK_PROTOCOL", operator_protocol.LINK_PROTOCOL),
        ("MAX_WORDS", operator_protocol.MAX_WORDS),
        ("HAND_MAGIC", packets.HAND_MAGIC),
        ("STATE_MAGIC", packets.STATE_MAGIC),
        ("PACKET_VERSION", packets.PACKET_VERSION),
        ("HAND_BYTES", packets.HAND_BYTES),
        ("STATE_BYTES", packets.STATE_BYTES),
        ("NO_ARM", packets.NO_ARM),
        ("LONGEST_MS", packets.LONGEST_MS),
        ("OLDEST_MS", packets.OLDEST_MS),
        ("MOST_AHEAD_MS", packets.MOST_AHEAD_MS),
        ("CLOUD_MAGIC", cloud.CLOUD_MAGIC),
        ("CLOUD_VERSION", cloud.CLOUD_VERSION),
        ("CLOUD_HEAD_BYTES", cloud.HEAD_BYTES),
        ("CLOUD_POINT_BYTES", cloud.POINT_BYTES),
        ("DRAWN_POINT_BYTES", samples.POINT_BYTES),
        ("LEAST_SCALE", masters.LEAST_SCALE),
        ("MOST_SCALE", masters.MOST_SCALE),
        ("SILENCE_MS", 1e3 * masters.SILENCE_S),
        ("SEEN_WITHIN_MS", 1e3 * masters.SEEN_WITHIN_S),
    )
    unions = {
        "PageWords": operator_protocol.PageWords,
        "PageSignal": operator_protocol.PageSignal,
        "OperatorWords": operator_protocol.OperatorWords,
        "OperatorSignal": operator_protocol.OperatorSignal,
    }
    others = (sign_in.SignIn, operator_protocol.Pair, operator_protocol.Paired)
    sources = (sign_in, protocol, masters, operator, operator_client, operator_protocol)
    return _written("scripts.page_protocols operator", constants, unions, others, sources)


def _written(
    command: str,
    constants: Sequence[tuple[str, float]],
    unions: Mapping[str, Any],
    others: Sequence[type],
    sources: Sequence[ModuleType],
) -> str:
    """A file of constants, all types that unions and others need, and the unions under their names."""
    found: dict[type, described.Type] = {}
    for cls in [*(each for union in unions.values() for each in get_args(union)), *others]:
        _collect(described.type_info(cls), found)
    parts = [f"// Generated by `python -m {command}` from its structs; do not edit."]
    parts += [f"export const {name} = {value:.15g};" for name, value in constants]
    # In the order of the source files, so that both read alike.
    declared = [each for module in sources for each in vars(module).items()]
    order = {(cls.__module__, name): number for number, (name, cls) in enumerate(declared) if _is_class(cls)}
    for cls in sorted(found, key=lambda cls: order[cls.__module__, cls.__name__]):
        parts.append(_declaration(cls, found[cls]))
    for name, union in unions.items():
        parts.append(f"export type {name} = {' | '.join(cls.__name__ for cls in get_args(union))};")
    return "\n\n".join(parts) + "\n"


def _is_class(declared: object) -> bool:
    return isinstance(declared, type)


def _collect(info: described.Type, found: dict[type, described.Type]) -> None:
    match info:
        case described.StructType(cls=cls, fields=fields):
            if cls not in found:
                found[cls] = info
                for field in fields:
                    _collect(field.type, found)
        case described.EnumType(cls=cls):
            found[cls] = info
        case described.VarTupleType(item_type=item):
            _collect(item, found)
        case described.TupleType(item_types=items):
            for item in items:
                _collect(item, found)
        case described.UnionType(types=types):
            for each in types:
                _collect(each, found)
        case described.Metadata(type=inner):
            _collect(inner, found)


def _declaration(cls: type, info: described.Type) -> str:
    if issubclass(cls, Enum):
        members = " | ".join(f'"{member.value}"' for member in cls)
        return f"{_comment(cls)}export type {cls.__name__} = {members};"
    assert isinstance(info, described.StructType)
    lines = [f'  readonly type: "{info.tag}";'] if info.tag else []
    lines += [f"  readonly {field.encode_name}: {_name(field.type)};" for field in info.fields]
    return f"{_comment(cls)}export interface {cls.__name__} {{\n" + "\n".join(lines) + "\n}"


def _name(info: described.Type) -> str:
    match info:
        case described.StructType(cls=cls) | described.EnumType(cls=cls):
            return cls.__name__
        case described.VarTupleType(item_type=item):
            inner = _name(item)
            return f"readonly ({inner})[]" if " " in inner else f"readonly {inner}[]"
        case described.TupleType(item_types=items):
            return f"readonly [{', '.join(map(_name, items))}]"
        case described.UnionType(types=types):
            return " | ".join(map(_name, types))
        case described.LiteralType(values=values):
            return " | ".join(f'"{value}"' for value in values)
        case described.Metadata(type=inner):
            return _name(inner)
    plain = _PLAIN.get(type(info))
    if plain is None:
        raise PilothouseError(
            f"{info} has no TypeScript form; "
            "use structs, enums, literals, tuples, text, numbers and truth values"
        )
    return plain


def _comment(cls: type[Any]) -> str:
    text = inspect.cleandoc(cls.__doc__ or "")
    lines = "\n".join(f" * {line}".rstrip() for line in text.splitlines())
    return f"/**\n{lines}\n */\n" if text else ""


if __name__ == "__main__":
    sys.stdout.write(generate_operator() if sys.argv[1:] == ["operator"] else generate())
