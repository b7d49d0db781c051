"""A description file (YAML), node by node: every mistake is said with file, line, and what may stand there.

YAML's own traps are caught here: [..] and {..} outside of quotes, keys like yes and no that are no texts,
keys that stand twice. What the nodes mean is the business of whoever reads them (`phrases.py`).
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

import yaml

from framework.errors import DescriptionError
from framework.yaml_reader import compose, line_of, text_of

_TAG = "tag:yaml.org,2002:"


class Entry(NamedTuple):
    """One key of a mapping with its value."""

    key: yaml.Node
    value: yaml.Node


class Text(NamedTuple):
    """A text and where it stands."""

    text: str
    node: yaml.Node

    @property
    def line(self) -> int:
        """Counted from 1."""
        return line_of(self.node)


class Described:
    """One file. example: what the shortest right one looks like, for the message about an empty one.

    text: what is in it, if it has been read already.
    Raises DescriptionError if it cannot be read or is no YAML.
    """

    def __init__(self, file: Path, example: str, text: str | None = None) -> None:
        self.file = str(file)
        if text is None:
            text = text_of(file, "it")
        root = compose(text, self.file, hint=" (put each phrase in quotes)")
        if root is None:
            raise DescriptionError(f"the file is empty; write {example}", file=self.file, line=1)
        self.root: yaml.Node = root

    def error(self, node: yaml.Node, message: str) -> DescriptionError:
        """A mistake at a node; to be raised."""
        return DescriptionError(message, file=self.file, line=line_of(node))

    def mapping(self, node: yaml.Node, what: str, keys: Collection[str] = ()) -> dict[str, Entry]:
        """Keys and values, in their order. keys: the only ones there may be."""
        if not isinstance(node, yaml.MappingNode):
            raise self.error(node, f"{what} has to be keys and values, like `say: [...]`")
        entries: dict[str, Entry] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag != _TAG + "str":
                shown = getattr(key, "value", "this")
                raise self.error(key, f'the key {shown} is no text for YAML; put it in quotes: "{shown}"')
            if key.value in entries:
                raise self.error(key, f"{key.value!r} stands here twice")
            if keys and key.value not in keys:
                raise self.error(key, f"there is no key {key.value!r} here; keys are {', '.join(keys)}")
            entries[key.value] = Entry(key, value)
        return entries

    def texts(self, node: yaml.Node, what: str) -> list[Text]:
        """A list of texts."""
        if not isinstance(node, yaml.SequenceNode):
            raise self.error(node, f'{what} has to be a list of texts: {what}: ["...", "..."]')
        return [Text(self.text(item, "the phrase"), item) for item in node.value]

    def text(self, node: yaml.Node, what: str) -> str:
        """A text. YAML takes what is not in quotes for numbers, dates and lists."""
        if isinstance(node, yaml.SequenceNode | yaml.MappingNode):
            raise self.error(
                node, f"YAML reads [ ] and {{ }} outside of quotes as its own: put {what} in quotes"
            )
        if node.tag != _TAG + "str":
            raise self.error(node, f'YAML reads {node.value} as no text: put it in quotes, "{node.value}"')
        return str(node.value)

    def scalar(self, node: yaml.Node, what: str) -> str | int | float | bool:
        """A text, a number, or true or false, as YAML has it."""
        kind = node.tag.removeprefix(_TAG) if isinstance(node, yaml.ScalarNode) else ""
        try:
            match kind:
                case "str":
                    return str(node.value)
                case "int":
                    return int(node.value)
                case "float":
                    return float(node.value)
                case "bool":
                    return str(node.value).casefold() in ("true", "yes", "on")
        except ValueError:
            pass  # "0o17", ".inf", "1_000" are numbers for YAML; here they are said to be none
        raise self.error(node, f"{what} has to be a text, a number, or true or false")

    def flag(self, node: yaml.Node, what: str) -> bool:
        """True or false."""
        value = self.scalar(node, what)
        if not isinstance(value, bool):
            raise self.error(node, f"{what} has to be true or false, and is {value!r}")
        return value

    def number(self, node: yaml.Node, what: str) -> float:
        """A number."""
        value = self.scalar(node, what)
        if isinstance(value, bool | str):
            raise self.error(node, f"{what} has to be a number, and is {value!r}")
        return float(value)
