"""The one reader of YAML files that people write: into structs, with every mistake's file and line at once.

    class Device(msgspec.Struct, frozen=True):
        name: Annotated[Text, Meta(pattern="[a-z]+", description="small letters")]
        priority: int = 0
        place: Place = Place()          # filled here: where the struct and each of its fields stand

    robot = read(text, Robot, file="robot.yaml", what="a robot")

What may stand where is said by the types alone: structs are mappings, unknown and double keys are mistakes,
`msgspec.convert` judges single values and their bounds (`msgspec.Meta`). What one field means for another is
said by a struct's `__post_init__`, which raises ValueError. A mistake in one part hides none in others.

Of a union of structs the one is taken whose tag stands there; without tags, the one whose first field does
(`{say: hello}` or `{fail: camera}`). Whoever needs the nodes themselves takes `compose`.
"""

from __future__ import annotations

import math
import re
import types
import typing
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import Enum
from functools import lru_cache, reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
import yaml

from framework.errors import DescriptionError

MOST_BYTES: Final = 1 << 20
MOST_NODES: Final = 20_000
MOST_LEVELS: Final = 200
"""More than that is a bomb of aliases, nothing that somebody wrote."""

_fields = lru_cache(maxsize=500)(msgspec.structs.fields)

Text = Annotated[str, msgspec.Meta(min_length=1)]
"""A text with something in it; blanks around it do not count."""


class Place(msgspec.Struct, frozen=True):
    """Where a struct stands in its file, and its fields, by name; a mapping's entries are "field.key"."""

    file: str = ""
    line: int = 0
    lines: dict[str, int] = {}

    def at(self, *names: str) -> str:
        """ "file:line" of the first of these that is there, else of the struct; "" if it is from no file."""
        line = next((self.lines[name] for name in names if name in self.lines), self.line)
        return f"{self.file}:{line}" if self.file else ""


#: So deep libyaml's binding can go on any thread's stack.
_SURELY_SHALLOW: Final = 4000
_BRACKETS: Final = re.compile(r"[\[{]")


class Misplaced(ValueError):
    """Raised in `__post_init__`: what is wrong, and which field of the struct it is about."""

    def __init__(self, field: str, words: str) -> None:
        self.field = field
        super().__init__(words)


class _Loader(yaml.SafeLoader):
    """SafeLoader that knows 1e9 as a number, as JSON and people write it."""


class _FastLoader(yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader):  # type: ignore[misc]
    """The same by libyaml, ten times as fast; what is wrong it says less well."""


