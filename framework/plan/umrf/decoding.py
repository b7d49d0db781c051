"""A UMRF file as JSON: bytes to plain data within bounds, and a list of all that is wrong, with its place.

What the data mean is not asked here (that is `reader.py`).
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from framework.errors import PlanError

#: A graph of 500 nodes with all that people write beside them is a tenth of this.
MOST_BYTES = 2_000_000
#: How deep JSON may be nested: 32 graphs in one another, and parameters in the innermost.
MOST_NESTED = 400
_MOST_SHOWN = 80
_MOST_PROBLEMS = 200


class Problems:
    """Everything that is wrong with a file, each with its JSON path; and what was left out of the plan."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.notes: list[str] = []

    def add(self, path: str, came: str, allowed: str = "") -> None:
        """Something is wrong at a path: what came in, and what is allowed or to be done."""
        self.found.append(f"{path}: {came}{'; ' if allowed else ''}{allowed}")

    def note(self, path: str, what: str) -> None:
        """Something was understood in a way, or left out, that people should hear of."""
        self.notes.append(f"{path}: {what}")

    def raise_any(self, name: str) -> None:
        """Raise PlanError with all of them, one a line, if there are any."""
        lines = sorted(dict.fromkeys(self.found), key=_place)
        if not lines:
            return
        more = len(lines) - _MOST_PROBLEMS
        shown = lines[:_MOST_PROBLEMS] + ([f"… and {more} more"] if more > 0 else [])
        count = "1 problem" if len(lines) == 1 else f"{len(lines)} problems"
        raise PlanError("\n".join([f"{name} is no graph that can be used, {count}:", *shown]))


def _place(line: str) -> list[tuple[int, str]]:
    """Sorts by path, and what has a number by its number."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"([0-9]{1,9})", line)]


class Object(dict[str, Any]):
    """A JSON object that remembers which of its keys came more than once."""

    twice: tuple[str, ...] = ()


def read_bytes(data: bytes | str | Path) -> tuple[bytes, str]:
    """The file's bytes and what to call it. Raises PlanError."""
    if isinstance(data, Path):
        try:
            with data.open("rb") as file:
                content = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise PlanError(f"{data} cannot be read: {error.strerror or error}.") from error
        name = data.name
    else:
        name = "This"
        try:
            content = data.encode() if isinstance(data, str) else bytes(data)
        except UnicodeEncodeError as error:
            raise PlanError(f"This is no JSON: it has half of a character at {error.start}.") from error
    if len(content) > MOST_BYTES:
        raise PlanError(f"{name} is longer than {MOST_BYTES} bytes; no graph of 500 nodes is.")
    return content, name


def decode(content: bytes, name: str, problems: Problems) -> Any:
    """Plain data of JSON bytes. Raises PlanError if it is no JSON; finds doubled keys, NaN and the like."""
    try:
        data = json.loads(content.decode("utf-8-sig"), object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        raise PlanError(f"{name} is no JSON: byte {error.start} is no UTF-8.") from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise PlanError(f"{name} is no JSON: {error.msg} at {where}.") from error
    except RecursionError as error:
        raise PlanError(f"{name} is nested without end; {MOST_NESTED} levels are allowed.") from error
    except ValueError as error:  # a number of more digits than Python reads
        raise PlanError(f"{name} is no JSON that can be used: {error}.") from error
    _look_through(data, name, problems)
    return data


def shown(value: object) -> str:
    """A value as it is shown in a message: JSON, shortened."""
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 1]}…"


def inside(path: str, key: str | int) -> str:
    """The path of an element."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{key}" if key.isidentifier() else f"{path}[{json.dumps(key)}]"


def of_kind(value: object, kind: str) -> bool:
    """Whether a JSON value is of a kind: "object", "array", "string", "number", "true or false"."""
    match kind:
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
        case "string":
            return isinstance(value, str)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, bool)


def _object(pairs: list[tuple[str, Any]]) -> Object:
    result = Object(pairs)
    if len(result) != len(pairs):
        times = Counter(key for key, _ in pairs)
        result.twice = tuple(sorted(key for key, number in times.items() if number > 1))
    return result


def _look_through(data: Any, name: str, problems: Problems) -> None:
    """What JSON readers let pass. Walks without recursion."""
    to_see: list[tuple[Any, str, int]] = [(data, "$", 1)]
    while to_see:
        value, path, level = to_see.pop()
        if level > MOST_NESTED:
            raise PlanError(f"{name} is nested without end; {MOST_NESTED} levels are allowed.")
        parts: Iterable[tuple[str | int, Any]] = ()
        if isinstance(value, Object):
            for key in value.twice:
                problems.add(path, f"{shown(key)} is said more than once", "say it once")
            for key in value:
                _check_text(key, path, problems)
            parts = value.items()
        elif isinstance(value, list):
            parts = enumerate(value)
        elif isinstance(value, str):
            _check_text(value, path, problems)
        elif isinstance(value, float) and not math.isfinite(value):
            problems.add(path, f"{value} is no number", "allowed is a finite one")
        elif isinstance(value, int) and abs(value) > 2**63:
            problems.add(path, f"{shown(value)} is too large", "allowed are 64-bit whole numbers")
        to_see += [(part, inside(path, key), level + 1) for key, part in reversed(list(parts))]


def _check_text(text: str, path: str, problems: Problems) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        problems.add(path, f"{shown(text)} has half of a character", "allowed is Unicode text")
