"""Walking a YAML file node by node, so that every mistake has its line, and all are reported at once.

What the keys mean is not known here; `reading.py` knows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum
from typing import TypeVar

import yaml

from framework.errors import DescriptionError

MOST_BYTES = 1 << 20
MOST_NODES = 20_000
"""More than that is a bomb of aliases, not a scenario."""

_E = TypeVar("_E", bound=Enum)

_STR = "tag:yaml.org,2002:str"
_NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
_BOOL = "tag:yaml.org,2002:bool"

Fields = dict[str, yaml.Node]


def compose(text: str, file: str) -> yaml.Node | None:
    """The nodes of a text. Raises DescriptionError if it is no YAML, or far too large."""
    if len(text) > MOST_BYTES:
        raise DescriptionError(f"the file is larger than {MOST_BYTES} bytes", file=file)
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        _count(root, file)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error)
        line = mark.line + 1 if mark is not None else 1
        raise DescriptionError(f"this is no YAML: {problem}", file=file, line=line) from error
    except RecursionError as error:
        raise DescriptionError("this is nested too deeply", file=file, line=1) from error
    return root


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
            rest = "".join(f"\n{self.file}:{number}: {text}" for number, text in others)
            raise DescriptionError(first + rest, file=self.file, line=line)

    # -- reading, each with a value to go on with when it is wrong

    def fields(self, node: yaml.Node, allowed: Sequence[str], what: str) -> Fields:
        """The entries of a mapping."""
        if not isinstance(node, yaml.MappingNode):
            self.add(node, f"{what} is a mapping of {', '.join(allowed)}, not {shown(node)}")
            return {}
        found: Fields = {}
        for key, value in node.value:
            name = str(key.value)
            if name not in allowed:
                self.add(key, f"{what} has no {name!r}; allowed are {', '.join(allowed)}")
            elif name in found:
                self.add(key, f"{name} is given twice")
            else:
                found[name] = value
        return found

    def pairs(self, node: yaml.Node, what: str) -> list[tuple[str, yaml.Node]]:
        """The entries of a mapping whose keys are names."""
        if not isinstance(node, yaml.MappingNode) or not node.value:
            self.add(node, f"{what} is a mapping of names to states, not {shown(node)}")
            return []
        return [(str(key.value), value) for key, value in node.value]

    def items(self, node: yaml.Node, what: str) -> list[yaml.Node]:
        """The items of a list that must not be empty."""
        if not isinstance(node, yaml.SequenceNode) or not node.value:
            self.add(node, f"{what} must be a list with at least one entry, not {shown(node)}")
            return []
        return list(node.value)

    def one_or_more(self, node: yaml.Node, what: str) -> list[str]:
        """A text, or a list of texts."""
        if isinstance(node, yaml.SequenceNode):
            return [self.text(item, what) for item in self.items(node, what)]
        return [self.text(node, what)]

    def text(self, node: yaml.Node, field: str) -> str:
        """A text with something in it; "" if it is none."""
        if isinstance(node, yaml.ScalarNode) and node.tag == _STR and node.value.strip():
            return str(node.value).strip()
        self.add(node, f"{field} must be text, not {shown(node)} (quote it if it is meant as text)")
        return ""

    def number(
        self,
        node: yaml.Node,
        field: str,
        *,
        above: float | None = None,
        least: float = 0.0,
        most: float = 1e6,
    ) -> float:
        """A finite number within its bounds."""
        allowed = f"above {above:g}" if above is not None else f"{least:g} or more"
        if isinstance(node, yaml.ScalarNode) and node.tag in _NUMBERS:
            try:
                value = float(yaml.safe_load(node.value))
            except (ValueError, OverflowError, yaml.YAMLError):
                value = math.nan
            low_enough = value > above if above is not None else value >= least
            if low_enough and value <= most:
                return value
        self.add(node, f"{field} must be a number {allowed} and at most {most:g}, not {shown(node)}")
        return least if above is None else above

    def whole(self, node: yaml.Node, field: str, *, least: int, most: int) -> int:
        """A whole number within its bounds."""
        value = self.number(node, field, least=least, most=most)
        if value != int(value):
            self.add(node, f"{field} must be a whole number, not {shown(node)}")
        return int(value)

    def flag(self, node: yaml.Node, field: str) -> bool:
        """true or false."""
        if isinstance(node, yaml.ScalarNode) and node.tag == _BOOL:
            return bool(yaml.safe_load(node.value))
        self.add(node, f"{field} must be true or false, not {shown(node)}")
        return False

    def just_true(self, node: yaml.Node, field: str) -> None:
        """A key that says all by itself: nothing but true."""
        if not self.flag(node, field):
            self.add(node, f"{field} can only be true; leave it out otherwise")

    def choice(self, node: yaml.Node, field: str, kind: type[_E], default: _E) -> _E:
        """One of an enum's values."""
        value = node.value if isinstance(node, yaml.ScalarNode) else None
        for member in kind:
            if member.value == value:
                return member
        allowed = ", ".join(str(member.value) for member in kind)
        self.add(node, f"{field} is {shown(node)}; allowed are {allowed}")
        return default


def shown(node: yaml.Node) -> str:
    """What stands there, for an error message."""
    if isinstance(node, yaml.ScalarNode):
        text = str(node.value)
        return repr(text if len(text) <= 60 else f"{text[:57]}…") if text else "nothing"
    kind = "list" if isinstance(node, yaml.SequenceNode) else "mapping"
    return f"a {kind}" if node.value else f"an empty {kind}"


def _count(root: yaml.Node | None, file: str) -> None:
    seen, left = 0, [root] if root is not None else []
    while left:
        node = left.pop()
        seen += 1
        if seen > MOST_NODES:
            raise DescriptionError(
                f"the file holds more than {MOST_NODES} entries, its aliases counted; write less",
                file=file,
                line=1,
            )
        if isinstance(node, yaml.SequenceNode):
            left += node.value
        elif isinstance(node, yaml.MappingNode):
            left += [part for pair in node.value for part in pair]