for _loader in (_Loader, _FastLoader):
    _loader.add_implicit_resolver(
        "tag:yaml.org,2002:float", re.compile(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+$"), list("-+0123456789")
    )


def text_of(file: Path, what: str) -> str:
    """A file's text. Raises DescriptionError if it cannot be read, or is far too large."""
    try:
        if file.stat().st_size > MOST_BYTES:
            raise DescriptionError(f"the file is larger than {MOST_BYTES} bytes", file=str(file))
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise DescriptionError(f"{what} cannot be read: {error.strerror or error}", file=str(file)) from error
    except UnicodeDecodeError as error:
        raise DescriptionError(f"{what} cannot be read: it is not UTF-8 text", file=str(file)) from error


def compose(text: str | bytes, file: str = "", *, what: str = "this", hint: str = "") -> yaml.Node | None:
    """The nodes of a text; None if it is empty.

    Raises DescriptionError if it is no YAML, or far too large. hint: what to do about the former.
    """
    if len(text) > MOST_BYTES:
        raise DescriptionError(f"the file is larger than {MOST_BYTES} bytes", file=file)
    try:
        root = _composed(text)
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        line = 1 + (before.count("\n") if isinstance(before, str) else before.count(b"\n"))
        problem = f"{what} is no YAML: the character {error.character!r} cannot be in it"
        raise DescriptionError(problem, file=file, line=line) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = " ".join(str(getattr(error, "problem", None) or error).split())
        line = mark.line + 1 if mark is not None else 1
        raise DescriptionError(f"{what} is no YAML: {problem}{hint}", file=file, line=line) from error
    except UnicodeDecodeError as error:
        raise DescriptionError(f"{what} is no text in UTF-8", file=file, line=1) from error
    except RecursionError as error:
        raise DescriptionError(f"{what} is no YAML: it is nested too deeply", file=file, line=1) from error
    _count(root, file, what)
    return root


def _composed(text: str | bytes) -> yaml.Node | None:
    """Raises what PyYAML's own, slower parser raises."""
    brackets = len(_BRACKETS.findall(text if isinstance(text, str) else text.decode("latin-1")))
    # Libyaml's binding recurses without asking how deep, and takes the process with it. A level costs a
    # bracket or a column.
    if brackets + max(map(len, text.splitlines()), default=0) < _SURELY_SHALLOW:
        with suppress(yaml.YAMLError, UnicodeDecodeError):
            return yaml.compose(text, Loader=_FastLoader)
    return yaml.compose(text, Loader=_Loader)


def read(text: str | bytes, kind: Any, *, file: str = "", what: str = "this", under: str = "") -> Any:
    """What `text` says, as `kind`.

    Args:
        file: its name, for messages.
        what: what it is to be, for messages.
        under: the field that a list alone is meant for; an empty text is an empty mapping then.

    Raises:
        DescriptionError: every mistake with its line, what stands there and what is allowed.
    """
    mistakes = Mistakes(file)
    found = convert(compose(text, file, what=what), kind, mistakes, what=what, under=under)
    try:
        mistakes.raise_all()
    except DescriptionError as error:
        if file or str(error).startswith(what):
            raise
        raise DescriptionError(f"{what}: {error}") from None
    return found


def convert(
    root: yaml.Node | None, kind: Any, mistakes: Mistakes, *, what: str = "this", under: str = ""
) -> Any:
    """As `read`, for whoever looks further before all mistakes are raised.

    What is wrong within lists and optional fields is left out. None if there is nothing to go on with.
    """
    is_bare = bool(under) and (root is None or isinstance(root, yaml.SequenceNode))
    if is_bare:
        given = [] if root is None else [(yaml.ScalarNode(_STR, under, root.start_mark), root)]
        mark = yaml.Mark(what, 0, 0, 0, "", 0) if root is None else root.start_mark
        root = yaml.MappingNode("tag:yaml.org,2002:map", given, mark, mark)
    if root is None:
        mark = yaml.Mark(what, 0, 0, 0, "", 0)
        root = yaml.ScalarNode("tag:yaml.org,2002:null", "", mark, mark)
    found = _Converter(mistakes, what, under if is_bare else "").value(root, kind, ())
    return None if found is _WRONG and len(mistakes) else found


def line_of(node: yaml.Node) -> int:
    """Where it stands, from 1."""
    return int(node.start_mark.line) + 1


class Mistakes:
    """Collects what is wrong with one file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._found: list[tuple[int, str]] = []

    def __len__(self) -> int:
        return len(self._found)

    def add(self, node: yaml.Node | int, text: str) -> None:
        """One more, at this node or line."""
        self._found.append((node if isinstance(node, int) else line_of(node), text))

    def raise_all(self) -> None:
        """Raise a DescriptionError that lists all of them in the order of their lines, if there are any."""
        if self._found:
            (line, first), *others = sorted(dict.fromkeys(self._found))
            where = (f"{self.file}:{number}: " if self.file else "" for number, _ in others)
            rest = "".join(f"\n{place}{text}" for place, (_, text) in zip(where, others, strict=True))
            raise DescriptionError(first + rest, file=self.file, line=line)


def shown(node: yaml.Node) -> str:
    """What stands there, for an error message."""
    if isinstance(node, yaml.ScalarNode):
        text = str(node.value)
        return repr(text if len(text) <= 60 else f"{text[:57]}…") if text else "nothing"
    kind = "list" if isinstance(node, yaml.SequenceNode) else "mapping"
    return f"a {kind}" if node.value else f"an empty {kind}"


# ---------------------------------------------------------------- by type

_STR: Final = "tag:yaml.org,2002:str"
_NULL: Final = "tag:yaml.org,2002:null"
_WRONG: Final = object()
_Way = tuple[str | int, ...]


class _Converter:
    """Walks nodes and types side by side. Values that are wrong are `_WRONG`, and noted."""

    def __init__(self, mistakes: Mistakes, what: str, under: str) -> None:
        self._mistakes = mistakes
        self._what = what
        self._under = under

    def value(self, node: yaml.Node, kind: Any, way: _Way) -> Any:
        """What stands at a node, as a type."""
        plain = typing.get_args(kind)[0] if typing.get_origin(kind) is Annotated else kind
        origin, arguments = typing.get_origin(plain), typing.get_args(plain)
        if plain is Any:
            return self._anything(node, way)
        if origin in (typing.Union, types.UnionType):
            return self._union(node, arguments, way)
        if isinstance(plain, type) and issubclass(plain, msgspec.Struct):
            return self._struct(node, plain, way)
        if origin is tuple and arguments[-1:] != (...,):
            return self._tuple(node, arguments, way)
        if origin in (list, tuple):
            return self._items(node, kind, origin, arguments[0], way)
        if origin is dict:
            return self._mapping(node, kind, arguments, way)
        return self._scalar(node, kind, way)

    def _wrong(self, node: yaml.Node, words: str) -> Any:
        self._mistakes.add(node, words)
        return _WRONG

    def _named(self, way: _Way) -> str:
        """As in `faults[1].flag`, counted from 0; the name of the whole if it is that."""
        if self._under and way[:1] == (self._under,) and len(way) > 1:
            way = way[1:]
        text = ""
        for part in way:
            text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
        return text or self._what

    def _anything(self, node: yaml.Node, way: _Way) -> Any:
        loader = _Loader("")
        try:
            return loader.construct_document(node)
        except (yaml.YAMLError, ValueError, OverflowError, TypeError) as error:
            return self._wrong(node, f"{self._named(way)} cannot be read: {error}")
        finally:
            loader.dispose()

    # -- structs

    def _struct(self, node: yaml.Node, kind: type[msgspec.Struct], way: _Way, tag: str = "") -> Any:
        fields = {each.encode_name: each for each in _fields(kind) if each.type is not Place}
        keys = (*([tag] if tag else []), *fields)
        if not isinstance(node, yaml.MappingNode):
            return self._wrong(
                node, f"{self._named(way)} is a mapping of {', '.join(keys)}, not {shown(node)}"
            )
        before, is_whole = len(self._mistakes), True
        given: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for key, value in node.value:
            name = str(key.value)
            if name == tag:
                continue
            if name not in fields:
                self._mistakes.add(
                    key, f"{self._named(way)} has no field {name!r}; allowed are {', '.join(keys)}"
                )
                continue
            if fields[name].name in given:
                self._mistakes.add(key, f"{self._named((*way, name))} is given twice")
                continue
            lines |= _lines_of(name, value)
            given[fields[name].name] = self.value(value, fields[name].type, (*way, name))
        for field in fields.values():
            if field.required and given.get(field.name, _WRONG) is _WRONG:
                is_whole = False
                if field.name not in given:
                    self._mistakes.add(node, f"{self._named((*way, field.encode_name))} is missing")
        if not is_whole:
            return _WRONG
        given = {name: value for name, value in given.items() if value is not _WRONG}
        for each in _fields(kind):
            if each.type is Place:
                given[each.name] = Place(self._mistakes.file, line_of(node), lines)
        try:
            return kind(**given)
        except ValueError as error:
            if len(self._mistakes) == before:  # else this may be what is left of another mistake
                line = lines.get(error.field) if isinstance(error, Misplaced) else None
                self._mistakes.add(line or node, f"{self._named(way)}: {error}")
            return _WRONG

    def _union(self, node: yaml.Node, kinds: tuple[Any, ...], way: _Way) -> Any:
        if type(None) in kinds and isinstance(node, yaml.ScalarNode) and node.tag == _NULL:
            return None
        kinds = tuple(kind for kind in kinds if kind is not type(None))
        if len(kinds) == 1:
            return self.value(node, kinds[0], way)
        structs = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, msgspec.Struct)]
        many = [kind for kind in kinds if typing.get_origin(kind) in (list, tuple)]
        single = [kind for kind in kinds if kind not in structs and kind not in many]
        if structs and not (many and isinstance(node, yaml.SequenceNode)):
            return self._one_of(node, structs, way)
        if many and (isinstance(node, yaml.SequenceNode) or not single):
            return self.value(node, many[0], way)
        return self._scalar(node, reduce(or_, single), way)

    def _one_of(self, node: yaml.Node, structs: Sequence[type[msgspec.Struct]], way: _Way) -> Any:
        tag_field = structs[0].__struct_config__.tag_field
        values = {str(key.value): value for key, value in _entries(node)}
        if tag_field:
            tags = {str(each.__struct_config__.tag): each for each in structs}
            tag = values.get(tag_field)
            if tag is not None and str(tag.value) in tags:
                return self._struct(node, tags[str(tag.value)], way, tag_field)
            if tag is None:
                there = f"{self._named(way)} is a mapping with {tag_field}, not {shown(node)}"
            else:
                there = f"{self._named((*way, tag_field))} is {shown(tag)}"
            return self._wrong(tag or node, f"{there}; {tag_field} is one of {', '.join(tags)}")
        firsts = {_fields(each)[0].encode_name: each for each in structs}
        named = [key for key in values if key in firsts]
        if len(named) == 1:
            return self._struct(node, firsts[named[0]], way)
        given = f"both {' and '.join(named)} stand here" if named else f"not {shown(node)}"
        if values and not named:
            given = f"none stands here ({', '.join(values)})"
        return self._wrong(
            node, f"{self._named(way)} is a mapping with just one of {', '.join(firsts)}; {given}"
        )

    # -- lists and mappings

    def _items(self, node: yaml.Node, kind: Any, origin: Callable[..., Any], item: Any, way: _Way) -> Any:
        least = _least(kind)
        if not isinstance(node, yaml.SequenceNode) or len(node.value) < least:
            filled = " with at least one entry" if least else ""
            return self._wrong(node, f"{self._named(way)} must be a list{filled}, not {shown(node)}")
        found = [self.value(each, item, (*way, number)) for number, each in enumerate(node.value)]
        return origin(each for each in found if each is not _WRONG)

    def _tuple(self, node: yaml.Node, kinds: tuple[Any, ...], way: _Way) -> Any:
        if not isinstance(node, yaml.SequenceNode) or len(node.value) != len(kinds):
            given = f"{len(node.value)} of them" if isinstance(node, yaml.SequenceNode) else shown(node)
            return self._wrong(
                node, f"{self._named(way)}: allowed are {len(kinds)} numbers in a list, not {given}"
            )
        pairs = enumerate(zip(node.value, kinds, strict=True))
        found = [self.value(each, kind, (*way, number)) for number, (each, kind) in pairs]
        return _WRONG if _WRONG in found else tuple(found)

    def _mapping(self, node: yaml.Node, kind: Any, kinds: tuple[Any, ...], way: _Way) -> Any:
        if not isinstance(node, yaml.MappingNode) or len(node.value) < _least(kind):
            return self._wrong(node, f"{self._named(way)} must be a mapping of names, not {shown(node)}")
        found: dict[str, Any] = {}
        for key, value in node.value:
            name = str(key.value)
            if name in found:
                self._mistakes.add(key, f"{self._named((*way, name))} is given twice")
            if kinds[0] is not str and self._scalar(key, kinds[0], (*way, name)) is _WRONG:
                continue
            found[name] = self.value(value, kinds[1], (*way, name))
        return {name: value for name, value in found.items() if value is not _WRONG}

    # -- single values

    def _scalar(self, node: yaml.Node, kind: Any, way: _Way) -> Any:
        name = self._named(way)
        if not isinstance(node, yaml.ScalarNode):
            return self._wrong(node, _not_allowed(name, kind, node))
        value = self._anything(node, way)
        if value is _WRONG:
            return value
        if isinstance(value, float) and not math.isfinite(value):
            return self._wrong(node, _not_allowed(name, kind, node))
        if isinstance(value, str):
            value = value.strip()
        if typing.get_origin(kind) is Literal and value is True and True in typing.get_args(kind):
            return value  # no literal for msgspec
        try:
            return msgspec.convert(value, kind)
        except (msgspec.ValidationError, TypeError):
            return self._wrong(node, _not_allowed(name, kind, node))


def _not_allowed(name: str, kind: Any, node: yaml.Node) -> str:
    """That a value is none of its type: what it is, and what is allowed."""
    metas = _metas(kind)
    plain = typing.get_args(kind)[0] if metas else kind
    words = next((each.description for each in metas if each.description), "")
    if words or typing.get_origin(plain) is Literal or (isinstance(plain, type) and issubclass(plain, Enum)):
        return f"{name} is {shown(node)}; allowed are {words or ', '.join(map(str, _choices(plain)))}"
    if plain in (int, float):
        number = "a whole number" if plain is int else "a finite number"
        return f"{name} must be {number}{_bounds(metas)}, not {shown(node)}"
    if plain is bool:
        return f"{name} must be true or false, not {shown(node)}"
    if plain is str:
        return f"{name} must be text, not {shown(node)} (quote it if it is meant as text)"
    kinds = " or ".join(getattr(each, "__name__", str(each)) for each in typing.get_args(plain))
    return f"{name} must be {kinds or plain}, not {shown(node)}"


def _choices(kind: Any) -> list[Any]:
    if typing.get_origin(kind) is Literal:
        return [str(each).lower() if isinstance(each, bool) else each for each in typing.get_args(kind)]
    return [each.value for each in kind]


def _bounds(metas: Sequence[msgspec.Meta]) -> str:
    said = [(each.gt, "above {:g}") for each in metas] + [(each.ge, "from {:g}") for each in metas]
    said += [(each.lt, "below {:g}") for each in metas] + [(each.le, "to {:g}") for each in metas]
    return "".join(f" {words.format(bound)}" for bound, words in said if bound is not None)


def _least(kind: Any) -> int:
    return max((each.min_length or 0 for each in _metas(kind)), default=0)


def _metas(kind: Any) -> list[msgspec.Meta]:
    if typing.get_origin(kind) is not Annotated:
        return []
    return [each for each in kind.__metadata__ if isinstance(each, msgspec.Meta)]


def _entries(node: yaml.Node) -> list[tuple[yaml.Node, yaml.Node]]:
    return list(node.value) if isinstance(node, yaml.MappingNode) else []


def _lines_of(name: str, node: yaml.Node) -> dict[str, int]:
    return {name: line_of(node)} | {f"{name}.{key.value}": line_of(key) for key, _ in _entries(node)}


def _count(root: yaml.Node | None, file: str, what: str) -> None:
    seen, left = 0, [(root, 1)] if root is not None else []
    while left:
        node, depth = left.pop()
        seen += 1
        if depth > MOST_LEVELS:
            raise DescriptionError(
                f"{what} is no YAML: it is nested too deeply", file=file, line=line_of(node)
            )
        if seen > MOST_NODES:
            raise DescriptionError(
                f"the file holds more than {MOST_NODES} entries, its aliases counted; write less",
                file=file,
                line=1,
            )
        if isinstance(node, yaml.SequenceNode):
            left += [(part, depth + 1) for part in node.value]
        elif isinstance(node, yaml.MappingNode):
            left += [(part, depth + 1) for pair in node.value for part in pair]
