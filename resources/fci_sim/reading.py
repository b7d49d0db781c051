"""Reads YAML that people write for the box; what is wrong is said with line, field and what is allowed."""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec
import yaml
from msgspec import inspect

from framework.errors import DescriptionError

Path = tuple[str | int, ...]

_AT: Final = re.compile(r" - at `(?:key in )?\$([^`]*)`$")
_PART: Final = re.compile(r"\.([A-Za-z_]\w*)|\[(\d+)\]")


#: msgspec's words, and those for people.
_WORDS: Final = (
    ("object contains unknown field", "there is no field"),
    ("object missing required field", "there has to be a field"),
    ("`object`", "a mapping"),
    ("`array`", "a list"),
    ("`null`", "nothing"),
    ("`str`", "text"),
    ("`float`", "a number"),
    ("`int`", "a whole number"),
    ("`bool`", "true or false"),
    ("enum value", "value"),
)


class _Loader(yaml.SafeLoader):
    """SafeLoader that knows 1e9 as a number, as JSON and people write it."""


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+$"), list("-+0123456789")
)


def read(text: str | bytes, kind: Any, *, file: str = "", what: str = "this", under: str = "") -> Any:
    """What `text` says, as `kind`.

    Args:
        file: where it stands, if in a file; its line is named then as well.
        what: what it is to be, for messages.
        under: the field that a list alone is meant for.

    Raises DescriptionError with line, field and what is allowed.
    """
    try:
        node = yaml.compose(text, Loader=_Loader)
        content = yaml.load(text, Loader=_Loader)  # a safe one, see there
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = " ".join(str(getattr(error, "problem", None) or error).split())
        line = 1 if mark is None else mark.line + 1
        raise DescriptionError(f"{what} is no YAML: {problem}", file=file, line=line) from None
    except UnicodeDecodeError:
        raise DescriptionError(f"{what} is no text in UTF-8", file=file, line=1) from None
    is_bare = bool(under) and isinstance(content, list)
    if under and content is None:
        content = {}
    endless = next(_not_finite(content), None)
    content = {under: content} if is_bare else content
    if endless is not None:
        raise DescriptionError(
            f"{what}: {_named(endless)} is not finite; a finite number is allowed there",
            file=file,
            line=_line(node, endless),
        )
    try:
        return msgspec.convert(content, kind)
    except msgspec.ValidationError as error:
        problem, path = _split(str(error))
        unknown = re.search(r"there is no field `([^`]*)`", problem)
        allowed = _allowed(inspect.type_info(kind), content, path)
        shown = path[1:] if is_bare and path[:1] == (under,) else path
        where = (*shown, unknown[1]) if unknown else shown
        words = f"{what}: {_named(shown)}: {problem}" if shown else f"{what}: {problem}"
        raise DescriptionError(
            f"{words}{'; ' if allowed else ''}{allowed}", file=file, line=_line(node, where)
        ) from None


def _split(message: str) -> tuple[str, Path]:
    found = _AT.search(message)
    if found is None:
        return _plain(message), ()
    parts = (int(number) if number else name for name, number in _PART.findall(found[1]))
    return _plain(message[: found.start()]), tuple(parts)


def _plain(problem: str) -> str:
    problem = problem[:1].lower() + problem[1:]
    for theirs, ours in _WORDS:
        problem = problem.replace(theirs, ours)
    return problem


def _named(path: Path) -> str:
    """As in `faults[1].flag`; counted from 0."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "it"


def _not_finite(content: Any, path: Path = ()) -> Iterator[Path]:
    if isinstance(content, float) and not math.isfinite(content):
        yield path
    elif isinstance(content, dict):
        for name, value in content.items():
            yield from _not_finite(value, (*path, str(name)))
    elif isinstance(content, list):
        for number, value in enumerate(content):
            yield from _not_finite(value, (*path, number))


def _line(node: yaml.Node | None, path: Path) -> int:
    """Of the value there, or of the nearest that there is around it."""
    line = 1
    for part in (None, *path):
        if isinstance(part, int) and isinstance(node, yaml.SequenceNode):
            node = node.value[part] if part < len(node.value) else None
        elif isinstance(part, str) and isinstance(node, yaml.MappingNode):
            found = next((pair for pair in node.value if pair[0].value == part), None)
            if found is None:
                break
            line, node = found[0].start_mark.line + 1, found[1]
            continue
        if node is None:
            break
        line = node.start_mark.line + 1
    return line


def _allowed(kind: inspect.Type, content: Any, path: Path) -> str:
    """What may stand at `path`, in words; "" if the message says all there is."""
    if isinstance(kind, inspect.Metadata):
        kind = kind.type
    structs = [kind] if isinstance(kind, inspect.StructType) else []
    if isinstance(kind, inspect.UnionType):
        structs = [each for each in kind.types if isinstance(each, inspect.StructType)]
        if not structs:
            return next(filter(None, (_allowed(each, content, path) for each in kind.types)), "")
    if structs:
        return _allowed_in(structs, content, path)
    if path and isinstance(kind, inspect.VarTupleType | inspect.ListType):
        return _allowed(kind.item_type, _at(content, path[0]), path[1:])
    if path and isinstance(kind, inspect.TupleType) and isinstance(path[0], int):
        return _allowed(kind.item_types[path[0]], _at(content, path[0]), path[1:])
    if isinstance(kind, inspect.EnumType):
        return f"allowed are {_listed(kind.cls)}"
    if isinstance(kind, inspect.FloatType | inspect.IntType):
        bounds = ((" from", kind.ge), (" above", kind.gt), (" to", kind.le), (" below", kind.lt))
        said = "".join(f"{word} {bound:g}" for word, bound in bounds if bound is not None)
        return f"allowed is a number{said}" if said else ""
    if isinstance(kind, inspect.TupleType):
        return f"allowed are {len(kind.item_types)} numbers"
    return ""


def _allowed_in(structs: list[inspect.StructType], content: Any, path: Path) -> str:
    tag_field = structs[0].tag_field
    tag = content.get(tag_field) if isinstance(content, dict) and tag_field else None
    chosen = next((each for each in structs if each.tag == tag), None) if tag_field else structs[0]
    if chosen is None or (path and path[0] == tag_field):
        return f"{tag_field} is one of {', '.join(str(each.tag) for each in structs)}"
    fields = {field.encode_name: field for field in chosen.fields}
    if not path:
        return f"its fields are {', '.join(([tag_field] if tag_field else []) + list(fields))}"
    field = fields.get(str(path[0]))
    return "" if field is None else _allowed(field.type, _at(content, path[0]), path[1:])


def _at(content: Any, part: str | int) -> Any:
    try:
        return content[part]
    except (LookupError, TypeError):
        return None


def _listed(kind: type[enum.Enum]) -> str:
    return ", ".join(str(member.value) for member in kind)
