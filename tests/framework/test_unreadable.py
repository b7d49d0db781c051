"""What comes in as bytes may be anything: who decodes it catches all that the decoder raises."""

from __future__ import annotations

import ast
from pathlib import Path

import msgspec
import pytest

from framework.unreadable import UNREADABLE

ROOT = Path(__file__).parents[2]
FOLDERS = ("framework", "managers", "resources", "actions", "pilothouse")


class Report(msgspec.Struct):
    """What is expected."""

    name: str


@pytest.mark.parametrize(
    "content",
    [b"", b"\xc1", b"\x81\xa4name\x05", b"\x81\xa4name\xa3\xff\xff\xff", b"\x91" * 100_000],
    ids=["nothing", "no msgpack", "another type", "no UTF-8", "nested too deeply"],
)
def test_all_that_a_decoder_raises_is_caught(content: bytes) -> None:
    for kind in (Report, object):
        try:
            msgspec.msgpack.decode(content, type=kind)
        except UNREADABLE:
            continue
        assert kind is object


def _decodes(body: list[ast.stmt]) -> bool:
    calls = (each for line in body for each in ast.walk(line) if isinstance(each, ast.Call))
    return any("decode" in ast.unparse(each.func) for each in calls)


def test_who_catches_what_msgspec_raises_catches_all_of_it() -> None:
    found = [
        f"{file.relative_to(ROOT)}:{handler.lineno}"
        for folder in FOLDERS
        for file in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Try) and _decodes(node.body)
        for handler in node.handlers
        if handler.type is not None and "msgspec." in ast.unparse(handler.type)
    ]
    assert not found, f"UNREADABLE has all that may come: {found}"
